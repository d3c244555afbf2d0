/**
 * Answers a read for every interface (HTTP, MCP, pages), now or as of an earlier entry: checks its parameters and the
 * caller's permission.
 */
import type * as v from "valibot"
import { basePathOf } from "../../contract/service.ts"
import type { Read } from "../../contract/definitions/read.ts"
import { extendJson, JsonText, stored, writeJson } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { ReadName } from "../../contract/reads/index.ts"
import { badParameter, Refusal, type Issue } from "../../contract/refusals.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { type Asked, type Found, isDownload, NamedText } from "../../ledger/reads/reading.ts"
import { keyRefusal } from "../../ledger/write/admission.ts"
import type { Edge, Past } from "../edge.ts"
import { check } from "../../contract/schema/validation.ts"

interface Queried<T> {
  readonly name: string
  readonly query: v.GenericSchema<unknown, T> & { readonly entries: v.ObjectEntries }
}

/**
 * Reads the query string of a request.
 * @param what the noun for the request, used in the refusal
 * @throws Refusal `invalid_parameter` naming every parameter that is unknown, repeated or malformed
 */
export function checkParameters<T>(
  { name: readName, query: schema }: Queried<T>,
  query: URLSearchParams,
  what = "this read",
): T {
  const input: Record<string, string> = {}
  const issues: Issue[] = []
  for (const [name, values] of Map.groupBy(query.entries(), ([name]) => name)) {
    if (!Object.hasOwn(schema.entries, name))
      issues.push({ path: `/${name}`, message: `is not a parameter of ${what}` })
    else if (values.length > 1) issues.push({ path: `/${name}`, message: "is given more than once" })
    else input[name] = values[0]?.[1] ?? ""
  }
  const checked = check(schema, input)
  if (!checked.ok) issues.push(...checked.issues)
  if (!checked.ok || issues.length > 0) {
    throw new Refusal(
      "invalid_parameter",
      `A query parameter of ${readName} is wrong: ` +
        `${issues.map(({ path, message }) => `${path.slice(1)} ${message}`).join("; ")}.`,
      { issues },
    )
  }
  return checked.value
}

/**
 * The Room of a read or page, found by the ids in its parameters. @throws Refusal 404 for an unknown id, 422 without
 * one
 */
function aboutRoom({ instance }: Edge, parameters: readonly (readonly [string, unknown])[]): string {
  for (const [name, ids] of parameters) {
    const id: unknown = Array.isArray(ids) ? ids[0] : ids
    const roomId =
      typeof id === "string" ? instance.ledger.references.roomOf(name.replace(/Ids$/, "Id"), id) : undefined
    if (roomId !== undefined) return roomId
  }
  throw badParameter(
    "at",
    "is an entry of one Room's activity: name the Room, with roomId or the id of something in it",
  )
}

/** An earlier moment that a request asks for: an entry's sequence, and the parameters that identify its Room. */
export interface Moment extends Pick<Asked, "params" | "query"> {
  readonly sequence: number
}

/** Restores the Room at a moment, for a caller (`callerKey`). @throws Refusal */
export function pastOf(edge: Edge, { params, query, sequence }: Moment, caller: string | null): Promise<Past> {
  const roomId = edge.instance.ledger.snapshot(() =>
    aboutRoom(edge, [...Object.entries(params), ...Object.entries(query)]),
  )
  if (edge.pasts === undefined) throw new Error("this edge has no source of past Rooms")
  return edge.pasts.of(roomId, sequence, caller)
}

/** Adds the moment to a reader's result. Files and formats of other programs stay unchanged. */
function dated(found: Found, asOf: Past["asOf"], format: unknown): Found {
  if (typeof found === "string") return format === "markdown" ? `${markdownNote(asOf)}${found}` : found
  if (found instanceof NamedText || isDownload(found)) return found
  return found instanceof JsonText ? new JsonText(stored(extendJson(found.text, { asOf }))) : { ...found, asOf }
}

/** The first line of a Markdown answer as of an earlier moment. */
export const markdownNote = ({ sequence, acceptedAt }: Past["asOf"]): string =>
  `As of entry ${sequence}, ${acceptedAt}.\n\n`

/** Answers a read as of an entry. @throws Refusal */
async function askPast(edge: Edge, { name, query }: Read<ReadName>, asked: Asked, sequence: number): Promise<Found> {
  using past = await pastOf(edge, { ...asked, sequence }, asked.caller ?? null)
  const { asOf, instance } = past
  const { budget } = asked.query
  // The note of the moment counts against the budget.
  const less = Buffer.byteLength(asked.query.format === "markdown" ? markdownNote(asOf) : `,${writeJson({ asOf })}`)
  const within =
    "budget" in query.entries ? { budget: (typeof budget === "number" ? budget : limits.brief) - less } : {}
  return dated(await instance.ask(name, { ...asked, query: { ...asked.query, ...within } }), asOf, asked.query.format)
}

export interface ReadCall {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Authenticates the caller, in the snapshot of the answer. @throws Refusal */
  readonly by: () => Actor | null
  readonly signal?: AbortSignal
  /** Who asks, for what only a few can ask at a time. */
  readonly caller?: string
}

/**
 * Answers a read. The caller is looked up in the snapshot that answers. A read of an earlier moment first waits until
 * the Room is restored.
 * @throws Refusal for the caller, then for the parameters, then the read's own
 */
export function askRead(
  edge: Edge,
  definition: Read<ReadName>,
  { params, query, by, signal, caller }: ReadCall,
): { readonly query: Readonly<Record<string, unknown>>; readonly found: Found | Promise<Found> } {
  const { ledger, ask } = edge.instance
  return ledger.snapshot(() => {
    const actor = by()
    const checked = checkParameters(definition, query)
    const lacking = actor && keyRefusal(definition, actor)
    if (lacking) throw lacking
    const { at, ...now } = checked
    const keeping = () => ({ softwareVersion: edge.softwareVersion, storage: edge.storage?.() })
    const asked = {
      params,
      query: now,
      actor,
      basePath: basePathOf(edge),
      baseUrl: edge.baseUrl,
      keeping,
      ...(signal && { signal }),
      ...(caller !== undefined && { caller }),
    }
    if (definition.at && typeof at === "number") return { query: checked, found: askPast(edge, definition, asked, at) }
    return { query: checked, found: ask(definition.name, asked) }
  })
}

// The parameter `atLeast` of public reads: the answer must include this entry of the Room's activity. Only a copy can
// lag behind it.

const NAME = "atLeast"

/** The value of `atLeast`; null if absent. @throws Refusal `invalid_parameter` */
export function atLeastOf(query: URLSearchParams): number | null {
  const values = query.getAll(NAME)
  if (values.length === 0) return null
  const [first = ""] = values
  if (values.length === 1 && /^[0-9]{1,15}$/.test(first)) return Number(first)
  throw new Refusal("invalid_parameter", `${NAME} must be given once, as the sequence of an activity entry.`, {
    issues: [{ path: `/${NAME}`, message: "must be a whole number from 0" }],
  })
}

/** The query without `atLeast`. @throws Refusal `invalid_parameter` */
export function withoutAtLeast(query: URLSearchParams): URLSearchParams {
  if (atLeastOf(query) === null) return query
  const others = new URLSearchParams(query)
  others.delete(NAME)
  return others
}
