/** Describes what somebody did, from the operation and its target. */
import { isKeyOf } from "../../contract/each.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { type Html, html, to } from "../html.ts"
import { words } from "../words.ts"

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

/**
 * Describes an operation with its target: "published hypothesis H1", "added a member". @param path the target's page,
 * if it has one
 */
export function doneTo(
  done: string,
  { kind, label }: { readonly kind: string; readonly label: string | null },
  path: string | null | undefined,
): Html {
  const noun = words(kind)
  const isNamed = label === null && done.toLowerCase().endsWith(noun)
  const name = isNamed ? done : (label ?? `the ${noun}`)
  const linked =
    path === undefined || path === null
      ? name
      : html`<a class="${label === null ? "" : "label"}" href="${to(path)}">${name}</a>`
  return isNamed ? html`${linked}` : html`${done} ${linked}`
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
