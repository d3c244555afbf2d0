/** What somebody did, in words: the operation, and what it was done to. */
import { isKeyOf } from "../../contract/each.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { type Html, html, to } from "../html.ts"
import { words } from "../words.ts"

interface Target {
  readonly kind: string
  readonly label: string | null
}

/** What each verb of an operation's name is called once somebody did it, where it does not end in "ed" or "d" alone. */
const did: Readonly<Record<string, string>> = {
  accept: "accepted",
  amend: "changed",
  cancel: "called off",
  post: "posted",
  publish: "published",
  register: "registered",
  release: "gave back",
  submit: "submitted",
  take: "took",
  transfer: "handed over",
  withdraw: "took back",
}
/** What reads badly made of its name. */
const phrases: Partial<Record<OperationName, string>> = {
  add_member: "added a member",
  assert_correction: "corrected a record in",
  assert_dispute: "disputed a record in",
  assert_retraction: "retracted a record in",
  assert_supersession: "superseded a record in",
  claim_work: "said what they work on",
  create_thread: "started a Thread",
  decide_join_request: "decided a request to join",
  link_experiment_finding: "related a finding to an experiment",
  post_message: "wrote a message",
  post_research_checkpoint: "posted a checkpoint",
  publish_cited_claim: "cited a claim",
  remove_member: "removed a member",
  release_claim: "gave up what they worked on",
  report_attempt_event: "said what happened to",
  report_experiment_status: "said how it stands with",
  report_material_location: "said what became of",
  request_to_join: "asked to join",
  restore_room: "opened the Room again",
  reuse_record: "reused a record",
  submit_review: "reviewed",
  withdraw_link: "took back",
  withhold_content: "withheld something of",
}

/** What somebody did by an operation, before its target: "published hypothesis", "disputed a record in". */
export function doneBy(operation: string): string {
  const phrase = isKeyOf(phrases, operation) ? phrases[operation] : undefined
  const [verb = "", ...rest] = operation.split("_")
  return phrase ?? [did[verb] ?? `${verb}${verb.endsWith("e") ? "d" : "ed"}`, ...rest].join(" ")
}

/** "published hypothesis H1", "added a member": what has no label is not named twice. @param path the target's page, where it has one */
export function doneTo(done: string, { kind, label }: Target, path: string | null | undefined): Html {
  const noun = words(kind)
  const isNamed = label === null && done.toLowerCase().endsWith(noun)
  const name = isNamed ? done : (label ?? `the ${noun}`)
  const linked =
    path === undefined || path === null ? name : html`<a class="${label === null ? "" : "label"}" href="${to(path)}">${name}</a>`
  return isNamed ? html`${linked}` : html`${done} ${linked}`
}

/** What each verb of an operation's name is called once it is done. */
const past: Readonly<Record<string, string>> = {
  accept: "accepted",
  amend: "changed",
  archive: "archived",
  cancel: "withdrawn",
  create: "created",
  propose: "proposed",
  publish: "published",
  register: "registered",
  release: "given back",
  rename: "renamed",
  restore: "opened again",
  reuse: "reused",
  revoke: "revoked",
  take: "taken",
}

/** "Finding published." @param operation its name */
export function doneSentence(operation: string): string {
  const [verb = "", ...rest] = operation.split("_")
  const said = past[verb]
  const noun = rest.join(" ")
  return said === undefined || noun === "" ? "Saved." : `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${said}.`
}
