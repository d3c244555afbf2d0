/**
 * The history: every accepted write, kept once and whole, in the order it was accepted, with what the world gave it. All
 * other tables are what the behaviours make of it. Tokens and passwords are never in it, only digests of tokens.
 */
import { createHash } from "node:crypto"
import { type Json, type JsonObject, parse, type Stored, stored } from "../contract/json.ts"
import { holdsMark } from "../contract/withheld.ts"
import type { Db } from "./database.ts"

/** What a write got from the world, in the order it asked. Members that would be empty are left out. */
export type Given = {
  /** Ids it was given; the first one asked for comes first. */
  readonly ids?: readonly string[]
  /** Digests of the tokens that were made for it. */
  readonly tokens?: readonly string[]
  /** What was made of its body outside of the transaction. */
  readonly prepared?: Json
  /** What its receipt is told beside from what was there before it: as its behaviour keeps it. */
  readonly foreseen?: JsonObject
  /** The warnings of its receipt: later versions may see more in the same grounds. */
  readonly warnings?: readonly Json[]
  /** The Room that gave its target the label, where that is another one: the feed says so. Left out of writes before it did. */
  readonly labelledBy?: string
  /** The person whom its body calls by a name of another instance. */
  readonly named?: string
  /** People of another instance who have another id here, by their id there. */
  readonly people?: Readonly<Record<string, string>>
}

/** One accepted write, as it is stored. */
export interface Entry {
  /** Counts up from 1 without a gap. */
  readonly position: number
  /** The operation, or an act of a person that is none. */
  readonly operation: string
  /** null: nobody was signed in. */
  readonly userId: string | null
  /** What the person was called at the time. */
  readonly username: string | null
  /** The credential or personal key it came by; null for a person in the browser; its Room's id, or another, for a write of another instance. */
  readonly sender: string | null
  readonly at: string
  /** The ids in the path. */
  readonly params: Readonly<Record<string, string>>
  /** Canonical JSON of the body without `client`. */
  readonly content: string
  readonly client: JsonObject | undefined
  readonly given: Given
  /** Of a write of which something was withheld: what stands for what it was. */
  readonly sealed?: Sealed
}

/** What is kept of a write whose words are not: the digest of its content, what a retry must equal, and the history's own digest. */
export interface Sealed {
  readonly contentDigest: string
  readonly requestDigest: string
  /** Left out of a write of another instance that came so. */
  readonly digest?: string
}

interface Row {
  position: number
  operation: string
  user_id: string | null
  username: string | null
  sender: string | null
  at: string
  params: Stored<Record<string, string>> | null
  content: string
  client: Stored<JsonObject> | null
  given: Stored<Given> | null
  digest: Buffer
  content_digest?: string | null
  request_digest?: string | null
}

/** SQL for the content of the write that made a row, as the history has it. @param row the alias of its table */
export const contentOf = (row: string): string => `(SELECT h.content FROM history h WHERE h.position = ${row}.history_position)`

const NONE = "{}"
const json = <T extends object>(value: T | undefined): Stored<T> | null => {
  const text = value === undefined ? NONE : JSON.stringify(value)
  return text === NONE ? null : stored<T>(text)
}
const givenIn = (text: Stored<Given> | null): Given => (text === null ? {} : parse(text))

const entryOf = (row: Row): Entry => ({
  position: row.position,
  operation: row.operation,
  userId: row.user_id,
  username: row.username,
  sender: row.sender,
  at: row.at,
  params: row.params === null ? {} : parse(row.params),
  content: row.content,
  client: row.client === null ? undefined : parse(row.client),
  given: givenIn(row.given),
  ...(row.content_digest != null && {
    sealed: { contentDigest: row.content_digest, requestDigest: row.request_digest ?? "", digest: row.digest.toString("hex") },
  }),
})

/** The digest of an entry rests on the one before it, as far as the content goes by the content's own digest. */
const chained = (before: Buffer, contentDigest: string, columns: readonly (string | number | null)[]): Buffer =>
  createHash("sha256")
    .update(before)
    .update(JSON.stringify([...columns, contentDigest]))
    .digest()

/** What the first entry rests on. */
const FIRST = Buffer.alloc(32)
/** How many entries are held in memory at once. */
const STEP = 500

export type History = ReturnType<typeof history>

export function history(db: Db) {
  const last = db.prepare<{ position: number; digest: Buffer }>("SELECT position, digest FROM history ORDER BY position DESC LIMIT 1")
  const insert = db.prepare(
    `INSERT INTO history (position, operation, user_id, username, sender, at, params, content, client, given, digest)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const rows =
    "SELECT h.*, w.content_digest, w.request_digest FROM history h LEFT JOIN withheld_writes w ON w.history_position = h.position"
  const seal = db.prepare("INSERT INTO withheld_writes (history_position, content_digest, request_digest) VALUES (?, ?, ?)")
  const page = db.prepare<Row>(`${rows} WHERE h.position > ? ORDER BY h.position LIMIT ${STEP}`)
  const one = db.prepare<Row>(`${rows} WHERE h.position = ?`)
  const count = db.prepare<{ entries: number }>("SELECT coalesce(max(position), 0) AS entries FROM history")

  const columnsOf = (row: Omit<Row, "content" | "digest">) => [
    row.position,
    row.operation,
    row.user_id,
    row.username,
    row.sender,
    row.at,
    row.params,
    row.client,
    row.given,
  ]

  /** What `next` saw last: a write that asks where it will stand is appended just there, in the same transaction. */
  let seen: { position: number; digest: Buffer } | undefined
  const before = (position: number): Buffer => (seen?.position === position - 1 ? seen.digest : (last.get()?.digest ?? FIRST))

  return {
    /** The position of the next entry. Asked within the transaction that appends it. */
    next(): number {
      seen = last.get()
      return (seen?.position ?? 0) + 1
    },
    /** How many entries there are. */
    count: (): number => count.get()?.entries ?? 0,
    /** The digest of the newest entry: it stands for the whole history. */
    head: (): string => (last.get()?.digest ?? FIRST).toString("hex"),

    /** Adds an entry at its position, which is the next one. @param contentDigest `sha256:` over the content */
    append(entry: Entry, contentDigest: string): void {
      const row = {
        position: entry.position,
        operation: entry.operation,
        user_id: entry.userId,
        username: entry.username,
        sender: entry.sender,
        at: entry.at,
        params: json(entry.params),
        client: json(entry.client),
        given: json(entry.given),
      }
      const { sealed } = entry
      const digest =
        sealed?.digest === undefined ? chained(before(entry.position), contentDigest, columnsOf(row)) : Buffer.from(sealed.digest, "hex")
      if (sealed !== undefined) seal.run(entry.position, sealed.contentDigest, sealed.requestDigest)
      const { position, operation, user_id, username, sender, at, params, client, given } = row
      seen = undefined
      insert.run(position, operation, user_id, username, sender, at, params, entry.content, client, given, digest)
    },

    /** The entry at a position. */
    at(position: number): Entry | undefined {
      const row = one.get(position)
      return row && entryOf(row)
    },
    /** Every entry in order; no more than a few hundred are in memory at once. */
    *entries(after = 0): Generator<Entry> {
      for (let rows = page.all(after); rows.length > 0; rows = page.all(after)) {
        for (const row of rows) yield entryOf(row)
        after = rows.at(-1)?.position ?? after
      }
    },

    /**
     * Follows the chain of digests. @param digest of a content
     * @returns the position of the first entry that does not follow from the one before it; null where all do
     */
    broken(digest: (content: string) => string): number | null {
      let before: Buffer = FIRST
      let due = 1
      for (let rows = page.all(0); rows.length > 0; rows = page.all(due - 1)) {
        for (const row of rows) {
          if (row.position !== due) return due
          const said = row.content_digest ?? digest(row.content)
          // Where more than the content was withheld, only what comes after tells.
          const isTold = !holdsMark(`${row.client} ${row.given}`)
          if (isTold && !chained(before, said, columnsOf(row)).equals(row.digest)) return due
          before = row.digest
          due += 1
        }
      }
      return null
    },
  }
}
