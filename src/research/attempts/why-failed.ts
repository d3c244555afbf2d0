/** SQL for the reason why the attempt `a` failed, from its last event. */
export const WHY_FAILED = `(SELECT coalesce(v.body ->> '$.failure.stage' || ': ' || (v.body ->> '$.failure.explanation'), v.body ->> '$.message', a.status)
  FROM attempt_events v WHERE v.attempt_id = a.attempt_id ORDER BY v.revision DESC LIMIT 1)`
