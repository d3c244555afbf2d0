/** What a read does: the part that its domain writes, typed by what the read declares. */
import type * as v from "valibot"
import type { StreamedType } from "../../contract/definitions/read.ts"
import type { JsonText, Served, Writable } from "../../contract/json.ts"
import { type AnswerOf, type DefinitionOf, type ParametersOf, type ParamsOf, type ReadName, reads } from "../../contract/reads/index.ts"
import type { Actor, Grant } from "../journal/actor.ts"
import type { Db } from "../storage/database.ts"

/** One read as it was asked, its parameters checked. */
export interface Asked<Params = Readonly<Record<string, string>>, Query = Readonly<Record<string, unknown>>, Who = Actor | null> {
  /** The ids in the path, in lower case. */
  readonly params: Params
  readonly query: Query
  /** Who asks; null on public reads. */
  readonly actor: Who
  /** The path of the base URL, for links: with a slash in front and none at the end; left out where it is empty. */
  readonly basePath?: string
  /** Aborted when the reader has gone. */
  readonly signal?: AbortSignal
  /** Where people and agents reach the service, for what is read elsewhere: citations and exports. */
  readonly baseUrl?: string
  /** What the process that answers knows of itself and of the files it keeps, for operators. */
  readonly keeping?: () => Keeping
}

/** The data as it lies on the disk, in bytes, and what reads it. */
export interface StorageReadings {
  readonly databaseBytes: number
  readonly walBytes: number
  /** null where the system does not tell. */
  readonly freeDiskBytes: number | null
  /** The version of the schema, and of SQLite. */
  readonly schema: number
  readonly sqlite: string
}

/** The program, and the files that it keeps; undefined where it keeps none. */
export interface Keeping {
  readonly softwareVersion: string
  readonly storage: StorageReadings | undefined
}

/** A file that is sent while it is made, or events as they come. */
export interface Download {
  /** Under which name it is kept; null for events. */
  readonly name: string | null
  readonly bytes: ReadableStream<Uint8Array>
}

/** A text that is kept under a name of its own. */
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
/** What the edge adds to an object, and to a page of a list. */
type Envelope<N extends ReadName> = DefinitionOf<N>["cursor"] extends null ? "schemaVersion" : "schemaVersion" | "generatedAt" | "links"
type Plain<N extends ReadName> = Less<AnswerOf<N>, Envelope<N>>

/**
 * What a reader finds, by what its read declares: a file, a text, or the answer's object less its envelope; or the whole
 * answer as JSON text. In one of the read's other forms it is a text.
 */
export type FoundBy<N extends ReadName> =
  | (DefinitionOf<N>["mediaType"] extends StreamedType
      ? Download
      : AnswerOf<N> extends string
        ? string | NamedText
        : Served<Plain<N>> | JsonText<AnswerOf<N>>)
  | (keyof DefinitionOf<N>["formats"] extends never ? never : string | NamedText | Download)

/** What any reader finds. */
export type Found = Download | NamedText | string | JsonText | { readonly [member: string]: Writable }

type AskerOf<N extends ReadName> = DefinitionOf<N>["surface"] extends "credential"
  ? Actor & { readonly grant: Grant }
  : DefinitionOf<N>["surface"] extends "key" | "session" | "operator"
    ? Actor
    : Actor | null
export type AskedOf<N extends ReadName> = Asked<ParamsOf<N>, ParametersOf<N>, AskerOf<N>>
/** Of what waits, only what stands in its place until then is of the moment it was asked in. */
export type ReaderOf<N extends ReadName> = (asked: AskedOf<N>) => FoundBy<N> | Promise<FoundBy<N>>
/** A reader for each read of the list, no more and no less. */
export type Readers = { readonly [N in ReadName]: ReaderOf<N> }

type Scalar = string | number | boolean | null | undefined
type KeyIn<T> = T extends unknown ? keyof T : never
type ItemIn<T> = T extends readonly (infer Item)[] ? Item : never
type MemberIn<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never
/** The names of members that stand somewhere in `T` though `Answer` has no place for them. */
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

/** Holds readers against what their reads declare: a member too few, one too many or one of another type does not compile. */
export const answering = <R extends Partial<Readers>>(readers: R & Exact<R>): R => readers

/** Asks a read by its name. @throws Refusal */
export type Ask = (name: ReadName, asked: Asked) => Found | Promise<Found>

/** @throws Refusal 404 of its kind for the first id that is to be known and is not */
export type MustKnow = (schema: v.GenericSchema | undefined, given: unknown) => void

/** Reads that are filtered by something. */
const definitions = new Map(reads.filter(({ query }) => Object.keys(query.entries).length > 0).map((read) => [read.name, read]))

/**
 * The one way to ask, for routes, pages, tools and whatever comes: each answer is of one moment, however many statements it
 * runs, since another thread or process may write between any two of them. Asked within a snapshot, it is of that moment;
 * of a read that waits, this holds for what it looks at before it waits.
 * @param mustKnow refuses ids of filters that name nothing
 */
export function asking(db: Db, readers: Readers, mustKnow: MustKnow): Ask {
  // Whoever asks has checked the parameters by the definition that the reader is typed by.
  const untyped = readers as Readonly<Record<ReadName, (asked: Asked) => Found | Promise<Found>>>
  return (name, asked) =>
    db.snapshot(() => {
      mustKnow(definitions.get(name)?.query, asked.query)
      return untyped[name](asked)
    })
}
