/** What a read is: its path, its parameters, the kind of its cursor and the shape of its answer. */
import * as v from "valibot"
import { plain } from "./fields.ts"
import { limits } from "./limits.ts"
import { Refusal } from "./refusals.ts"
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
  answer: A
}

const digits = (pattern: RegExp, what: string) => v.pipe(v.string(), v.regex(pattern, what), v.transform(Number))

const limit = digits(new RegExp(`^(?:[1-9]|[1-4][0-9]|${limits.pageItems})$`, "u"), `must be a whole number from 1 to ${limits.pageItems}`)
const sequence = digits(/^(?:0|[1-9][0-9]{0,14})$/u, "must be a whole number")
const cursorText = plain(200)

/** Defines a read. A read with a cursor is a list: it takes `limit` and `after` and answers pages. */
export function read<const N extends string, const C extends CursorKind | undefined = undefined, A extends v.GenericSchema = v.GenericSchema, P extends v.ObjectEntries = Record<never, never>>(
  spec: ReadSpec<N, P, A> & { cursor?: C },
) {
  const after = spec.cursor === "sequence" || spec.cursor === "offset" ? sequence : cursorText
  const paging = spec.cursor === undefined ? {} : { limit: v.exactOptional(limit), after: v.exactOptional(after) }
  const parameters = { ...paging, ...spec.parameters } as P & Paging<C>
  return {
    name: spec.name,
    surface: spec.surface ?? ("public" as const),
    method: "GET" as const,
    path: spec.path,
    summary: spec.summary,
    query: v.object(parameters),
    cursor: (spec.cursor ?? null) as C extends undefined ? null : C,
    answer: spec.answer,
  }
}

/** The parameters every list has. */
type Paging<C extends CursorKind | undefined> = C extends undefined
  ? Record<never, never>
  : {
      limit: v.ExactOptionalSchema<typeof limit, undefined>
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
  readonly answer: v.GenericSchema
}

/** A whole number of a query string, from 0 to `max`. */
export const wholeNumber = (max: number) =>
  v.pipe(sequence, v.maxValue(max, `must be at most ${max}`))

/** A comma-separated list of words, each of them one of `words`. */
export const words = (known: readonly string[]) =>
  v.pipe(
    v.string(),
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
