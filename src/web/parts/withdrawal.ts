/** Shows links that were withdrawn, and lets authors withdraw their own. */
import type { LinkKind } from "../../contract/schema/enumerations.ts"
import { linkKinds } from "../../contract/operations/link-kinds.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { phrase } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { stateBadge } from "./marks.ts"
import { time } from "./parts.ts"

/** Whether the visitor may withdraw a link: it is theirs, is not withdrawn, and is not a retraction. */
const mayWithdraw = (visit: Visit, { author, withdrawn, kind }: OwnLink): boolean =>
  visit.canAct &&
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
  mayWithdraw(visit, link)
    ? html`<a href="${to(withQuery("/do/withdraw_link", { linkId: link.linkId }))}">Withdraw it</a>`
    : null

/** The same page link in a span, for a line of facts. */
export function ofOwn(visit: Visit, link: OwnLink): Html | null {
  const way = takeBack(visit, link)
  return way === null ? null : html`<span>${way}</span>`
}

/** Says that a link was withdrawn, and why. Null if it was not. */
export const takenBack = (
  withdrawn: { readonly at: string; readonly explanation: string } | null | undefined,
): Html | null =>
  withdrawn == null
    ? null
    : html`<p class="taken-back">${stateBadge("withdrawn", "Withdrawn")} ${time(withdrawn.at)} by its author: \
${phrase(withdrawn.explanation)} It no longer counts.</p>`

/** Strikes a text through if its link was withdrawn. */
export const struckIf = (withdrawn: unknown, text: Content): Html =>
  withdrawn == null ? html`${text}` : html`<s>${text}</s>`
