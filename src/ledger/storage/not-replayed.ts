/**
 * What no write makes, each with why: replay does not make it again, and a comparison leaves it out. It is checked by the seal of
 * its row, a short digest of it; the audit log by its chain; sessions by nothing.
 */
import { createHash } from "node:crypto"

export interface NotReplayed {
  readonly table: string
  /** The column that names a row, where each row has a seal; left out, it has none. */
  readonly key?: string
  /** Its columns; null for all of it. */
  readonly columns: readonly string[] | null
  readonly why: string
}

export const notReplayed: readonly NotReplayed[] = [
  { table: "instance", key: "one", columns: null, why: "who the instance is comes before every write" },
  { table: "earlier_instances", key: "position", columns: null, why: "whom it was restored from is said of a copy, and by no write" },
  { table: "sessions", columns: null, why: "a signed-in browser comes and goes without anything being said" },
  {
    table: "provider_accounts",
    key: "user_id",
    columns: null,
    why: "who somebody is elsewhere is as personal as a password, and is taken back without a trace",
  },
  { table: "papers", key: "paper_id", columns: null, why: "what arXiv and Crossref say of papers is theirs, and can be imported again" },
  { table: "paper_misses", key: "paper_id", columns: null, why: "what they did not have, remembered so that it is not asked again" },
  {
    table: "mirrors",
    key: "room_id",
    columns: null,
    why: "which Rooms of other instances are followed is set by command, and how far they are moves by itself",
  },
  {
    table: "webhooks",
    key: "webhook_id",
    columns: null,
    why: "whom an instance tells of its Rooms is its own affair, and how far moves by itself",
  },
  { table: "figures", key: "digest", columns: null, why: "a picture comes before the write that names it, and its bytes are in no write" },
  {
    table: "audit_entries",
    columns: null,
    why: "what happens at the door is no write, and who looked after the service is not the record's",
  },
  {
    table: "people",
    key: "user_id",
    columns: ["password_hash", "signed_in_at", "count_cleared_at"],
    why: "a password is never in the journal, and who comes in makes nothing",
  },
  {
    table: "credentials",
    key: "credential_id",
    columns: ["last_used_at", "token_start"],
    why: "reads are uses too, and are no writes; of a token nothing but a digest is in the journal",
  },
  { table: "personal_keys", key: "key_id", columns: ["last_used_at", "token_start"], why: "as of the credentials of Rooms" },
  {
    table: "saved_papers",
    key: "entry",
    columns: ["known", "title", "published_at"],
    why: "it follows from what metadata is here",
  },
  { table: "collection_papers", key: "entry", columns: ["known"], why: "it follows from what metadata is here" },
]

const wholly = new Set(notReplayed.filter(({ columns }) => columns === null).map(({ table }) => table))
/** Whether no row of a table is made by a write. */
export const isNotReplayed = (table: string): boolean => wholly.has(table)
/** The columns of a table that no write makes. */
export const columnsNotReplayed = (table: string): readonly string[] => {
  const found = notReplayed.find((each) => each.table === table)
  return found?.columns == null ? [] : [...found.columns, "seal"]
}

/** What a seal does not cover: itself, and what changes while the triggers that keep it are set aside. */
const unsealed = ["seal", "unclean"]

/** A table whose rows are sealed. */
export interface Sealed {
  readonly table: string
  readonly key: string
  /** The columns that a seal covers. */
  readonly columns: readonly string[]
  /** SQL for what the seal of a row should be. */
  readonly due: string
}

/** The tables whose rows are sealed. @param columnsOf the columns of a table as it is now */
export const sealedTables = (columnsOf: (table: string) => readonly string[]): readonly Sealed[] =>
  notReplayed.flatMap(({ table, key, columns }) => {
    if (key === undefined) return []
    const covered = (columns === null ? columnsOf(table) : [key, ...columns]).filter((column) => !unsealed.includes(column))
    return [{ table, key, columns: covered, due: `row_seal(${covered.join(", ")})` }]
  })

/** Bytes from which on a seal covers the digest of a value: as JSON, a picture would be four times as long. */
const LONG = 1_024
const digested = (value: unknown): unknown =>
  Buffer.isBuffer(value) && value.length >= LONG ? createHash("sha256").update(value).digest("hex") : value

/** The value of a seal. */
export const sealOf = (values: readonly unknown[]): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(values.map(digested)))
    .digest()
    .subarray(0, 16)
