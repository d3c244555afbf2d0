/** Checkpoints: their rows, which of them is selected, and how they are shown. */
import type { CheckpointState } from "../../contract/enumerations.ts"
import { JsonText } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/database.ts"
import { archiveOf } from "../../rooms/rooms.ts"
import { STALE, STALE_REASONS } from "../../threads/stale.ts"

export interface NewCheckpoint {
  readonly checkpointId: string
  readonly roomId: string
  readonly threadId: string
  readonly entryId: string
  readonly sequence: number
  readonly authorId: string
  readonly at: string
  readonly state: CheckpointState
  readonly coversThrough: number
  readonly openQuestions: readonly string[]
  readonly conclusion: string | undefined
  readonly citations: readonly string[]
  readonly content: string
  readonly contentDigest: string
}

interface Row {
  checkpoint_id: string
  room_id: string
  thread_id: string
  entry_id: string
  sequence: number
  author_id: string
  username: string
  at: string
  state: CheckpointState
  covers_through: number
  open_questions: string
  conclusion: string | null
  synthesis: string
  citations: string
  content: string
  content_digest: string
  selected: number
  stale: number
  stale_reasons: string
  archived_at: string | null
  archived_by: string | null
  archived_by_name: string | null
  archive_reason: string | null
}

const shown = (row: Row) => ({
  checkpointId: row.checkpoint_id,
  roomId: row.room_id,
  threadId: row.thread_id,
  entryId: row.entry_id,
  sequence: row.sequence,
  author: { userId: row.author_id, username: row.username },
  at: row.at,
  state: row.state,
  coversThrough: row.covers_through,
  synthesis: row.synthesis,
  openQuestions: new JsonText(row.open_questions),
  conclusion: row.conclusion,
  selected: row.selected === 1,
  stale: row.stale === 1,
  staleReasons: new JsonText(row.stale_reasons),
  archive: archiveOf(row),
  contentDigest: row.content_digest,
})

type AskingRow = Pick<Row, "checkpoint_id" | "thread_id" | "open_questions">

/** Open questions, the newest checkpoint's last one first. */
const asked = (rows: AskingRow[]) =>
  rows
    .sort((one, other) => (one.checkpoint_id < other.checkpoint_id ? 1 : -1))
    .flatMap((row) =>
      (JSON.parse(row.open_questions) as string[])
        .reverse()
        .map((question) => ({ question, checkpointId: row.checkpoint_id, threadId: row.thread_id })),
    )

const SELECT = `
  SELECT c.*, p.username, (t.selected_checkpoint_id = c.checkpoint_id) AS selected, ${STALE} AS stale, ${STALE_REASONS} AS stale_reasons,
    json_extract(c.content, '$.synthesis') AS synthesis, json_extract(c.content, '$.citations') AS citations,
    r.archived_at, r.archived_by, r.archive_reason, a.username AS archived_by_name
  FROM checkpoints c
  JOIN people p ON p.user_id = c.author_id
  JOIN threads t ON t.thread_id = c.thread_id
  JOIN rooms r ON r.room_id = c.room_id
  LEFT JOIN people a ON a.user_id = r.archived_by`

export type Checkpoints = ReturnType<typeof checkpoints>

export function checkpoints(db: Db) {
  const insert = db.prepare(
    `INSERT INTO checkpoints (checkpoint_id, room_id, thread_id, entry_id, sequence, author_id, at, state, covers_through, open_questions, conclusion, content, content_digest)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const cite = db.prepare(
    "INSERT INTO checkpoint_citations (checkpoint_id, position, version_id, status) VALUES (?, ?, ?, coalesce((SELECT status FROM standings WHERE version_id = ?), 'current'))",
  )
  const select = db.prepare("UPDATE threads SET selected_checkpoint_id = ? WHERE thread_id = ?")
  const one = db.prepare<Row>(`${SELECT} WHERE c.checkpoint_id = ?`)
  const ofThread = db.prepare<Row>(`${SELECT} WHERE t.thread_id = ? AND t.selected_checkpoint_id = c.checkpoint_id`)
  const ofRoom = db.prepare<Row>(
    `${SELECT} WHERE t.room_id = ? AND t.selected_checkpoint_id = c.checkpoint_id AND c.state = ? ORDER BY t.sequence LIMIT ${limits.contextItems}`,
  )
  const ASKING =
    "SELECT c.checkpoint_id, c.thread_id, c.open_questions FROM threads t JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id WHERE c.open_questions <> '[]'"
  const askingInRoom = db.prepare<AskingRow>(`${ASKING} AND t.room_id = ?`)
  const askingInThread = db.prepare<AskingRow>(`${ASKING} AND t.thread_id = ?`)

  return {
    /** Stores a checkpoint; the newest of a Thread is the selected one. */
    insert(made: NewCheckpoint): void {
      const {
        checkpointId,
        roomId,
        threadId,
        entryId,
        sequence,
        authorId,
        at,
        state,
        coversThrough,
        openQuestions,
        conclusion = null,
      } = made
      insert.run(
        checkpointId,
        roomId,
        threadId,
        entryId,
        sequence,
        authorId,
        at,
        state,
        coversThrough,
        JSON.stringify(openQuestions),
        conclusion,
        made.content,
        made.contentDigest,
      )
      made.citations.forEach((versionId, position) => cite.run(checkpointId, position, versionId, versionId))
      select.run(checkpointId, threadId)
    },
    read(checkpointId: string) {
      const row = one.get(checkpointId)
      return row && { ...shown(row), citationIds: JSON.parse(row.citations) as string[], content: new JsonText(row.content) }
    },
    /** The selected checkpoint of a Thread; undefined before the first. */
    selectedOfThread(threadId: string) {
      const row = ofThread.get(threadId)
      return row && shown(row)
    },
    /** The selected checkpoints of a Room's Threads that are in a state, in the order of the Threads. */
    selectedOfRoom: (roomId: string, state: CheckpointState) => ofRoom.all(roomId, state).map(shown),
    /** The questions that the selected checkpoints of a Room leave open, with where they were asked, newest first. */
    openQuestions: (roomId: string) => asked(askingInRoom.all(roomId)),
    openQuestionsOfThread: (threadId: string) => asked(askingInThread.all(threadId)),
  }
}
