/** Checks whether an effect repeats another, and compares the two: the agreement, a sentence and the verdict. */
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import { parse, type Stored } from "../../contract/json.ts"
import type { EffectAgreement, ReproductionVerdict } from "../../contract/schema/enumerations.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { figure, interval } from "./figures.ts"
import { contrastOf, type Effect, type Figures, type WorkedOut } from "./working-out.ts"

/** The numbers of an effect that are compared. */
type Estimated = Pick<Figures, "estimate" | "se" | "low" | "high">
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

/**
 * Whether an interval is too wide to tell much: it contains both the first estimate and zero, which the first interval
 * excluded.
 */
const isInconclusive = (own: Estimated, first: Estimated): boolean =>
  contains(own, first.estimate) && contains(own, 0) && !contains(first, 0)

const verdicts = {
  holds_estimate: "reproduces",
  sign_agrees: "partly_reproduces",
  neither: "does_not_reproduce",
} as const

/** Compares an effect with the one that it repeats. @param label label of the finding with the first effect */
function compared(own: Estimated, first: Estimated, label: string): Repetition {
  const agreement = agreementOf(own, first)
  const isOpen = isInconclusive(own, first)
  const [estimate, firstly] = [figure(own.estimate, own.se), `${figure(first.estimate, first.se)} (${label})`]
  const between = own.low === null ? "no spread known" : `95 % ${interval(own.low, own.high, own.se)}`
  const sentences = {
    holds_estimate: `The interval of ${estimate}, ${between}, holds the first estimate, ${firstly}${isOpen ? ", and zero too: it tells little" : ""}.`,
    sign_agrees: `The sign of ${estimate}, ${between}, agrees with the first estimate, ${firstly}; its interval does not hold it.`,
    neither: `Neither the interval nor the sign of ${estimate}, ${between}, agrees with the first estimate, ${firstly}.`,
  }
  return {
    verdict: isOpen ? "inconclusive" : verdicts[agreement],
    comparison: { agreement, sentence: sentences[agreement] },
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
     FROM finding_effects f JOIN records r ON r.version_id = f.version_id LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
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
      return compared(directed, first, row.label)
    },
  }
}
