/** Research links: what is said later about exact records. */
import type { LinkKind, RecordKind, RecordStatus } from "../../contract/enumerations.ts"
import { JsonText } from "../../contract/json.ts"
import type { Db } from "../../ledger/database.ts"
import { filteredList } from "../../ledger/filtered-list.ts"
import { WITHDRAWAL, WITHDRAWAL_OF_LINK, withdrawal } from "../evidence/withdrawals.ts"
import { standing } from "../records/shown.ts"

export interface NewLink {
  readonly linkId: string
  readonly kind: LinkKind
  readonly label: string
  readonly roomId: string
  readonly threadId: string
  readonly entryId: string
  readonly targetVersionId: string
  readonly targetAuthorId: string
  readonly authorId: string
  readonly at: string
  readonly explanation: string
  readonly replacementVersionId: string | undefined
  readonly content: string
  readonly contentDigest: string
}

interface Row {
  link_id: string
  kind: LinkKind
  label: string
  room_id: string
  thread_id: string
  entry_id: string
  target_version_id: string
  target_label: string
  target_kind: RecordKind
  wording: string
  status: RecordStatus | null
  notices: string | null
  author_id: string
  username: string
  at: string
  explanation: string
  replacement_version_id: string | null
  replacement_label: string | null
  replacement_kind: RecordKind | null
  replacement_wording: string | null
  replacement_status: RecordStatus | null
  replacement_notices: string | null
  withdrawn_at: string | null
  withdrawn_because: string | null
  content: string
  content_digest: string
}

const shown = (row: Row) => ({
  linkId: row.link_id,
  kind: row.kind,
  label: row.label,
  roomId: row.room_id,
  threadId: row.thread_id,
  entryId: row.entry_id,
  author: { userId: row.author_id, username: row.username },
  at: row.at,
  explanation: row.explanation,
  target: {
    versionId: row.target_version_id,
    label: row.target_label,
    kind: row.target_kind,
    wording: row.wording,
    status: row.status ?? ("current" as const),
  },
  replacement:
    row.replacement_version_id === null
      ? null
      : {
          versionId: row.replacement_version_id,
          label: row.replacement_label,
          kind: row.replacement_kind,
          wording: row.replacement_wording,
          ...standing({ status: row.replacement_status, notices: row.replacement_notices }),
        },
  withdrawn: withdrawal(row),
  /** What stands on the target now, this link included. */
  ...standing(row),
  content: new JsonText(row.content),
  contentDigest: row.content_digest,
})

const SELECT = `
  SELECT l.*, p.username, r.label AS target_label, r.kind AS target_kind, r.wording, s.status, s.notices,
    n.label AS replacement_label, n.kind AS replacement_kind, n.wording AS replacement_wording, m.status AS replacement_status, m.notices AS replacement_notices, ${WITHDRAWAL}
  FROM research_links l
  JOIN people p ON p.user_id = l.author_id
  JOIN records r ON r.version_id = l.target_version_id
  LEFT JOIN standings s ON s.version_id = l.target_version_id
  LEFT JOIN records n ON n.version_id = l.replacement_version_id
  LEFT JOIN standings m ON m.version_id = l.replacement_version_id
  ${WITHDRAWAL_OF_LINK}`

export type Links = ReturnType<typeof links>

export function links(db: Db) {
  const insert = db.prepare(
    `INSERT INTO research_links (link_id, kind, label, room_id, thread_id, entry_id, target_version_id, target_author_id, author_id, at, explanation, replacement_version_id, content, content_digest)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = db.prepare<Row>(`${SELECT} WHERE l.link_id = ?`)
  const standingBy = db.prepare<{ linkId: string; label: string; at: string; explanation: string; correction: string | null }>(
    `SELECT l.link_id AS linkId, l.label, l.at, l.explanation, l.content ->> '$.correction' AS correction FROM research_links l
     WHERE l.target_version_id = ? AND l.kind = ? AND l.author_id = ? AND NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = l.link_id)
     ORDER BY l.link_id`,
  )
  const standingOn = db.prepare<{ kind: LinkKind }>(
    `SELECT DISTINCT l.kind FROM research_links l WHERE l.target_version_id = ? AND NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = l.link_id)`,
  )
  const supersedes = db.prepare(
    `WITH RECURSIVE later (version_id) AS (
       SELECT ? UNION SELECT l.replacement_version_id FROM later JOIN research_links l ON l.target_version_id = later.version_id AND l.kind = 'supersedes'
         WHERE NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = l.link_id))
     SELECT 1 FROM later WHERE version_id = ?`,
  )
  const withdraw = db.prepare("INSERT INTO link_withdrawals (link_id, at, explanation, entry_id) VALUES (?, ?, ?, ?)")
  const list = filteredList<Row>(db, SELECT, { roomId: "l.room_id", kind: "l.kind", targetAuthorId: "l.target_author_id" }, "l.link_id")
  // A target has one Room and one author: to look for it by these would take longer.
  const ofTarget = filteredList<Row>(
    db,
    SELECT,
    { targetVersionId: "l.target_version_id", kind: "l.kind", roomId: "+l.room_id", targetAuthorId: "+l.target_author_id" },
    "l.link_id",
  )

  return {
    insert(link: NewLink): void {
      insert.run(
        link.linkId,
        link.kind,
        link.label,
        link.roomId,
        link.threadId,
        link.entryId,
        link.targetVersionId,
        link.targetAuthorId,
        link.authorId,
        link.at,
        link.explanation,
        link.replacementVersionId ?? null,
        link.content,
        link.contentDigest,
      )
    },
    read(linkId: string) {
      const row = one.get(linkId)
      return row && shown(row)
    },
    /** What a member asserted of a target before, of one kind, and did not take back. */
    standingBy: (authorId: string, kind: LinkKind, targetVersionId: string) => standingBy.all(targetVersionId, kind, authorId),
    /** The kinds of the links that stand on a record. */
    standingOn: (versionId: string): LinkKind[] => standingOn.all(versionId).map(({ kind }) => kind),
    /** Whether one record replaced another, directly or by way of others. */
    supersedes: (versionId: string, other: string): boolean => supersedes.get(other, versionId) !== undefined,
    /** Notes that a link of either form was taken back. */
    withdraw: (linkId: string, at: string, explanation: string, entryId: string) => withdraw.run(linkId, at, explanation, entryId),
    /** Up to `count` links of a Room after an id that match the filters. */
    page: (
      filters: { roomId: string; kind?: string; targetVersionId?: string; targetAuthorId?: string },
      after: string | undefined,
      count: number,
    ) => (filters.targetVersionId === undefined ? list : ofTarget)({ ...filters }, after, count).map(shown),
  }
}
