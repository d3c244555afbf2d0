/** What waits for the person who is signed in: what others asked of them, said to them or of their records, and what is about to end. */
import { isoTime } from "../../ledger/world.ts"
import { address, entryPath } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import type { Visit } from "../visit.ts"
import { joining } from "./joining.ts"
import { stateBadge } from "./marks.ts"
import { heading, label, named, person, time } from "./parts.ts"

/** A credential or key that ends sooner than this, in milliseconds, waits to be rotated. */
const SOON = 14 * 24 * 3_600_000

const ends = (what: string, name: string, at: string, path: string): Html =>
  html`Your ${what} <a href="${to(path)}">${name}</a> ends ${time(at)}`

function found({ person: who, edge }: Visit): readonly Html[] {
  if (who === undefined) return []
  const { tables, world } = edge.instance
  const { userId } = who
  const [now, soon] = [isoTime(world.now()), isoTime(world.now() + SOON)]
  return [
    ...tables.members
      .waitingFor(userId)
      .map(
        ({ title, at, ...asking }) =>
          html`${person(asking)} asks to join <a href="${to(`/rooms/${asking.roomId}/people#requests`)}" dir="auto">${title}</a> ${time(at)}${joining(asking, "/")}`,
      ),
    ...tables.library.invitations
      .receivedBy(userId)
      .map(
        ({ collection, invitedBy, invitedAt }) =>
          html`${person({ username: invitedBy })} invites you to the Collection <a href="${to("/library#invitations")}">${collection.name}</a> ${time(invitedAt)}`,
      ),
    ...tables.links
      .disputesOf(userId)
      .map(
        ({ versionId, label: text, kind, username, at }) =>
          html`${person({ username })} ${stateBadge("disputed", "disputes")} your ${label(kind, versionId, text)} ${time(at)}`,
      ),
    ...tables.reviews
      .objectionsTo(userId)
      .map(
        ({ kind, id, label: text, at, ...who }) =>
          html`${person(who)} ${stateBadge("objects", "objects")} to your ${named(kind, id, text ?? kind)} ${time(at)}`,
      ),
    ...tables.threads
      .repliesTo(userId)
      .map(
        ({ threadId, entryId, title, username, at }) =>
          html`${person({ username })} <a href="${to(entryPath(threadId, entryId))}">replied to you</a> in ${title} ${time(at)}`,
      ),
    ...tables.experiments
      .assignedTo(userId)
      .map(
        ({ experimentId, label: text, status }) =>
          html`<a class="label" href="${address("experiment", experimentId)}">${text}</a> is yours to work on: ${stateBadge(status)}`,
      ),
    ...tables.credentials
      .endingOf(userId, now, soon)
      .map(({ roomId, label: text, at }) => ends("credential", text, at, `/rooms/${roomId}/people#credentials`)),
    ...tables.library.keys
      .ofPerson(userId)
      .filter(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt > now && expiresAt <= soon)
      .map(({ label: text, expiresAt }) => ends("personal key", text, expiresAt, "/account#keys")),
  ]
}

const known = new WeakMap<Visit, readonly Html[]>()

/** A line for each thing that waits; looked for once a page, in its moment. */
export function waitingFor(visit: Visit): readonly Html[] {
  const lines = known.get(visit) ?? found(visit)
  known.set(visit, lines)
  return lines
}

/** The mark in the header of every page. */
export const waitingMark = (visit: Visit): Html | null => {
  const { length } = known.get(visit) ?? []
  return visit.person === undefined
    ? null
    : html`<span id="waiting-mark" data-live>${length === 0 ? null : html`<a class="waiting" href="${to("/#waiting")}">${length}<span class="aside"> waiting for you</span></a>`}</span>`
}

/** "(3) " before the title of a page while three things wait. */
export const waitingCount = (visit: Visit): string => {
  const { length } = known.get(visit) ?? []
  return length === 0 ? "" : `(${length}) `
}

/** The block on the first page. */
export const waitingBlock = (visit: Visit): Html | null => {
  const lines = waitingFor(visit)
  return lines.length === 0
    ? null
    : html`<section aria-labelledby="waiting">${heading(2, "waiting", "Waiting for you")}<ul class="uses">${lines.map((line) => html`<li>${line}</li>`)}</ul></section>`
}
