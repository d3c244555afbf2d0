/** Shows the state and the last use of a token, in lists of credentials and keys. */
import { type Html, html } from "../html.ts"
import { stateBadge } from "./marks.ts"
import { time } from "./parts.ts"

interface Life {
  readonly expiresAt: string
  readonly revokedAt: string | null
}

/** A badge for a revoked or expired token. Null while it is valid. */
export const tokenOver = ({ revokedAt, expiresAt }: Life, now: number): Html | null =>
  revokedAt !== null ? stateBadge("retracted", "revoked") : Date.parse(expiresAt) <= now ? stateBadge("cancelled", "expired") : null

export const tokenState = (life: Life, now: number): Html => tokenOver(life, now) ?? stateBadge("completed", "in use")

export const lastUse = (at: string | null): Html => (at === null ? html`<span class="quiet">never</span>` : time(at))

export const actionsHead = html`<span class="aside">Actions</span>`
