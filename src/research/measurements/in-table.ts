/** Finds the cell of an effect in the table of its metric and baseline over its Room. */
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { type Dimensions, textOf } from "./cells.ts"
import { figureOn, halfWidth, scaleOf } from "./figures.ts"
import { tableAround } from "./kept-tables.ts"
import type { MeasurementTables } from "./reads.ts"
import type { Effect } from "./working-out.ts"

export type InTable = NonNullable<EffectAnswer["inTable"]>

const isSame = (one: Dimensions, other: Dimensions): boolean =>
  Object.keys(one).every((name) => textOf(one[name] ?? "") === textOf(other[name] ?? ""))

/**
 * @returns a function of a Room, an effect and the attempts behind it, that gives the difference in the table and
 * whether it is told apart there; null if there is no such cell
 */
export function inTable(measured: MeasurementTables) {
  return function cellOf(roomId: string, effect: Effect, attempts: readonly string[]): InTable | null {
    const question = tableAround(effect)
    if (question === undefined) return null
    const { where = {}, ...rest } = question
    const places = Object.entries(where).map(([name, value]) => `${name}:${textOf(value)}`)
    try {
      const { groups, comparisons } = measured({ roomId }, { ...rest, ...(places.length > 0 && { where: places }) })
      const here = groups.filter(({ key }) => isSame(key, { ...effect.where, ...effect.of }))
      // Groups with one key are parted by settings: its own holds its attempts.
      const own = here.find((group) => group.attempts.some(({ attemptId }) => attempts.includes(attemptId)))
      const contrast = (own ?? (here.length === 1 ? here[0] : undefined))?.contrast
      if (contrast == null) return null
      const { estimate, low, high, pairs, corrected } = contrast
      return { estimate, low, high, pairs, isDistinct: corrected?.isDistinct ?? false, comparisons }
    } catch (error) {
      if (error instanceof Refusal) return null
      throw error
    }
  }
}

/** "over the Room −2.39 ±0.27 points, told apart (of 33)". @param unit as of its metric */
export function inTableInWords({ estimate, low, high, isDistinct, comparisons }: InTable, unit: string | null): string {
  const scale = scaleOf(unit)
  const half = halfWidth(low, high)
  const around = half === null ? "" : ` ±${figureOn(scale, half, half)}`
  const apart = `${isDistinct ? "" : "not "}told apart (of ${comparisons})`
  return `over the Room ${figureOn(scale, estimate, half)}${around}${scale.difference}, ${apart}`
}
