/** A write as the edge passes it on, then with its schema and size checked; and the receipt of an earlier delivery. */
import {
  canonicalJson,
  digestOf,
  type JsonObject,
  type Writable,
  trusted,
  isJsonObject,
  valueAt,
  isObject,
  extendJson,
  type Json,
  type Stored,
  stored,
  writeJson,
} from "../../contract/json.ts"
import { checkBody, type Operation, pathNames } from "../../contract/definitions/operation.ts"
import { Refusal, type Issue } from "../../contract/refusals.ts"
import { hasMark, holdsMark, markedAs } from "../../contract/nouns/withholding.ts"
import type { Actor } from "./actor.ts"
import type { Behaviour, Call, Subject } from "./behaviour.ts"
import type { KeptDigests, Entry, Journal, Left } from "./journal.ts"
import type { UniqueBy } from "../../contract/schema/fields.ts"
import { type Visitor, metadataOf, walker } from "../../contract/schema/parts.ts"
import { undeclaredIn } from "../../contract/definitions/work.ts"
import { pointer } from "../../contract/schema/validation.ts"
import type { Receipt } from "../../contract/answers/receipts.ts"
import type { Db } from "../storage/database.ts"
import { idOf, packedId, type Target, TARGET_HERE, targetText, unpackedDigest } from "./columns.ts"

// The rules for bodies that JSON Schema cannot express: no repeated items in lists, no undeclared concepts. They
// check the body as it was sent, so that their issues are reported together with those of the schema.

const REPEATED = "must not hold the same item twice"

/** The index of the first item that repeats an earlier one; -1 if there is none. */
const repetition = (words: readonly unknown[], fold: (word: string) => string): number => {
  const seen = new Set<string>()
  return words.findIndex((word) => typeof word === "string" && seen.size === seen.add(fold(word)).size)
}

/** Checks a list of words, such as ids. */
const distinctWords: Visitor<Issue> = (value, path, found) => {
  if (Array.isArray(value) && repetition(value, (word) => word.toLowerCase()) >= 0)
    found.push({ path: pointer(path), message: REPEATED })
}
const distinctMembers =
  ({ member, at }: UniqueBy): Visitor<Issue> =>
  (value, path, found) => {
    if (!Array.isArray(value)) return
    const fold = (word: string) => (at === "list" ? word.toLowerCase() : word)
    const second = repetition(
      value.map((item) => (isObject(item) ? item[member] : undefined)),
      fold,
    )
    if (second < 0) return
    if (at === "item")
      found.push({ path: pointer([...path, second, member]), message: `repeats the ${member} of an earlier item` })
    else
      found.push({
        path: pointer(path),
        message: `holds two items with the same ${member}, the second at ${pointer([...path, second])}`,
      })
  }

const repetitions = walker<Issue>((part) => {
  const { uniqueBy, uniqueItems } = metadataOf(part)
  if (uniqueBy !== undefined) return { visit: distinctMembers(uniqueBy), descends: true }
  return uniqueItems === undefined ? undefined : { visit: distinctWords, descends: true }
})

/**
 * Finds the faults of a body that its schema does not find.
 * @param schemaIssues the issues of the schema; if there are none at all, undeclared concepts are refused later, as
 * wrong references
 */
function beyondSchema({ body }: Operation, input: unknown, schemaIssues: readonly Issue[]): Issue[] {
  const found = repetitions(body, input)
  const concepts =
    schemaIssues.length + found.length === 0 || !Object.hasOwn(body.entries, "assertion") ? [] : undeclaredIn(input)
  return [...found, ...concepts].filter(({ path }) => schemaIssues.every((other) => other.path !== path))
}

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

/** The id of the actor's credential or key; null for a person in the browser. */
export const senderId = ({ grant, key }: Actor): string | null => grant?.credentialId ?? key?.keyId ?? null

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
  readonly keptDigests?: KeptDigests
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

// Receipts, read from the journal by delivery id. A retry is compared with the stored request and answered from the
// receipt.

/** A receipt whose result is plain JSON, not yet typed by its operation. */
export type KeptReceipt = Omit<Receipt, "result"> & { readonly result: Readonly<Record<string, Json>> }

/** A stored receipt. */
export interface Kept {
  readonly requestDigest: string
  readonly credentialId: string | null
  readonly body: Stored<KeptReceipt>
}

/** The fields of a receipt, from the columns of its write. */
export interface ReceiptFields extends Target, Omit<Left, "card"> {
  readonly at: string
  readonly warnings: readonly Writable[]
}

const messageResult = (entryId: string | null): string => `{"messageId":"${entryId}","label":null}`

const id = (value: string | null) => (value === null ? "null" : JSON.stringify(value))

export function receiptText({ schemaVersion, name, delivery }: Operation, fields: ReceiptFields): string {
  const { deliveryId, at, roomId, threadId, entryId, entrySequence, activity, warnings } = fields
  return (
    `{"schemaVersion":${schemaVersion},"operation":"${name}","${delivery}":${id(deliveryId)},"acceptedAt":"${at}"` +
    `,"roomId":${id(roomId)},"threadId":${id(threadId)},"target":${targetText(fields)},` +
    `"targetId":${id(fields.aboutId ?? fields.targetId ?? entryId)}` +
    `,"result":${fields.result ?? messageResult(entryId)},` +
    `"entry":${entrySequence === null ? "null" : `{"entryId":"${entryId}","sequence":${entrySequence}}`}` +
    `,"activity":${activity === null ? "null" : JSON.stringify(activity)},"warnings":${writeJson(warnings)}}`
  )
}

interface Row extends Omit<ReceiptFields, "deliveryId" | "at" | "activity" | "warnings"> {
  readonly position: number
  readonly sequence: number | null
  readonly digest: Buffer | null
}

const SELECT = `SELECT j.position, ${idOf("j.room")} AS roomId, ${idOf("j.thread")} AS threadId, ${TARGET_HERE},
    j.about_id AS aboutId, j.result,
    j.entry_sequence AS entrySequence, j.room_sequence AS sequence, j.activity_digest AS digest
  FROM journal j
  JOIN writers w ON w.writer = j.writer
  LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence
  WHERE j.delivery_id = +? AND j.operation = +? AND w.person_id = +?`

export type Receipts = ReturnType<typeof receipts>

/** @param beside restores the members that were returned beside the receipt and are not stored with it */
export function receipts(
  db: Db,
  journal: Journal,
  beside: (operation: Operation, entry: Entry, targetId: string) => Readonly<Record<string, Writable>>,
) {
  const ofPerson = db.prepare<Row>(`${SELECT} ORDER BY j.position LIMIT 1`)
  const ofSender = db.prepare<Row>(`${SELECT} AND w.sender = +? ORDER BY j.position LIMIT 1`)
  const ofMember = db.prepare<Row>(`${SELECT} ORDER BY w.sender = +? DESC, j.position LIMIT 1`)

  function kept(operation: Operation, deliveryId: string, row: Row | undefined): Kept | undefined {
    const entry = row && journal.at(row.position)
    if (row === undefined || entry === undefined) return undefined
    const { sequence, digest } = row
    const text = receiptText(operation, {
      ...row,
      deliveryId,
      at: entry.at,
      activity: sequence === null || digest === null ? null : { sequence, digest: unpackedDigest(digest) },
      warnings: entry.given.warnings ?? [],
    })
    return {
      requestDigest:
        entry.keptDigests?.requestDigest ??
        requestDigestOf(operation, entry.params, entry.content, digestOf(entry.content)),
      credentialId: entry.sender,
      body: stored(extendJson(text, beside(operation, entry, row.targetId ?? ""))),
    }
  }

  return {
    /**
     * Finds a member's receipt for an operation and a delivery id, from any of their senders: the actor's own first,
     * then the oldest.
     */
    ofMember: (operation: Operation, actor: Actor, deliveryId: string): Kept | undefined =>
      operation.receiptOf === "nobody"
        ? undefined
        : kept(
            operation,
            deliveryId,
            ofMember.get(packedId(deliveryId), operation.name, actor.userId, senderId(actor) ?? ""),
          ),

    /**
     * Finds the receipt that answers a retry. By rule 4 of the interface's delivery ids, Threads and messages are keyed
     * on member and credential.
     */
    find(operation: Operation, actor: Actor, deliveryId: string): Kept | undefined {
      if (operation.receiptOf === "nobody") return undefined
      const named = [packedId(deliveryId), operation.name, actor.userId] as const
      const row =
        operation.receiptOf === "credential"
          ? ofSender.get(...named, actor.grant?.credentialId ?? "")
          : ofPerson.get(...named)
      return kept(operation, deliveryId, row)
    },
  }
}
