/** The timeline of each Thread: messages, cards and receipts in order. */
import type { Entry, Notice } from "../contract/answers.ts"
import { each, isOneOf, keysOf } from "../contract/each.ts"
import { tallyColumns } from "../contract/evidence.ts"
import type { EntryFilter } from "../contract/reads/kinds.ts"
import { type JsonObject, JsonText, parse, type Stored, stored, type Writable, writeJson } from "../contract/json.ts"
import { type OperationName, receiptKinds } from "../contract/operations/index.ts"
import { linkKinds } from "../contract/operations/link-kinds.ts"
import { states } from "../contract/states.ts"
import type { Db } from "./database.ts"
import { marked, markIn } from "./other-room.ts"
import { ofKinds } from "./paging.ts"

/** What an entry says; which member it is decides what the entry is. */
export type EntryBody =
  | { readonly message: { readonly text: string; readonly [member: string]: Writable } }
  /** With `standingOf`, a record whose standing is added to the card whenever it is read. */
  | { readonly card: { readonly [member: string]: Writable }; readonly standingOf?: string }
  | { readonly receipt: JsonObject | { readonly [member: string]: Writable } }

export type NewEntry = {
  readonly entryId: string
  readonly threadId: string
  readonly sequence: number
  readonly kind: string
  readonly at: string
  readonly author: { readonly userId: string; readonly username: string }
  readonly replyToEntryId: string | null
  /** The place of its write in the history. */
  readonly position: number
  readonly body: EntryBody
}

interface Row {
  readonly threadId: string
  readonly kind: string
  readonly sequence: number
  readonly body: string
  readonly replyCount: number
  readonly versionId: string | null
  readonly status: string | null
  readonly notices: Stored<Notice[]> | null
  readonly withdrawn: string | null
  /** Of the card of a record of which something was said. */
  readonly tally: string | null
  /** Of a message: its text as JSON. */
  readonly text: string | null
}

const tallyMembers = keysOf(tallyColumns)
const nothingSaid = JSON.stringify(each(tallyMembers, () => 0))

const SELECT = `SELECT e.thread_id AS threadId, e.kind, e.sequence, e.body, e.reply_count AS replyCount, e.version_id AS versionId, s.status, s.notices,
    CASE e.kind WHEN 'message' THEN (SELECT coalesce(h.content -> '$.text', h.content -> '$.message') FROM history h WHERE h.position = e.history_position) END AS text,
    CASE WHEN e.kind = 'link_experiment_finding' THEN
      (SELECT json_object('at', g.at, 'explanation', g.explanation) FROM link_withdrawals g WHERE g.link_id = e.body ->> '$.card.linkId') END AS withdrawn,
    CASE WHEN e.kind = 'publication' THEN (SELECT json_object(${tallyMembers.map((member) => `'${member}', y.${tallyColumns[member]}`).join(", ")})
      FROM evidence_tallies y WHERE y.target_id = e.version_id) END AS tally
  FROM timeline_entries e LEFT JOIN standings s ON s.version_id = e.version_id`

/** Where the text of a message, which is in the history, stands in its entry. */
const TEXT_HERE = '"message":{'

/** An entry as it is answered: the stored text, with its replies counted and the standing of its card, and what was said of it, as it is now. */
function served({ kind, body: kept, replyCount, versionId, status, notices, withdrawn, tally, text }: Row): JsonText<Entry> {
  const body = text === null ? kept : kept.replace(TEXT_HERE, () => `"message":{"text":${text},`)
  // A card is stored as the last member, so that the standing of its record can be added inside it.
  // Where the record is another Room's, so are the links that speak of it.
  const said = notices === null ? "[]" : body.includes('"labelFromOtherRoom":true') ? marked(notices, markIn(body)) : notices
  const further =
    kind === "publication" ? `,"evidenceTally":${tally ?? nothingSaid}` : withdrawn === null ? "" : `,"withdrawn":${withdrawn}`
  const standing = `,"status":"${status ?? "current"}","notices":${said}${further}}`
  const open = versionId === null ? body.slice(0, -1) : `${body.slice(0, -2)}${standing}`
  return new JsonText(stored<Entry>(`${open},"replyCount":${replyCount}}`))
}

/** Receipts that show an object of their own. */
const shown: ReadonlySet<string> = new Set<OperationName>([
  "propose_experiment",
  "register_attempt",
  ...keysOf(linkKinds).map((kind) => linkKinds[kind].operation),
])
/** Whether a receipt shows an object: a proposal, a registration, the outcome of an attempt, or a research link. */
function showsObject({ kind, body }: Pick<Row, "kind" | "body">): boolean {
  if (shown.has(kind)) return true
  if (kind !== "report_attempt_event") return false
  const { receipt } = parse(stored<{ readonly receipt: { readonly result: { readonly status: string } } }>(body))
  return isOneOf(states.attempt.terminal, receipt.result.status)
}

/** A message less its text, which the history has. */
const withoutText = ({ message: { text: _text, ...rest } }: Extract<EntryBody, { message: unknown }>) => ({ message: rest })

export type Timeline = ReturnType<typeof timeline>

export function timeline(db: Db) {
  const insert = db.prepare(
    "INSERT INTO timeline_entries (entry_id, thread_id, sequence, kind, author_id, reply_to_entry_id, version_id, history_position, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const countReply = db.prepare("UPDATE timeline_entries SET reply_count = reply_count + 1 WHERE entry_id = ?")
  const one = db.prepare<Row>(`${SELECT} WHERE e.entry_id = ?`)
  const page = db.prepare<Row>(`${SELECT} WHERE e.thread_id = ? AND e.sequence > ? ORDER BY e.sequence LIMIT ?`)
  const pageOfKind = db.prepare<Row>(`${SELECT} WHERE e.thread_id = ? AND e.kind = ? AND e.sequence > ? ORDER BY e.sequence LIMIT ?`)
  // Those that published a record of a kind, along the records: others of their kind may be many. An id is younger than those before it.
  const pageOfRecords = db.prepare<Row>(
    `${SELECT.replace("FROM timeline_entries e", "FROM records r JOIN timeline_entries e ON e.entry_id = r.entry_id")}
     WHERE r.thread_id = ? AND r.kind = ? AND r.version_id > coalesce((SELECT b.entry_id FROM timeline_entries b WHERE b.thread_id = r.thread_id AND b.sequence = ?), '')
       AND e.sequence > ? ORDER BY r.version_id LIMIT ?`,
  )
  const pageOfReused = db.prepare<Row>(
    `${SELECT} JOIN records r ON r.version_id = e.version_id WHERE e.thread_id = ? AND e.kind = ? AND e.sequence > ? AND r.entry_id <> e.entry_id ORDER BY e.sequence LIMIT ?`,
  )
  const replies = db.prepare<Row>(
    `${SELECT} WHERE e.reply_to_entry_id = ? AND e.thread_id = ? AND e.sequence > ? ORDER BY e.sequence LIMIT ?`,
  )
  const newest = db.prepare<Row>(`${SELECT} WHERE e.thread_id = ? ORDER BY e.sequence DESC LIMIT ?`)

  const withText = (rows: Row[]) => rows.map((row) => ({ sequence: row.sequence, entry: served(row) }))

  return {
    append(entry: NewEntry): void {
      const { body, replyToEntryId, entryId, threadId, sequence, kind } = entry
      const { body: _body, position, ...head } = entry
      const { standingOf = null, ...said } = { standingOf: undefined, ...("message" in body ? withoutText(body) : body) }
      insert.run(
        entryId,
        threadId,
        sequence,
        kind,
        entry.author.userId,
        replyToEntryId,
        standingOf ?? null,
        position,
        writeJson({ ...head, ...said }),
      )
      if (replyToEntryId !== null) countReply.run(replyToEntryId)
    },

    /** Where an entry stands and whether a message may reply to it; undefined when there is none. */
    find(entryId: string): { threadId: string; kind: string; takesReplies: boolean; entry: JsonText<Entry> } | undefined {
      const row = one.get(entryId)
      if (row === undefined) return undefined
      const takesReplies = !receiptKinds.has(row.kind) || showsObject(row)
      return { threadId: row.threadId, kind: row.kind, takesReplies, entry: served(row) }
    },

    /** Up to `count` entries after a sequence. */
    after(threadId: string, after: number, filters: readonly EntryFilter[] | undefined, count: number) {
      if (filters === undefined) return withText(page.all(threadId, after, count))
      const pageOf = ({ kind, target }: EntryFilter) => {
        if (target === undefined) return pageOfKind.all(threadId, kind, after, count)
        return target === "record"
          ? pageOfReused.all(threadId, kind, after, count)
          : pageOfRecords.all(threadId, target, after, after, count)
      }
      return withText(ofKinds(filters, pageOf, count))
    },

    replies: (threadId: string, entryId: string, after: number, count: number) => withText(replies.all(entryId, threadId, after, count)),

    /** The newest entries, oldest first. */
    newest: (threadId: string, count: number): JsonText<Entry>[] => newest.all(threadId, count).reverse().map(served),
  }
}
