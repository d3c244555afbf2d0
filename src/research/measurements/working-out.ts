/** Computes an effect: the difference of two groups of values that attempts reported. Names what it compares. */
import type { EffectFigures } from "../../contract/answers/measurements.ts"
import { picked } from "../../contract/typed.ts"
import { canonicalJson, digestOf } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { type Dimensions, type Source, textOf } from "./cells.ts"
import { countWithout, filtered, isAt, placesIn, sourcesIn } from "./frame.ts"
import { compared, runOf, sideAt } from "./sides.ts"
import { folded, Stated } from "./stated.ts"
import { type Measured, type Pending, splitsInWords, type Values } from "./values.ts"

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
  /** The split of its values; empty without one. */
  readonly split: string
  /** The settings, with their values, that its attempts differ in and that it does not name; null if there is none. */
  readonly differing: string | null
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

/** Why one write cannot have its effects worked out, while everybody waits; undefined if it can. */
export function tooManyValues(amount: number): string | undefined {
  if (amount <= limits.effectValues) return undefined
  const [some, most] = [amount.toLocaleString("en"), limits.effectValues.toLocaleString("en")]
  return `would be worked out from ${some} values, of at most ${most}: name fewer attempts or effects`
}

export type WorkingOut = ReturnType<typeof workingOut>

export function workingOut(values: Values) {
  /**
   * Computes an effect from succeeded attempts.
   * @param pending values that an attempt is about to report with its success
   */
  return function workedOut(effect: Effect, named: Named, pending?: Pending): WorkedOut | Fault {
    const { metric, of, against, over, where = {}, pool = [] } = effect
    if (contrastOf(effect).isEmpty) return { at: "against", message: "names the same group as of" }
    const all = values.attempts({ attemptIds: allOf(named) })
    const attempts = all.filter(({ status, attemptId }) => status === "succeeded" || attemptId === pending?.attemptId)
    const open = all.filter((each) => !attempts.includes(each))
    const splits = effect.split === undefined ? values.splitOf(attempts, metric, pending) : undefined
    const split = effect.split ?? splits?.split
    if (split === undefined && splits !== undefined && splits.known.length > 1)
      return { at: "split", message: `must be given: ${metric} is reported ${splitsInWords(splits.known)}` }
    const reported = values.frame(attempts, metric, split ?? "", pending)
    if (split === undefined || reported.values.length === 0) return unreported(all, open, metric)
    const here = values.at(reported, attempts, { by: [...Object.keys(of), ...Object.keys(against)], over, where })
    if (here.values.length === 0) return { at: "where", message: "matches no value" }
    const finite = filtered(here, (index) => Number.isFinite(here.values[index]))
    const [isMine, isTheirs] = [isAt(finite, of), isAt(finite, against)]
    const [mine, theirs] = [filtered(finite, isMine), filtered(finite, isTheirs)]
    if (mine.values.length === 0)
      return { at: "of", message: `names a group without a finite value${unfinished(open)}` }
    if (theirs.values.length === 0)
      return { at: "against", message: `names a group without a finite value${unfinished(open)}` }

    const overs = over === undefined ? [] : [over]
    const stated = new Stated(finite, [...Object.keys(of), ...Object.keys(against), ...Object.keys(where), ...overs])
    const pools = new Set(pool.map(folded))
    const places = [placesIn(mine), placesIn(theirs)] as const
    const both = [...new Set(places.flat())]
    const parting = new Set(
      places.flatMap((side) => stated.parted(side, stated.differing).flatMap(({ values }) => [...values.keys()])),
    )
    const differing = [...parting].filter((key) => !pools.has(key))
    const merging = [...parting].filter((key) => pools.has(key))
    const within = compared(finite, over, (source, place) => `${runOf(source)} ${stated.codesOf(place, merging)}`)
    const [one, other] = [sideAt(within, isMine), sideAt(within, isTheirs)]
    if (one.points.values.length === 0 || other.points.values.length === 0)
      return {
        at: "over",
        message: `is a dimension that no value of "${one.points.values.length === 0 ? "of" : "against"}" has`,
      }
    const stray = strayIn(effect, named, sourcesIn(mine), sourcesIn(theirs))
    if (stray !== undefined) return stray
    const sources = both.flatMap((place) => finite.sources[place] ?? [])
    const units = values.unitsOf(sources, metric, split, pending)
    if (units.length > 1)
      return {
        at: "metric",
        message:
          `is reported in different units, ${units.slice(0, 5).join(" and ")}: ` +
          "correct the wrong one with corrects",
      }
    const difference = one.less(other)
    if (difference === null) return { at: "of", message: "cannot be compared" }
    return {
      split,
      differing: differing.length === 0 ? null : differingInWords(finite.sources, both, differing, stated),
      figures: {
        ...picked(difference, "method", "estimate", "se", "df", "low", "high", "p", "pairs", "unpaired"),
        ...picked(difference, "pairedAcross", "noise", "belowNoise"),
        ofCount: one.points.values.length,
        againstCount: other.points.values.length,
        withoutOver: over === undefined ? 0 : countWithout(mine, over) + countWithout(theirs, over),
        unit: units[0] ?? null,
        merged: stated.merged(both, [...parting]),
      },
      attemptIds: sources.map(({ attemptId }) => attemptId).sort(),
    }
  }
}

/** Why a metric has no value: an attempt that would have one may not have ended. */
function unreported(all: readonly Measured[], open: readonly Measured[], metric: string): Fault {
  const message =
    open.length > 0 && open.length === all.length
      ? `has no value of ${metric} yet`
      : "is not reported by any of the named attempts that succeeded"
  return { at: "metric", message: `${message}${unfinished(open)}` }
}

/** The first of the attempts whose values do not count, since they have not succeeded; empty if there are none. */
function unfinished(open: readonly Measured[]): string {
  const states = open.slice(0, 5).map(({ label, status }) => `${label} is ${status.replaceAll("_", " ")}`)
  return open.length === 0 ? "" : `: ${states.join(", ")}; only success counts`
}

/** "updates (1000 in A1; 5000 in A2)" */
function differingInWords(
  sources: readonly Source[],
  places: readonly number[],
  keys: readonly string[],
  stated: Stated,
): string {
  const differences = keys.map((key) => {
    const byValue = Map.groupBy(places, (place) => textOf(stated.valueAt(place, key) ?? "not stated"))
    const values = [...byValue].slice(0, 5).map(([value, some]) => {
      const labels = some.slice(0, 3).map((place) => sources[place]?.label ?? "")
      return `${value} in ${labels.join(", ")}${some.length > labels.length ? ` and ${some.length - 3} more` : ""}`
    })
    return `${stated.nameOf(key)} (${values.join("; ")})`
  })
  return `covers attempts that differ in ${differences.join(" and ")}: name it in where, or in pool to merge it`
}
