/** Describes effects in sentences. */
import { type Dimensions, type Scalar, textOf } from "./cells.ts"
import { figure, figureOn, intervalOn, scaleOf } from "./statistics.ts"
import { liesWithin, type Effect, type Figures } from "./working-out.ts"

/** Most names or values in a sentence. */
const SHOWN = 5

/** Describes a condition on a dimension: `without steps`, `steps other than 5000`. */
function conditionInWords(name: string, value: Scalar): string {
  const text = textOf(value)
  if (text === "none") return `without ${name}`
  if (text === "!none") return `with ${name}`
  if (typeof value === "string" && text.startsWith("!")) return `${name} other than ${text.slice(1)}`
  return name === "arm" ? text : `${name} ${text}`
}

/** "of 27 comparisons in this table"; null without comparisons. */
export const familyInWords = (comparisons: number): string | null =>
  comparisons === 0 ? null : `of ${comparisons} ${comparisons === 1 ? "comparison" : "comparisons"} in this table`

/** Describes values of settings that are merged: `updates 1000 and 5000`. */
export const mergedInWords = (merged: Readonly<Record<string, readonly (Scalar | null)[]>>): string =>
  Object.entries(merged)
    .map(([name, values]) => {
      const texts = values.map((value) => (value === null ? "not stated" : textOf(value)))
      const more = texts.length > SHOWN ? ` and ${texts.length - SHOWN} more` : ""
      return `${name} ${more === "" ? texts.join(" and ") : texts.slice(0, SHOWN).join(", ")}${more}`
    })
    .join("; ")

/** Describes what a difference comes from: `across experiments E1, E2 and 2 commits`. */
export function acrossInWords({ experiments, commits, settings }: NonNullable<Figures["pairedAcross"]>): string {
  const parts = [
    ...(experiments.length > 1 ? [`experiments ${experiments.slice(0, SHOWN).join(", ")}`] : []),
    ...(commits.length > 1 ? [`${commits.length} commits`] : []),
    ...(settings.length > 0 ? [`other ${settings.join(", ")}`] : []),
  ]
  return `across ${parts.join(" and ") || "settings"}`
}

/** Describes noise: `sd 0.21 over seeds (n 20)`. */
export function noiseInWords({ sd, n, over }: NonNullable<Figures["noise"]>, unit: string | null): string {
  const scale = scaleOf(unit)
  return `sd ${figureOn(scale, sd, sd)}${scale.difference} over ${over} (n ${n})`
}

/** A difference with an interval at a level that allows for other comparisons. */
type Lead = Pick<Figures, "pairs" | "pairedAcross" | "belowNoise"> & {
  readonly estimate: number
  readonly se: number | null
  readonly low: number
  readonly high: number
  readonly level: number
}

/**
 * Describes by how much a group is ahead, whichever sign that has: `by 0.8 % (99.17 % interval 0.2 to 1.4, 5 pairs)`.
 */
export function leadInWords(
  { estimate, se, pairs, pairedAcross, belowNoise, ...lead }: Lead,
  unit: string | null,
): string {
  const scale = scaleOf(unit)
  const sign = estimate < 0 ? -1 : 1
  const [low, high] = sign < 0 ? [-lead.high, -lead.low] : [lead.low, lead.high]
  return (
    `by ${figureOn(scale, sign * estimate, se)}${scale.difference} ` +
    `(${Number(((1 - lead.level) * 100).toPrecision(4))} % interval ${intervalOn(scale, low, high, se)}` +
    `${pairs === null ? "" : `, ${pairs} pairs`}` +
    `${pairedAcross === null ? "" : `, ${acrossInWords(pairedAcross)}`}${belowNoise ? ", smaller than the noise" : ""})`
  )
}

/** Describes the dimensions of a place: `smoothing, labels 400`. An arm may be called "none". */
export const placeInWords = (place: Dimensions): string =>
  Object.entries(place)
    .map(([name, value]) => (name === "arm" ? textOf(value) : `${name} ${textOf(value)}`))
    .join(", ")

export const conditionsInWords = (where: Dimensions): string =>
  Object.entries(where)
    .map(([name, value]) => conditionInWords(name, value))
    .join(", ")

/** Describes what an effect compares: `error of smoothing − baseline at labels 400`. */
export function contrastInWords({
  metric,
  split,
  of,
  against,
  where = {},
}: Pick<Effect, "metric" | "of" | "against" | "where"> & { readonly split?: string | null }): string {
  const at = Object.keys(where).length === 0 ? "" : ` at ${conditionsInWords(where)}`
  return `${metric}${split == null ? "" : ` (${split})`} of ${placeInWords(of)} − ${placeInWords(against)}${at}`
}

const values = (count: number): string => `${count} ${count === 1 ? "value" : "values"}`

/** How many values an effect uses, and how many it leaves out. */
function countInWords(
  { pairs, unpaired, ofCount, againstCount, withoutOver }: Figures,
  over: string | undefined,
): string {
  const left = [
    ...(unpaired > 0 ? [`${values(unpaired)} without a partner`] : []),
    ...(withoutOver > 0 ? [`${values(withoutOver)} without ${over} left out`] : []),
  ].map((part) => `, ${part}`)
  if (pairs !== null) return `${pairs} pairs${left.join("")}`
  return (
    `${over === undefined ? "unpaired" : `fewer than two pairs over ${over}: unpaired`}, ${ofCount} and ` +
    `${againstCount} values${left.join("")}`
  )
}

/** Says whether an effect keeps to the bounds that it claims: `within ±0.6 points`; null without bounds. */
export function boundsInWords({ within }: Effect, figures: Figures): string | null {
  if (within === undefined) return null
  const scale = scaleOf(figures.unit)
  // As it was written, without digits that nobody gave.
  const bound = Number((within * scale.factor).toPrecision(6))
  return `${liesWithin(figures, within) ? "" : "not "}within ±${bound}${scale.difference}`
}

/**
 * Describes an effect in one sentence: `error of smoothing − baseline at labels 400: −1.15 %, 95 % −1.72 to −0.58, 10
 * pairs`.
 */
export function effectInWords(effect: Effect, figures: Figures | null): string {
  const what = contrastInWords(effect)
  if (figures === null) return `${what}: the values it was worked out from were withheld`
  const { estimate, se, low, high, unit } = figures
  const scale = scaleOf(unit)
  const sure = low === null ? "no spread known" : `95 % ${intervalOn(scale, low, high, se)}`
  const bounds = boundsInWords(effect, figures)
  const notes = [
    ...(bounds === null ? [] : [`, ${bounds}`]),
    ...(figures.pairedAcross === null ? [] : [`, ${acrossInWords(figures.pairedAcross)}`]),
    ...(Object.keys(figures.merged).length === 0 ? [] : [`, ${mergedInWords(figures.merged)} merged`]),
    ...(figures.belowNoise ? [", smaller than the noise"] : []),
  ].join("")
  const value = `${figureOn(scale, estimate, se)}${scale.difference}`
  return `${what}: ${value}, ${sure}, ${countInWords(figures, effect.over)}${notes}`
}

/** The contrast, the estimate and the interval of an effect: `error of shift − baseline at labels 50 −1.15 (…)`. */
export function estimateInWords(effect: Effect, { estimate, se, low, high, unit }: Figures): string {
  const scale = scaleOf(unit)
  const between = low === null ? "no spread known" : intervalOn(scale, low, high, se)
  return `${contrastInWords(effect)} ${figureOn(scale, estimate, se)}${scale.difference} (${between})`
}

/** A value for a table whose head names the unit: "14.04 %" for a fraction. */
export const valueInCell = (unit: string | null, value: number): string =>
  unit === "fraction" ? `${figureOn(scaleOf(unit), value)} %` : figure(value)
