/** Describes effects in sentences. */
import { type Dimensions, textOf } from "./cells.ts"
import { figure, interval } from "./figures.ts"
import type { Effect, Figures } from "./working-out.ts"

/** Describes the dimensions of a place: `smoothing, labels 400`. */
export const placeInWords = (place: Dimensions): string =>
  Object.entries(place)
    .map(([name, value]) => (name === "arm" ? textOf(value) : `${name} ${textOf(value)}`))
    .join(", ")

/** Describes what an effect compares: `error of smoothing − baseline at labels 400`. */
export function contrastInWords({
  metric,
  split,
  of,
  against,
  where = {},
}: Pick<Effect, "metric" | "of" | "against" | "where"> & { readonly split?: string | null }): string {
  const at = Object.keys(where).length === 0 ? "" : ` at ${placeInWords(where)}`
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
  return `${over === undefined ? "unpaired" : `fewer than two pairs over ${over}: unpaired`}, ${ofCount} and ${againstCount} values${left.join("")}`
}

/**
 * Describes an effect in one sentence: `error of smoothing − baseline at labels 400: −1.15 %, 95 % −1.72 to −0.58, 10
 * pairs`.
 */
export function effectInWords(effect: Effect, figures: Figures | null): string {
  const what = contrastInWords(effect)
  if (figures === null) return `${what}: the values it was worked out from were withheld`
  const { estimate, se, low, high, unit } = figures
  const sure = low === null ? "no spread known" : `95 % ${interval(low, high, se)}`
  return `${what}: ${figure(estimate, se)}${unit === null ? "" : ` ${unit}`}, ${sure}, ${countInWords(figures, effect.over)}`
}
