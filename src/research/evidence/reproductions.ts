/** Findings and the attempts they rest on: whose voice they speak with, and which reproductions carry to them. */
import type { enumerations } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"

interface Carried {
  readonly attemptId: string
  readonly authorId: string
  readonly verdict: (typeof enumerations.evidenceVerdict)[number] | null
  readonly at: string
}

export function reproductionsOf(db: Db) {
  /** Whether a finding names exactly these attempts in a role: the list twice. */
  const NAMES = (role: string): string =>
    `(SELECT count(*) FROM finding_attempts o WHERE o.version_id = t.version_id AND o.role = '${role}') = json_array_length(+?)
       AND NOT EXISTS (SELECT 1 FROM finding_attempts o WHERE o.version_id = t.version_id AND o.role = '${role}' AND o.attempt_id NOT IN (SELECT value FROM json_each(+?)))`
  const sameAttempts = db.prepare<{ voiceId: string }>(
    `SELECT f.voice_id AS voiceId FROM finding_attempts t JOIN findings f ON f.version_id = t.version_id
     WHERE t.attempt_id = json_extract(+?, '$[0]') AND t.role = 'producing' AND f.outcome = +? AND ${NAMES("producing")} AND ${NAMES("baseline")} LIMIT 1`,
  )
  const voice = db.prepare<{ voiceId: string }>("SELECT voice_id AS voiceId FROM findings WHERE version_id = +?")
  const resting = db.prepare<{ versionId: string }>(
    `SELECT version_id AS versionId FROM finding_attempts WHERE attempt_id = +? AND role IN ('producing', 'baseline') ORDER BY version_id LIMIT ${limits.groundsFollowed}`,
  )
  const of = db.prepare<Carried>(
    `SELECT DISTINCT w.source_id AS attemptId, w.author_id AS authorId, w.verdict, w.at FROM json_each(+?) i
     JOIN evidence_words w ON w.target_id = i.value AND w.source = 'reproduction' AND w.source_id = w.speaker_id ORDER BY w.at, w.source_id LIMIT ${limits.groundsFollowed}`,
  )

  return {
    /** The voice of an earlier finding that reports exactly these attempts, compared with these, and the same outcome. */
    voiceOf(attemptIds: readonly string[], baselineIds: readonly string[], outcome: string): string | undefined {
      const [own, others] = [JSON.stringify(attemptIds), JSON.stringify(baselineIds.filter((id) => !attemptIds.includes(id)))]
      return attemptIds.length === 0 ? undefined : sameAttempts.get(own, outcome, own, own, others, others)?.voiceId
    },
    voiceOfFinding: (versionId: string): string => voice.get(versionId)?.voiceId ?? versionId,
    /** The findings that rest on an attempt. */
    restingOn: (attemptId: string): string[] => resting.all(attemptId).map(({ versionId }) => versionId),
    /** The reproductions of some attempts, oldest first. */
    of: (attemptIds: readonly string[]): Carried[] => of.all(JSON.stringify(attemptIds)),
  }
}
