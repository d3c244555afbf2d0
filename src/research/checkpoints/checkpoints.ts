/** The rows of checkpoints, which of them are selected, and how they are shown. */
import { limits } from "../../contract/limits.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { type Author, writerName } from "../../contract/answers/parts.ts"
import type { Entry } from "../../contract/nouns/threads.ts"
import { escapeHtml, oneLine, shortened } from "../../contract/text.ts"
import { type StaleReason, staleSentence, type CheckpointSummary } from "../../contract/nouns/checkpoints.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import { ids, to } from "../export/entities.ts"
import { accepted, type Authored, type ForExport, PAGE, type Parts, pathOf, rowsOf, WHO } from "../export/parts.ts"
import type { Timeline } from "../../ledger/journal/timeline.ts"
import { type Reviewed, reviewedSince } from "../../contract/nouns/reviews.ts"
import { JsonText, parse, parsed, type Stored } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { OpenQuestion } from "../../contract/nouns/contexts.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import type { SayWrite } from "../../rooms/activity.ts"
import { ARCHIVE, type Rooms } from "../../rooms/rooms.ts"
import { STALE, STALE_REASONS, type Threads, threadSubject } from "../../threads/threads.ts"
import { REVIEWED } from "../reviews/reviews.ts"
import { type StoredTable, type KeptTables, keptTableInWords } from "../measurements/kept-tables.ts"
import { Refusal } from "../../contract/refusals.ts"
import { behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { AUTHOR, authored } from "../../ledger/journal/actor.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { checkpointsInBrief, KNOWN_THEN } from "./stands.ts"

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
  readonly figures: Stored<NonNullable<BodyOf<"post_research_checkpoint">["figures"]>> | null
  readonly keptTable: StoredTable | null
}

const NONE = "[]"

function shown(row: Row) {
  const { openQuestions, selected, staleReasons, knownThen, reviewed, archive, ...columns } = authored(row)
  return {
    ...columns,
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
    ${AUTHOR("c")}, c.at, c.state, c.covers_through AS coversThrough, \
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
    `SELECT ${COLUMNS}, h.content ->> '$.citations' AS citations, h.content, h.content -> '$.figures' AS figures,
        h.room_sequence AS activitySequence,
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
  const leading = db.prepare<Pick<Row, "checkpointId" | "state" | "answer" | "conclusion" | "synthesis">>(
    `SELECT c.checkpoint_id AS checkpointId, c.state, h.content ->> '$.answer' AS answer, c.conclusion,
        h.content ->> '$.synthesis' AS synthesis
     FROM threads t
      JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id
      JOIN journal h ON h.position = c.history_position
     WHERE t.room_id = +? AND t.selected_checkpoint_id IS NOT NULL AND NOT ${STALE}
     ORDER BY t.selected_checkpoint_id DESC LIMIT 1`,
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
      const { citations, content, figures, activitySequence, keptTable, ...rest } = row
      return {
        checkpoint: {
          ...shown(rest),
          activitySequence,
          ...(figures !== null && { figures: parse(figures) }),
        },
        content: new JsonText(content),
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
    /** The answer that a Room gives now: the newest of its selected checkpoints that is not stale. */
    leadingOf: (roomId: string) => leading.get(roomId),
    /** The table of the opening Thread's selected checkpoint, or of the newest other one that has a table. */
    tableOfRoom: (roomId: string) => tableOfRoom.get(roomId),
    /** Returns the open questions of a Room's selected checkpoints, newest first. */
    openQuestions: (roomId: string) => questionsIn(askingInRoom.all(roomId)),
    openQuestionsOfThread: (threadId: string) => questionsIn(askingInThread.all(threadId)),
  }
}

// The behaviour that posts checkpoints.

/** An entry that came after a Thread was read, by its label and in a sentence. */
function inBetween(
  { entryId, sequence, at, author, message, card, receipt }: Entry,
  { timeline, say }: Pick<OperationTables, "timeline" | "say">,
) {
  const label = receipt?.target.label ?? (card !== undefined && "label" in card ? card.label : null)
  const ofCard = card && ("wording" in card ? card.wording : (card.conclusion ?? card.synthesis))
  const said = message?.text ?? ofCard ?? (receipt === undefined ? "" : say(receipt, timeline.contentOf(entryId)))
  return { sequence, label, says: shortened(oneLine(said), BETWEEN), by: writerName(author), at }
}
/** The characters of such a sentence. */
const BETWEEN = 200

interface OperationTables {
  readonly threads: Threads
  readonly checkpoints: Checkpoints
  readonly evidence: Evidence
  readonly keptTables: KeptTables
  readonly timeline: Pick<Timeline, "after" | "contentOf">
  readonly say: SayWrite
}

export function checkpointOperations(tables: OperationTables) {
  const { threads, checkpoints, evidence, keptTables, timeline } = tables
  const post_research_checkpoint = behaviour("post_research_checkpoint", {
    subject: ({ body }) => threadSubject(threads, body.threadId),
    references: ({ body: { table } }, { roomId }) => (table === undefined ? [] : keptTables.faults(roomId, table)),
    admit({ body, ownBefore = 0 }, { threadId }) {
      const thread = threads.summary(threadId)
      const watermark = thread?.timelineWatermark ?? 0
      const { expectedWatermark: expected } = body
      if (expected !== watermark) {
        // As the client counts: without what its batch wrote before.
        const [read, now] = [expected - ownBefore, watermark - ownBefore]
        const missed = Math.max(0, now - read)
        const entries = timeline.after(threadId, read, undefined, Math.min(missed, limits.entriesBetween))
        const between = entries.map(({ entry }) => inBetween(parsed<Entry>(entry), tables))
        const summary = between
          .map(({ label, says }) => (label === null || says.includes(label) ? says : `${label}: ${says}`))
          .join(" · ")
          .replace(/\.$/, "")
        const count = missed > between.length ? ` (${missed} in all)` : ""
        const message =
          read > now
            ? `The Thread ends at ${now}; it has no entry ${read}.`
            : `The Thread has moved to ${now} since you read it at ${read}: ${summary}${count}.`
        throw new Refusal("state_conflict", message, {
          current: {
            threadId,
            timelineWatermark: now,
            selectedCheckpointId: thread?.selectedCheckpointId ?? null,
            expected: { expectedWatermark: now },
            between,
            moreBetween: missed - between.length,
          },
        })
      }
      if (body.coversThrough > watermark) {
        throw new Refusal("invalid_schema", "A checkpoint cannot cover entries that do not exist yet.", {
          issues: [{ path: "/coversThrough", message: `must be at most the Thread's watermark, ${watermark}` }],
        })
      }
    },
    write(call, subject, change) {
      const { body } = call
      const { state, coversThrough, openQuestions, conclusion, synthesis, citations, client, table } = body
      const checkpointId = change.newId()
      // The watermark was checked in the same transaction, so this is the next entry.
      const sequence = body.expectedWatermark + 1
      const stated = { checkpointId, sequence, state, coversThrough, openQuestions, conclusion, citations }
      const named = [body.answer, conclusion, synthesis].join(" ")
      const keptTable = table && keptTables.kept(subject.roomId, table, named)
      checkpoints.insert({ ...madeBy(call, subject, change), ...stated, keptTable })
      evidence.uses("checkpoint", checkpointId, "citation", citations, change.at)
      const shown = { checkpointId, state, coversThrough, synthesis, openQuestions, conclusion: conclusion ?? null }
      const card = { ...shown, ...(client === undefined ? {} : { client }) }
      const supersedesCheckpointId = checkpoints.supersededBy(checkpointId)
      return {
        target: { id: checkpointId, label: null },
        result: { checkpointId, state, supersedesCheckpointId, label: null },
        entry: { card },
      }
    },
  })

  return { post_research_checkpoint }
}

// The read of the table that a Room rests its answer on.

interface ReadTables {
  readonly rooms: Rooms
  readonly checkpoints: Checkpoints
  readonly keptTables: KeptTables
}

export function checkpointReads({ rooms, checkpoints, keptTables }: ReadTables) {
  function tableOf(roomId: string) {
    const chosen = checkpoints.tableOfRoom(roomId)
    if (chosen !== undefined) {
      const from = { kind: "checkpoint" as const, id: chosen.checkpointId, label: null }
      return { from, table: keptTables.shown(roomId, chosen.keptTable) }
    }
    const newest = keptTables.ofNewestFinding(roomId)
    if (newest === undefined) return { from: null, table: null }
    const { versionId, label } = newest.finding
    return { from: { kind: "finding" as const, id: versionId, label }, table: newest.table }
  }
  return {
    room_table({ params: { roomId }, query }) {
      rooms.mustExist(roomId)
      const { from, table } = tableOf(roomId)
      if (query.format !== "markdown") return { roomId, from, table }
      return table === null ? "Nothing is measured.\n" : `${keptTableInWords(table, limits.documentBytes)}\n`
    },
  } satisfies Partial<Readers>
}

// What the export of a Room has of its checkpoints: a file of each; the preview shows the selected ones.

type ExportedRow = Authored &
  Pick<CheckpointSummary, "checkpointId" | "threadId" | "at" | "state" | "synthesis" | "conclusion"> & {
    readonly title: string
    readonly openQuestions: Stored<string[]>
    readonly selected: number
    readonly staleReasons: Stored<StaleReason[]>
  }

const EXPORTED = `SELECT c.checkpoint_id AS checkpointId, c.thread_id AS threadId, t.title, c.at, c.state,
    ${contentOf("c")} ->> '$.synthesis' AS synthesis, c.conclusion, c.open_questions AS openQuestions,
    t.selected_checkpoint_id = c.checkpoint_id AS selected, ${STALE_REASONS} AS staleReasons,
    ${contentOf("c")} AS content, ${WHO}
  FROM checkpoints c
  JOIN people p ON p.user_id = c.author_id
  JOIN threads t ON t.thread_id = c.thread_id
  JOIN rooms o ON o.room_id = c.room_id
  WHERE c.room_id = +? AND c.checkpoint_id > +? ORDER BY c.checkpoint_id LIMIT ${PAGE}`

function conclusionOf({ title, state, at, conclusion, synthesis, openQuestions, staleReasons }: ExportedRow): string {
  const item = (text: string) => `<li>${escapeHtml(text)}</li>`
  const questions = parse(openQuestions).map(item).join("")
  const since = parse(staleReasons).map(staleSentence).map(item).join("")
  return (
    `<article><h3>${escapeHtml(title)}</h3><p class="meta">${state}, ` +
    `${at.slice(0, 10)}</p>${conclusion === null ? "" : `<p><strong>${escapeHtml(conclusion)}</strong></p>`}` +
    `${since === "" ? "" : `<p class="fallen">Changes since then</p><ul>${since}</ul>`}<p>${escapeHtml(synthesis)}` +
    `</p>${questions === "" ? "" : `<p>Open questions</p><ul>${questions}</ul>`}</article>`
  )
}

function exportedCheckpoints({ db, record: { roomId, baseUrl } }: ForExport) {
  const rows = rowsOf<ExportedRow>(db, EXPORTED, roomId, ({ checkpointId }) => checkpointId)
  return {
    checkpoints: {
      files: () =>
        rows().map(({ checkpointId, userId, at, state, content }) =>
          accepted(pathOf.checkpoint(checkpointId), `Checkpoint of ${at}`, content, () => ({
            members: {
              additionalType: "checkpoint",
              author: to(ids.person(userId)),
              dateCreated: at,
              identifier: checkpointId,
              creativeWorkStatus: state,
              url: `${baseUrl}${pageOf("checkpoint", checkpointId)}`,
            },
          })),
        ),
      previewed: () =>
        rows()
          .filter(({ selected }) => selected === 1)
          .map(conclusionOf),
    },
  } satisfies Partial<Parts>
}

export const domain = {
  tables: [({ db }: Ground) => ({ checkpoints: checkpoints(db) })],
  operations: [checkpointOperations],
  reads: [checkpointReads],
  brief: [checkpointsInBrief],
  exported: [exportedCheckpoints],
} satisfies Domain
