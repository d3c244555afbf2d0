/** The effects of a reproduction that repeat effects of a finding. */
import type { LandedEffect } from "../../contract/answers/measurements.ts"
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { type RepeatedEffects, type Repetition, verdictOfAll } from "./repeated-effects.ts"
import type { Values } from "./values.ts"
import {
  allOf,
  type Effect,
  type Fault,
  type Figures,
  isFault,
  type Named,
  tooManyValues,
  type WorkingOut,
} from "./working-out.ts"

type Reported = BodyOf<"report_attempt_event">
type Repeats = NonNullable<NonNullable<Reported["reproduction"]>["repeats"]>
type Repeat = Exclude<Repeats, readonly unknown[]>
export interface Reproduction {
  readonly attemptId: string
  readonly experimentId: string
  /** The id of the finding or attempt to reproduce. */
  readonly reproduces: string | undefined
}

export function reproductionEffects(
  db: Db,
  workedOut: WorkingOut,
  repeated: RepeatedEffects,
  values: Pick<Values, "amountOf">,
) {
  /** Whether a finding rests on the reproduced attempt, or is or shares its voice with the reproduced finding. */
  const rests = db.prepare(
    `SELECT 1 FROM finding_attempts WHERE version_id = +? AND attempt_id = +? AND role <> 'evidence'
     UNION ALL SELECT 1
      FROM findings f
      JOIN findings o ON o.voice_id = f.voice_id
      WHERE f.version_id = +? AND o.version_id = +?`,
  )
  const namingEffects = db.prepare<{ versionId: string; label: string }>(
    `SELECT r.version_id AS versionId, r.label FROM finding_effects f JOIN records r ON r.version_id = f.version_id
     WHERE f.position = 0 AND (f.version_id = +?
       OR f.version_id IN (SELECT version_id
         FROM finding_attempts
         WHERE attempt_id = +? AND role <> 'evidence'
         LIMIT 100))
     ORDER BY f.version_id LIMIT 1`,
  )

  const insert = inserting(db, "reproduction_effects")
  const kept = db.prepare<{ shown: Stored<ReturnType<typeof shownRepeat>> }>(
    "SELECT shown FROM reproduction_effects WHERE attempt_id = +? ORDER BY position",
  )

  /** The effect to compute: the same contrast, of the attempt and those named with it. */
  const repeatOf = (
    { repeats: _of, ...first }: Effect,
    { attemptId, experimentId }: Reproduction,
    { attemptIds = [], pool }: Pick<Repeat, "attemptIds" | "pool">,
  ) => {
    const named: Named = { attemptIds: [attemptId], baselineAttemptIds: attemptIds }
    const pools = pool === undefined ? {} : { pool: [...new Set([...(first.pool ?? []), ...pool])] }
    return { effect: { ...first, ...pools, experimentId }, named }
  }
  const placeOf = ({ at }: Fault): string => (at === "experimentId" ? "/attemptIds" : "/effect")

  /** The number of values that the effects are worked out from which a report repeats, with its own. */
  const amountOf = (attempt: Reproduction, { reproduction, metrics = [] }: Reported): number =>
    listOf(reproduction?.repeats).reduce((sum, named) => {
      const first = repeated.definition(named)
      if (first === undefined) return sum
      const own = metrics.filter(({ name }) => name === first.metric).length
      return sum + own + values.amountOf(allOf(repeatOf(first, attempt, named).named), first.metric)
    }, 0)

  /** Why an effect is not repeated: the member at fault, as a pointer, and a message. */
  function faultOf(attempt: Reproduction, named: Repeat, metrics: NonNullable<Reported["metrics"]>) {
    const fault = (at: string, message: string) => ({ at, message })
    const { reproduces = "" } = attempt
    if (rests.get(named.versionId, reproduces, named.versionId, reproduces) === undefined)
      return fault(
        "/versionId",
        "is neither the finding that this attempt reproduces nor one that rests on the same result",
      )
    const first = repeated.definition(named)
    if (first === undefined) return fault("/effect", "is not an effect of that finding")
    const { effect, named: attempts } = repeatOf(first, attempt, named)
    const found = workedOut(effect, attempts, { attemptId: attempt.attemptId, metrics })
    if (isFault(found)) return fault(placeOf(found), `cannot be worked out: ${found.at} ${found.message}`)
    if (found.differing !== null) return fault("", found.differing)
    const other = repeated.fault(effect, found, named)
    return other && fault(`/${other.at}`, other.message)
  }

  return {
    amountOf,

    /** Why a reproduction does not repeat the effects that it names. */
    faults(attempt: Reproduction, report: Reported): Issue[] {
      const { event, reproduction, metrics = [] } = report
      const repeats = reproduction?.repeats
      if (repeats === undefined) return []
      const at = "/reproduction/repeats"
      if (event !== "succeeded")
        return [{ path: at, message: "can only come with success: an attempt that failed has no effect" }]
      const tooMany = tooManyValues(amountOf(attempt, report))
      if (tooMany !== undefined) return [{ path: at, message: tooMany }]
      const all = listOf(repeats)
      const nameOf = ({ versionId, effect }: Repeat) => `${versionId} ${effect}`
      return all.flatMap((named, index) => {
        const path = Array.isArray(repeats) ? `${at}/${index}` : at
        if (all.findIndex((other) => nameOf(other) === nameOf(named)) < index)
          return [{ path: `${path}/effect`, message: "is repeated by an earlier item" }]
        const fault = faultOf(attempt, named, metrics)
        return fault === undefined ? [] : [{ path: `${path}${fault.at}`, message: fault.message }]
      })
    },

    /**
     * Compares a reproduction that ended with the effects that it repeats, and stores how they compare. What was worked
     * out counts; the registrant's verdict stands beside it. @returns the verdict of all of them and why
     */
    keep(attempt: Reproduction, { reproduction }: Reported): Judgement | undefined {
      const found = listOf(reproduction?.repeats).map((named, position) => {
        const first = repeated.definition(named)
        const mine = first && repeatOf(first, attempt, named)
        const own = mine && workedOut(mine.effect, mine.named)
        const [figures, attempts] =
          own === undefined || isFault(own) ? [null, []] : ([own.figures, own.attemptIds] as const)
        const repetition = first && repeated.repetition(first, figures, named)
        const { versionId: repeatsId, effect: repeatsPosition } = named
        const whole = named.pool && mine?.effect.pool ? { ...named, pool: mine.effect.pool } : named
        insert({
          ...{ attemptId: attempt.attemptId, position, repeatsId, repeatsPosition },
          shown: canonicalJson(shownRepeat(whole, figures, repetition)),
          figures: canonicalJson(figures),
          attempts: JSON.stringify(attempts),
        })
        return repetition
      })
      return judgementOf(found)
    },

    /** How the effects of a reproduction compare, for the receipt of its outcome. */
    forReceipt: (attemptId: string): LandedEffect[] =>
      kept.all(attemptId).map(({ shown }) => {
        const { versionId, effect, verdict, estimate, low, high, comparison } = parse(shown)
        const sentence = comparison?.sentence ?? "It can no longer be compared."
        return { sentence, estimate, low, high, repeats: { versionId, effect }, verdict }
      }),

    /** Finds a finding whose effects a reproduction could have named. */
    couldName: ({ reproduces = "" }: Pick<Reproduction, "reproduces">) => namingEffects.get(reproduces, reproduces),
  }
}

const listOf = (repeats: Repeats | undefined): readonly Repeat[] =>
  repeats === undefined ? [] : Array.isArray(repeats) ? repeats : [repeats]

/** The findings whose effects a reproduction repeats, each as often as it is named. */
export const repeatsOf = (reproduction: Reported["reproduction"]): string[] =>
  listOf(reproduction?.repeats).map(({ versionId }) => versionId)

/** What an attempt's answer tells of an effect that it repeats. */
export const shownRepeat = (named: Repeat, figures: Figures | null, repetition: Repetition | undefined) => ({
  versionId: named.versionId,
  effect: named.effect,
  ...(named.attemptIds && { attemptIds: named.attemptIds }),
  ...(named.pool && { pool: named.pool }),
  verdict: repetition?.verdict ?? null,
  estimate: figures?.estimate ?? null,
  low: figures?.low ?? null,
  high: figures?.high ?? null,
  comparison: repetition?.comparison ?? null,
})

/** The verdict of several comparisons, and their sentences. */
export interface Judgement {
  readonly verdict: Repetition["verdict"]
  readonly sentence: string
}

/** Judges several comparisons together; undefined without any. */
export function judgementOf(repetitions: readonly (Repetition | undefined)[]): Judgement | undefined {
  const found = repetitions.filter((each) => each !== undefined)
  const verdict = verdictOfAll(found.map((each) => each.verdict))
  return verdict && { verdict, sentence: found.map(({ comparison }) => comparison.sentence).join(" ") }
}
