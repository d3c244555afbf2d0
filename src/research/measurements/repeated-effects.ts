/** Checks whether an effect repeats another, and compares the two: the agreement, a sentence and the verdict. */
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import { parse, type Stored } from "../../contract/json.ts"
import type { EffectAgreement, ReproductionVerdict } from "../../contract/schema/enumerations.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { storedFigure as figure, storedInterval as interval, halfWidth, LEVEL } from "./statistics.ts"
import { contrastOf, type Effect, type Figures, type WorkedOut } from "./working-out.ts"

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
function compared(own: Judged, first: Judged, label: string, within?: number): Repetition {
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
      return compared(directed, first, row.label, parse(row.effect).within)
    },
  }
}
