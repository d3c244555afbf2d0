/** What a read is: its path, its parameters, the kind of its cursor and the shape of its answer. */
import * as v from "valibot"
import { plain } from "./fields.ts"
import type { JsonSchema } from "./json-schema.ts"
import { limits } from "./limits.ts"
import { Refusal, type RefusalCode } from "./refusals.ts"
import { check } from "./validation.ts"

/** How a list continues: by a sequence number, by the id of the last item, by a text to be sent back as it is, or by counting. */
export type CursorKind = "sequence" | "uuid" | "opaque" | "offset"

/** Who may ask: anyone, a Room credential, a signed-in person, or a browser whether signed in or not. */
export type ReadSurface = "public" | "credential" | "session" | "visitor" | "discovery"

export interface ReadSpec<N extends string, P extends v.ObjectEntries, A> {
  name: N
  surface?: ReadSurface
  path: string
  summary: string
  /** Query parameters beyond `limit` and `after`, which every list has. */
  parameters?: P
  cursor?: CursorKind
  /** How many items a page may hold, where it is another number than for other lists. */
  pageItems?: number
  /** Refusals of its own, beyond those that follow from its surface, path and parameters. */
  refusals?: readonly RefusalCode[]
  /** JSON where nothing is said. */
  mediaType?: "text/plain" | "text/markdown"
  answer: A
}

/** Says what a parameter means, for the documents: in a query string everything is text. */
const means = <T>(parameter: JsonSchema) => v.metadata<T, { parameter: JsonSchema }>({ parameter })

/** A whole number from `minimum` to `maximum`, written without sign, fraction and leading zeros. */
const digits = (minimum: number, maximum: number, more: JsonSchema = {}) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => /^(?:0|[1-9][0-9]{0,14})$/u.test(text) && Number(text) >= minimum && Number(text) <= maximum,
      `must be a whole number from ${minimum} to ${maximum}`,
    ),
    means({ type: "integer", minimum, maximum, ...more }),
    v.transform(Number),
  )

const pageLimit = (most: number = limits.pageItems) => digits(1, most, { default: most, description: "How many items a page may hold." })
const onwards = "Where to go on: the nextCursor of the page before. Left out, the list starts at its beginning."
const sequence = digits(0, 999_999_999_999_999, { description: onwards })
const cursorText = v.pipe(plain(200), v.description(onwards))

/** Defines a read. A read with a cursor is a list: it takes `limit` and `after` and answers pages. */
export function read<
  const N extends string,
  const C extends CursorKind | undefined = undefined,
  A extends v.GenericSchema = v.GenericSchema,
  P extends v.ObjectEntries = Record<never, never>,
  const Path extends string = string,
  const S extends ReadSurface = "public",
>(spec: ReadSpec<N, P, A> & { cursor?: C; path: Path; surface?: S }) {
  const after = spec.cursor === "sequence" || spec.cursor === "offset" ? sequence : cursorText
  const paging = spec.cursor === undefined ? {} : { limit: v.exactOptional(pageLimit(spec.pageItems)), after: v.exactOptional(after) }
  const parameters = { ...paging, ...spec.parameters } as P & Paging<C>
  return {
    name: spec.name,
    surface: (spec.surface ?? "public") as S,
    method: "GET" as const,
    path: spec.path as Path,
    summary: spec.summary,
    query: v.object(parameters),
    cursor: (spec.cursor ?? null) as C extends undefined ? null : C,
    refusals: spec.refusals ?? [],
    mediaType: spec.mediaType ?? ("application/json" as const),
    answer: spec.answer,
  }
}

/** The parameters every list has. */
type Paging<C extends CursorKind | undefined> = C extends undefined
  ? Record<never, never>
  : {
      limit: v.ExactOptionalSchema<ReturnType<typeof pageLimit>, undefined>
      after: v.ExactOptionalSchema<C extends "sequence" | "offset" ? typeof sequence : typeof cursorText, undefined>
    }

/** A read as the edge sees it, whatever its parameters. */
export interface Read {
  readonly name: string
  readonly surface: ReadSurface
  readonly method: "GET"
  readonly path: string
  readonly summary: string
  readonly query: v.GenericSchema & { readonly entries: v.ObjectEntries }
  readonly cursor: CursorKind | null
  readonly refusals: readonly RefusalCode[]
  readonly mediaType: "application/json" | "text/plain" | "text/markdown"
  readonly answer: v.GenericSchema
}

/** A whole number of a query string, from 0 to `max`. */
export const wholeNumber = (max: number) => digits(0, max)

/** A comma-separated list of words, each of them one of `words`. */
export const words = (known: readonly string[]) =>
  v.pipe(
    v.string(),
    means({ type: "array", items: { enum: known }, minItems: 1 }),
    v.transform((value) => value.split(",")),
    v.check((list) => list.every((word) => known.includes(word)), `must be a comma-separated list of ${known.join(", ")}`),
  )

/**
 * Reads the query string of a request.
 * @throws Refusal `invalid_parameter` naming every parameter that is unknown, repeated or malformed
 */
export function checkParameters(definition: Read, query: URLSearchParams): Record<string, unknown> {
  const input: Record<string, string> = {}
  const issues = []
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name)
    if (!Object.hasOwn(definition.query.entries, name)) issues.push({ path: `/${name}`, message: "is not a parameter of this read" })
    else if (values.length > 1) issues.push({ path: `/${name}`, message: "is given more than once" })
    else input[name] = values[0] as string
  }
  const checked = check(definition.query, input)
  if (!checked.ok) issues.push(...checked.issues)
  if (!checked.ok || issues.length > 0) {
    throw new Refusal("invalid_parameter", `A query parameter is not as ${definition.name} takes it: ${issues.map(({ path, message }) => `${path.slice(1)} ${message}`).join("; ")}.`, { issues })
  }
  return checked.value as Record<string, unknown>
}
