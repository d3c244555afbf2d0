/** Forest plots of effects: each estimate with its interval along one axis, and the pooled estimate. */
import {
  type GatheredContrast,
  type GatheredEstimate,
  type EffectAnswer,
  whyStale,
} from "../../contract/answers/measurements.ts"
import { compareScalars, type Dimensions, textOf } from "../../research/measurements/cells.ts"
import { acrossInWords, contrastInWords, placeInWords } from "../../research/measurements/in-words.ts"
import { figureOn, intervalOn, scaleOf, unitInWords } from "../../research/measurements/statistics.ts"
import { tableAround } from "../../research/measurements/kept-tables.ts"
import { type EffectCell, type EffectLine, effectTable, pooledCell, repeatCell, repeatLine } from "../charts/effects.ts"
import { type Content, type Html, html } from "../html.ts"
import { stateBadge } from "../parts/marks.ts"
import { fromOther, label, live, person } from "../parts/parts.ts"
import type { Visit } from "../visit.ts"
import { counted } from "../words.ts"
import { tablePath } from "./effects.ts"

type Estimate = Pick<EffectAnswer, "estimate" | "low" | "high" | "se" | "unit">

/** Renders an estimate and its interval. */
export const estimateInWords = ({ estimate, low, high, se, unit }: Estimate): Html => {
  const scale = scaleOf(unit)
  return html`<strong>${figureOn(scale, estimate, se)}</strong> \
${low === null ? html`<span class="quiet">no spread known</span>` : intervalOn(scale, low, high, se)}`
}

/** The parts of a row that draw an estimate and say it in numbers. */
export const drawn = (effect: Estimate) => ({
  mid: effect.estimate,
  low: effect.low,
  high: effect.high,
  numbers: estimateInWords(effect),
})

interface Mean {
  readonly mean: number | null
  readonly low: number | null
  readonly high: number | null
  readonly se: number | null
  readonly points?: readonly { readonly value: number }[] | undefined
}

/** The parts of a row that draw the mean of a group and its values. @param none the text for a group without a mean */
export const drawnMean = ({ mean, low, high, se, points = [] }: Mean, unit: string | null, none: string) => ({
  ...drawn({ estimate: mean, low, high, se, unit }),
  dots: points.map(({ value }) => value),
  ...(mean === null && { numbers: html`<span class="quiet">${none}</span>` }),
})

/** A cell of a picture of contrasts: its place, and the line that it stands on. */
interface Entry {
  /** What is compared: `shift − baseline`. */
  readonly contrast: string
  /** Where: its size. */
  readonly where: Dimensions
  /** The key of its line, the same at each place. */
  readonly key: string
  readonly line: Omit<EffectLine, "cells">
  readonly cell: EffectCell
}
interface Measured {
  readonly metric: string
  readonly split: string | null
  readonly unit: string | null
}

const nameOf = ({ of, against }: Pick<EffectAnswer, "of" | "against">): string =>
  `${placeInWords(of)} − ${placeInWords(against)}`

/** Draws contrasts of one metric: a line for each source, a column for each place, one axis for all. */
function contrastTable({ metric, split, unit }: Measured, entries: readonly Entry[]): Html {
  const values = (where: Dimensions) => Object.values(where).map(textOf).join(" ")
  const places = [...new Map(entries.map(({ where }) => [placeInWords(where), where])).entries()].toSorted(
    ([, one], [, other]) => compareScalars(values(one), values(other)),
  )
  const contrasts = [...Map.groupBy(entries, ({ contrast }) => contrast)]
  const lines = contrasts.flatMap(([contrast, same]): EffectLine[] => {
    const own = [...Map.groupBy(same, ({ key }) => key).values()].flatMap((line): EffectLine[] => {
      const at = new Map(line.map(({ where, cell }) => [placeInWords(where), cell]))
      return line.slice(0, 1).map((first) => ({ ...first.line, cells: places.map(([name]) => at.get(name) ?? null) }))
    })
    return contrasts.length === 1 ? own : [{ head: contrast, name: contrast, look: "group", cells: [] }, ...own]
  })
  const inUnit = unit === null ? "" : ` in ${unitInWords(unit, true)}`
  const what = contrasts.length === 1 ? contrasts[0]?.[0] : "differences"
  const caption = `${metric}${split === null ? "" : ` (${split})`}: ${what}${inUnit}, with 95 % intervals`
  const picture = { caption, corner: "Source", columns: places.map(([name]) => name), lines, unit }
  return html`<figure class="effects"><p class="of">${caption}</p>${effectTable(picture)}</figure>`
}

const byMetric = <T extends Measured>(all: readonly T[]): [T, ...T[]][] =>
  [...Map.groupBy(all, ({ metric, split, unit }) => JSON.stringify([metric, split, unit])).values()].flatMap(
    ([first, ...others]) => (first === undefined ? [] : [[first, ...others] satisfies [T, ...T[]]]),
  )

const together: Omit<EffectLine, "cells"> = { head: "Together", name: "Together", look: "pooled" }

const codeOf = ({ otherCode }: GatheredEstimate): string =>
  otherCode === null ? "" : otherCode ? "· other code" : "· the same code"

/** The effects that a finding has toward a record, those that repeat them, and the pooled estimates. */
function entriesOf(visit: Visit, contrast: GatheredContrast): Entry[] {
  const at = { contrast: nameOf(contrast), where: contrast.where }
  const own = contrast.estimates.flatMap((estimate): Entry[] => {
    const { versionId, effect, label: text, author, n, isStale } = estimate
    const { reproductions: repeats = [], pairedAcross = null } = visit.effects(versionId)[effect] ?? {}
    const across = pairedAcross === null ? "" : ` · ${acrossInWords(pairedAcross)}`
    const head = html`${label("finding", versionId, text)}${fromOther(estimate)} ${person(author)} \
<span class="quiet">${codeOf(estimate)}${across}</span>${isStale && html` ${stateBadge("unknown", "stale")}`}`
    const line = { head, name: text, ...(isStale && { look: "stale" as const }) }
    return [
      { ...at, key: versionId, line, cell: { ...estimate, n: `n ${n}`, isDistinct: false } },
      ...repeats.map((repeat) => ({
        ...{ ...at, key: `${versionId} ${repeat.by.id}` },
        line: repeatLine(visit, repeat),
        cell: repeatCell(repeat),
      })),
    ]
  })
  const { pooled } = contrast
  return pooled === null ? own : [...own, { ...at, key: "together", line: together, cell: pooledCell(pooled) }]
}

/** Contrasts drawn of a hypothesis. The others are counted. */
const DRAWN = 24

/** Renders the effects that bear on a hypothesis; null if there are none. */
export function forest(visit: Visit, contrasts: readonly GatheredContrast[]): Html | null {
  if (contrasts.length === 0) return null
  const others = contrasts.length - DRAWN
  const tables = byMetric(contrasts.slice(0, DRAWN)).map((same) =>
    contrastTable(
      same[0],
      same.flatMap((contrast) => entriesOf(visit, contrast)),
    ),
  )
  const said = contrasts.flatMap(({ what, pooled }) =>
    pooled === null ? [] : [html`<li>${what}: ${pooled.heterogeneity}</li>`],
  )
  const more = others > 0 ? html`<p class="meta">${counted(others, "other contrast")} not drawn.</p>` : null
  const notes = said.length > 0 && html`<ul class="uses">${said}</ul>`
  return html`<section aria-label="What was measured" id="effects">${live("effects", [tables, notes, more])}</section>`
}

/** The same contrast over all runs of the Room, as it stands beside the effect everywhere. */
function roomEntry(roomId: string, effect: EffectAnswer): Entry[] {
  const { metric, split, of, against, over, where, pool, experimentId, inTable } = effect
  const question = tableAround({
    ...{ experimentId, metric, of, against, where, pool },
    ...(split !== null && { split }),
    ...(over !== null && { over }),
  })
  if (inTable === null || question === undefined) return []
  const { pairs, comparisons } = inTable
  const asked = { metric, split, over, pool, by: question.by, against: question.against ?? null }
  const cell = {
    ...inTable,
    // Its numbers are written with as many decimals as those of the finding.
    se: null,
    n: pairs === null ? "" : `n ${pairs}`,
    path: tablePath(roomId, { ...asked, where: question.where ?? {}, experimentIds: null }),
    note: `of ${counted(comparisons, "comparison")}`,
  }
  const line = { head: "All runs of the Room", name: "All runs of the Room" }
  return [{ contrast: nameOf(effect), where, key: "room", line, cell }]
}

const AND = new Intl.ListFormat("en-GB")

/** "labels 50, 100 and 400": several places in words, with the name of the dimension that they share. */
function placesInWords(places: readonly Dimensions[]): string {
  const [first, ...others] = places
  const names = Object.keys(first ?? {})
  const isShared = names.length === 1 && others.every((place) => Object.keys(place).join() === names[0])
  const values = isShared ? places.map((place) => textOf(place[names[0] ?? ""] ?? "")) : places.map(placeInWords)
  return `${isShared ? `${names[0]} ` : ""}${AND.format(new Set(values))}`
}

/** Says of each contrast at which places it is smaller than the noise. */
function lostInNoise(effects: readonly EffectAnswer[]): Html[] {
  const lost = effects.filter(({ belowNoise }) => belowNoise === true)
  const contrasts = Map.groupBy(lost, (effect) => contrastInWords({ ...effect, where: {} }))
  return [...contrasts].map(([contrast, same]) => {
    const places = same.flatMap(({ where = {} }) => (Object.keys(where).length === 0 ? [] : [where]))
    return html`<li>${contrast}${places.length > 0 && ` at ${placesInWords(places)}`} is smaller than the noise: \
what the same code and settings differ by from run to run.</li>`
  })
}

/**
 * Renders the differences that a finding rests on as one picture for each metric, with the reproductions of each below
 * it, and what the whole Room's runs say. @param by what the finding is called
 */
export function effectsOf(
  visit: Visit,
  roomId: string,
  effects: readonly EffectAnswer[],
  by = "This finding",
): Html | null {
  if (effects.length === 0) return null
  const entries = (effect: EffectAnswer): Entry[] => {
    const { estimate, se, low, high, pairs, ofCount, againstCount, where, isStale, pooled } = effect
    const at = { contrast: nameOf(effect), where }
    const n = `n ${pairs ?? Math.min(ofCount ?? 0, againstCount ?? 0)}`
    const own = { head: by, name: by, ...(isStale && { look: "stale" as const }) }
    const text = "values withheld"
    return [
      { ...at, key: "own", line: own, cell: { estimate, se, low, high, n, text, isDistinct: false } },
      ...effect.reproductions.map((repeat) => ({
        ...{ ...at, key: repeat.by.id },
        line: repeatLine(visit, repeat),
        cell: repeatCell(repeat),
      })),
      ...(pooled === null ? [] : [{ ...at, key: "together", line: together, cell: pooledCell(pooled) }]),
      ...roomEntry(roomId, effect),
    ]
  }
  const notes: Content[] = effects.flatMap(({ staleReason, now, repeats, ...effect }) => [
    repeats &&
      html`<li>${contrastInWords(effect)} repeats ${label("finding", repeats.versionId, repeats.label)}\
${fromOther(repeats)}. ${repeats.comparison?.sentence}</li>`,
    effect.pairedAcross && html`<li>${contrastInWords(effect)} is compared ${acrossInWords(effect.pairedAcross)}.</li>`,
    staleReason &&
      html`<li>${stateBadge("unknown", "stale")} ${contrastInWords(effect)}. \
${whyStale(staleReason, now?.sentence)}</li>`,
  ])
  notes.push(...lostInNoise(effects))
  const tables = byMetric(effects).map((same) => contrastTable(same[0], same.flatMap(entries)))
  const more = notes.every((note) => note === null || note === false) ? null : html`<ul class="uses">${notes}</ul>`
  return html`<section aria-label="What was measured" id="effects">${[tables, more]}</section>`
}
