/** Readers: the part of a read that its domain implements, typed by the read's definition. */
import type * as v from "valibot"
import type { StreamedType } from "../../contract/definitions/read.ts"
import type { JsonText, Served, Writable } from "../../contract/json.ts"
import {
  type AnswerOf,
  type DefinitionOf,
  type ParametersOf,
  type ParamsOf,
  type ReadName,
  reads,
} from "../../contract/reads/index.ts"
import type { Actor, Grant } from "../journal/actor.ts"
import type { Db } from "../storage/database.ts"
import type { WatchReadings } from "../storage/file-watch.ts"

/** One request to a read, with validated parameters. */
export interface Asked<
  Params = Readonly<Record<string, string>>,
  Query = Readonly<Record<string, unknown>>,
  Who = Actor | null,
> {
  /** The ids in the path, in lower case. */
  readonly params: Params
  readonly query: Query
  /** The caller; null for public reads. */
  readonly actor: Who
  /** The path of the base URL, for links: with a leading slash and no trailing one; left out if empty. */
  readonly basePath?: string
  /** Who asks, for what only a few can ask at a time; left out for the service itself. */
  readonly caller?: string
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal
  /** The address at which people and agents reach the service, for citations and exports that are read elsewhere. */
  readonly baseUrl?: string
  /** The state of the answering process and its files, for operators. */
  readonly keeping?: () => Keeping
}

/** The size of the data on disk, and the versions of the schema and of SQLite that read it. */
export interface StorageReadings extends WatchReadings {
  readonly schema: number
  readonly sqlite: string
}

/** The program and its files; `storage` is undefined if it has none. */
export interface Keeping {
  readonly softwareVersion: string
  readonly storage: StorageReadings | undefined
}

/** A file that is sent while it is made, or a stream of events. */
export interface Download {
  /** The file name to save it under; null for events. */
  readonly name: string | null
  readonly bytes: ReadableStream<Uint8Array>
}

/** A text to save under a file name. */
export class NamedText {
  readonly name: string
  readonly text: string
  constructor(name: string, text: string) {
    this.name = name
    this.text = text
  }
}

type File = Download | NamedText

type Less<Answer, Members extends PropertyKey> = Answer extends unknown ? Omit<Answer, Members> : never
/** The members that the edge adds to an object, or to a page of a list. */
type Envelope<N extends ReadName> = DefinitionOf<N>["cursor"] extends null
  ? "schemaVersion"
  : "schemaVersion" | "generatedAt" | "links"
type Plain<N extends ReadName> = Less<AnswerOf<N>, Envelope<N>>

/**
 * The result of a reader, by the read's definition: a file, a text, the answer's object without its envelope, or the
 * whole answer as JSON text. In one of the read's other formats it is a text or a file.
 */
export type FoundBy<N extends ReadName> =
  | (DefinitionOf<N>["mediaType"] extends StreamedType
      ? Download
      : AnswerOf<N> extends string
        ? string | NamedText
        : Served<Plain<N>> | JsonText<AnswerOf<N>>)
  | (keyof DefinitionOf<N>["formats"] extends never ? never : string | NamedText | Download)

/** The result of any reader. */
export type Found = Download | NamedText | string | JsonText | { readonly [member: string]: Writable }

type AskerOf<N extends ReadName> = DefinitionOf<N>["surface"] extends "credential"
  ? Actor & { readonly grant: Grant }
  : DefinitionOf<N>["surface"] extends "key" | "session" | "operator"
    ? Actor
    : Actor | null
export type AskedOf<N extends ReadName> = Asked<ParamsOf<N>, ParametersOf<N>, AskerOf<N>>
/** If a reader waits, only the part before its first wait reads the snapshot of the request. */
export type ReaderOf<N extends ReadName> = (asked: AskedOf<N>) => FoundBy<N> | Promise<FoundBy<N>>
export type Readers = { readonly [N in ReadName]: ReaderOf<N> }

type Scalar = string | number | boolean | null | undefined
type KeyIn<T> = T extends unknown ? keyof T : never
type ItemIn<T> = T extends readonly (infer Item)[] ? Item : never
type MemberIn<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never
/** The names of members that are somewhere in `T` and not in `Answer`. */
type Excess<T, Answer> = unknown extends Answer
  ? never
  : T extends JsonText<infer Text>
    ? Excess<Text, Answer>
    : T extends Scalar
      ? never
      : T extends readonly (infer Item)[]
        ? Excess<Item, ItemIn<Answer>>
        : { [K in keyof T]-?: K extends KeyIn<Answer> ? Excess<T[K], MemberIn<Answer, K>> : K }[keyof T]
type Exact<R> = {
  [N in keyof R]: N extends ReadName
    ? R[N] extends (...asked: never[]) => infer Returned
      ? [Excess<Exclude<Awaited<Returned>, JsonText | File>, Plain<N>>] extends [never]
        ? unknown
        : DefinitionOf<N>["mediaType"] extends StreamedType
          ? unknown
          : { readonly "is not in the answer": Excess<Exclude<Awaited<Returned>, JsonText | File>, Plain<N>> }
      : never
    : never
}

export const isDownload = (found: Found): found is Download =>
  typeof found === "object" && "bytes" in found && found.bytes instanceof ReadableStream

/** Checks readers against their reads: a missing, unknown or wrongly typed member does not compile. */
export const answering = <R extends Partial<Readers>>(readers: R & Exact<R>): R => readers

/** Answers a read by its name. @throws Refusal */
export type Ask = (name: ReadName, asked: Asked) => Found | Promise<Found>

/** The schemas of reads with query parameters. */
const queries = new Map(
  reads.filter(({ query }) => Object.keys(query.entries).length > 0).map(({ name, query }) => [name, query]),
)

/**
 * The one way to call a read, for routes, pages and tools. Each answer comes from one snapshot, however many statements
 * it runs, since another thread or process may write between any two of them. Within an open snapshot, it uses that
 * one. For a reader that waits, this holds until it first waits.
 * @param mustKnow refuses a query with an id that must exist and does not
 */
export function asking(db: Db, readers: Readers, mustKnow: (schema: v.GenericSchema, query: unknown) => void): Ask {
  // The caller has validated the parameters by the definition that types the reader.
  const untyped = readers as Readonly<Record<ReadName, (asked: Asked) => Found | Promise<Found>>>
  return (name, asked) =>
    db.snapshot(() => {
      const query = queries.get(name)
      if (query !== undefined) mustKnow(query, asked.query)
      return untyped[name](asked)
    })
}
