/**
 * The journal: every accepted write in one row, in order. Activity, timelines and receipts are three indexes into it
 * (activity.ts, timeline.ts, delivery.ts), and none of them stores a body of its own. Their JSON is assembled from the
 * columns as text. Whatever cannot be computed again (the result of a receipt, the card of a record) is stored beside
 * the content. Timeline entries have a small table of their own, since a write may make two.
 *
 * All other tables are derived from the journal by the behaviours. It never holds tokens or passwords, only digests of
 * tokens. The digest of each row covers the digest of the row before it.
 */
import { createHash, hash } from "node:crypto"
import { type JsonObject, digestOf, parse, type Stored, stored } from "../../contract/json.ts"
import {
  type Writer,
  idOf,
  keys,
  packedDigest,
  packedGiven,
  packedId,
  packedParams,
  unpackedDigest,
  unpackedGiven,
  unpackedParams,
} from "./columns.ts"
import { holdsMark } from "../../contract/nouns/withholding.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"
import type { Given } from "../world.ts"

// Where the journal and the timelines end, kept from one write to the next. Another process may write too (a command
// beside the service): `PRAGMA data_version` tells, once a group. If a remembered end were wrong, the keys of the
// tables would refuse the next row, and the queue runs a group that fails again without what it remembered.

/** How many Threads are remembered. */
const THREADS = 1_000

/** A row of the journal. */
export interface Head {
  readonly position: number
  readonly digest: Buffer
}

export class Heads {
  readonly #version
  #seen = -1
  #isOpen = false
  #journal: Head | undefined
  readonly #threads = new Map<string, number>()

  constructor(db: Db) {
    this.#version = db.prepare<{ data_version: number }>("PRAGMA data_version")
  }

  /** Begins a transaction of the queue. Outside of them nothing is remembered. */
  open(): void {
    const { data_version: version } = this.#version.one()
    if (version !== this.#seen) this.forget()
    this.#seen = version
    this.#isOpen = true
  }

  /** Whether a transaction of the queue is open: what it wrote may still be taken back. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Ends a transaction of the queue. */
  close(): void {
    this.#isOpen = false
  }

  /** Forgets everything, after a rollback or a change of the tables by other means. */
  forget(): void {
    this.#journal = undefined
    this.#threads.clear()
  }

  /** The newest row of the journal, if it is known. */
  get journal(): Head | undefined {
    return this.#isOpen ? this.#journal : undefined
  }

  set journal(head: Head) {
    this.#journal = this.#isOpen ? head : undefined
  }

  /** The sequence of the newest entry of a Thread, if it is known. */
  thread(id: string): number | undefined {
    return this.#isOpen ? this.#threads.get(id) : undefined
  }

  setThread(id: string, sequence: number): void {
    if (this.#threads.size >= THREADS) this.#threads.clear()
    if (this.#isOpen) this.#threads.set(id, sequence)
    else this.#threads.delete(id)
  }
}

const known = new WeakMap<Db, Heads>()

/** What is remembered of a connection. */
export function headsOf(db: Db): Heads {
  const heads = known.get(db) ?? new Heads(db)
  known.set(db, heads)
  return heads
}

// An accepted write, as the journal keeps it and a replay reads it.

/** One accepted write, as it is replayed. */
export interface Entry extends Writer {
  /** Counts up from 1 without a gap. */
  readonly position: number
  /** The name of an operation or of an act. */
  readonly operation: string
  readonly at: string
  /** The ids in the path. */
  readonly params: Readonly<Record<string, string>>
  /** Canonical JSON of the body without `client`. */
  readonly content: string
  readonly client: JsonObject | undefined
  readonly given: Given
  /** Set if part of the write was withheld: its digests from before. */
  readonly keptDigests?: KeptDigests
}

/**
 * The digests of a write from before parts of it were withheld: its content, the digest that a retry must match, and
 * the journal's own digest.
 */
export interface KeptDigests {
  readonly contentDigest: string
  readonly requestDigest: string
  /** Left out for a write of another instance of which parts were withheld when it arrived. */
  readonly digest?: string
}

/**
 * What a write stored: the places of its entries, and its answer. An act, which is not an operation, stores none of
 * these.
 */
export interface Left {
  readonly roomId: string | null
  readonly activity: { readonly sequence: number; readonly digest: string } | null
  readonly threadId: string | null
  readonly entryId: string | null
  readonly entrySequence: number | null
  /** null: it cannot be retried. */
  readonly deliveryId: string | null
  /** null: its own entry. */
  readonly targetKind: string | null
  readonly targetId: string | null
  readonly label: string | null
  readonly aboutId: string | null
  readonly result: string | null
  readonly card: string | null
}

// Ids derived from other ids.

/**
 * Derives an id from one that the activity's digests cover. Nothing would prove an independent id in another instance's
 * history. The timestamp stays, so both ids sort together.
 * @param id a UUIDv7 @param what what the new id is for, such as "review"
 */
export const derivedId = (id: string, what: string): string =>
  id.slice(0, 24) + createHash("sha256").update(`${what} of ${id}`).digest("hex").slice(0, 12)

interface Row {
  readonly position: number
  readonly operation: string
  readonly userId: string
  readonly username: string
  readonly sender: string
  readonly agent: string | null
  readonly at: string
  readonly params: string | null
  readonly content: string
  readonly client: Stored<JsonObject> | null
  readonly given: string | null
  readonly contentDigest: Buffer
  readonly digest: Buffer
  readonly roomId: string | null
  readonly threadId: string | null
  readonly entryId: string | null
  /** null: no part of it is withheld. */
  readonly requestDigest: string | null
}

/** SQL for the content of the write that made a row. @param row the alias of the row's table */
export const contentOf = (row: string): string =>
  `(SELECT h.content FROM journal h WHERE h.position = ${row}.history_position)`

/** JSON text of an object; null if it has no members. */
const json = <T extends object>(value: T | undefined): Stored<T> | null => {
  const text = value === undefined ? "{}" : JSON.stringify(value)
  return text === "{}" ? null : stored<T>(text)
}

const entryOf = (row: Row): Entry => {
  const given = unpackedGiven(row.given, row.entryId)
  const params = unpackedParams(row.params, row)
  return {
    position: row.position,
    operation: row.operation,
    userId: row.userId === "" ? null : row.userId,
    username: row.username === "" ? null : row.username,
    sender: row.sender === "" ? null : row.sender,
    ...(row.agent !== null && { agent: row.agent }),
    at: row.at,
    params: params === null ? {} : parse(stored<Entry["params"]>(params)),
    content: row.content,
    client: row.client === null ? undefined : parse(row.client),
    given: given === null ? {} : parse(stored<Given>(given)),
    ...(row.requestDigest !== null && {
      keptDigests: {
        contentDigest: unpackedDigest(row.contentDigest),
        requestDigest: row.requestDigest,
        digest: row.digest.toString("hex"),
      },
    }),
  }
}

/** What a digest covers besides the previous digest and the content's. */
type ChainedFields = Pick<Entry, "position" | "operation" | "userId" | "username" | "sender" | "at"> & {
  readonly agent?: string | null | undefined
}
const chained = (
  before: Buffer,
  contentDigest: string,
  { position, operation, userId, username, sender, at, agent }: ChainedFields,
  ...texts: readonly (string | null)[]
) =>
  hash(
    "sha256",
    Buffer.concat([
      before,
      Buffer.from(
        JSON.stringify([
          position,
          operation,
          userId,
          username,
          sender,
          at,
          ...(agent == null ? [] : [agent]),
          ...texts,
          contentDigest,
        ]),
      ),
    ]),
    "buffer",
  )

/** The previous digest of the first row. */
const FIRST = Buffer.alloc(32)
/** How many rows are in memory at once. */
const STEP = 500

const ROWS = `SELECT j.position, j.operation, w.user_id AS userId, w.username, w.sender, w.agent, j.at, j.params,
    j.content, j.client, j.given,
    j.content_digest AS contentDigest, j.digest, ${idOf("j.room")} AS roomId, ${idOf("j.thread")} AS threadId,
    (SELECT e.entry_id FROM timeline_entries e WHERE e.thread = j.thread AND e.sequence = j.entry_sequence) AS entryId,
    (SELECT s.request_digest FROM withheld_writes s WHERE s.history_position = j.position) AS requestDigest
  FROM journal j JOIN writers w ON w.writer = j.writer`

export type Journal = ReturnType<typeof journal>

export function journal(db: Db) {
  const last = db.prepare<{ position: number; digest: Buffer }>(
    "SELECT position, digest FROM journal ORDER BY position DESC LIMIT 1",
  )
  const insert = inserting(db, "journal")
  const insertDigest = inserting(db, "withheld_writes")
  const keepDigest = (historyPosition: number, requestDigest: string) =>
    insertDigest({ historyPosition, requestDigest })
  const page = db.prepare<Row>(`${ROWS} WHERE j.position > +? ORDER BY j.position LIMIT ${STEP}`)
  const one = db.prepare<Row>(`${ROWS} WHERE j.position = +?`)
  const rewrite = db.prepare("UPDATE journal SET content = +?, client = +?, given = +? WHERE position = +?")
  const count = db.prepare<{ entries: number }>("SELECT coalesce(max(position), 0) AS entries FROM journal")
  const { place, writer } = keys(db)

  const heads = headsOf(db)
  const head = (): Head => (heads.journal ??= last.get() ?? { position: 0, digest: FIRST })

  return {
    /** The position of the next entry. To be called within the transaction that appends it. */
    next: (): number => head().position + 1,
    count: (): number => count.get()?.entries ?? 0,
    /** The digest of the newest entry, which covers the whole journal. */
    head: (): string => (last.get()?.digest ?? FIRST).toString("hex"),

    /** Appends an entry; its position must be the next one. @param contentDigest `sha256:` over the content */
    append(entry: Entry, contentDigest: string, left: Left | null = null): void {
      const { position, operation, at, content, keptDigests } = entry
      const { roomId = null, threadId = null, entryId = null, deliveryId = null, activity = null } = left ?? {}
      const [params, client, given] = [json(entry.params), json(entry.client), json(entry.given)]
      const digest =
        keptDigests?.digest === undefined
          ? chained(head().digest, contentDigest, entry, params, client, given)
          : Buffer.from(keptDigests.digest, "hex")
      if (keptDigests !== undefined) keepDigest(position, keptDigests.requestDigest)
      insert({
        position,
        operation,
        writer: writer(entry),
        at,
        room: roomId === null ? null : place(roomId),
        roomSequence: activity?.sequence,
        thread: threadId === null ? null : place(threadId),
        entrySequence: left?.entrySequence,
        deliveryId: deliveryId === null ? null : packedId(deliveryId),
        params: packedParams(params, { roomId, threadId }),
        content,
        client,
        given: packedGiven(given, entryId),
        targetKind: left?.targetKind,
        targetId: left?.targetId,
        label: left?.label,
        aboutId: left?.aboutId,
        result: left?.result,
        card: left?.card,
        contentDigest: packedDigest(contentDigest),
        activityDigest: activity === null ? null : packedDigest(activity.digest),
        digest,
      })
      heads.journal = { position, digest }
    },

    at(position: number): Entry | undefined {
      const row = one.get(position)
      return row && entryOf(row)
    },
    /** Iterates over the entries in order, with a few hundred in memory at once. */
    *entries(after = 0): Generator<Entry> {
      for (let rows = page.all(after); rows.length > 0; rows = page.all(after)) {
        for (const row of rows) yield entryOf(row)
        after = rows.at(-1)?.position ?? after
      }
    },

    /** Notes that parts of an entry are withheld: from now on a retry must match `requestDigest`. */
    keepDigest,
    /** Replaces the words of an entry, while changes to accepted writes are allowed. Its digests stay. */
    rewrite(position: number, { content, client, given }: Pick<Entry, "content" | "client" | "given">): void {
      const entryId = one.get(position)?.entryId ?? null
      rewrite.run(content, json(client), packedGiven(json(given), entryId), position)
    },

    /**
     * Verifies the chain of digests.
     * @returns the position of the first entry that does not follow from the one before it; null if all do
     */
    broken(): number | null {
      let before: Buffer = FIRST
      let due = 1
      for (let rows = page.all(0); rows.length > 0; rows = page.all(due - 1)) {
        for (const row of rows) {
          if (row.position !== due) return due
          const entry = {
            ...row,
            userId: row.userId || null,
            username: row.username || null,
            sender: row.sender || null,
          }
          const contentDigest = unpackedDigest(row.contentDigest)
          const texts = [unpackedParams(row.params, row), row.client, unpackedGiven(row.given, row.entryId)]
          // If more than the content was withheld, only the next row can prove this one.
          const isWithoutMarks = !holdsMark(`${row.client} ${row.given}`)
          if (isWithoutMarks && !chained(before, contentDigest, entry, ...texts).equals(row.digest)) return due
          if (row.requestDigest === null && digestOf(row.content) !== contentDigest) return due
          before = row.digest
          due += 1
        }
      }
      return null
    },
  }
}
