/** The forms on the account page, and how they show a refusal. */
import { limits } from "../../contract/limits.ts"
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { type Html, html, to } from "../html.ts"
import { field } from "../parts/entrance-field.ts"

/** Returns the sentence above a form for a refusal. Faults of a field are shown beside the field. */
export const refusalText = ({ code, message }: Refusal): string => (code === "invalid_schema" ? "Some of this needs correcting." : message)

/** Returns the messages of a refusal about one field. */
export const faultsOf = (refusal: Refusal | undefined, name: string): string[] =>
  (refusal?.details.issues ?? []).filter(({ path }) => path === `/${name}`).map(({ message }) => message)

export const passwordForm = (refusal?: Refusal): Html => {
  const faults = (name: string) => faultsOf(refusal, name)
  const common = { type: "password", maxlength: limits.passwordMax }
  return html`<form class="stack" method="post" action="${to("/web/password")}">
    ${field("currentPassword", "Current password", { ...common, autocomplete: "current-password" }, faults("currentPassword"))}
    ${field("password", "New password", { ...common, autocomplete: "new-password" }, faults("password"), `At least ${limits.passwordMin} characters. Every other browser is signed out.`)}
    <div class="buttons"><button class="quiet">Change the password</button></div></form>`
}

/** The fields for how a person is cited: name, label and hint. */
export const citationFields = [
  ["name", "Name", "As you want to be cited, such as Ada Lovelace. If left empty, your user name is used."],
  ["givenName", "Given names", "With a family name, for citation styles that sort or abbreviate names."],
  ["familyName", "Family name", undefined],
  ["orcid", "ORCID", "Such as 0000-0002-1825-0097. It is shown as your own statement and is not checked with ORCID."],
] as const

export const descriptionForm = (values: Readonly<Record<string, string | null>>, refusal?: Refusal): Html =>
  html`<form class="stack" method="post" action="${to("/web/description")}">
    ${citationFields.map(([name, text, hint]) => field(name, text, { required: false, value: values[name] ?? "", maxlength: limits.title, autocomplete: "off" }, faultsOf(refusal, name), hint))}
    <div class="buttons"><button class="quiet">Save</button></div></form>`
