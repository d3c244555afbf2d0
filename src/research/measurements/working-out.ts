/**
 * Computes an effect, the difference of two groups of values that attempts reported, names what it compares, and says
 * whether it repeats another.
 */
import type { EffectFigures, EffectAnswer } from "../../contract/answers/measurements.ts"
import { picked } from "../../contract/typed.ts"
import { canonicalJson, digestOf, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { type Dimensions, type Source, textOf } from "./cells.ts"
import { countWithout, filtered, isAt, placesIn, sourcesIn } from "./frame.ts"
import { compared, runOf, sideAt } from "./sides.ts"
import { folded, Stated } from "./stated.ts"
import { type Measured, type Pending, splitsInWords, type Values } from "./values.ts"
import type { EffectAgreement, ReproductionVerdict } from "../../contract/schema/enumerations.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { storedFigure as figure, storedInterval as interval, halfWidth, LEVEL } from "./statistics.ts"

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
interface WorkedOut {
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

// Whether an effect repeats another, and how the two compare: the agreement, a sentence and the verdict.

/** The numbers of an effect that are compared. */
type Estimated = Pick<Figures, "estimate" | "se" | "low" | "high">
/** An estimate with what its interval is read from. */
type Judged = Estimated & { readonly df?: number | null }
type Comparison = NonNullable<NonNullable<EffectAnswer["repeats"]>["comparison"]>

const contains = ({ low, high }: Estimated, value: number): boolean =>
  low !== null && high !== null && low <= value && value <= high

/** Returns the same difference with its sides swapped. */
export const reversed = <E extends Estimated>(effect: E): E => ({
  ...effect,
  estimate: -effect.estimate,
  low: effect.high === null ? null : -effect.high,
  high: effect.low === null ? null : -effect.low,
})

function agreementOf(own: Estimated, first: Estimated): EffectAgreement {
  if (contains(own, first.estimate)) return "holds_estimate"
  return Math.sign(own.estimate) === Math.sign(first.estimate) ? "sign_agrees" : "neither"
}

/** The difference of two estimates, each with its own standard error (Welch); null if either has no spread. */
export function differenceBetween(own: Judged, first: Judged): Estimated | null {
  if (own.se === null || first.se === null) return null
  const estimate = own.estimate - first.estimate
  const [a, b] = [own.se ** 2, first.se ** 2]
  const se = Math.sqrt(a + b)
  const df = se === 0 ? 1 : (a + b) ** 2 / (a ** 2 / (own.df ?? 1) + b ** 2 / (first.df ?? 1))
  const half = halfWidth(se, df)
  return { estimate, se, low: estimate - half, high: estimate + half }
}

/** Whether the 90 % interval of an estimate lies within bounds around zero. */
export function liesWithin({ estimate, se, df }: Judged, within: number): boolean {
  if (se === null) return false
  const half = halfWidth(se, df ?? 1, 2 * LEVEL)
  return estimate - half > -within && estimate + half < within
}

/**
 * The verdict of a reproduction, on the difference of the two estimates.
 * @param within the bounds that the first effect claims
 */
export function verdictOn(own: Judged, first: Judged, within?: number): ReproductionVerdict {
  const difference = differenceBetween(own, first)
  if (difference === null) return "inconclusive"
  // An interval around zero leaves nothing to repeat but its bounds.
  if (contains(first, 0))
    return within !== undefined && liesWithin(first, within) && liesWithin(own, within) ? "reproduces" : "inconclusive"
  const isSameSide = !contains(own, 0) && Math.sign(own.estimate) === Math.sign(first.estimate)
  if (contains(difference, 0))
    return isSameSide ? "reproduces" : contains(own, 0) ? "inconclusive" : "does_not_reproduce"
  return isSameSide ? "partly_reproduces" : "does_not_reproduce"
}

/** Compares an effect with the one that it repeats. @param label label of the finding with the first effect */
function comparedWith(own: Judged, first: Judged, label: string, within?: number): Repetition {
  const agreement = agreementOf(own, first)
  const difference = differenceBetween(own, first)
  const verdict = verdictOn(own, first, within)
  const [estimate, firstly] = [figure(own.estimate, own.se), `${figure(first.estimate, first.se)} (${label})`]
  const between = own.low === null ? "no spread known" : `95 % ${interval(own.low, own.high, own.se)}`
  const apart =
    difference === null
      ? "the difference has no spread"
      : `the difference, ${figure(difference.estimate, difference.se)}, ` +
        `95 % ${interval(difference.low, difference.high, difference.se)}, ` +
        `${contains(difference, 0) ? "holds" : "excludes"} zero`
  const hold = `The interval of ${estimate}, ${between}, holds`
  function sentence(): string {
    if (contains(first, 0)) {
      if (verdict === "reproduces") return `${estimate}, ${between}, is within ${within}, as the first is, ${firstly}.`
      return contains(own, 0)
        ? `${hold} zero, as the first does, ${firstly}.`
        : `The interval of ${estimate}, ${between}, excludes zero; the first holds it, ${firstly}.`
    }
    if (agreement === "holds_estimate" && (verdict === "reproduces" || verdict === "inconclusive"))
      return (
        `${hold} the first estimate, ` +
        `${firstly}${verdict === "inconclusive" ? ", and zero too: it tells little" : ""}.`
      )
    if (agreement === "sign_agrees" && verdict === "partly_reproduces")
      return (
        `The sign of ${estimate}, ${between}, agrees with the first estimate, ${firstly}; ` +
        "its interval does not hold it."
      )
    if (agreement === "neither" && verdict === "does_not_reproduce")
      return `Neither the interval nor the sign of ${estimate}, ${between}, agrees with the first estimate, ${firstly}.`
    const zero = contains(own, 0) ? ", whose interval holds zero" : ""
    return `Of ${estimate}, ${between}${zero}, and the first estimate, ${firstly}, ${apart}.`
  }
  return {
    verdict,
    comparison: {
      agreement,
      sentence: sentence(),
      difference: difference && { estimate: difference.estimate, low: difference.low ?? 0, high: difference.high ?? 0 },
    },
  }
}

/** Returns the joint verdict of several effects that repeat effects of one finding; undefined without any. */
export function verdictOfAll(verdicts: readonly ReproductionVerdict[]): ReproductionVerdict | undefined {
  const telling = verdicts.filter((verdict) => verdict !== "inconclusive")
  if (telling.length === 0) return verdicts[0]
  return telling.every((verdict) => verdict === telling[0]) ? telling[0] : "partly_reproduces"
}

/** An effect of a finding, by its position. */
export interface NamedEffect {
  readonly versionId: string
  readonly effect: number
}
interface Row {
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures | null>
  readonly attempts: Stored<string[]>
  readonly label: string
}

/** How an effect compares with the one that it repeats. */
export interface Repetition {
  readonly verdict: ReproductionVerdict
  readonly comparison: Comparison
}

export type RepeatedEffects = ReturnType<typeof repeatedEffects>

export function repeatedEffects(db: Db) {
  // The current figures, so that late reports count.
  const one = db.prepare<Row>(
    `SELECT f.effect, iif(m.holder_id IS NULL, f.figures, coalesce(m.now, 'null')) AS figures, f.attempts, r.label
     FROM finding_effects f
      JOIN records r ON r.version_id = f.version_id
      LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
     WHERE f.version_id = +? AND f.position = +?`,
  )
  const count = db.prepare<{ count: number }>("SELECT count(*) AS count FROM finding_effects WHERE version_id = +?")
  const labels = db.prepare<{ label: string }>(
    "SELECT a.label FROM json_each(+?) j JOIN attempts a ON a.attempt_id = j.value LIMIT 5",
  )

  return {
    /** Returns the definition of an effect; undefined if the finding has none at that position. */
    definition(named: NamedEffect): Effect | undefined {
      const row = one.get(named.versionId, named.effect)
      return row && parse(row.effect)
    },

    /** Why an effect does not repeat another, and which member of `named` is at fault; undefined if it does. */
    fault(
      own: Effect,
      { figures, attemptIds }: WorkedOut,
      named: NamedEffect,
    ): { at: keyof NamedEffect; message: string } | undefined {
      const row = one.get(named.versionId, named.effect)
      if (row === undefined) {
        const has = count.one(named.versionId).count
        return {
          at: "effect",
          message:
            has === 0
              ? "does not exist: the finding has no effects"
              : `must be less than ${has}, the number of effects of the finding`,
        }
      }
      const first = parse(row.effect)
      if (first.metric !== own.metric)
        return { at: "effect", message: `is of ${first.metric} in ${row.label}, not of ${own.metric}` }
      const unit = parse(row.figures)?.unit ?? null
      if (unit !== null && figures.unit !== null && unit !== figures.unit)
        return { at: "effect", message: `is in ${unit} in ${row.label}, not in ${figures.unit}` }
      const shared = parse(row.attempts).filter((id) => attemptIds.includes(id))
      if (shared.length === 0) return undefined
      const names = labels.all(JSON.stringify(shared)).map(({ label }) => label)
      return { at: "versionId", message: `rests on ${names.join(", ")} too: an effect is repeated with other attempts` }
    },

    /** Compares an effect with the one that it repeats; undefined if either can no longer be computed. */
    repetition(own: Effect, figures: Figures | null, named: NamedEffect): Repetition | undefined {
      const row = one.get(named.versionId, named.effect)
      const first = row && parse(row.figures)
      if (row === undefined || first == null || figures === null) return undefined
      const [mine, theirs] = [contrastOf(own), contrastOf(parse(row.effect))]
      const directed = mine.key === theirs.key && mine.isReversed !== theirs.isReversed ? reversed(figures) : figures
      return comparedWith(directed, first, row.label, parse(row.effect).within)
    },
  }
}
