/** What the list of objects says about each kind. */
import type { RefusalCode } from "../refusals.ts"

// What several kinds of objects share.

/** An object without a label, a page, or a place in the graph. */
const plain = {
  label: null,
  page: null,
  read: null,
  kindIn: null,
  room: null,
  of: {},
  madeAt: null,
  moves: [],
  parts: [],
  isSearched: false,
  exported: null,
  graph: null,
} as const
export const ofPerson = { ...plain, deletable: true, isPublic: false } as const
export const inRoom = {
  ...plain,
  room: "room_id",
  madeAt: "history_position",
  deletable: false,
  isPublic: true,
  isSearched: true,
} as const
export const record = {
  ...inRoom,
  id: "versionId",
  page: "/records",
  read: "record",
  table: "records",
  key: "version_id",
  kindIn: "kind",
  line: "wording",
  unknown: "unknown_record",
  exported: "made",
} as const
/** The journal position of an object whose table holds its entry instead. */
export const byEntry = "(SELECT e.history_position FROM timeline_entries e WHERE e.entry_id = x.entry_id)"
/** The references of a record to others, each for a purpose or as evidence. */
export const named = {
  to: "record",
  says: { sql: "coalesce(x.purpose, x.part)" },
  table: "record_references",
  by: "to_version_id",
  where: "x.part IN ('premise', 'reference', 'evidence')",
} as const
export const recordParts = ["record_references", "concepts", "record_papers"] as const

export interface ObjectSpec {
  /** The name of its id in paths, bodies and answers. */
  readonly id: string
  /** Its name in sentences: singular and plural. */
  readonly noun: readonly [one: string, several: string]
  /** The first letter of its Room-scoped labels; null if it has none. */
  readonly label: string | null
  /** What it is, in one or two sentences for the help page; required with a label. */
  readonly meaning?: string
  /** The path of its page before its id, below the base URL; null if it has none. */
  readonly page: string | null
  /** The read that returns one by its id; null if there is none. */
  readonly read: string | null
  readonly table: string
  /** The column of its id. */
  readonly key: string
  /** The column with its kind, if several kinds share the table. */
  readonly kindIn: string | null
  /** The column with the Room it originates in; null if it belongs to none, or its table does not hold it. */
  readonly room: string | null
  /** The objects that it belongs to, with the columns that hold their ids. */
  readonly of: Readonly<Record<string, string>>
  /** A summary in one line: an SQL expression over its table. */
  readonly line: string
  /** The journal position of the write that made it: an SQL expression over its table; null if it is not known. */
  readonly madeAt: string | null
  /** Columns that may change; all others are immutable. */
  readonly moves: readonly string[]
  readonly deletable: boolean
  /** Tables that hold parts of its content. Their rows are never updated, and deleted only with it. */
  readonly parts: readonly string[]
  /** The refusal for an unknown id, in a path or as a subject. */
  readonly unknown: RefusalCode
  /** Whether everybody may know that it exists; if not, only its own domain reveals it. */
  readonly isPublic: boolean
  readonly isSearched: boolean
  /** Which of its accepted writes an export of the Room holds byte for byte: the first, every one, or none. */
  readonly exported: "made" | "every" | null
  /**
   * The folder of an export that has one file for each, by its label, and what it holds; left out if the export does
   * more with its kind. Its table then has the columns of `madeBy`.
   */
  readonly filed?: { readonly folder: string; readonly holds: string }
  /** Its place in the provenance graph; null if it is not a node. */
  readonly graph: null | {
    /** The read that lists its kind in a Room page by page; for a feed, the kind of the entries about one. */
    readonly listed: { readonly by: string; readonly kinds?: string }
    readonly edges: readonly EdgeSpec[]
  }
}

/**
 * The references of an object to others. Columns and expressions are those of the table that holds them, aliased `x`.
 */
export interface EdgeSpec {
  /** The kind of the objects referred to. */
  readonly to: string
  /** The relation: a word of the graph, or an SQL expression that returns one. */
  readonly says: string | { readonly sql: string }
  /** The table that holds the reference, with the object's own id under the same name. Default: the object's table. */
  readonly table?: string
  /** The column with the other id; or the lists of ids in the object's content, or in a column of the object. */
  readonly by: string | { readonly list: string; readonly column?: string; readonly item?: string }
  /** A column of both ends, if ids are indexed within it. */
  readonly within?: string
  readonly where?: string
  /** Whether the edge points the other way: to the object that holds the reference. */
  readonly isReversed?: boolean
}
