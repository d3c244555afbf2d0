/**
 * Lists what waits for the signed-in person: requests, replies, disputes, their work, and credentials about to expire.
 */
import { activityPage } from "../../contract/objects/objects.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import type { PersonsEntry } from "../../research/inbox/inbox.ts"
import { isoTime } from "../../ledger/world.ts"
import { address, entryPath, type Html, html, to } from "../html.ts"
import type { Visit } from "../visit.ts"
import { stateBadge } from "./marks.ts"
import { newsBlock } from "./news.ts"
import { readThrough } from "./seen.ts"
import { heading, label, named, person, time, actionButton } from "./parts.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { title } from "../words.ts"

/** A credential or key is listed this long before it expires, in milliseconds. */
const SOON = 14 * 24 * 3_600_000

/** The maximum number of characters of an entry's summary. */
const TOLD = 200
const AND = new Intl.ListFormat("en-GB")

// A request to join a Room.

type Asking = { readonly [N in "roomId" | "userId" | "username"]: string } & { readonly message: string | null }

/** The message and a button for each answer. After it the browser shows `next`, or the Room's people by default. */
export const joining = ({ roomId, userId, username, message }: Asking, next?: string): Html => {
  const given = { roomId, userId }
  return html`${message === null ? null : html`<p class="said" dir="auto">${message}</p>`}<div class="actions">\
${enumerations.joinDecision.map((decision) =>
  actionButton("decide_join_request", { ...given, "/decision": decision }, `${title(decision)} ${username}`, {
    ...(next !== undefined && { next }),
    danger: decision === "decline",
  }),
)}</div>`
}

const ends = (what: string, name: string, at: string, path: string): Html =>
  html`Your ${what} <a href="${to(path)}">${name}</a> expires ${time(at)}`

function found({ person: who, edge }: Visit): readonly Html[] {
  if (who === undefined) return []
  const { tables, world } = edge.instance
  const { userId } = who
  const [now, soon] = [isoTime(world.now()), isoTime(world.now() + SOON)]
  return [
    ...tables.members.waitingFor(userId).map(
      ({ title, at, ...asking }) =>
        html`${person(asking)} asks to join <a href="${to(`/rooms/${asking.roomId}/people#requests`)}" dir="auto">\
${title}</a> ${time(at)}${joining(asking, "/")}`,
    ),
    ...tables.library.invitations.receivedBy(userId).map(
      ({ collection, invitedBy, invitedAt }) =>
        html`${person({ username: invitedBy })} invites you to the Collection \
<a href="${to("/library#invitations")}">${collection.name}</a> ${time(invitedAt)}`,
    ),
    ...tables.links.disputesOf(userId).map(
      ({ linkId, versionId, label: text, kind, username, at }) =>
        html`${person({ username })} ${stateBadge("disputed", "disputes")} your ${label(kind, versionId, text)} \
${time(at)} <a href="${to(`/links/${linkId}`)}">Read and answer</a>`,
    ),
    ...tables.reviews
      .objectionsTo(userId)
      .map(
        ({ kind, id, label: text, at, ...who }) =>
          html`${person(who)} ${stateBadge("objects", "objects")} to your ${named(kind, id, text ?? kind)} ${time(at)}`,
      ),
    ...tables.threads.repliesTo(userId).map(
      ({ threadId, entryId, title, username, at }) =>
        html`${person({ username })} <a href="${to(entryPath(threadId, entryId))}">replied to you</a> in ${title} \
${time(at)}`,
    ),
    ...tables.experiments.assignedTo(userId).map(
      ({ experimentId, label: text, status }) =>
        html`<a class="label" href="${address("experiment", experimentId)}">\
${text}</a> is yours to work on: ${stateBadge(status)} \
<span dir="auto">${shortened(tables.experiments.read(experimentId)?.question ?? "", 120)}</span>`,
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

/** A line for each thing that waits. Computed once per page. */
export const waitingFor = (visit: Visit): readonly Html[] => known.getOrInsertComputed(visit, found)

/** The count in the header of every page. */
export const waitingMark = (visit: Visit): Html | null => {
  const { length } = known.get(visit) ?? []
  return visit.person === undefined
    ? null
    : html`<span id="waiting-mark" data-live>\
${
  length === 0
    ? null
    : html`<a class="waiting" href="${to("/#waiting")}">${length}<span class="aside"> waiting for you</span></a>`
}</span>`
}

/** The count before the title of a page: "(3) ". */
export const waitingCount = (visit: Visit): string => {
  const { length } = known.get(visit) ?? []
  return length === 0 ? "" : `(${length}) `
}

/** Why an entry concerns a person. All records that it bears on share one sentence. */
function reasons(concerns: PersonsEntry["concerns"]): string {
  const labels = concerns.flatMap(({ because, label }) => (because === "bears_on" && label !== null ? [label] : []))
  const others = concerns.filter(({ because, label }) => because !== "bears_on" || label === null)
  const together = labels.length === 0 ? [] : [`It is about ${AND.format(labels)}, which you wrote.`]
  return [...together, ...others.map(({ sentence }) => sentence)].join(" ")
}

function concerning(visit: Visit): readonly PersonsEntry[] {
  const { person, edge } = visit
  return person === undefined ? [] : edge.instance.concerning(person, edge.instance.world.now(), readThrough(visit))
}
const concern = ({ roomId, title, entry, summary, concerns }: PersonsEntry): Html =>
  html`<a href="${to(activityPage(roomId, entry))}" dir="auto">${shortened(oneLine(summary), TOLD)}</a> \
${reasons(concerns)} <span class="meta"><span dir="auto">${title}</span> <span>${time(entry.at)}</span></span>`

const list = (id: string, title: string, lines: readonly Html[]): Html | null =>
  lines.length === 0
    ? null
    : html`<section aria-labelledby="${id}">${heading(2, id, title)}<ul class="uses">\
${lines.map((line) => html`<li>${line}</li>`)}</ul></section>`

/** The blocks on the first page: what waits for the person, what else concerns them, and what is new in their Rooms. */
export function waitingBlock(visit: Visit): Html {
  const concerned = concerning(visit)
  const isTold = new Set(concerned.map(({ roomId, entry }) => `${roomId} ${entry.sequence}`))
  return html`${list("waiting", "Waiting for you", waitingFor(visit))}\
${list("concerns", "What concerns you", concerned.map(concern))}${newsBlock(visit, (roomId, { sequence }) =>
  isTold.has(`${roomId} ${sequence}`),
)}`
}
