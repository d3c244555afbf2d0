/** What a read does: the part that its domain writes. */
import type { Writable } from "../contract/json.ts"
import type { ParametersOf, ReadName } from "../contract/reads/index.ts"
import type { Actor } from "./actor.ts"
import type { Db } from "./database.ts"
import type { ColumnPage, Download, LibraryPage, Page, PlainText } from "./paging.ts"

/** One read as it was asked, its parameters checked. */
export interface Asked<Query = unknown> {
  /** The ids in the path, in lower case. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  /** Who asks; null on public reads. */
  readonly actor: Actor | null
  /** The path of the base URL, for links: with a slash in front and none at the end; left out where it is empty. */
  readonly basePath?: string
  /** Aborted when the reader has gone. */
  readonly signal?: AbortSignal
  /** Where people and agents reach the service, for what is read elsewhere: citations and exports. */
  readonly baseUrl?: string
}

export type Answered = Page | ColumnPage | LibraryPage | PlainText | Download | Writable

/** Answers a read with a page, an object (the edge adds `schemaVersion`) or a whole JSON text. */
export type Reader<Query = never> = (asked: Asked<Query>) => Answered | Promise<Answered>

/** A reader for each read of the list, no more and no less. */
export type Readers = { readonly [N in ReadName]: ReaderOf<N> }
export type ReaderOf<N extends ReadName> = Reader<ParametersOf<N>>

/** Asks a read by its name. @throws Refusal */
export type Ask = <N extends ReadName>(name: N, asked: Asked<ParametersOf<N>>) => Answered | Promise<Answered>

/**
 * The one way to ask, for routes, pages, tools and whatever comes: each answer is of one moment, however many statements it
 * runs, since another thread or process may write between any two of them. Asked within a snapshot, it is of that moment;
 * of a read that waits, this holds for what it looks at before it waits.
 */
export const asking = (db: Db, readers: Readers): Ask => {
  return (name, asked) => db.snapshot(() => readers[name](asked))
}
