/** What every object of the list says of itself. */
import type { RefusalCode } from "../refusals/codes.ts"

export interface ObjectSpec {
  /** The name under which paths, bodies and answers hold its id. */
  readonly id: string
  /** What a sentence calls it: one, and several. */
  readonly noun: readonly [one: string, several: string]
  /** The letter its Room-scoped labels start with; null where it has none. */
  readonly label: string | null
  /** Where its page is, below the base URL, before its id; null where it has none. */
  readonly page: string | null
  /** The read that answers one by its id; null if there is none. */
  readonly read: string | null
  readonly table: string
  /** The column of its id. */
  readonly key: string
  /** The column that tells its kind, where several kinds share the table. */
  readonly kindIn: string | null
  /** The column of the Room it originates in; null where it belongs to none, or its table does not say. */
  readonly room: string | null
  /** Objects that it belongs to, with the columns that say so. */
  readonly of: Readonly<Record<string, string>>
  /** What it is in one line: an SQL expression over its table. */
  readonly line: string
  /** The place in the journal of the write that made it: an SQL expression over its table; null where none is known. */
  readonly madeAt: string | null
  /** Columns that may change; every other one is immutable. */
  readonly moves: readonly string[]
  /** Whether it may be deleted. */
  readonly deletable: boolean
  /** Tables of what it was taken apart into: never updated, deleted with it or never. */
  readonly parts: readonly string[]
  /** The refusal when its id, in a path or as a subject, names nothing. */
  readonly unknown: RefusalCode
  /** Whether everybody may know that it exists; else only its own domain tells. */
  readonly isPublic: boolean
  readonly isSearched: boolean
  /** What of it was accepted a Room's export holds byte for byte: what made it, what changed it too, or nothing of it. */
  readonly exported: "made" | "every" | null
  /** Its place in the provenance graph; null where it is no node of it. */
  readonly graph: null | {
    /** The read that lists its kind within a Room page by page; of a feed, the kind of entry that tells of one. */
    readonly listed: { readonly by: string; readonly kinds?: string }
    readonly edges: readonly EdgeSpec[]
  }
}

/** What an object names. Columns and expressions are those of the table that says so, which goes by `x`. */
export interface EdgeSpec {
  /** Its kind. */
  readonly to: string
  /** How: a word of the graph, or an SQL expression that makes one. */
  readonly says: string | { readonly sql: string }
  /** The table that says so, which holds the object's own id under the same name; left out, its own. */
  readonly table?: string
  /** The column with the id that is named; or the lists in the object's content, or in a column of its own, that hold the ids. */
  readonly by: string | { readonly list: string; readonly column?: string; readonly item?: string }
  /** A column that both ends have, where ids are indexed within it. */
  readonly within?: string
  /** A condition. */
  readonly where?: string
  /** Whether the edge leads the other way: to the object that says so. */
  readonly isReversed?: boolean
}
