/** What opens doors, as an operator sees it: credentials of every Room, everybody's personal keys, invitations. */
import { withQuery } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import { stateBadge } from "../parts/marks.ts"
import { askedOnce, empty, more, table, time } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { joinedWords } from "../words.ts"
import { adminShown, nextBefore, PAGE } from "./admin.ts"
import { personButton } from "./admin-people.ts"

const state = (revokedAt: string | null, expiresAt: string, now: number): Html =>
  revokedAt !== null
    ? stateBadge("retracted", "revoked")
    : Date.parse(expiresAt) <= now
      ? stateBadge("cancelled", "expired")
      : stateBadge("completed", "in use")

/** The first signs of a token, by which one that turned up somewhere is known again. */
const starts = (tokenStart: string | null): Html =>
  tokenStart === null ? html`<span class="quiet">not kept</span>` : html`<code>${tokenStart}…</code>`

const used = (at: string | null): Html => (at === null ? html`<span class="quiet">never</span>` : time(at))

interface Token {
  readonly label: string
  readonly owner: { readonly userId: string; readonly username: string }
  readonly permissions: readonly string[]
  readonly tokenStart: string | null
  readonly expiresAt: string
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

/** A row of a token, with what is its kind's own beside whose it is. */
function tokenRow({ label, owner, permissions, tokenStart, expiresAt, revokedAt, lastUsedAt }: Token, where: Html, now: number): Html {
  const { userId, username } = owner
  const ends = askedOnce(
    html`End all<span class="aside"> of ${username}</span>`,
    "All credentials of this person, in every Room, and personal keys end at once, and cannot be opened again.",
    personButton("end_access", userId, html`End all credentials and keys of ${username}`, true),
  )
  return html`<tr><th scope="row">${label}</th><td data-is="of">${username}</td><td>${where}</td><td data-is="token">${starts(tokenStart)}</td><td>${joinedWords(permissions)}</td>
<td>${state(revokedAt, expiresAt, now)}</td><td data-is="expires">${time(expiresAt)}</td><td data-is="last use">${used(lastUsedAt)}</td><td>${revokedAt === null && Date.parse(expiresAt) > now ? ends : null}</td></tr>`
}

const HEAD = ["Label", "Of", "For", "Token", "May", "State", "Expires", "Last use", html`<span class="aside">Actions</span>`]

export function adminCredentialsPage(visit: Visit): Shown {
  const { credentials } = visit.tables
  const now = visit.edge.instance.world.now()
  const rows = credentials.page(visit.url.searchParams.get("before"), PAGE + 1)
  const next = nextBefore(rows, ({ credentialId }) => credentialId)
  return adminShown(
    "/credentials",
    "Credentials",
    rows.length === 0
      ? empty("Nobody has issued a credential yet.")
      : html`${table(
          "Credentials of every Room",
          HEAD,
          rows
            .slice(0, PAGE)
            .map((row) =>
              tokenRow(
                row,
                html`<a href="${to(`/rooms/${row.roomId}/people`)}">its Room<span class="aside">, for ${row.label}</span></a>`,
                now,
              ),
            ),
          "stacked",
        )}${more(next === null ? null : withQuery("/admin/credentials", { before: next }))}
<p class="hint">A single one is revoked by its holder, its Room's owner, or <code>research-room credential revoke ID</code>.</p>`,
  )
}

export function adminKeysPage(visit: Visit): Shown {
  const { keys } = visit.tables.library
  const now = visit.edge.instance.world.now()
  const rows = keys.page(visit.url.searchParams.get("before"), PAGE + 1)
  const next = nextBefore(rows, ({ keyId }) => keyId)
  return adminShown(
    "/keys",
    "Personal keys",
    rows.length === 0
      ? empty("Nobody has issued a personal key yet.")
      : html`${table(
          "Everybody's personal keys",
          HEAD,
          rows.slice(0, PAGE).map((row) => tokenRow(row, html`Library: ${row.reach}`, now)),
          "stacked",
        )}${more(next === null ? null : withQuery("/admin/keys", { before: next }))}
<p class="hint">A single one is revoked by its holder, or <code>research-room key revoke ID</code>.</p>`,
  )
}

export function adminInvitationsPage(visit: Visit): Shown {
  const now = visit.edge.instance.world.now()
  const rows = visit.tables.invitations.page(visit.url.searchParams.get("before"), PAGE + 1)
  const next = nextBefore(rows, ({ invitationId }) => invitationId)
  return adminShown(
    "/invitations",
    "Invitations",
    rows.length === 0
      ? empty("Nobody has been invited yet.")
      : html`${table(
          "Invitations",
          ["Made", "By", "Into", "State"],
          rows.slice(0, PAGE).map(
            ({ invitedBy, roomId, title, createdAt, expiresAt, acceptedBy, revokedAt }) =>
              html`<tr><td>${time(createdAt)}</td><td data-is="by">${invitedBy}</td><td data-is="into">${roomId === null ? "the service" : html`<a href="${to(`/rooms/${roomId}`)}">${title}</a>`}</td>
<td>${acceptedBy !== null ? html`accepted by ${acceptedBy}` : revokedAt !== null ? html`taken back ${time(revokedAt)}` : Date.parse(expiresAt) <= now ? "expired" : html`open until ${time(expiresAt)}`}</td></tr>`,
          ),
          "stacked",
        )}${more(next === null ? null : withQuery("/admin/invitations", { before: next }))}
<p class="hint">Whoever is disabled has no open invitation any more.</p>`,
  )
}
