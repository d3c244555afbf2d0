/** Findings related to experiments: the links, their verdicts, and who answered them. */
import type { RecordKind, RecordStatus } from "../../contract/enumerations.ts"
import type { Writable } from "../../contract/json.ts"
import type { Db } from "../../ledger/database.ts"
import { filteredList } from "../../ledger/filtered-list.ts"
import { WITHDRAWAL, WITHDRAWAL_OF_LINK, withdrawal } from "../evidence/withdrawals.ts"
import { standing } from "../records/shown.ts"

export interface NewFindingLink {
  readonly linkId: string
  readonly roomId: string
  readonly threadId: string
  readonly entryId: string
  readonly experimentId: string
  readonly findingVersionId: string
  readonly attemptId: string | undefined
  readonly authorId: string
  readonly at: string
  readonly towardQuestion: object
  readonly towardHypothesis: readonly { readonly versionId: string; readonly verdict: string; readonly explanation: string }[]
}

interface Row {
  link_id: string
  room_id: string
  thread_id: string
  entry_id: string
  experiment_id: string
  experiment_label: string
  version_id: string
  finding_label: string
  finding_kind: RecordKind
  wording: string
  outcome: string | null
  status: RecordStatus | null
  notices: string | null
  attempt_id: string | null
  attempt_label: string | null
  author_id: string
  username: string
  at: string
  toward_question: string
  replies: number
  /** JSON lists. */
  reviewed_by: string
  toward_hypothesis: string
  withdrawn_at: string | null
  withdrawn_because: string | null
}

const shown = (row: Row) => ({
  linkId: row.link_id,
  kind: "finding_link" as const,
  roomId: row.room_id,
  experimentId: row.experiment_id,
  experimentLabel: row.experiment_label,
  finding: {
    versionId: row.version_id,
    label: row.finding_label,
    kind: row.finding_kind,
    wording: row.wording,
    outcome: row.outcome,
    ...standing(row),
  },
  attemptId: row.attempt_id,
  attemptLabel: row.attempt_label,
  author: { userId: row.author_id, username: row.username },
  at: row.at,
  // Short as they are, they are parsed: with texts inside, the whole link would be written more slowly.
  towardQuestion: JSON.parse(row.toward_question) as Writable,
  towardHypothesis: JSON.parse(row.toward_hypothesis) as Writable,
  card: { entryId: row.entry_id, threadId: row.thread_id },
  replies: row.replies,
  reviewedBy: JSON.parse(row.reviewed_by) as string[],
  withdrawn: withdrawal(row),
})

/** Who reviewed a link: everybody but its author who replied to its card. */
const SELECT = `
  SELECT l.*, e.label AS experiment_label, r.label AS finding_label, r.kind AS finding_kind, r.wording, f.outcome, s.status, s.notices, a.label AS attempt_label, p.username,
    ${WITHDRAWAL}, c.reply_count AS replies,
    CASE c.reply_count WHEN 0 THEN '[]' ELSE (SELECT json_group_array(u.username ORDER BY u.username) FROM people u WHERE u.user_id <> l.author_id AND u.user_id IN
      (SELECT t.author_id FROM timeline_entries t WHERE t.reply_to_entry_id = l.entry_id)) END AS reviewed_by,
    (SELECT json_group_array(json_object('versionId', v.version_id, 'label', h.label, 'status', coalesce(g.status, 'current'), 'verdict', v.verdict, 'explanation', v.explanation) ORDER BY v.position)
      FROM finding_verdicts v JOIN records h ON h.version_id = v.version_id LEFT JOIN standings g ON g.version_id = v.version_id WHERE v.link_id = l.link_id) AS toward_hypothesis
  FROM finding_links l
  JOIN experiments e ON e.experiment_id = l.experiment_id
  JOIN records r ON r.version_id = l.version_id
  JOIN people p ON p.user_id = l.author_id
  JOIN timeline_entries c ON c.entry_id = l.entry_id
  LEFT JOIN findings f ON f.version_id = l.version_id
  LEFT JOIN standings s ON s.version_id = l.version_id
  LEFT JOIN attempts a ON a.attempt_id = l.attempt_id
  ${WITHDRAWAL_OF_LINK}`

export type FindingLinks = ReturnType<typeof findingLinks>

export function findingLinks(db: Db) {
  const insert = db.prepare(
    "INSERT INTO finding_links (link_id, room_id, thread_id, entry_id, experiment_id, version_id, attempt_id, author_id, at, toward_question) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const insertVerdict = db.prepare(
    "INSERT INTO finding_verdicts (link_id, version_id, position, verdict, explanation) VALUES (?, ?, ?, ?, ?)",
  )
  const standingBy = db.prepare<{ link_id: string; toward_question: string; toward: string; at: string }>(
    `SELECT l.link_id, l.at, l.toward_question ->> '$.verdict' AS toward_question,
       (SELECT json_group_array(v.version_id || ' ' || v.verdict ORDER BY v.version_id) FROM finding_verdicts v WHERE v.link_id = l.link_id) AS toward
     FROM finding_links l WHERE l.version_id = ? AND l.experiment_id = ? AND l.author_id = ? AND l.attempt_id IS ?
       AND NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = l.link_id)
     ORDER BY l.link_id DESC`,
  )
  const one = db.prepare<Row>(`${SELECT} WHERE l.link_id = ?`)
  const list = filteredList<Row>(db, SELECT, { experimentId: "l.experiment_id", roomId: "l.room_id" }, "l.link_id")
  const newestOfRoom = db.prepare<Row>(`${SELECT} WHERE l.room_id = ? ORDER BY l.link_id DESC LIMIT ?`)
  const newestOfThread = db.prepare<Row>(`${SELECT} WHERE l.room_id = ? AND l.thread_id = ? ORDER BY l.link_id DESC LIMIT ?`)

  return {
    insert(link: NewFindingLink): void {
      const { linkId, roomId, threadId, entryId, experimentId, findingVersionId, attemptId = null, authorId, at, towardQuestion } = link
      insert.run(linkId, roomId, threadId, entryId, experimentId, findingVersionId, attemptId, authorId, at, JSON.stringify(towardQuestion))
      link.towardHypothesis.forEach(({ versionId, verdict, explanation }, position) =>
        insertVerdict.run(linkId, versionId, position, verdict, explanation),
      )
    },
    /** A link by which the same member said the same before and did not take it back. */
    repeated({
      findingVersionId,
      experimentId,
      attemptId,
      authorId,
      towardQuestion,
      towardHypothesis,
    }: Pick<NewFindingLink, "findingVersionId" | "experimentId" | "attemptId" | "authorId" | "towardHypothesis"> & {
      readonly towardQuestion: { readonly verdict: string }
    }) {
      const toward = JSON.stringify(towardHypothesis.map(({ versionId, verdict }) => `${versionId} ${verdict}`).sort())
      const found = standingBy
        .all(findingVersionId, experimentId, authorId, attemptId ?? null)
        .find((row) => row.toward_question === towardQuestion.verdict && row.toward === toward)
      return found && { linkId: found.link_id, at: found.at }
    },
    read(linkId: string) {
      const row = one.get(linkId)
      return row && shown(row)
    },
    /** Up to `count` links of an experiment after an id. */
    ofExperiment: (experimentId: string, after: string | undefined, count: number) => list({ experimentId }, after, count).map(shown),
    /** Up to `count` links of a Room after an id. */
    ofRoom: (roomId: string, after: string | undefined, count: number) => list({ roomId }, after, count).map(shown),
    /** The newest links of a Room, newest first. */
    newestOfRoom: (roomId: string, count: number) => newestOfRoom.all(roomId, count).map(shown),
    newestOfThread: (roomId: string, threadId: string, count: number) => newestOfThread.all(roomId, threadId, count).map(shown),
  }
}
