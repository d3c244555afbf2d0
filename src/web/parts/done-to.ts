/** What somebody did, in words: the operation, and what it was done to. */
import { isKeyOf } from "../../contract/each.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { type Html, html, to } from "../html.ts"
import { words } from "../words.ts"

interface Target {
  readonly kind: string
  readonly label: string | null
}

/** What reads badly before its target by its name alone: said as its form does. */
const phrases: Partial<Record<OperationName, string>> = {
  withhold_content: "withhold_something_of",
  report_experiment_status: "say_how_it_stands_with",
  report_attempt_event: "say_what_happened_to",
  report_material_location: "say_what_became_of",
}

/** What an operation is called as something that was done to its target. */
export const did = (operation: string, said: (name: string) => string): string =>
  said(isKeyOf(phrases, operation) ? (phrases[operation] ?? operation) : operation)

/** "publish hypothesis H1", "request to join the room", "add member": what has no label is not named twice. @param path the target's page, where it has one */
export function doneTo(did: string, { kind, label }: Target, path: string | null | undefined): Html {
  const noun = words(kind)
  const isNamed = label === null && did.toLowerCase().endsWith(noun)
  const name = isNamed ? did : (label ?? `the ${noun}`)
  const linked =
    path === undefined || path === null ? name : html`<a class="${label === null ? "" : "label"}" href="${to(path)}">${name}</a>`
  return isNamed ? html`${linked}` : html`${did} ${linked}`
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
