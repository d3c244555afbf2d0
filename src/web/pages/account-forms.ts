/** The forms of one's own account, and what a refusal says beside their fields. */
import { limits } from "../../contract/limits.ts"
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { type Html, html, to } from "../html.ts"
import { field } from "../parts/entrance-field.ts"

/** A refusal in a sentence for the person; faults of a field are shown beside it. */
export const said = ({ code, message }: Refusal): string => (code === "invalid_schema" ? "Some of this needs correcting." : message)

/** What is wrong with a field. */
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

/** The parts of how somebody is cited, as the form asks for them: the name of each, what it is called, and a hint. */
export const parts = [
  ["name", "Name", "As you want to be cited, such as Ada Lovelace. Left empty, it is your name here."],
  ["givenName", "Given names", "With a family name, for styles that sort and shorten by them."],
  ["familyName", "Family name", undefined],
  ["orcid", "ORCID", "Such as 0000-0002-1825-0097. It is shown as your own statement. It is not checked with ORCID."],
] as const

export const descriptionForm = (given: Readonly<Record<string, string | null>>, refusal?: Refusal): Html =>
  html`<form class="stack" method="post" action="${to("/web/description")}">
    ${parts.map(([name, text, hint]) => field(name, text, { required: false, value: given[name] ?? "", maxlength: limits.title, autocomplete: "off" }, faultsOf(refusal, name), hint))}
    <div class="buttons"><button class="quiet">Be cited so</button></div></form>`
