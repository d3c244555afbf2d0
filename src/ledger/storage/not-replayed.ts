/**
 * The tables and columns that are not derived from the journal, each with the reason. A replay does not fill them, and
 * a comparison skips them. They are checked by a seal in each row, a short digest of it, and by the number of rows of
 * each table; the audit log also by its chain.
 */
import { createHash } from "node:crypto"

export interface NotReplayed {
  readonly table: string
  /** Its name in older schemas. */
  readonly formerly?: string
  /** The column that identifies a row; left out if the rows have no seals. */
  readonly key?: string
  /** Its columns that are not derived; null for all of them. */
  readonly columns: readonly string[] | null
  readonly why: string
}

export const notReplayed: readonly NotReplayed[] = [
  { table: "instance", key: "one", columns: null, why: "the identity of the instance exists before any write" },
  {
    table: "earlier_instances",
    key: "position",
    columns: null,
    why: "a restore is recorded in the copy, not by a write",
  },
  { table: "sessions", columns: null, why: "signing in and out makes no write" },
  {
    table: "provider_accounts",
    key: "user_id",
    columns: null,
    why: "an account at an identity provider is as private as a password, and is disconnected without a trace",
  },
  {
    table: "papers",
    key: "paper_id",
    columns: null,
    why: "the metadata of papers belongs to arXiv and Crossref, and can be imported again",
  },
  {
    table: "paper_misses",
    key: "paper_id",
    columns: null,
    why: "papers that they do not have, stored so that they are not requested again",
  },
  {
    table: "webhooks",
    key: "webhook_id",
    columns: null,
    why: "an instance chooses its webhooks itself, and their progress changes without writes",
  },
  {
    table: "attachments",
    formerly: "figures",
    key: "digest",
    columns: null,
    why: "a picture or a log is uploaded before the write that names it, and its bytes are not in a write",
  },
  { table: "log_parts", key: "part_id", columns: null, why: "they belong to an uploaded log" },
  {
    table: "audit_entries",
    columns: null,
    why: "signing in is not a write, and operators' work is not part of the research record",
  },
  {
    table: "people",
    key: "user_id",
    columns: ["password_hash", "signed_in_at", "count_cleared_at"],
    why: "a password is never in the journal, and signing in makes no write",
  },
  {
    table: "credentials",
    key: "credential_id",
    columns: ["last_used_at", "token_start"],
    why: "reads count as uses and are not writes; the journal has only a digest of a token",
  },
  {
    table: "personal_keys",
    key: "key_id",
    columns: ["last_used_at", "token_start"],
    why: "the same as for credentials",
  },
  {
    table: "saved_papers",
    key: "entry",
    columns: ["known", "title", "published_at"],
    why: "it depends on the metadata of papers",
  },
  { table: "collection_papers", key: "entry", columns: ["known"], why: "it depends on the metadata of papers" },
]

/** The table of the numbers of rows of the others. Triggers keep it. */
const COUNTS = "row_counts"

/** The tables of which no row is derived from the journal. */
export const countedTables = notReplayed.filter(({ columns }) => columns === null).map(({ table }) => table)
/** Tables that are empty except while withheld words are being removed from the files. */
export const passingTables: readonly string[] = ["withheld_quotes", "wiping"]
/** Whether no row of a table is derived from the journal. */
export const isNotReplayed = (table: string): boolean =>
  table === COUNTS || passingTables.includes(table) || countedTables.includes(table)
/** The columns of a table that are not derived from the journal. */
export const columnsNotReplayed = (table: string): readonly string[] => {
  const found = notReplayed.find((each) => each.table === table)
  return found?.columns == null ? [] : [...found.columns, "seal"]
}

/** Columns that no seal covers: the seal itself, and one that changes while the triggers are dropped. */
const unsealed = ["seal", "unclean"]

/** A table whose rows are sealed. */
export interface Sealed {
  readonly table: string
  readonly key: string
  /** The columns that a seal covers. */
  readonly columns: readonly string[]
  /** SQL for the value that the seal of a row should have. */
  readonly due: string
}

/** Returns the tables whose rows are sealed. @param columnsOf returns the columns of a table */
export const sealedTables = (columnsOf: (table: string) => readonly string[]): readonly Sealed[] =>
  notReplayed.flatMap(({ table, key, columns }) => {
    if (key === undefined) return []
    const covered = (columns === null ? columnsOf(table) : [key, ...columns]).filter(
      (column) => !unsealed.includes(column),
    )
    return [{ table, key, columns: covered, due: `row_seal(${covered.join(", ")})` }]
  })

/** Of values longer than this many bytes, a seal covers the digest: as JSON, a picture would be four times as long. */
const LONG = 1_024
const digested = (value: unknown): unknown =>
  Buffer.isBuffer(value) && value.length >= LONG ? createHash("sha256").update(value).digest("hex") : value

/** Computes a seal. */
export const sealOf = (values: readonly unknown[]): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(values.map(digested)))
    .digest()
    .subarray(0, 16)
