/** The rows of checkpoints, which of them are selected, and how they are shown. */
import type { Author } from "../../contract/answers/index.ts"
import { type Reviewed, reviewedSince } from "../../contract/answers/reviews.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { CheckpointSummary, OpenQuestion } from "../../contract/answers/records.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import { ARCHIVE } from "../../rooms/rooms.ts"
import { STALE_REASONS } from "../../threads/threads.ts"
import { REVIEWED } from "../reviews/reviews.ts"
import type { StoredTable } from "../measurements/kept-tables.ts"
import { KNOWN_THEN } from "./known-then.ts"
import { AGENT } from "../../ledger/journal/author.ts"

export interface NewCheckpoint extends Omit<NewRow<"checkpoints">, "openQuestions" | "firstSaidId"> {
  readonly openQuestions: readonly string[]
  readonly citations: readonly string[]
}

type Row = Omit<
  CheckpointSummary,
  "author" | "openQuestions" | "selected" | "stale" | "staleReasons" | "knownThen" | "reviewed" | "archive"
> &
  Author & {
    readonly archive: Stored<NonNullable<CheckpointSummary["archive"]>> | null
    readonly openQuestions: Stored<string[]>
    readonly selected: number
    readonly staleReasons: Stored<CheckpointSummary["staleReasons"]>
    readonly knownThen: Stored<CheckpointSummary["knownThen"]>
    readonly reviewed: Stored<Reviewed> | null
  }
interface WholeRow extends Row {
  readonly activitySequence: number
  readonly citations: Stored<string[]>
  readonly content: Stored<BodyOf<"post_research_checkpoint">>
  readonly keptTable: StoredTable | null
}

const NONE = "[]"

function shown(row: Row) {
  const { userId, username, agent, openQuestions, selected, staleReasons, knownThen, reviewed, archive, ...columns } =
    row
  return {
    ...columns,
    author: { userId, username, agent },
    // These lists are short, and parsing them lets the whole checkpoint be serialised faster.
    openQuestions: parse(openQuestions),
    selected: selected === 1,
    // An open checkpoint is never stale, though it shows its reasons.
    stale: row.state === "concluded" && staleReasons !== NONE,
    staleReasons: staleReasons === NONE ? [] : parse(staleReasons),
    knownThen: knownThen === NONE ? [] : parse(knownThen),
    reviewed: reviewed === null ? null : reviewedSince(parse(reviewed), row.checkpointId),
    archive: archive && parse(archive),
  }
}

type AskingRow = Pick<Row, "checkpointId" | "threadId" | "openQuestions">
type Asking = Pick<CheckpointSummary, "checkpointId" | "threadId" | "openQuestions">

/** Returns the open questions of checkpoints, those of the newest checkpoint first, in reverse order. */
export const questionsOf = (checkpoints: readonly Asking[]): OpenQuestion[] =>
  checkpoints
    .toSorted((one, other) => (one.checkpointId < other.checkpointId ? 1 : -1))
    .flatMap(({ checkpointId, threadId, openQuestions }) =>
      openQuestions.map((question) => ({ question, checkpointId, threadId })).reverse(),
    )
const questionsIn = (rows: readonly AskingRow[]) =>
  questionsOf(rows.map((row) => ({ ...row, openQuestions: parse(row.openQuestions) })))

/** The previous checkpoint of the Thread of `c`. */
const SUPERSEDED = `(SELECT max(b.checkpoint_id)
  FROM checkpoints b
  WHERE b.thread_id = c.thread_id AND b.checkpoint_id < c.checkpoint_id)`

const OWN = `c.checkpoint_id AS checkpointId, c.room_id AS roomId, c.thread_id AS threadId, c.entry_id AS entryId, \
c.sequence,
    c.author_id AS userId, p.username, ${AGENT("c")} AS agent, c.at, c.state, c.covers_through AS coversThrough, \
h.content ->> '$.synthesis' AS synthesis,
    c.open_questions AS openQuestions, c.conclusion, h.content ->> '$.answer' AS answer, ${SUPERSEDED} AS \
supersedesCheckpointId,
    (t.selected_checkpoint_id = c.checkpoint_id) AS selected, ${STALE_REASONS} AS staleReasons,
    ${KNOWN_THEN} AS knownThen, ${REVIEWED("c.first_said_id")} AS reviewed, c.content_digest AS contentDigest`
const COLUMNS = `${OWN}, ${ARCHIVE}`
const TABLES = `checkpoints c
  JOIN journal h ON h.position = c.history_position
  JOIN people p ON p.user_id = c.author_id
  JOIN threads t ON t.thread_id = c.thread_id
  JOIN rooms r ON r.room_id = c.room_id`
const SELECT = `SELECT ${COLUMNS} FROM ${TABLES}`

export type Checkpoints = ReturnType<typeof checkpoints>

export function checkpoints(db: Db) {
  const insert = inserting(db, "checkpoints")
  const cite = inserting(db, "checkpoint_citations")
  const select = db.prepare("UPDATE threads SET selected_checkpoint_id = +? WHERE thread_id = +?")
  const firstSaid = db.prepare<{ id: string }>(
    `SELECT c.checkpoint_id AS id FROM checkpoints c WHERE c.thread_id = +? AND c.conclusion = +?
     ORDER BY c.checkpoint_id LIMIT 1`,
  )
  const superseded = db.prepare<{ id: string | null }>(
    `SELECT ${SUPERSEDED} AS id FROM checkpoints c WHERE c.checkpoint_id = +?`,
  )
  const one = db.prepare<WholeRow>(
    `SELECT ${COLUMNS}, h.content ->> '$.citations' AS citations, h.content, h.room_sequence AS activitySequence,
        c.kept_table AS keptTable FROM ${TABLES} WHERE c.checkpoint_id = +?`,
  )
  const ofThread = db.prepare<Row>(`${SELECT} WHERE t.thread_id = +? AND t.selected_checkpoint_id = c.checkpoint_id`)
  // Uses the index of Threads with a checkpoint. The archive is that of the Room, which the caller knows.
  const ofRoom = db.prepare<Row & { threadSequence: number }>(
    `SELECT ${OWN}, NULL AS archive, t.sequence AS threadSequence
     FROM checkpoints c JOIN journal h ON h.position = c.history_position JOIN threads t ON t.thread_id = c.thread_id
     JOIN people p ON p.user_id = c.author_id
     WHERE c.checkpoint_id IN (SELECT selected_checkpoint_id
       FROM threads
       WHERE room_id = +? AND selected_checkpoint_id IS NOT NULL
       ORDER BY selected_checkpoint_id DESC LIMIT ${limits.contextItems})`,
  )
  const tableOfRoom = db.prepare<{ checkpointId: string; keptTable: StoredTable }>(
    `SELECT c.checkpoint_id AS checkpointId, c.kept_table AS keptTable
     FROM threads t
      JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id
      JOIN rooms r ON r.room_id = t.room_id
     WHERE t.room_id = +? AND c.kept_table IS NOT NULL
     ORDER BY t.thread_id = r.opening_thread_id DESC, c.checkpoint_id DESC LIMIT 1`,
  )
  const ASKING = `SELECT c.checkpoint_id AS checkpointId, c.thread_id AS threadId, c.open_questions AS openQuestions
    FROM threads t
    JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id
    WHERE c.open_questions <> '[]'`
  const askingInRoom = db.prepare<AskingRow>(`${ASKING} AND t.room_id = +?`)
  const askingInThread = db.prepare<AskingRow>(`${ASKING} AND t.thread_id = +?`)

  return {
    /** Stores a checkpoint and selects it for its Thread. */
    insert(made: NewCheckpoint): void {
      const { checkpointId, threadId } = made
      const firstSaidId = made.conclusion == null ? undefined : firstSaid.get(threadId, made.conclusion)?.id
      insert({
        ...made,
        firstSaidId: firstSaidId ?? checkpointId,
        openQuestions: JSON.stringify(made.openQuestions),
      })
      made.citations.forEach((versionId, position) => cite({ checkpointId, position, versionId }))
      select.run(checkpointId, threadId)
    },
    /** Returns the checkpoint that another one replaced; null for the first of a Thread. */
    supersededBy: (checkpointId: string): string | null => superseded.get(checkpointId)?.id ?? null,
    read(checkpointId: string) {
      const row = one.get(checkpointId)
      if (row === undefined) return undefined
      const { citations, content, activitySequence, keptTable, ...rest } = row
      return {
        checkpoint: { ...shown(rest), activitySequence, content: new JsonText(content) },
        citations: parse(citations),
        keptTable,
      }
    },
    /** Returns the selected checkpoint of a Thread; undefined if it has none. */
    selectedOfThread(threadId: string) {
      const row = ofThread.get(threadId)
      return row && shown(row)
    },
    /** Returns the newest `limits.contextItems` selected checkpoints of a Room, in the order of their Threads. */
    selectedOfRoom: (roomId: string, archive: CheckpointSummary["archive"]) =>
      ofRoom
        .all(roomId)
        .sort((one, other) => one.threadSequence - other.threadSequence)
        .map(({ threadSequence: _place, ...row }) => ({ ...shown(row), archive })),
    /** The table of the opening Thread's selected checkpoint, or of the newest other one that has a table. */
    tableOfRoom: (roomId: string) => tableOfRoom.get(roomId),
    /** Returns the open questions of a Room's selected checkpoints, newest first. */
    openQuestions: (roomId: string) => questionsIn(askingInRoom.all(roomId)),
    openQuestionsOfThread: (threadId: string) => questionsIn(askingInThread.all(threadId)),
  }
}
