/** Computes an effect: the difference of two groups of values that attempts reported. Names what it compares. */
import type { EffectFigures } from "../../contract/answers/measurements.ts"
import { picked } from "../../contract/each.ts"
import { canonicalJson, digestOf } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { type Dimensions, type Source, textOf } from "./cells.ts"
import { atPlace, countWithout, filtered, sourcesIn } from "./frame.ts"
import { differenceOf, pointsOf } from "./table.ts"
import type { Pending, Values } from "./values.ts"

export type Effect = NonNullable<BodyOf<"publish_finding">["effects"]>[number]
/** The computed numbers of an effect. */
export type Figures = EffectFigures

/**
 * The canonical text of a group and the place it is compared at. Values become texts, because 400 and "400" are equal.
 */
const placed = (group: Dimensions, where: Dimensions): string =>
  canonicalJson(
    Object.fromEntries(Object.entries({ ...where, ...group }).map(([name, value]) => [name, textOf(value)])),
  )

/**
 * Returns a key for what an effect compares, the same for two effects of the same metric and groups in either
 * direction. If `isReversed`, the key has its sides swapped, and an estimate has the opposite sign; if `isEmpty`, both
 * sides are the same group.
 */
export function contrastOf({ metric, split = "", of, against, where = {} }: Effect) {
  const [one, other] = [placed(of, where), placed(against, where)]
  const isReversed = one > other
  const key = digestOf(canonicalJson([metric, split, ...(isReversed ? [other, one] : [one, other])]))
  return { key, isReversed, isEmpty: one === other }
}

/** The attempts whose values an effect may rest on. */
export interface Named {
  readonly attemptIds: readonly string[]
  readonly baselineAttemptIds: readonly string[]
}
export const allOf = ({ attemptIds, baselineAttemptIds }: Named): string[] => [
  ...new Set([...attemptIds, ...baselineAttemptIds]),
]

/** Why an effect cannot be computed: the member at fault and a message. */
export interface Fault {
  readonly at: keyof Effect
  readonly message: string
}
export interface WorkedOut {
  readonly figures: Figures
  /** The attempts whose values were used, ordered by id. */
  readonly attemptIds: readonly string[]
}
export const isFault = (found: WorkedOut | Fault): found is Fault => "message" in found

/**
 * Finds a value from a wrong experiment. Only the values to compare with may come from another one, from attempts named
 * as baselines.
 */
function strayIn(
  { experimentId }: Effect,
  { baselineAttemptIds }: Named,
  mine: readonly Source[],
  theirs: readonly Source[],
): Fault | undefined {
  const isOther = (source: Source) => source.experimentId !== experimentId
  const [own] = mine.filter(isOther)
  const stray = own ?? theirs.find((source) => isOther(source) && !baselineAttemptIds.includes(source.attemptId))
  if (stray === undefined) return undefined
  const part = own === undefined ? "against" : "of"
  return { at: "experimentId", message: `is not the experiment of ${stray.label}, whose values are in "${part}"` }
}

export type WorkingOut = ReturnType<typeof workingOut>

export function workingOut(values: Values) {
  /**
   * Computes an effect from succeeded attempts.
   * @param pending values that an attempt is about to report with its success
   */
  return function workedOut(effect: Effect, named: Named, pending?: Pending): WorkedOut | Fault {
    const { metric, split = "", of, against, over, where = {} } = effect
    if (contrastOf(effect).isEmpty) return { at: "against", message: "names the same group as of" }
    const attempts = values
      .attempts({ attemptIds: allOf(named) })
      .filter(({ status, attemptId }) => status === "succeeded" || attemptId === pending?.attemptId)
    const reported = values.frame(attempts, metric, split, pending)
    if (reported.values.length === 0)
      return { at: "metric", message: "is not reported by any of the named attempts that succeeded" }
    const here = values.at(reported, attempts, { by: [...Object.keys(of), ...Object.keys(against)], over, where })
    if (here.values.length === 0) return { at: "where", message: "matches no value" }
    const finite = filtered(here, (index) => Number.isFinite(here.values[index]))
    const [mine, theirs] = [atPlace(finite, of), atPlace(finite, against)]
    if (mine.values.length === 0) return { at: "of", message: "names a group without a finite value" }
    if (theirs.values.length === 0) return { at: "against", message: "names a group without a finite value" }
    const [one, other] = [pointsOf(mine, over), pointsOf(theirs, over)]
    if (one.values.length === 0 || other.values.length === 0)
      return {
        at: "over",
        message: `is a dimension that no value of "${one.values.length === 0 ? "of" : "against"}" has`,
      }
    const stray = strayIn(effect, named, sourcesIn(mine), sourcesIn(theirs))
    if (stray !== undefined) return stray
    const sources = [...new Set([...sourcesIn(mine), ...sourcesIn(theirs)])]
    const units = values.unitsOf(sources, metric, split, pending)
    if (units.length > 1)
      return {
        at: "metric",
        message: `is reported in different units, ${units.slice(0, 5).join(" and ")}: correct the wrong one with corrects`,
      }
    const difference = differenceOf(one, other)
    if (difference === null) return { at: "of", message: "cannot be compared" }
    return {
      figures: {
        ...picked(difference, "method", "estimate", "se", "low", "high", "p", "pairs", "unpaired"),
        ofCount: one.values.length,
        againstCount: other.values.length,
        withoutOver: over === undefined ? 0 : countWithout(mine, over) + countWithout(theirs, over),
        unit: units[0] ?? null,
      },
      attemptIds: sources.map(({ attemptId }) => attemptId).sort(),
    }
  }
}
