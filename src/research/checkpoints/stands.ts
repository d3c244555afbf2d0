/** Where Threads stand by their checkpoints, and what was known then; as a brief lists it, with the open questions. */
import { type KnownThen, knownThenSentence, type StaleReason, staleSentence } from "../../contract/nouns/checkpoints.ts"
import { numbersInWords, type RecordNumbers } from "../../contract/answers/numbers.ts"
import { writerName } from "../../contract/answers/parts.ts"
import type { Reviewed } from "../../contract/nouns/reviews.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { firstParagraph, oneLine, shortened } from "../../contract/text.ts"
import {
  type BriefItem,
  type BriefSources,
  inPlace,
  itemsOf,
  quoted,
  type Step,
  stepOf,
} from "../../ledger/domains/brief.ts"
import { AGENT } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { STALE, STALE_REASONS } from "../../threads/threads.ts"
import { type KeptTables, keptTableWriter, type StoredTable } from "../measurements/kept-tables.ts"
import { REVIEWED, reviewedSentence } from "../reviews/reviews.ts"
import { WORRIES_AT } from "../evidence/words.ts"
import { labelledObject } from "../../ledger/lists/labelled.ts"

// SQL for the records that were fallen or doubted when a checkpoint that cites them was written, and still are
// (protocol, section 17). Its author knew: they are a note, and no reason to renew it.

const RANK = "CASE l.kind WHEN 'retracts' THEN 3 WHEN 'supersedes' THEN 2 WHEN 'corrects' THEN 1 ELSE 0 END"
const STATUS = `CASE l.kind WHEN 'retracts' THEN 'retracted' WHEN 'supersedes' THEN 'superseded'
    WHEN 'corrects' THEN 'corrected' ELSE 'disputed' END`

const SPEAKER = `json_object('userId', p.user_id, 'username', p.username, 'agent', ${AGENT("l")})`

/** The record `r` that is cited. @param by SQL for the object that put it in doubt */
const citedRecord = (status: string, by: string): string =>
  `json(${labelledObject(
    `'versionId', r.version_id, 'label', r.label, 'status', ${status}, 'by', json(${by})`,
    "r.room_id",
    "c.room_id",
  )}) AS known`

/** The strongest link that put a cited record in doubt before the checkpoint `c`; the newest of equal ones. */
const BY_LINK = `SELECT ${citedRecord(
  STATUS,
  labelledObject(`'kind', 'link', 'id', l.link_id, 'label', l.label, 'author', ${SPEAKER}`, "l.room_id", "c.room_id"),
)}, max(${RANK} * 1000000000000 + l.history_position)
  FROM checkpoint_citations i JOIN research_links l ON l.target_version_id = i.version_id
  JOIN people p ON p.user_id = l.author_id JOIN records r ON r.version_id = i.version_id
  WHERE i.checkpoint_id = c.checkpoint_id AND ${WORRIES_AT} < c.history_position GROUP BY i.position`

/** The record, fallen before the checkpoint, on which another cited record rests. */
const BY_GROUND = `SELECT ${citedRecord(
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

// What checkpoints add to a brief: where each Thread stands, the table of the answer, and the open questions.

type Stands = BriefItem<"stands">
type Worked = "table" | "stale" | "staleReasons" | "knownThen" | "reviewed" | "numbers" | "numbersCheck"
interface Stand extends Omit<Stands, Worked> {
  readonly stale: number
  readonly answer: string | null
  readonly keptTable: StoredTable | null
  readonly knownThen: Stored<KnownThen[]>
  readonly staleReasons: Stored<StaleReason[]>
  readonly reviewed: Stored<Reviewed> | null
  readonly timelineWatermark: number
}

const SIGHT = limits.briefSight
/** The characters within which the first paragraph of a conclusion is told whole. */
const SAID = 600
/** Threads with a checkpoint, the newest checkpoint first. */
const SELECTED = `SELECT t.thread_id, t.selected_checkpoint_id
    FROM threads t
    WHERE t.selected_checkpoint_id IS NOT NULL AND t.{place} = +?
    ORDER BY t.selected_checkpoint_id DESC`
/** The opening Thread of the Room, however old its checkpoint is. */
const OPENING = `SELECT o.opening_thread_id FROM rooms o
    WHERE o.room_id = (SELECT t.room_id FROM threads t WHERE t.{place} = +? LIMIT 1)
      AND EXISTS (SELECT 1 FROM threads t WHERE t.thread_id = o.opening_thread_id AND t.{place} = +?)`

/** Why a conclusion is stale, worded to follow the label of the object that made it stale. */
const reasons: { readonly [C in StaleReason["code"]]: string } = {
  citation_fallen: "no longer holds or is in doubt",
  citation_in_doubt: "rests on a record that no longer holds",
  published_since: "came after it",
  not_covered: "is not covered",
}

/** The step that a stale conclusion, or one that nobody has reviewed, waits for. */
function stepsOf({ checkpointId: id, threadId, title, state, timelineWatermark: moved, ...stand }: Stand): Step[] {
  if (state !== "concluded") return []
  const conclusion = `conclusion of "${shortened(title, 80)}"`
  if (stand.stale === 1) {
    const first = parse(stand.staleReasons).slice(0, 3)
    const because = first.map(({ code, label }) => `${label} ${reasons[code]}`).join(", ")
    const why = `The ${conclusion} is stale: ${because}.`
    const body = { threadId, expectedWatermark: moved, coversThrough: moved, state: "concluded" }
    return [stepOf("renew_conclusion", id, null, why, body)]
  }
  const why = `Nobody but its author has reviewed the ${conclusion}.`
  return stand.reviewed === null ? [stepOf("review_conclusion", id, null, why, { target: id })] : []
}

/** A table below an item of a list. */
const inset = (table: string | undefined): string =>
  table === undefined ? "" : `\n\n${table.replace(/^(?=.)/gm, "  ")}\n`
/** What was fallen or doubted when a checkpoint was written, in words. */
const known = (then: readonly KnownThen[]): string =>
  then.length === 0 ? "" : `, known when it was written: ${then.map(knownThenSentence).join(" ")}`

export interface Tables {
  readonly db: Db
  readonly keptTables: KeptTables
  readonly numbers: { ofCheckpoint(checkpointId: string): RecordNumbers }
}

export function checkpointsInBrief({ db, keptTables, numbers }: Tables) {
  // The opening Thread, then conclusions, then open syntheses, newest first.
  const stands = inPlace<Stand>(
    db,
    `SELECT t.thread_id AS threadId, t.title, c.checkpoint_id AS checkpointId, c.state,
       p.username AS by, ${AGENT("c")} AS agent, c.at,
        coalesce(c.conclusion, ${contentOf("c")} ->> '$.synthesis') AS says,
       ${contentOf("c")} ->> '$.answer' AS answer, c.kept_table AS keptTable, ${STALE} AS stale,
        ${STALE_REASONS} AS staleReasons,
       ${KNOWN_THEN} AS knownThen, ${REVIEWED("c.first_said_id")} AS reviewed,
       coalesce((SELECT h.timeline_sequence FROM thread_heads h WHERE h.thread_id = t.thread_id),
         0) AS timelineWatermark
     FROM threads t
      JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id
      JOIN people p ON p.user_id = c.author_id
      JOIN rooms r ON r.room_id = t.room_id
     WHERE t.thread_id IN (SELECT thread_id FROM (${SELECTED} LIMIT ${SIGHT}) UNION ${OPENING})
     ORDER BY t.thread_id = r.opening_thread_id DESC, c.state, c.checkpoint_id DESC`,
  )
  const selectedQuestions = inPlace<{ readonly questions: Stored<string[]>; readonly threadId: string }>(
    db,
    `SELECT c.open_questions AS questions, s.thread_id AS threadId
      FROM (${SELECTED} LIMIT ${limits.briefThreads}) s
      JOIN checkpoints c ON c.checkpoint_id = s.selected_checkpoint_id
     WHERE c.open_questions <> '[]' ORDER BY s.selected_checkpoint_id DESC LIMIT ${SIGHT}`,
  )
  // Of the questions, those that an experiment asks already. Only the newest experiments are read.
  const beingAsked = db.prepare<{ question: string }>(
    `SELECT question FROM (SELECT question, status
      FROM experiments
      WHERE room_id = +?
      ORDER BY experiment_id DESC
      LIMIT ${SIGHT})
     WHERE status <> 'cancelled' AND question IN (SELECT value FROM json_each(+?))`,
  )

  /** The tables of the first checkpoints, in Markdown, within a number of bytes. */
  function tablesOf(rows: readonly Stand[], roomId: string) {
    const found = new Map<string, (bytes: number) => string>()
    for (const { checkpointId, keptTable } of rows)
      if (keptTable !== null && found.size < limits.briefTables)
        found.set(checkpointId, keptTableWriter(keptTables.shown(roomId, keptTable)))
    return found
  }
  /** The bytes of a table, depending on the length of texts. */
  const tableBytes = (characters: number): number => Math.max(700, characters * 10)

  return {
    stands: {
      title: "Where it stands",
      line: ({ title, state, says, agent, at, stale, staleReasons, knownThen = [], reviewed, numbers, ...stand }) =>
        `${oneLine(title)} (${state}, ${reviewed}${numbers === null ? "" : `, ${numbers}`}` +
        `${stale ? `, stale: ${staleReasons.map(staleSentence).join(" ")}` : ""}` +
        `${known(knownThen)}): ${oneLine(says)} (${writerName({ username: stand.by, agent })}, ${at.slice(0, 10)}) ` +
        `Thread ${stand.threadId}${inset(stand.table)}`,
      link: ({ roomId }) => pathTo("room_threads", { roomId }),
      shorter: ({ knownThen: _known, numbersCheck: _counts, ...stand }) => stand,
      barest: ({ table: _table, numbersCheck: _counts, knownThen, ...stand }) => ({
        ...stand,
        staleReasons: stand.staleReasons.slice(0, 1),
        ...(knownThen && { knownThen: knownThen.slice(0, 1) }),
      }),
      read(place) {
        const rows = stands(place)
        return {
          steps: () => rows.flatMap(stepsOf),
          items() {
            const { roomId, threadId } = place
            const tables = tablesOf(rows, roomId)
            const checked = rows.map((stand) => ({ ...stand, checked: numbers.ofCheckpoint(stand.checkpointId) }))
            const { at } = itemsOf(checked, (row, most): Stands => {
              const { timelineWatermark: _moved, answer, keptTable: _kept, checked: numbersOf, ...stand } = row
              const { unresolved: _named, ...numbersCheck } = numbersOf
              const table = tables.get(stand.checkpointId)?.(tableBytes(most))
              return {
                ...stand,
                title: shortened(stand.title, 100),
                says: answer ?? shortened(firstParagraph(stand.says), Math.max(most * 2, SAID)),
                ...(table !== undefined && { table }),
                stale: stand.stale === 1,
                staleReasons: parse(stand.staleReasons).slice(0, 5),
                knownThen: parse(stand.knownThen).slice(0, 5),
                reviewed: reviewedSentence(stand.reviewed, stand.checkpointId),
                numbers: numbersInWords(numbersOf),
                numbersCheck,
              }
            })
            // Where no checkpoint has a table: that of the Room's newest finding.
            const isLacking = threadId === undefined && tables.size === 0
            const newest = isLacking ? keptTables.ofNewestFinding(roomId)?.table : undefined
            const write = newest && keptTableWriter(newest)
            return { at, table: (most) => write?.(tableBytes(most)) }
          },
        }
      },
    },
    openQuestions: {
      title: "Open questions",
      line: ({ question }) => oneLine(question),
      link: ({ roomId, threadId }) =>
        threadId === undefined ? pathTo("room_context", { roomId }) : pathTo("thread_research_context", { threadId }),
      read(place) {
        const { roomId } = place
        const rows = selectedQuestions(place).flatMap(({ questions, threadId }) =>
          parse(questions).map((question) => ({ question, threadId })),
        )
        const asking = JSON.stringify(rows.map(({ question }) => question))
        const asked = new Set(beingAsked.all(roomId, asking).map(({ question }) => question))
        const unasked = rows.filter(({ question }) => !asked.has(question))
        return {
          items: () => itemsOf(rows, (row, most) => ({ ...row, question: shortened(row.question, most) })),
          steps: () =>
            unasked.map(({ question, threadId }) => {
              const body = { roomId, threadId, question, hypotheses: [] }
              return stepOf("answer_question", threadId, null, quoted(question), body)
            }),
        }
      },
    },
  } satisfies Partial<BriefSources>
}
