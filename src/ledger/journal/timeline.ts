/** The timeline of each Thread: messages, cards and receipts in order. */
import type { Entry } from "../../contract/nouns/threads.ts"
import type { Notice } from "../../contract/nouns/record-answers.ts"
import { each, keysOf, present } from "../../contract/typed.ts"
import { tallyColumns } from "../../contract/answers/evidence.ts"
import type { EntryFilter } from "../../contract/reads/activity.ts"
import { JsonText, parse, type Stored, stored, type Writable } from "../../contract/json.ts"
import { takesReplies } from "../../contract/operations/receipts.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"
import { keptTexts } from "../storage/caches.ts"
import { idOf, keys, placeOf, type Target, TARGET_HERE, targetText } from "./columns.ts"
import { marked, markIn } from "../lists/labelled.ts"
import { ofKinds } from "../lists/paging.ts"

/**
 * The card of a record or checkpoint. With `standingOf`, the standing of that record is added to the card at every
 * read.
 */
export interface EntryBody {
  readonly card: { readonly [member: string]: Writable }
  readonly standingOf?: string
}

/** The place of a new entry. Its content is part of its write. */
export interface NewEntry {
  readonly entryId: string
  readonly threadId: string
  readonly sequence: number
  readonly kind: string
  readonly replyToEntryId: string | null
  readonly standingOf: string | null
  /** The position of its write in the journal. */
  readonly position: number
}

/** The part of an entry that never changes. */
interface Row extends Target {
  readonly name: string
  readonly entryId: string
  readonly threadId: string
  readonly kind: string
  readonly sequence: number
  readonly operation: string
  readonly at: string
  readonly userId: string
  readonly shownAs: string
  readonly agent: string | null
  readonly replyToEntryId: string | null
  readonly client: string | null
  readonly card: string | null
  readonly result: string | null
  readonly versionId: string | null
  /** For a message: its text and its delivery id, as JSON. */
  readonly text: string | null
  readonly deliveryId: string | null
  /** The pictures that it shows, as JSON. */
  readonly figures: string | null
}

/** The part of an entry that changes, with the name of the cached part. */
export interface Moving {
  readonly name: string
  readonly sequence: number
  readonly replyCount: number
  readonly versionId: string | null
  readonly status: string | null
  readonly notices: Stored<Notice[]> | null
  /** Further members of the card as JSON text: a record's evidence and reviews, a link's withdrawal. */
  readonly further: string | null
}

const tallyMembers = keysOf(tallyColumns)
const emptyTally = JSON.stringify(each(tallyMembers, () => 0))

/** The write's digest alone would not do: a write may have two entries. */
const NAME = "hex(j.digest) || e.entry_id AS name"
const HEX = 64
const COLUMNS = `${NAME}, t.id AS threadId, e.kind, e.sequence, j.operation, j.at, w.person_id AS userId,
    w.shown_as AS shownAs, w.agent,
    e.reply_to_entry_id AS replyToEntryId, j.client, j.card, j.result, e.version_id AS versionId, ${TARGET_HERE},
    CASE e.kind WHEN 'message' THEN coalesce(j.content -> '$.text', j.content -> '$.message') END AS text,
    CASE e.kind WHEN 'message' THEN coalesce(j.content -> '$.clientMessageId',
      j.content -> '$.requestId') END AS deliveryId,
    CASE e.kind WHEN 'message' THEN j.content -> '$.figures' END AS figures`
const reviewedOf = (id: string): string =>
  `',"reviewed":' || coalesce((SELECT o.reviewed FROM review_tallies o WHERE o.target_id = ${id}), 'null')`
const MOVING = `${NAME}, e.sequence, e.reply_count AS replyCount, e.version_id AS versionId, s.status, s.notices,
    CASE e.kind WHEN 'publication' THEN
      ',"evidenceTally":' || coalesce((SELECT json_object(
        ${tallyMembers.map((member) => `'${member}', y.${tallyColumns[member]}`).join(", ")})
        FROM evidence_tallies y WHERE y.target_id = e.version_id), '${emptyTally}')
        || iif(j.target_kind = 'finding', ${reviewedOf("e.version_id")}, '')
      WHEN 'post_research_checkpoint' THEN ${reviewedOf("j.target_id")}
        || ',"answer":' || coalesce(j.content -> '$.answer', 'null')
      WHEN 'link_experiment_finding' THEN
      ',"withdrawn":' || (SELECT json_object('at', g.at, 'explanation', g.explanation)
        FROM link_withdrawals g
        WHERE g.link_id = j.card ->> '$.linkId')
    END AS further`
const WRITE = "JOIN journal j ON j.position = e.history_position"
const JOINED = `${WRITE} LEFT JOIN standings s ON s.version_id = e.version_id`
const SELECT = `SELECT ${MOVING} FROM timeline_entries e ${JOINED}`
/** Without INDEXED BY, SQLite scans the whole Thread. */
const SELECT_BY_KIND = `SELECT ${MOVING} FROM timeline_entries e INDEXED BY timeline_by_kind ${JOINED}`
const IN_THREAD = `e.thread = ${placeOf("+?")}`

/** The content of an entry, as JSON text of a member; its object is left open if more members follow. */
function contentOf(row: Row): string {
  const { text, figures, client, card } = row
  const clientMember = client === null ? "" : `,"client":${client}`
  const end = row.versionId === null ? "}" : ""
  if (text !== null)
    return (
      `"message":{"text":${text},"clientMessageId":${row.deliveryId}` +
      `${figures === null ? "" : `,"figures":${figures}`}${clientMember}${end}`
    )
  if (card !== null) return `"card":${end === "" || row.kind === "post_research_checkpoint" ? card.slice(0, -1) : card}`
  return (
    `"receipt":{"operation":"${row.operation}","target":${targetText(row)},` +
    `"result":${row.result}${clientMember}${end}`
  )
}

/** The beginning of an entry's JSON text: everything that its write determines. */
function beginningOf(row: Row): string {
  const { entryId, threadId, sequence, kind, at, userId, shownAs, agent, replyToEntryId } = row
  return (
    `{"entryId":"${entryId}","threadId":"${threadId}","sequence":${sequence},"kind":"${kind}","at":"${at}"` +
    `,"author":{"userId":"${userId}","username":${JSON.stringify(shownAs)},` +
    `"agent":${agent ? JSON.stringify(agent) : "null"}},"replyToEntryId":` +
    `${replyToEntryId === null ? "null" : `"${replyToEntryId}"`},${contentOf(row)}`
  )
}

/**
 * Returns an entry as JSON: the cached beginning, then the standing of its card and the count of its replies as they
 * are now.
 */
function served(
  { versionId, status, notices, further, replyCount }: Moving,
  begins: string,
  effects: readonly string[] | undefined,
): JsonText<Entry> {
  // If the record belongs to another Room, so do the links in its notices.
  const list =
    notices === null ? "[]" : begins.includes('"labelFromOtherRoom":true') ? marked(notices, markIn(begins)) : notices
  const standing = versionId === null ? "" : `,"status":"${status ?? "current"}","notices":${list}`
  const moving = `${standing}${further ?? ""}${effects === undefined ? "" : `,"effects":${JSON.stringify(effects)}`}`
  const end = versionId === null && further === null ? "" : `${moving}}`
  return new JsonText(stored<Entry>(`${begins}${end},"replyCount":${replyCount}}`))
}

/** Returns the sentences of the effects of each finding among some records. */
export type EffectsOf = (versionIds: readonly string[]) => ReadonlyMap<string, readonly string[]>

export type Timeline = ReturnType<typeof timeline>

/** @param effectsOf tells the effects of findings in words, which another domain works out */
export function timeline(db: Db, effectsOf: EffectsOf) {
  const insert = inserting(db, "timeline_entries")
  const { place } = keys(db)
  const countReply = db.prepare("UPDATE timeline_entries SET reply_count = reply_count + 1 WHERE entry_id = +?")
  const one = db.prepare<Moving & Pick<Row, "threadId" | "kind" | "result">>(
    `SELECT ${MOVING}, ${idOf("e.thread")} AS threadId, e.kind, j.result
      FROM timeline_entries e ${JOINED}
      WHERE e.entry_id = +?`,
  )
  const some = db.prepare<Row>(
    `SELECT ${COLUMNS}
      FROM timeline_entries e ${WRITE}
      JOIN places t ON t.place = e.thread
      JOIN writers w ON w.writer = j.writer
     WHERE e.entry_id IN (SELECT value FROM json_each(+?))`,
  )
  const content = db.prepare<{ content: string }>(
    `SELECT j.content FROM timeline_entries e ${WRITE} WHERE e.entry_id = +?`,
  )
  const texts = keptTexts(db)
  const page = db.prepare<Moving>(`${SELECT} WHERE ${IN_THREAD} AND e.sequence > +? ORDER BY e.sequence LIMIT +?`)
  const pageOfKind = db.prepare<Moving>(
    `${SELECT_BY_KIND} WHERE ${IN_THREAD} AND e.kind = +? AND e.sequence > +? ORDER BY e.sequence LIMIT +?`,
  )
  // Entries that published a record of one kind are read through the records: most entries may publish other kinds. Ids
  // ascend with time.
  const pageOfRecords = db.prepare<Moving>(
    `SELECT ${MOVING} FROM records r JOIN timeline_entries e ON e.entry_id = r.entry_id ${JOINED}
     WHERE r.thread_id = +? AND r.kind = +? AND r.version_id > coalesce((SELECT b.entry_id
       FROM timeline_entries b
       WHERE b.thread = ${placeOf("r.thread_id")} AND b.sequence = +?), '')
       AND e.sequence > +? ORDER BY r.version_id LIMIT +?`,
  )
  const pageOfReused = db.prepare<Moving>(
    `${SELECT_BY_KIND}
      JOIN records r ON r.version_id = e.version_id
      WHERE ${IN_THREAD} AND e.kind = +? AND e.sequence > +? AND r.entry_id <> e.entry_id
      ORDER BY e.sequence
      LIMIT +?`,
  )
  const replies = db.prepare<Moving>(
    `${SELECT} WHERE e.reply_to_entry_id = +? AND ${IN_THREAD} AND e.sequence > +? ORDER BY e.sequence LIMIT +?`,
  )
  const newest = db.prepare<Moving>(`${SELECT} WHERE ${IN_THREAD} ORDER BY e.sequence DESC LIMIT +?`)

  const withText = <Found extends Moving>(find: () => readonly Found[]) =>
    db.snapshot(() => {
      const rows = find()
      const begins = texts(rows, (missing) =>
        some
          .all(JSON.stringify(missing.map(({ name }) => name.slice(HEX))))
          .map((row) => ({ name: row.name, text: beginningOf(row) })),
      )
      const cards = rows.flatMap(({ versionId, further }) =>
        versionId === null || further === null ? [] : [versionId],
      )
      const effects = cards.length === 0 ? undefined : effectsOf(cards)
      return rows.map((row) => ({
        row,
        sequence: row.sequence,
        entry: served(row, present(begins.get(row.name)), effects?.get(row.versionId ?? "")),
      }))
    })

  return {
    append({ entryId, threadId, sequence, kind, replyToEntryId, standingOf, position }: NewEntry): void {
      insert({
        thread: place(threadId),
        sequence,
        kind,
        entryId,
        historyPosition: position,
        replyToEntryId,
        versionId: standingOf,
      })
      if (replyToEntryId !== null) countReply.run(replyToEntryId)
    },

    /** Finds an entry, and tells whether a message may reply to it; undefined if there is none. */
    find(
      entryId: string,
    ): { threadId: string; kind: string; takesReplies: boolean; entry: JsonText<Entry> } | undefined {
      const [found] = withText(() => one.all(entryId))
      if (found === undefined) return undefined
      const { kind, result, threadId } = found.row
      const parsed = result === null ? undefined : parse(stored<Record<string, unknown>>(result))
      return { threadId, kind, takesReplies: takesReplies(kind, parsed), entry: found.entry }
    },

    /** The accepted content of the write that made an entry, as JSON text; null if there is no such entry. */
    contentOf: (entryId: string): string | null => content.get(entryId)?.content ?? null,

    /** Returns up to `count` entries after a sequence. */
    after(threadId: string, after: number, filters: readonly EntryFilter[] | undefined, count: number) {
      if (filters === undefined) return withText(() => page.all(threadId, after, count))
      const pageOf = ({ kind, target }: EntryFilter) => {
        if (target === undefined) return pageOfKind.all(threadId, kind, after, count)
        return target === "record"
          ? pageOfReused.all(threadId, kind, after, count)
          : pageOfRecords.all(threadId, target, after, after, count)
      }
      return withText(() => ofKinds(filters, pageOf, count))
    },

    replies: (threadId: string, entryId: string, after: number, count: number) =>
      withText(() => replies.all(entryId, threadId, after, count)),

    /** Returns the newest entries, oldest first. */
    newest: (threadId: string, count: number): JsonText<Entry>[] =>
      withText(() => newest.all(threadId, count).reverse()).map(({ entry }) => entry),
  }
}
