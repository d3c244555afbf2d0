/** What somebody did, in words: the operation, and what it was done to. */
import type { OperationName } from "../../contract/operations/index.ts"
import { type Html, html, to } from "../html.ts"
import { words } from "../words.ts"

interface Target {
  readonly kind: string
  readonly label: string | null
}

/** What an operation is called as something that was done to its target. */
export const did = (operation: string, said: (name: string) => string): string =>
  said(operation === ("withhold_content" satisfies OperationName) ? "withhold_something_of" : operation)

/** "publish hypothesis H1", "add member": what has no label is not named twice. @param path the target's page, where it has one */
export function doneTo(did: string, { kind, label }: Target, path: string | null | undefined): Html {
  const noun = words(kind)
  const isNamed = label === null && did.toLowerCase().endsWith(noun)
  const name = isNamed ? did : (label ?? noun)
  const linked =
    path === undefined || path === null ? name : html`<a class="${label === null ? "" : "label"}" href="${to(path)}">${name}</a>`
  return isNamed ? html`${linked}` : html`${did} ${linked}`
}
