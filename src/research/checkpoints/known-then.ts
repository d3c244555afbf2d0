/**
 * SQL for the records that were fallen or doubted when a checkpoint that cites them landed, and still are (protocol,
 * section 17). Its author knew: they are a note, and no reason to renew it.
 */
import { limits } from "../../contract/limits.ts"
import { AGENT } from "../../ledger/journal/author.ts"
import { labelledObject } from "../../ledger/lists/other-room.ts"
import { WORRIES_AT } from "../evidence/words.ts"

const RANK = "CASE l.kind WHEN 'retracts' THEN 3 WHEN 'supersedes' THEN 2 WHEN 'corrects' THEN 1 ELSE 0 END"
const STATUS = `CASE l.kind WHEN 'retracts' THEN 'retracted' WHEN 'supersedes' THEN 'superseded'
    WHEN 'corrects' THEN 'corrected' ELSE 'disputed' END`

const AUTHOR = `json_object('userId', p.user_id, 'username', p.username, 'agent', ${AGENT("l")})`

/** The record `r` that is cited. @param by SQL for the object that put it in doubt */
const shown = (status: string, by: string): string =>
  `json(${labelledObject(
    `'versionId', r.version_id, 'label', r.label, 'status', ${status}, 'by', json(${by})`,
    "r.room_id",
    "c.room_id",
  )}) AS known`

/** The strongest link that put a cited record in doubt before the checkpoint `c`; the newest of equal ones. */
const BY_LINK = `SELECT ${shown(
  STATUS,
  labelledObject(`'kind', 'link', 'id', l.link_id, 'label', l.label, 'author', ${AUTHOR}`, "l.room_id", "c.room_id"),
)}, max(${RANK} * 1000000000000 + l.history_position)
  FROM checkpoint_citations i JOIN research_links l ON l.target_version_id = i.version_id
  JOIN people p ON p.user_id = l.author_id JOIN records r ON r.version_id = i.version_id
  WHERE i.checkpoint_id = c.checkpoint_id AND ${WORRIES_AT} < c.history_position GROUP BY i.position`

/** The record, fallen before the checkpoint, on which another cited record rests. */
const BY_GROUND = `SELECT ${shown(
  "coalesce(f.status, 'current')",
  labelledObject("'kind', b.kind, 'id', b.version_id, 'label', b.label", "b.room_id", "c.room_id"),
)}, max(q.fallen_at)
  FROM checkpoint_citations i JOIN shaken_records z ON z.version_id = i.version_id
  JOIN standings q ON q.version_id = z.cause_id JOIN records b ON b.version_id = z.cause_id
  JOIN records r ON r.version_id = i.version_id LEFT JOIN standings f ON f.version_id = i.version_id
  WHERE i.checkpoint_id = c.checkpoint_id AND q.fallen_at < c.history_position AND f.worried_at IS NULL
  GROUP BY i.position`

/** The records as a JSON list: those that links put in doubt, then those that rest on fallen ones, in their order. */
export const KNOWN_THEN = `(SELECT json_group_array(json(known)) FROM (
  SELECT * FROM (${BY_LINK}) UNION ALL SELECT * FROM (${BY_GROUND}) LIMIT ${limits.staleReasons}))`
