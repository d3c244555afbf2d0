/** A write on its way in: as the edge hands it over, and as it goes on once its schema and size are checked. */
import { beyondSchema } from "../../contract/definitions/beyond-schema.ts"
import { canonicalJson, digestOf, type JsonObject, type Writable, trusted, isJsonObject } from "../../contract/json.ts"
import { checkBody, type Operation, pathNames } from "../../contract/definitions/operation.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { hasMark, holdsMark, markedAs, valueAt } from "../../contract/definitions/withheld-text.ts"
import type { Actor } from "./actor.ts"
import type { Behaviour, Call, Subject } from "./behaviour.ts"
import type { Sealed } from "./journal.ts"

/** A write as the edge hands it over: authenticated, JSON, within the size of a request. */
export interface Request {
  readonly operation: Operation
  readonly actor: Actor
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  /** Walk every check, do the work, undo it, and answer what would have been answered. */
  readonly rehearse?: boolean
}

export type AnyBehaviour = Behaviour<unknown, Readonly<Record<string, Writable>>, Subject>

/** A write with its schema checked and its content in canonical form. */
export interface Delivery extends Call {
  readonly operation: Operation
  readonly behaviour: AnyBehaviour
  readonly deliveryId: string
  /** What a retry must equal: the content and the ids in the path. */
  readonly requestDigest: string
  readonly client: JsonObject | undefined
  /** What the journal keeps of what its behaviour told beforehand. */
  readonly keptExtras?: JsonObject
  /** Set for a replayed write of which something was withheld. */
  readonly sealed?: Sealed
}

/** Whether a mark stands at a place, or around it. */
const isMarked = (body: JsonObject, path: string): boolean =>
  path
    .split("/")
    .slice(1)
    .some((_, index, names) => markedAs(valueAt(body, `/${names.slice(0, index + 1).join("/")}`)) !== undefined)

/**
 * Steps 6 and 7: the schema, and the size of the content. Whoever writes it takes `bodyOf` its content.
 * @param hasMarks whether marks stand for what was withheld of it since; where they do, no schema is asked for
 * @throws Refusal 422, 413
 */
export function checkRequest({ operation, actor, params, body: input }: Request, behaviour: AnyBehaviour, hasMarks = false): Delivery {
  const checked = checkBody(operation, input)
  const told = checked.ok ? [] : checked.issues.filter(({ path }) => !hasMarks || !(isJsonObject(input) && isMarked(input, path)))
  const issues = [...told, ...beyondSchema(operation, input, told)]
  const value = checked.ok ? checked.value : hasMarks && issues.length === 0 && isJsonObject(input) ? input : null
  if (value === null || issues.length > 0) {
    throw new Refusal(
      "invalid_schema",
      `The body does not match the schema of ${operation.name}; ${issues.length} ${issues.length === 1 ? "thing needs" : "things need"} correcting.`,
      { issues },
    )
  }
  const { client, ...compared } = value
  const content = canonicalJson(compared)
  if (!hasMarks && (holdsMark(content) || (client !== undefined && holdsMark(JSON.stringify(client)))) && hasMark(value))
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
    body: value,
    content,
    contentDigest,
    client: clientIn(client),
    deliveryId: String(value[operation.delivery]),
    requestDigest: requestDigestOf(operation, params, content, contentDigest),
  }
}

const clientIn = (client: unknown): JsonObject | undefined => (isJsonObject(client) ? client : undefined)

/** The body, as it is read again from the journal: what is stored of it must not rest on the order in which members were sent. */
export const bodyOf = (content: string, client: JsonObject | undefined): JsonObject => ({
  ...trusted<JsonObject>(content),
  ...(client === undefined ? {} : { client }),
})

/** What a retry must equal. @param contentDigest `sha256:` over the content, where it is known already */
export function requestDigestOf(
  { path }: Pick<Operation, "path">,
  params: Readonly<Record<string, string>>,
  content: string,
  contentDigest?: string,
): string {
  const inPath = pathNames(path)
  return inPath.length === 0 ? (contentDigest ?? digestOf(content)) : digestOf(`${inPath.map((name) => params[name]).join(" ")} ${content}`)
}
