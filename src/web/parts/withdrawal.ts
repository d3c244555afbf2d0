/** Shows links that were taken back, and lets authors take back their own. */
import type { LinkKind } from "../../contract/schema/enumerations.ts"
import { linkKinds } from "../../contract/operations/link-kinds.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { phrase } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { stateBadge } from "./marks.ts"
import { time } from "./parts.ts"

/** Whether the visitor may take back a link: it is theirs, has not been taken back, and is not a retraction. */
const mayTakeBack = (visit: Visit, { author, withdrawn, kind }: OwnLink): boolean =>
  visit.past === undefined &&
  author.userId === visit.person?.userId &&
  withdrawn == null &&
  (kind === "finding_link" || kind === "review" || !linkKinds[kind].final)

export interface OwnLink {
  readonly linkId: string
  readonly kind: LinkKind | "finding_link" | "review"
  readonly author: { readonly userId: string }
  readonly withdrawn?: object | null | undefined
}

/** A page link for taking back a link. Null if the visitor may not. */
export const takeBack = (visit: Visit, link: OwnLink): Html | null =>
  mayTakeBack(visit, link) ? html`<a href="${to(withQuery("/do/withdraw_link", { linkId: link.linkId }))}">Take it back</a>` : null

/** The same page link in a span, for a line of facts. */
export function ofOwn(visit: Visit, link: OwnLink): Html | null {
  const way = takeBack(visit, link)
  return way === null ? null : html`<span>${way}</span>`
}

/** Says that a link was taken back, and why. Null if it was not. */
export const takenBack = (withdrawn: { readonly at: string; readonly explanation: string } | null | undefined): Html | null =>
  withdrawn == null
    ? null
    : html`<p class="taken-back">${stateBadge("withdrawn", "Taken back")} ${time(withdrawn.at)} by its author: ${phrase(withdrawn.explanation)} It no longer counts.</p>`

/** Strikes a text through if its link was taken back. */
export const struckIf = (withdrawn: unknown, text: Content): Html => (withdrawn == null ? html`${text}` : html`<s>${text}</s>`)
