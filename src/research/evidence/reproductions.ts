/** Reads the voices of findings, and the reproductions of the attempts that they rest on. */
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Verdict } from "./words.ts"

interface Reproduction {
  /** The attempt or finding that reports it. */
  readonly sourceId: string
  readonly speakerId: string
  readonly voiceId: string
  readonly authorId: string
  readonly verdict: Verdict | null
  readonly comparison: string | null
  readonly at: string
}

/** The identity of an effect: its contrast, and the attempts it was computed from. */
export interface SameEffect {
  readonly contrast: string
  readonly attempts: string
}

export function reproductionsOf(db: Db) {
  /** Whether a finding names exactly these attempts in a role. Takes the list twice. */
  const NAMES = (role: string): string =>
    `(SELECT count(*)
      FROM finding_attempts o
      WHERE o.version_id = t.version_id AND o.role = '${role}') = json_array_length(+?)
       AND NOT EXISTS (SELECT 1
         FROM finding_attempts o
         WHERE o.version_id = t.version_id AND o.role = '${role}'
           AND o.attempt_id NOT IN (SELECT value FROM json_each(+?)))`
  const sameAttempts = db.prepare<{ voiceId: string }>(
    `SELECT f.voice_id AS voiceId FROM finding_attempts t JOIN findings f ON f.version_id = t.version_id
     WHERE t.attempt_id = json_extract(+?, '$[0]') AND t.role = 'producing' AND f.outcome = +?
       AND (+? = 0 OR NOT EXISTS (SELECT 1 FROM finding_effects e WHERE e.version_id = t.version_id))
       AND ${NAMES("producing")} AND ${NAMES("baseline")} LIMIT 1`,
  )
  const sameEffect = db.prepare<{ voiceId: string }>(
    `SELECT f.voice_id AS voiceId
      FROM json_each(+?) j
      CROSS JOIN finding_effects e ON e.contrast = j.value ->> '$.contrast' AND e.attempts = j.value ->> '$.attempts'
     JOIN findings f ON f.version_id = e.version_id ORDER BY f.version_id LIMIT 1`,
  )
  const sharing = db.prepare<{ versionId: string }>(
    `SELECT o.version_id AS versionId
      FROM findings f
      JOIN findings o ON o.voice_id = f.voice_id
      WHERE f.version_id = +?
      ORDER BY o.version_id
      LIMIT ${limits.groundsFollowed}`,
  )
  const voice = db.prepare<{ voiceId: string }>("SELECT voice_id AS voiceId FROM findings WHERE version_id = +?")
  const resting = db.prepare<{ versionId: string }>(
    `SELECT version_id AS versionId
      FROM finding_attempts
      WHERE attempt_id = +? AND role IN ('producing', 'baseline')
      ORDER BY version_id
      LIMIT ${limits.groundsFollowed}`,
  )
  const of = db.prepare<Reproduction>(
    `SELECT DISTINCT w.source_id AS sourceId, w.speaker_id AS speakerId, w.voice_id AS voiceId, w.author_id AS authorId,
        w.verdict, w.comparison, w.at FROM json_each(+?) i
     JOIN evidence_words w ON w.target_id = i.value AND w.source = 'reproduction'
        AND (w.source_id = w.speaker_id OR w.verdict IS NOT NULL)
     ORDER BY w.at, w.source_id LIMIT ${limits.groundsFollowed}`,
  )

  return {
    /**
     * Returns the voice of an earlier finding with the same result: it rests on the same effect of the same attempts.
     * If one of the two findings has no effects, the earlier one must have the same attempts, baseline attempts and
     * outcome.
     */
    voiceOf(
      attemptIds: readonly string[],
      baselineIds: readonly string[],
      outcome: string,
      effects: readonly SameEffect[],
    ) {
      if (attemptIds.length === 0) return undefined
      const [own, others] = [
        JSON.stringify(attemptIds),
        JSON.stringify(baselineIds.filter((id) => !attemptIds.includes(id))),
      ]
      const known = effects.flatMap(({ contrast, attempts }) => (attempts === "[]" ? [] : [{ contrast, attempts }]))
      const shared = known.length === 0 ? undefined : sameEffect.get(JSON.stringify(known))
      return (shared ?? sameAttempts.get(own, outcome, effects.length, own, own, others, others))?.voiceId
    },
    /** Returns the findings that share the voice of a finding, itself included; empty for other objects. */
    sharingVoice: (versionId: string): string[] => sharing.all(versionId).map((found) => found.versionId),
    voiceOfFinding: (versionId: string): string => voice.get(versionId)?.voiceId ?? versionId,
    /** Returns the findings that rest on an attempt. */
    restingOn: (attemptId: string): string[] => resting.all(attemptId).map(({ versionId }) => versionId),
    /** Returns the reproductions of some attempts or findings, oldest first. */
    of: (attemptIds: readonly string[]): Reproduction[] => of.all(JSON.stringify(attemptIds)),
  }
}
