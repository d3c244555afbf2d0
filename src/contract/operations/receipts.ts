/** Receipts in words and in their small form, and which of them accept replies. */
import * as v from "valibot"
import type { Entry } from "../nouns/threads.ts"
import type { Receipt } from "../answers/receipts.ts"
import { words } from "../definitions/sentence.ts"
import { isKeyOf, isOneOf, keysOf } from "../typed.ts"
import { happened } from "../nouns/attempts.ts"
import { becoming } from "../nouns/experiments.ts"
import { type OperationName, receiptKinds } from "./index.ts"
import { states } from "../states.ts"
import { linkKinds } from "../nouns/links.ts"
import { isObject } from "../json.ts"
import { limits } from "../limits.ts"
import { shape } from "../schema/fields.ts"
import { shortened } from "../text.ts"
import { count, id, freeText } from "../answers/fields.ts"
import { target, readAs } from "../answers/parts.ts"

type ReceiptLine = Pick<NonNullable<Entry["receipt"]>, "operation" | "target" | "result">

/** What somebody did and what was done, for verbs in names of operations that do not only add "ed" or "d". */
const irregular: Readonly<Record<string, readonly [did: string, done?: string]>> = {
  amend: ["changed", "changed"],
  cancel: ["called off", "withdrawn"],
  release: ["gave back", "given back"],
  restore: ["restored", "opened again"],
  submit: ["submitted"],
  take: ["took", "taken"],
  transfer: ["transferred"],
  withdraw: ["withdrew"],
}
const regular = (verb: string): string => `${verb}${verb.endsWith("e") ? "d" : "ed"}`
/** The regular verbs whose operations have a message of their own. */
const announced = ["accept", "archive", "create", "propose", "publish", "register", "rename", "reuse", "revoke"]

/** Phrases for operations whose name does not make a good one. */
const phrases: Partial<Record<OperationName, string>> = {
  accept_plan: "pinned plan",
  add_member: "added a member",
  assert_correction: "posted correction",
  assert_dispute: "posted dispute",
  assert_retraction: "posted retraction",
  assert_supersession: "posted replacement",
  claim_work: "claimed work on",
  create_thread: "started a Thread",
  decide_join_request: "decided a request to join",
  link_experiment_finding: "related a finding to an experiment",
  post_message: "wrote a message",
  post_research_checkpoint: "posted a checkpoint",
  publish_cited_claim: "cited a claim",
  remove_member: "removed a member",
  release_claim: "released their claim on",
  report_attempt_event: "reported on",
  report_experiment_status: "updated",
  report_material_location: "reported a location of",
  request_to_join: "asked to join",
  restore_room: "opened the Room again",
  reuse_record: "reused a record",
  submit_review: "reviewed",
  withdraw_link: "withdrew",
  withhold_content: "withheld part of",
}

/** Describes an operation, without its target: "published hypothesis", "posted dispute". */
export function doneBy(operation: string): string {
  const phrase = isKeyOf(phrases, operation) ? phrases[operation] : undefined
  const [verb = "", ...rest] = operation.split("_")
  return phrase ?? [irregular[verb]?.[0] ?? regular(verb), ...rest].join(" ")
}

/** What somebody did to an experiment by reporting its status: "started", "completed". */
export const reportedOf = (operation: string, { status }: ReceiptLine["result"]): string | undefined =>
  operation === "report_experiment_status" && typeof status === "string" ? becoming(status) : undefined

/** What an attempt's receipt says happened: a running attempt that is reported again made progress. */
function happenedBy({ status, revision }: ReceiptLine["result"]): string | undefined {
  if (typeof status !== "string" || !isKeyOf(happened, status)) return undefined
  return happened[status === "started" && Number(revision) > 2 ? "progress" : status]
}

/** A receipt in a line: "A30 started", "published hypothesis H1", "added a member". */
export function receiptInWords({ operation, target: { kind, label }, result }: ReceiptLine): string {
  // "A3 succeeded" says it; that somebody reported it is what every receipt says.
  const event = operation === "report_attempt_event" ? happenedBy(result) : undefined
  if (event !== undefined && label !== null) return `${label} ${event}`
  const reported = reportedOf(operation, result)
  if (reported !== undefined) return `${reported} ${label ?? "an experiment"}`
  const done = doneBy(operation)
  return label === null && done.endsWith(words(kind)) ? done : `${done} ${label ?? `the ${words(kind)}`}`
}

/** The message after an operation: "Finding published." */
export function doneSentence(operation: string): string {
  const [verb = "", ...rest] = operation.split("_")
  const participle = announced.includes(verb) ? regular(verb) : irregular[verb]?.[1]
  const noun = rest.join(" ")
  return participle === undefined || noun === ""
    ? "Saved."
    : `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${participle}.`
}

// Which entries of a timeline accept replies.

/** Receipts that show an object. */
const shown: ReadonlySet<string> = new Set<OperationName>([
  "propose_experiment",
  "register_attempt",
  "submit_review",
  ...keysOf(linkKinds).map((kind) => linkKinds[kind].operation),
])

/**
 * Whether an entry accepts replies: a message, a card, or the receipt of a proposal, a registration, the outcome of an
 * attempt, a research link, or a review.
 */
export function takesReplies(kind: string, result: Readonly<Record<string, unknown>> | undefined): boolean {
  if (!receiptKinds.has(kind) || shown.has(kind)) return true
  const status = result?.status
  return kind === "report_attempt_event" && typeof status === "string" && isOneOf(states.attempt.terminal, status)
}

// The small form: a receipt without what its sender knows or seldom needs, for agents that pay for each byte they
// read.

const optional = v.exactOptional
const similarItems = v.array(shape({ label: v.string(), status: v.string(), says: freeText }))

/** Each member is in the same place as in the whole receipt. */
export const smallReceipt = shape({
  operation: v.string(),
  requestId: optional(id),
  clientMessageId: optional(id),
  target,
  /** Absent if `target` or `result` has it. */
  targetId: optional(v.string()),
  /** Without the label, which is in `target`, and without members that are null. */
  result: v.record(v.string(), v.unknown()),
  entry: optional(shape({ sequence: count })),
  activity: optional(shape({ sequence: count })),
  warnings: optional(v.array(shape({ code: v.string(), message: v.string() }))),
  readAs: optional(readAs),
  effects: optional(v.array(shape({ sentence: freeText, verdict: optional(v.nullable(v.string())) }))),
  sameExecution: optional(similarItems),
  similar: optional(similarItems),
  /** How many items of a list are left out here; the whole receipt has all of them. */
  more: optional(v.record(v.string(), count)),
  replayed: optional(v.literal(true)),
  credentialChanged: optional(v.literal(true)),
  rehearsed: optional(v.literal(true)),
  current: optional(v.record(v.string(), v.unknown())),
})

/** Characters of a text in a result. Then those of a sentence: the first length that fits. */
const WORDS = 60
const sentences = [200, 100, 60]

/** The members of an object that are neither null, nor a list or an object. */
const single = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter(([, inner]) => inner !== null && typeof inner !== "object"),
  )

const similarItemOf = ({ label, status, says }: NonNullable<Receipt["similar"]>[number]) => ({ label, status, says })

const effectOf = ({ sentence, verdict }: NonNullable<Receipt["effects"]>[number]) =>
  verdict === undefined ? { sentence } : { sentence, verdict }

const shortenedItem = (item: unknown, characters: number): unknown =>
  typeof item === "string"
    ? shortened(item, characters)
    : Object.fromEntries(
        Object.entries(isObject(item) ? item : {}).map(([name, text]) => [
          name,
          typeof text === "string" ? shortened(text, characters) : text,
        ]),
      )

type Members = Record<string, unknown>
type Place = readonly [holder: Members, name: string, items: readonly unknown[]]

/** The lists of a result that come before the others: a sender who reads nothing else must know of them. */
const FIRST = ["unreadable", "readAs"]
/** Bytes kept free for `more`. */
const RESERVE = 70

/** Adds as many items of each list as there is room for, and counts the others. */
function fill(small: Members, places: readonly Place[]): Members {
  const more: Record<string, number> = {}
  for (const [holder, name, items] of places) {
    const kept: unknown[] = []
    for (const item of items) {
      const fits = sentences
        .map((characters) => shortenedItem(item, characters))
        .find((cut) => {
          holder[name] = [...kept, cut]
          return Buffer.byteLength(JSON.stringify(small)) <= limits.smallReceiptBytes - RESERVE
        })
      if (fits === undefined) break
      kept.push(fits)
    }
    if (kept.length > 0) holder[name] = kept
    else delete holder[name]
    if (kept.length < items.length) more[name] = items.length - kept.length
  }
  return Object.keys(more).length === 0 ? small : { ...small, more }
}

/** Makes the small form: at most `limits.smallReceiptBytes`. The lists get the bytes that the other members leave. */
export function smallReceiptOf(receipt: Receipt): Members {
  const {
    operation,
    requestId,
    clientMessageId,
    target: made,
    targetId,
    entry,
    activity,
    readAs: columns,
    replayed,
    credentialChanged,
    rehearsed,
  } = receipt
  const rank = ([name]: readonly [string, unknown]) => FIRST.indexOf(name) + 1 || FIRST.length + 1
  const results = Object.entries(receipt.result)
    .filter(([name, value]) => name !== "label" && value !== null)
    .toSorted((one, other) => rank(one) - rank(other))
  const result: Members = {}
  for (const [name, value] of results)
    if (!Array.isArray(value)) result[name] = typeof value === "string" ? shortened(value, WORDS) : value
  const small: Members = {
    operation,
    requestId,
    clientMessageId,
    target: made,
    targetId: [made.id, ...Object.values(result)].includes(targetId) ? undefined : targetId,
    result,
    entry: entry === null ? undefined : { sequence: entry.sequence },
    activity: activity === null ? undefined : { sequence: activity.sequence },
    readAs: columns,
    replayed,
    credentialChanged,
    rehearsed,
    current: receipt.current === undefined ? undefined : single(receipt.current),
  }
  return fill(small, [
    ...results.flatMap(([name, value]): Place[] => (Array.isArray(value) ? [[result, name, value]] : [])),
    [small, "warnings", receipt.warnings.map(({ code, message }) => ({ code, message }))],
    [small, "effects", receipt.effects?.map(effectOf) ?? []],
    [small, "sameExecution", receipt.sameExecution?.map(similarItemOf) ?? []],
    [small, "similar", receipt.similar?.map(similarItemOf) ?? []],
  ])
}
