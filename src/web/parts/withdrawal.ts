/** Links that their authors took back, and the way to take back one's own. */
import type { LinkKind } from "../../contract/schema/enumerations.ts"
import { linkKinds } from "../../contract/operations/link-kinds.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { phrase } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { stateBadge } from "./marks.ts"
import { time } from "./parts.ts"

/** Whether a person may take back a link: their own, as long as it stands, and no retraction. */
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

/** The way to take back a link of one's own; null for anybody else's. */
export const takeBack = (visit: Visit, link: OwnLink): Html | null =>
  mayTakeBack(visit, link) ? html`<a href="${to(withQuery("/do/withdraw_link", { linkId: link.linkId }))}">Take it back</a>` : null

/** The same as an item of a line of facts. */
export function ofOwn(visit: Visit, link: OwnLink): Html | null {
  const way = takeBack(visit, link)
  return way === null ? null : html`<span>${way}</span>`
}

/** That a link was taken back, and why; null while it stands. */
export const takenBack = (withdrawn: { readonly at: string; readonly explanation: string } | null | undefined): Html | null =>
  withdrawn == null
    ? null
    : html`<p class="taken-back">${stateBadge("withdrawn", "Taken back")} ${time(withdrawn.at)} by its author: ${phrase(withdrawn.explanation)} It no longer counts.</p>`

/** Text that no longer stands, struck through where its link was taken back. */
export const struckIf = (withdrawn: unknown, text: Content): Html => (withdrawn == null ? html`${text}` : html`<s>${text}</s>`)
