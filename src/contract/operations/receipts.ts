/** What a receipt shows: what somebody did, in words, and whether it accepts replies. */
import type { Entry } from "../answers/index.ts"
import { words } from "../definitions/sentence.ts"
import { isKeyOf, isOneOf, keysOf } from "../typed.ts"
import { happened } from "./attempts.ts"
import { becoming } from "./experiments.ts"
import { type OperationName, receiptKinds } from "./index.ts"
import { states } from "../states.ts"
import { linkKinds } from "./link-kinds.ts"

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
