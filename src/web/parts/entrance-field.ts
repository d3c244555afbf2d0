/** The inputs of the forms for signing in and for accounts, and the message above a refused one. */
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { attributes, type Html, html } from "../html.ts"

/** @param refusal the refusal of the form, which may have found faults in the value */
export function field(
  name: string,
  text: string,
  more: Readonly<Record<string, string | number | boolean | null>>,
  refusal?: Refusal,
  hint?: string,
): Html {
  const isTaken = name === "username" && refusal?.details.current?.username !== undefined
  const faults = isTaken
    ? [refusal.message]
    : (refusal?.details.issues ?? []).flatMap(({ path, message }) => (path === `/${name}` ? [`It ${message}.`] : []))
  const isWrong = faults.length > 0
  const described = isWrong ? `${name}-fault` : hint && `${name}-hint`
  return html`<div class="field${isWrong ? " wrong" : ""}"><label for="${name}">${text}</label>
    <input${attributes({
      id: name,
      name,
      required: true,
      "aria-invalid": isWrong ? "true" : null,
      "aria-describedby": described,
      ...more,
    })}>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}\
${isWrong && html`<p class="fault" id="${name}-fault">${faults.join(" ")}</p>`}</div>`
}

/** The message above a refused form. Faults of a field are shown beside the field. @param before what did not happen */
export const refusedBox = (refusal: Refusal | undefined, before = ""): Html | undefined =>
  refusal &&
  html`<div class="refused" role="alert"><p>${before}\
${refusal.code === "invalid_schema" ? "Correct what is marked below." : refusal.message}</p></div>`
