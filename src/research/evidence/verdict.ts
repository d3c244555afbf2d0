/**
 * SQL for the verdict of all counted evidence on a record, from its tally `y` and standing `s`. The table of tallies
 * weighs the evidence; an unanswered dispute makes the record contested.
 */
import { FALLEN } from "../../contract/answers/evidence.ts"
import type { Verdict } from "../../contract/answers/verdict.ts"
import type { Stored } from "../../contract/json.ts"
import { labelledObject } from "../../ledger/lists/other-room.ts"

export const BEARING = `iif(s.open_dispute IS NOT NULL
  AND NOT ${FALLEN("s.status")}, 'contested', coalesce(y.bearing, 'untested'))`

/** The number of newest words that are read, and the number of their authors that are named. */
const [WORDS_READ, AUTHORS_NAMED] = [50, 5]
const NEWEST = `(SELECT * FROM evidence_words c WHERE c.target_id = r.version_id AND c.counted = 1
  AND c.sequence > (SELECT max(m.sequence) - ${WORDS_READ} FROM evidence_words m WHERE m.target_id = r.version_id)
  ORDER BY c.sequence DESC
  LIMIT ${AUTHORS_NAMED}) w`

/** The verdicts of counted links on a part of a record, as JSON. */
const IN_PART = `json((SELECT json_group_array(json_object('part', q.part, 'verdict', q.verdict, 'label', q.label))
  FROM (SELECT f.part, f.verdict, k.label FROM evidence_words w
    JOIN finding_verdicts f ON f.link_id = w.source_id AND f.version_id = w.target_id
    JOIN records k ON k.version_id = w.speaker_id
    WHERE w.target_id = r.version_id AND w.source = 'finding_link' AND w.counted = 1 AND f.part IS NOT NULL
    ORDER BY w.sequence DESC LIMIT ${WORDS_READ}) q))`

/**
 * Stores, with the tally of a hypothesis, whose words its verdict comes from: these change rarely, and briefs show them
 * often. Takes the id of the record, and does nothing for other kinds.
 */
export const WHOSE = `UPDATE evidence_tallies AS y SET verdict_from = (SELECT json_object(
    'basis', iif(y.measured_supports + y.measured_contradicts > 0, 'effects', 'words'), 'independent', y.independent,
    'people', json((SELECT json_group_array(DISTINCT n.username)
      FROM ${NEWEST}
      JOIN people n ON n.user_id = w.author_id)),
    'inPart', ${IN_PART},
    'newest', json_object('verdict', w.verdict, 'by',
      json(${labelledObject("'kind', b.kind, 'id', b.version_id, 'label', b.label", "b.room_id", "r.room_id")}),
      'author', json_object('userId', q.user_id, 'username', q.username, 'agent', w.agent),
      'independent', json(iif(w.independent = 1, 'true', 'false')), 'at', w.at))
  FROM ${NEWEST}
  JOIN people q ON q.user_id = w.author_id
  JOIN records b ON b.version_id = w.speaker_id
  ORDER BY w.sequence DESC
  LIMIT 1)
  FROM records r WHERE r.version_id = y.target_id AND r.kind = 'hypothesis' AND y.target_id = +?`

/** The stored value; null if no word counts. */
export type VerdictFrom = Stored<NonNullable<Verdict["verdictFrom"]>> | null
