/** A write before it is admitted: as the edge passes it on, and after its schema and size are checked. */
import { beyondSchema } from "../../contract/definitions/beyond-schema.ts"
import {
  canonicalJson,
  digestOf,
  type JsonObject,
  type Writable,
  trusted,
  isJsonObject,
  valueAt,
} from "../../contract/json.ts"
import { checkBody, type Operation, pathNames } from "../../contract/definitions/operation.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { hasMark, holdsMark, markedAs } from "../../contract/definitions/withheld-text.ts"
import type { Actor } from "./actor.ts"
import type { Behaviour, Call, Subject } from "./behaviour.ts"
import type { Sealed } from "./journal.ts"

/** A write as the edge passes it on: authenticated, parsed from JSON, and within the size limit of a request. */
export interface Request {
  readonly operation: Operation
  readonly actor: Actor
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  /** The entries that its batch wrote before in its Thread. */
  readonly ownBefore?: number
  /** Make every check, do the work, roll it back, and return the answer that the write would have had. */
  readonly rehearse?: boolean
}

export type AnyBehaviour = Behaviour<unknown, Readonly<Record<string, Writable>>, Subject>

/** A write with its schema checked and its content in canonical form. */
export interface Delivery extends Call {
  readonly operation: Operation
  readonly behaviour: AnyBehaviour
  readonly deliveryId: string
  readonly client: JsonObject | undefined
  /** The stored part of what `findExtras` found. */
  readonly storedExtras?: JsonObject
  /** Set for a replayed write with withheld parts. */
  readonly sealed?: Sealed
}

/** Whether a mark replaces the value at a path, or a value around it. */
const isMarked = (body: JsonObject, path: string): boolean =>
  path
    .split("/")
    .slice(1)
    .some((_, index, names) => markedAs(valueAt(body, `/${names.slice(0, index + 1).join("/")}`)) !== undefined)

/**
 * Steps 6 and 7: the schema, and the size of the content. The body is that of the canonical content, as a replay has
 * it.
 * @param hasMarks whether marks replace withheld parts of the body; the schema does not apply to them
 * @throws Refusal 422, 413
 */
export function checkRequest(
  { operation, actor, params, body: input, ownBefore }: Request,
  behaviour: AnyBehaviour,
  hasMarks = false,
): Delivery {
  const checked = checkBody(operation, input)
  const found = checked.ok
    ? []
    : checked.issues.filter(({ path }) => !hasMarks || !(isJsonObject(input) && isMarked(input, path)))
  const issues = [...found, ...beyondSchema(operation, input, found)]
  const value = checked.ok ? checked.value : hasMarks && issues.length === 0 && isJsonObject(input) ? input : null
  if (value === null || issues.length > 0) {
    throw new Refusal(
      "invalid_schema",
      `The body does not match the schema of ${operation.name}; ` +
        `${issues.length} ${issues.length === 1 ? "thing needs" : "things need"} correcting.`,
      { issues },
    )
  }
  const { client, ...compared } = value
  const kept = isJsonObject(client) ? client : undefined
  const content = canonicalJson(compared)
  if (
    !hasMarks &&
    (holdsMark(content) || (client !== undefined && holdsMark(JSON.stringify(client)))) &&
    hasMark(value)
  )
    throw new Refusal(
      "invalid_schema",
      `The body does not match the schema of ${operation.name}; a text in it is kept for the service's own use.`,
      {
        issues: [{ path: "", message: "must not hold what stands for something withheld" }],
      },
    )
  if (Buffer.byteLength(content) > operation.contentBytes) {
    throw new Refusal("content_too_large", `The content is over ${operation.contentBytes} bytes of canonical JSON.`)
  }
  const contentDigest = digestOf(content)
  return {
    operation,
    behaviour,
    actor,
    params,
    body: bodyOf(content, kept),
    content,
    contentDigest,
    client: kept,
    deliveryId: String(value[operation.delivery]),
    ...(ownBefore !== undefined && { ownBefore }),
  }
}

/**
 * Reads a body from the journal's columns: what a write stores must not depend on the order in which members were sent.
 */
export const bodyOf = (content: string, client: JsonObject | undefined): JsonObject => ({
  ...trusted<JsonObject>(content),
  ...(client === undefined ? {} : { client }),
})

/** The digest that a retry must match. @param contentDigest `sha256:` over the content, if it is known already */
export function requestDigestOf(
  { path }: Pick<Operation, "path">,
  params: Readonly<Record<string, string>>,
  content: string,
  contentDigest?: string,
): string {
  const inPath = pathNames(path)
  return inPath.length === 0
    ? (contentDigest ?? digestOf(content))
    : digestOf(`${inPath.map((name) => params[name]).join(" ")} ${content}`)
}
