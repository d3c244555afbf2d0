/** The effect by which a reproduction, with its outcome, repeats the effect of a finding. */
import { canonicalJson } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { RepeatedEffects, Repetition } from "./repeated-effects.ts"
import { type Effect, type Fault, isFault, type Named, type WorkingOut } from "./working-out.ts"

type Reported = BodyOf<"report_attempt_event">
export interface Reproduction {
  readonly attemptId: string
  readonly experimentId: string
  /** The finding or the attempt that it sets out to reproduce. */
  readonly reproduces: string | undefined
}
/** What is kept of a reproduction that repeats an effect. */
export interface KeptRepetition {
  /** JSON. */
  readonly repeats: string
  readonly figures: string
  readonly said: Repetition | undefined
}

export function reproductionEffects(db: Db, workedOut: WorkingOut, repeated: RepeatedEffects) {
  /** Whether a finding is what an attempt reproduces, rests on that, or reports the same as it. */
  const rests = db.prepare(
    `SELECT 1 FROM finding_attempts WHERE version_id = +? AND attempt_id = +? AND role <> 'evidence'
     UNION ALL SELECT 1 FROM findings f JOIN findings o ON o.voice_id = f.voice_id WHERE f.version_id = +? AND o.version_id = +?`,
  )
  const namingEffects = db.prepare<{ versionId: string; label: string }>(
    `SELECT r.version_id AS versionId, r.label FROM finding_effects f JOIN records r ON r.version_id = f.version_id
     WHERE f.position = 0 AND (f.version_id = +? OR f.version_id IN (SELECT version_id FROM finding_attempts WHERE attempt_id = +? AND role <> 'evidence' LIMIT 100))
     ORDER BY f.version_id LIMIT 1`,
  )

  /** The same contrast, of the attempt and those beside it. */
  const asked = (first: Effect, { attemptId, experimentId }: Reproduction, beside: readonly string[] = []) => {
    const { repeats: _of, ...effect } = first
    const named: Named = { attemptIds: [attemptId], baselineAttemptIds: beside }
    return { effect: { ...effect, experimentId }, named }
  }
  const issue = (at: string, message: string): Issue[] => [{ path: `/reproduction/repeats${at}`, message }]
  const placeOf = ({ at }: Fault): string => (at === "experimentId" ? "/attemptIds" : "/effect")

  return {
    /** Why the effect that a reproduction names is not repeated by it. */
    faults(attempt: Reproduction, { event, reproduction, metrics = [] }: Reported): Issue[] {
      const named = reproduction?.repeats
      if (named === undefined) return []
      if (event !== "succeeded") return issue("", "is told with success: an attempt that failed has no effect")
      const { reproduces = "" } = attempt
      if (rests.get(named.versionId, reproduces, named.versionId, reproduces) === undefined)
        return issue("/versionId", "is no finding that this attempt reproduces, or that rests on what it reproduces")
      const first = repeated.asked(named)
      if (first === undefined) return issue("/effect", "is no effect of that finding")
      const { effect, named: attempts } = asked(first, attempt, named.attemptIds)
      const found = workedOut(effect, attempts, { attemptId: attempt.attemptId, metrics })
      if (isFault(found)) return issue(placeOf(found), `cannot be worked out: ${found.at} ${found.message}`)
      const fault = repeated.fault(effect, found, named)
      return fault === undefined ? [] : issue(`/${fault.at}`, fault.message)
    },

    /** Works out what a reproduction that has told its outcome says of the effect that it repeats; undefined where it names none. */
    kept(attempt: Reproduction, { reproduction }: Reported): KeptRepetition | undefined {
      const named = reproduction?.repeats
      const first = named && repeated.asked(named)
      if (named === undefined || reproduction === undefined) return undefined
      const mine = first && asked(first, attempt, named.attemptIds)
      const found = mine && workedOut(mine.effect, mine.named)
      const figures = found === undefined || isFault(found) ? null : found.figures
      const told = first && repeated.repetition(first, figures, named)
      // Its registrant may say that the run tells nothing; beyond that the numbers speak.
      const said = told && reproduction.verdict === "inconclusive" ? { ...told, verdict: "inconclusive" as const } : told
      const { versionId, effect, attemptIds } = named
      const more = said === undefined ? {} : { countsAs: said.verdict, comparison: said.comparison }
      return {
        repeats: canonicalJson({ versionId, effect, ...(attemptIds && { attemptIds }), ...more }),
        figures: canonicalJson(figures),
        said,
      }
    },

    /** A finding with effects that a reproduction could have named. */
    couldName: ({ reproduces = "" }: Pick<Reproduction, "reproduces">) => namingEffects.get(reproduces, reproduces),
  }
}
