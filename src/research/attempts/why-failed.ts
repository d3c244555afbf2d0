/** Why an attempt failed, in a sentence, from its last event: an SQL expression of an attempt `a`. */
export const WHY_FAILED = `(SELECT coalesce(v.body ->> '$.failure.stage' || ': ' || (v.body ->> '$.failure.explanation'), v.body ->> '$.message', a.status)
  FROM attempt_events v WHERE v.attempt_id = a.attempt_id ORDER BY v.revision DESC LIMIT 1)`
