/**
 * What a read is: its path, its parameters, the kind of its cursor and the shape of its answer. Some reads also answer
 * as of an earlier entry.
 */
import * as v from "valibot"
import { digits, sequence, cursorText, pageLimit, libraryOffset } from "./parameters.ts"
import { shape, isShape, oneOf } from "../schema/fields.ts"
import { count, at, anyCursor } from "../answers/fields.ts"
import type { LibraryPermission } from "../schema/enumerations.ts"
import type { RefusalCode } from "../refusals.ts"
import { described } from "../schema/validation.ts"
import type { Family } from "../service.ts"

// The past: the reads that answer as of an earlier entry of their Room's activity, and what that adds to each.

const pastReads = [
  "attempt_table",
  "attempt_curves",
  "record_effects",
  "experiment_measurements",
  "room_measurements",
  "board",
  "room_brief",
  "thread_brief",
  "room_failures",
  "room_next",
  "hypotheses",
  "hypothesis",
  "record",
  "room_context",
  "thread_research_context",
  "checkpoint",
  "room_links",
  "room_reviews",
  "record_evidence",
  "record_case",
  "checkpoint_case",
  "record_uses",
  "experiment_findings",
  "room",
  "room_publications",
  "experiments",
  "experiment",
  "experiment_history",
  "plan",
  "attempts",
  "room_ledger",
  "attempt",
  "attempt_metrics",
] as const
type PastRead = (typeof pastReads)[number]
const isPastRead = (name: string): boolean => pastReads.some((each) => each === name)

/** The parameter that these reads take. */
const pastParameter = {
  at: v.exactOptional(
    digits(1, 999_999_999_999_999, {
      description:
        "A sequence of the Room's activity (for a list, of the Room in its filter): the answer is as of that entry.",
    }),
  ),
}
type PastParameter<N extends string> = N extends PastRead ? typeof pastParameter : Record<never, never>

/** What an answer about the past adds: the entry of the Room's activity, and when it was accepted. */
const asOf = shape({ sequence: count, acceptedAt: at })
type AsOf = v.InferOutput<typeof asOf>
export type PastAnswer<N extends string> = N extends PastRead ? { readonly asOf?: AsOf } : unknown

const made = new WeakMap<object, v.GenericSchema>()
/** The answer of a read, with `asOf` in each of its forms. @throws if it has a form that is no object */
function pastAnswer(answer: v.GenericSchema): v.GenericSchema {
  const known = made.get(answer)
  if (known !== undefined) return known
  const { options = [] } = answer as { readonly options?: readonly v.GenericSchema[] }
  if (!isShape(answer) && options.length === 0) throw new Error("an answer about the past must be an object")
  const extended = isShape(answer)
    ? shape({ ...answer.entries, asOf: v.exactOptional(asOf) })
    : v.union(options.map(pastAnswer))
  made.set(answer, extended)
  return extended
}

/** An answer in the form in which its read gives it. */
export const asServed = (answer: v.GenericSchema): v.GenericSchema => made.get(answer) ?? answer

/**
 * How a list continues: after a sequence number, after the id of the last item, with an opaque text, or at an offset.
 */
export type CursorKind = "sequence" | "uuid" | "opaque" | "offset"

const cursors: Readonly<Record<CursorKind, v.GenericSchema>> = {
  sequence: count,
  offset: count,
  uuid: v.string(),
  opaque: v.string(),
}

/** The page of a list, with the one type that its cursor has. */
function pageOf(answer: v.GenericSchema, cursor: CursorKind): v.GenericSchema {
  return isShape(answer) && answer.entries.nextCursor === anyCursor
    ? shape({ ...answer.entries, nextCursor: v.nullable(cursors[cursor]) })
    : answer
}

/**
 * Who may call a read: anyone, a Room credential, a personal key, a signed-in person, an operator, or a browser whether
 * signed in or not.
 */
export type ReadSurface = "public" | "credential" | "key" | "session" | "operator" | "visitor" | "discovery"

const fileTypes = ["application/zip", "application/vnd.sqlite3"] as const
/** The types that are sent while they are made: files for download, and events. */
const streamed = [...fileTypes, "text/event-stream"] as const
export type StreamedType = (typeof streamed)[number]

export type MediaType =
  | "application/json"
  | "text/plain"
  | "text/markdown"
  | "text/x-python"
  | "application/x-bibtex"
  | "application/x-research-info-systems"
  | "application/vnd.citationstyles.csl+json"
  | "text/csv"
  | "application/x-ndjson"
  | "application/yaml"
  | StreamedType

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
export type IdsOf<Path extends string> = { readonly [Name in NamesIn<Path>]: string }

/** Whether an answer is text, always sent in UTF-8; everything else is a file. */
export const isText = (mediaType: MediaType): boolean => !fileTypes.some((type) => type === mediaType)

export const isStreamed = (mediaType: MediaType): mediaType is StreamedType =>
  streamed.some((type) => type === mediaType)
/** Whether a read answers with events for as long as its reader listens. */
export const isEvents = ({ mediaType }: Pick<Read, "mediaType">): boolean => mediaType === "text/event-stream"

interface Format {
  readonly mediaType: MediaType
  readonly answer: v.GenericSchema
}
/** The other forms of an answer, by the value of `format` that selects them. */
type Formats = Readonly<Record<string, Format>>

interface ReadSpec<N extends string, P extends v.ObjectEntries, A> {
  name: N
  surface?: ReadSurface
  path: string
  summary: string
  /** What a personal key must have. A read with permissions is also served to its person in the browser. */
  permissions?: readonly LibraryPermission[]
  /** Query parameters beyond `limit` and `after`, which every list has. */
  parameters?: P
  cursor?: CursorKind
  /** The most items that a page may hold, if it differs from other lists. */
  pageItems?: number
  /** Refusals of its own, beyond those that follow from its surface, path and parameters. */
  refusals?: readonly RefusalCode[]
  /**
   * Whether its work grows with the Room, so that one answer may take as long as a hundred others. A reader thread
   * answers it.
   */
  costly?: boolean
  /** `POST` if its parameters are too long for an address: they are then the members of a JSON body. Default: GET. */
  method?: "GET" | "POST"
  /** Default: JSON. */
  mediaType?: Exclude<MediaType, "application/json">
  answer: A
}

/** The parameter that selects a form; `json` is the read's own. */
const formatParameter = (formats: Formats) =>
  v.exactOptional(described(oneOf(["json", ...Object.keys(formats)]), "The form of the answer. Default: json."))

/**
 * Defines a read. A read with a cursor is a list: it takes `limit` and `after`, and answers pages. Lists of the Library
 * take only `offset`, and their pages have one size.
 */
export function read<
  const N extends string,
  const C extends CursorKind | undefined = undefined,
  A extends v.GenericSchema = v.GenericSchema,
  P extends v.ObjectEntries = Record<never, never>,
  const Path extends string = string,
  const S extends ReadSurface = "public",
  const F extends Family = "research",
  const M extends MediaType = "application/json",
  const X extends Formats = Record<never, never>,
>(
  spec: ReadSpec<N, P, A> & { cursor?: C; path: Path; surface?: S; family?: F; mediaType?: M; formats?: X },
): Omit<Read<N>, "family" | "surface" | "path" | "query" | "cursor" | "mediaType" | "answer" | "formats"> & {
  readonly family: F
  readonly surface: S
  readonly path: Path
  readonly query: v.ObjectSchema<P & Paging<C, F> & FormatChoice<X> & PastParameter<N>, undefined>
  readonly cursor: C extends undefined ? null : C
  readonly mediaType: M
  readonly answer: A
  readonly formats: X
}
// The types above already include the defaults.
export function read(spec: AnySpec & { family?: Family; formats?: Formats }): Read {
  const { cursor, parameters, pageItems, ...given } = spec
  const { family = "research", formats = {}, refusals = [] } = spec
  const after = cursor === "sequence" || cursor === "offset" ? sequence : cursorText
  const listed = { limit: v.exactOptional(pageLimit(pageItems)), after: v.exactOptional(after) }
  const paging = cursor === undefined ? {} : family === "library" ? { offset: v.exactOptional(libraryOffset) } : listed
  const format = Object.keys(formats).length === 0 ? {} : { format: formatParameter(formats) }
  const now = cursor === undefined ? spec.answer : pageOf(spec.answer, cursor)
  const at = isPastRead(spec.name)
  const entries: v.ObjectEntries = { ...paging, ...parameters, ...format, ...(at && pastParameter) }
  return {
    surface: "public",
    permissions: [],
    costly: false,
    mediaType: "application/json",
    method: "GET",
    ...given,
    family,
    query: v.object(entries),
    cursor: cursor ?? null,
    at,
    refusals: at ? [...refusals, "past_too_large"] : refusals,
    answer: at ? pastAnswer(now) : now,
    formats,
  }
}

type FormatChoice<X extends Formats> = [keyof X] extends [never]
  ? Record<never, never>
  : {
      format: v.ExactOptionalSchema<
        v.PicklistSchema<readonly ("json" | Extract<keyof X, string>)[], undefined>,
        undefined
      >
    }

type Paging<C extends CursorKind | undefined, F extends Family> = C extends undefined
  ? Record<never, never>
  : F extends "library"
    ? { offset: v.ExactOptionalSchema<typeof libraryOffset, undefined> }
    : {
        limit: v.ExactOptionalSchema<ReturnType<typeof pageLimit>, undefined>
        after: v.ExactOptionalSchema<C extends "sequence" | "offset" ? typeof sequence : typeof cursorText, undefined>
      }

type AnySpec<N extends string = string> = ReadSpec<N, v.ObjectEntries, v.GenericSchema>
/** A read with any parameters, as the edge sees it. */
export interface Read<N extends string = string>
  extends Readonly<Required<Omit<AnySpec<N>, "parameters" | "cursor" | "pageItems" | "mediaType">>> {
  readonly family: Family
  readonly query: v.GenericSchema<unknown, Readonly<Record<string, unknown>>> & { readonly entries: v.ObjectEntries }
  readonly cursor: CursorKind | null
  /** Whether it can answer as of an earlier entry of its Room's activity. */
  readonly at: boolean
  readonly mediaType: MediaType
  readonly formats: Formats
}

/** Whether a read takes a bearer token: it is only for bearers, or it can leave out what its caller wrote. */
export const isForBearer = ({ surface, query }: Pick<Read, "surface" | "query">, leavesOutCaller: boolean): boolean =>
  surface === "credential" || surface === "key" || (leavesOutCaller && mayLeaveOutCaller({ query }))
/** Whether a read can leave out what its caller wrote. */
export const mayLeaveOutCaller = ({ query }: Pick<Read, "query">): boolean => "exclude" in query.entries

/** Whether pages of any origin may call a read: they may if it is public. */
export const openOf = ({ surface }: Pick<Read, "surface">): "everywhere" | undefined =>
  surface === "public" || surface === "discovery" ? "everywhere" : undefined

/** The media type of an answer in the requested form. */
export const mediaTypeOf = ({ mediaType, formats }: Pick<Read, "mediaType" | "formats">, format: unknown): MediaType =>
  (typeof format === "string" ? formats[format]?.mediaType : undefined) ?? mediaType

/** The browser's path of a read that is for a person or their personal key; null if there is none. */
export const browserReadPath = ({
  surface,
  permissions,
  path,
}: Pick<Read, "surface" | "permissions" | "path">): string | null =>
  surface === "key" && permissions.length > 0 ? path.replace("/api/agent/", "/api/") : null

// Forms of answers that several reads have.

export const markdown = { markdown: { mediaType: "text/markdown", answer: v.string() } } as const
/** A feed's form for agents: one line per entry. */
export const lines = { lines: { mediaType: "text/markdown", answer: v.string() } } as const

/**
 * The forms of a list for other programs, with all its items unless limit is given. CSV escapes texts that a
 * spreadsheet would execute.
 */
export const files = {
  csv: { mediaType: "text/csv", answer: v.string() },
  jsonl: { mediaType: "application/x-ndjson", answer: v.string() },
} as const
