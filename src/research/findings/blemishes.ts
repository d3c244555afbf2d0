/** Counts the blemishes of the attempts behind a finding. */
import type { Blemishes } from "../../contract/answers/judging.ts"
import type { Stored } from "../../contract/json.ts"

const RESTING = (condition: string): string => `count(*) FILTER (WHERE t.role <> 'evidence' AND ${condition})`

/**
 * SQL for the blemishes of the finding `f`, as JSON; null if it names no attempt. It reads only those it names: its
 * experiment may have a million attempts.
 */
export const BLEMISHES = `(SELECT CASE WHEN count(*) > 0 THEN json_object('attempts', ${RESTING("1")},
    'departing', ${RESTING("json_array_length(a.plan_match, '$.deviations') > 0")}, 'exploratory',
  ${RESTING("a.intent = 'exploratory'")}, 'late', ${RESTING("a.late_reports > 0")},
    'unnamed', max(0, f.attempts_before - count(*) FILTER (WHERE a.experiment_id = f.experiment_id))) END
  FROM finding_attempts t CROSS JOIN attempts a ON a.attempt_id = t.attempt_id WHERE t.version_id = f.version_id)`

export type StoredBlemishes = Stored<Blemishes> | null
