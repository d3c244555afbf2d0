/** Forest plots of effects: each estimate with its interval along one axis, and the pooled estimate. */
import type { GatheredContrast, GatheredEstimate } from "../../contract/answers/gathered.ts"
import { type EffectAnswer, whyStale } from "../../contract/answers/measurements.ts"
import { contrastInWords } from "../../research/measurements/in-words.ts"
import { figure, interval } from "../../research/measurements/figures.ts"
import { type IntervalRow, intervalTable } from "../charts/intervals.ts"
import { type Content, type Html, html } from "../html.ts"
import { counted } from "../words.ts"
import { stateBadge } from "../parts/marks.ts"
import { live, section, fromOther, label, person } from "../parts/parts.ts"

/** The name of an axis, with the unit if all effects have the same. */
function differenceIn(units: readonly (string | null)[]): string {
  const [unit, ...others] = new Set(units)
  return `difference${unit == null || others.length > 0 ? "" : ` in ${unit}`}, with its 95 % interval`
}

/** Renders an estimate and its interval. */
export const estimateInWords = ({
  estimate,
  low,
  high,
  se,
}: Pick<EffectAnswer, "estimate" | "low" | "high" | "se">): Html =>
  html`<strong>${figure(estimate, se)}</strong> \
${low === null ? html`<span class="quiet">no spread known</span>` : interval(low, high, se)}`

/** The parts of a row that draw an estimate and say it in numbers. */
export const drawn = (effect: Pick<EffectAnswer, "estimate" | "low" | "high" | "se">) => ({
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
export const drawnMean = ({ mean, low, high, se, points = [] }: Mean, none: string) => ({
  ...drawn({ estimate: mean, low, high, se }),
  dots: points.map(({ value }) => value),
  ...(mean === null && { numbers: html`<span class="quiet">${none}</span>` }),
})

const codeOf = ({ otherCode }: GatheredEstimate): string =>
  otherCode === null ? "" : otherCode ? "other code" : "the same code"

function rowOf(estimate: GatheredEstimate): IntervalRow {
  const { versionId, label: text, author, n, isStale } = estimate
  return {
    ...drawn(estimate),
    head: html`${label("finding", versionId, text)}${fromOther(estimate)}`,
    cells: [html`${person(author)} <span class="quiet">${codeOf(estimate)}</span>`, n],
    numbers: html`${estimateInWords(estimate)}${isStale ? html` ${stateBadge("unknown", "stale")}` : null}`,
    ...(isStale && { look: "stale" }),
  }
}

function forestPlot({ what, unit, estimates, pooled }: GatheredContrast): Html {
  const together: IntervalRow[] =
    pooled === null
      ? []
      : [
          {
            ...drawn(pooled),
            head: "Together",
            cells: [
              html`${pooled.k} pooled, random effects`,
              estimates.reduce((sum, { n, isPooled }) => sum + (isPooled ? n : 0), 0),
            ],
            look: "pooled",
          },
        ]
  const table = {
    caption: what,
    head: ["Finding", "By", "n"],
    measures: differenceIn([unit]),
    numbers: "Estimate",
    zero: true,
  }
  return html`<h3>${what}</h3>${intervalTable(table, [...estimates.map(rowOf), ...together])}\
${pooled === null ? null : html`<p class="meta">${pooled.heterogeneity}</p>`}`
}

/** Maximum number of contrasts drawn. The others are counted. */
const DRAWN = 4

/** Renders the effects that bear on a hypothesis; null if there are none. */
export function forest(contrasts: readonly GatheredContrast[]): Html | null {
  if (contrasts.length === 0) return null
  const others = contrasts.length - DRAWN
  const more = others > 0 ? html`<p class="meta">${counted(others, "other contrast")} not drawn.</p>` : null
  return section("effects", "What was measured", live("effects", [contrasts.slice(0, DRAWN).map(forestPlot), more]))
}

/**
 * Renders the differences that a finding rests on, with an axis for each metric, and the present value of a stale one.
 */
export function effectsOf(effects: readonly EffectAnswer[]): Html | null {
  if (effects.length === 0) return null
  const row = (effect: EffectAnswer): IntervalRow => {
    const { pairs, ofCount, againstCount, experimentId, experimentLabel, isStale } = effect
    const n = pairs === null ? `${ofCount ?? 0} and ${againstCount ?? 0}` : counted(pairs, "pair")
    return {
      ...drawn(effect),
      head: html`${contrastInWords(effect)} ${label("experiment", experimentId, experimentLabel)}`,
      cells: [n],
      ...(isStale && { look: "stale" }),
    }
  }
  const groups = [...Map.groupBy(effects, ({ metric, split }) => JSON.stringify([metric, split])).values()]
  const notes: Content[] = effects.flatMap(({ staleReason, now, repeats, ...effect }) => [
    repeats &&
      html`<li>${contrastInWords(effect)} repeats ${label("finding", repeats.versionId, repeats.label)}\
${fromOther(repeats)}. ${repeats.comparison?.sentence}</li>`,
    staleReason &&
      html`<li>${stateBadge("unknown", "stale")} ${contrastInWords(effect)}. \
${whyStale(staleReason, now?.sentence)}</li>`,
  ])
  const tables = groups.map((same) => {
    const measures = differenceIn(same.map(({ unit }) => unit))
    return intervalTable(
      { caption: "Effects", head: ["Difference", "n"], measures, numbers: "Estimate", zero: true },
      same.map(row),
    )
  })
  const said = notes.every((note) => note === null) ? null : html`<ul class="uses">${notes}</ul>`
  return section("effects", "What was measured", [tables, said])
}
