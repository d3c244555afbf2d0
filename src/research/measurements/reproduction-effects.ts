/** The effect of a reproduction that repeats an effect of a finding. */
import { canonicalJson } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { RepeatedEffects } from "./repeated-effects.ts"
import { type Effect, type Fault, isFault, type Named, type WorkingOut } from "./working-out.ts"

type Reported = BodyOf<"report_attempt_event">
export interface Reproduction {
  readonly attemptId: string
  readonly experimentId: string
  /** The id of the finding or attempt to reproduce. */
  readonly reproduces: string | undefined
}

export function reproductionEffects(db: Db, workedOut: WorkingOut, repeated: RepeatedEffects) {
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

  /** The effect to compute: the same contrast, of the attempt and those named with it. */
  const repeatOf = (
    { repeats: _of, ...first }: Effect,
    { attemptId, experimentId }: Reproduction,
    { attemptIds = [], pool }: { readonly attemptIds?: readonly string[]; readonly pool?: readonly string[] },
  ) => {
    const named: Named = { attemptIds: [attemptId], baselineAttemptIds: attemptIds }
    const pools = pool === undefined ? {} : { pool: [...new Set([...(first.pool ?? []), ...pool])] }
    return { effect: { ...first, ...pools, experimentId }, named }
  }
  const issue = (at: string, message: string): Issue[] => [{ path: `/reproduction/repeats${at}`, message }]
  const placeOf = ({ at }: Fault): string => (at === "experimentId" ? "/attemptIds" : "/effect")

  return {
    /** Why a reproduction does not repeat the effect that it names. */
    faults(attempt: Reproduction, { event, reproduction, metrics = [] }: Reported): Issue[] {
      const named = reproduction?.repeats
      if (named === undefined) return []
      if (event !== "succeeded") return issue("", "can only come with success: an attempt that failed has no effect")
      const { reproduces = "" } = attempt
      if (rests.get(named.versionId, reproduces, named.versionId, reproduces) === undefined)
        return issue(
          "/versionId",
          "is neither the finding that this attempt reproduces nor one that rests on the same result",
        )
      const first = repeated.definition(named)
      if (first === undefined) return issue("/effect", "is not an effect of that finding")
      const { effect, named: attempts } = repeatOf(first, attempt, named)
      const found = workedOut(effect, attempts, { attemptId: attempt.attemptId, metrics })
      if (isFault(found)) return issue(placeOf(found), `cannot be worked out: ${found.at} ${found.message}`)
      if (found.differing !== null) return issue("", found.differing)
      const fault = repeated.fault(effect, found, named)
      return fault === undefined ? [] : issue(`/${fault.at}`, fault.message)
    },

    /**
     * Compares a reproduction that ended with the effect that it repeats, as JSON to store; undefined if it names none.
     */
    kept(attempt: Reproduction, { reproduction }: Reported) {
      const named = reproduction?.repeats
      const first = named && repeated.definition(named)
      if (named === undefined || reproduction === undefined) return undefined
      const mine = first && repeatOf(first, attempt, named)
      const found = mine && workedOut(mine.effect, mine.named)
      const figures = found === undefined || isFault(found) ? null : found.figures
      // What was worked out counts; the registrant's verdict stands beside it.
      const repetition = first && repeated.repetition(first, figures, named)
      const { versionId, effect, attemptIds, pool } = named
      const result = repetition === undefined ? {} : { countsAs: repetition.verdict, comparison: repetition.comparison }
      return {
        repeats: canonicalJson({
          versionId,
          effect,
          ...(attemptIds && { attemptIds }),
          ...(pool && { pool }),
          ...result,
        }),
        figures: canonicalJson(figures),
        repetition,
      }
    },

    /** Finds a finding whose effects a reproduction could have named. */
    couldName: ({ reproduces = "" }: Pick<Reproduction, "reproduces">) => namingEffects.get(reproduces, reproduces),
  }
}
