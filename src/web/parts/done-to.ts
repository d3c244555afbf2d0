/** Describes what somebody did, with a link to what they did it to. */
import { type Html, html, to } from "../html.ts"
import { words } from "../words.ts"

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
