/** SQL that tells whether a checkpoint is stale, and why (protocol, section 8). */
import { limits } from "../contract/limits.ts"
import { placeOf } from "../ledger/journal/columns.ts"

/** The publications `x` that a checkpoint `c` does not cover. */
const NOT_COVERED = `x.thread = ${placeOf("c.thread_id")} AND x.kind = 'publication' AND x.sequence > c.covers_through`
/** The citations `i` of the checkpoint whose records have fallen or come into doubt since the checkpoint. */
const FALLEN_CITATIONS = `checkpoint_citations i JOIN standings f ON f.version_id = i.version_id
  WHERE i.checkpoint_id = c.checkpoint_id AND f.worried_at > c.history_position`
/** The other citations `i` whose records rest on a record that has fallen since the checkpoint. */
const SHAKEN_CITATIONS = `checkpoint_citations i LEFT JOIN standings f ON f.version_id = i.version_id
  WHERE i.checkpoint_id = c.checkpoint_id AND NOT coalesce(f.worried_at > c.history_position, 0)
    AND EXISTS (SELECT 1 FROM shaken_records z JOIN standings q ON q.version_id = z.cause_id
      WHERE z.version_id = i.version_id AND q.fallen_at > c.history_position)`

/** Whether the checkpoint `c` is stale. An open checkpoint never is, though it has reasons. */
export const STALE = `(coalesce(c.state = 'concluded', 0) AND (
    EXISTS (SELECT 1 FROM timeline_entries x WHERE ${NOT_COVERED})
    OR EXISTS (SELECT 1 FROM ${FALLEN_CITATIONS}) OR EXISTS (SELECT 1 FROM ${SHAKEN_CITATIONS})))`

const reason = (code: string, status: string) =>
  `json_object('code', ${code}, 'versionId', r.version_id, 'label', r.label, 'status', ${status}) AS reason,
      r.room_id AS room`

/**
 * The reasons as a JSON list: fallen citations, citations in doubt, then the publications it does not cover, newest
 * first.
 */
export const STALE_REASONS = `(SELECT json_group_array(CASE WHEN room = c.room_id THEN json(reason)
    ELSE json_patch(reason, json_object('labelFromOtherRoom', json('true'), 'originRoomId', room)) END) FROM (
  SELECT * FROM (SELECT ${reason("'citation_fallen'", "f.status")}
    FROM ${FALLEN_CITATIONS.replace("\n  WHERE", " JOIN records r ON r.version_id = i.version_id WHERE")}
    ORDER BY i.position)
  UNION ALL SELECT * FROM (SELECT ${reason("'citation_in_doubt'", "coalesce(f.status, 'current')")}
    FROM ${SHAKEN_CITATIONS.replace("\n  WHERE", " JOIN records r ON r.version_id = i.version_id WHERE")}
    ORDER BY i.position)
  UNION ALL SELECT * FROM (
    SELECT ${reason("iif(x.sequence > c.sequence, 'published_since', 'not_covered')", "coalesce(s.status, 'current')")}
    FROM timeline_entries x
    JOIN records r ON r.version_id = x.version_id
    LEFT JOIN standings s ON s.version_id = r.version_id
    WHERE ${NOT_COVERED} ORDER BY x.sequence DESC LIMIT ${limits.staleReasons})
  LIMIT ${limits.staleReasons}))`
