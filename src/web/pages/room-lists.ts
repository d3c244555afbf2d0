/** The lists of a Room: Threads, hypotheses, findings, materials and links. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { readPath, withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { inlineMarkdown, markdownInLink } from "../markdown.ts"
import { act, forMembers } from "../parts/actions.ts"
import { evidenceBeside, tally } from "../parts/evidence.ts"
import { stateBadge } from "../parts/marks.ts"
import { digest, empty, fromOther, heading, label, more, person, recordChip, table, time } from "../parts/parts.ts"
import { roomRail, type Room } from "../parts/room-frame.ts"
import { ofOwn, struckIf, takenBack } from "../parts/withdrawal.ts"
import type { Shown, Visit } from "../visit.ts"
import { words } from "../words.ts"

interface Section {
  readonly path: string
  readonly name: string
  readonly json: string
  readonly actions?: Content
  readonly list: Content
  readonly next?: string | null
}

/** Returns the page of a section: a heading, actions, and a list that the script keeps up to date. */
export const section = (visit: Visit, room: Room, { path, name, json, actions, list, next = null }: Section): Shown => ({
  title: `${name} · ${room.title}`,
  rail: roomRail(room, path),
  json,
  follow: { roomId: room.roomId, after: room.activityWatermark },
  body: html`<h1>${name}</h1>
    ${actions === undefined ? null : html`<section aria-label="Actions">${forMembers(visit, room, actions)}</section>`}<div id="live-list" data-live>${list}</div>
    ${more(next)}`,
})

/** Renders a hypothesis in a list, with its verdict, its tally and its newest evidence. */
const hypothesisItem = (record: AnswerOf<"hypotheses">["items"][number], beside: ReturnType<typeof evidenceBeside>): Html =>
  html`<li data-entry><p class="meta"><span>${label("hypothesis", record.versionId, record.label)}</span><span>${stateBadge(record.verdict ?? "untested")}</span>${
    record.status === "current" ? null : html`<span>${stateBadge(record.status)}</span>`
  }<span>${tally(record.evidenceTally, record.author.username)}</span><span>${person(record.author)}</span><span>${time(record.createdAt)}</span></p>
<a class="wording" href="${to(`/records/${record.versionId}`)}" dir="auto">${markdownInLink(record.wording)}</a>${beside(record.versionId)}</li>`

const cursor = ({ url }: Visit) => url.searchParams.get("after") ?? undefined
const nextPath = (room: Room, path: string, after: string | number | null | undefined) =>
  after === null || after === undefined ? null : withQuery(`/rooms/${room.roomId}${path}`, { after })
export const roomOf = (visit: Visit) => visit.ask("room", visit.params)

export function threadsPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, hasMore, nextCursor } = visit.ask("room_threads", visit.params, { after: cursor(visit) })
  const rows = items.map(
    (thread) =>
      html`<tr data-entry><td><a href="${to(`/threads/${thread.threadId}`)}" dir="auto">${thread.title}</a>${thread.opening ? html` <span class="tag">opening</span>` : null}${thread.stale ? html` ${stateBadge("disputed", "conclusion stale")}` : null}</td>
    <td>${person(thread.author)}</td><td class="number">${thread.timelineWatermark}</td><td>${time(thread.lastActivityAt)}</td></tr>`,
  )
  return section(visit, room, {
    path: "/threads",
    name: "Threads",
    json: readPath("room_threads", { roomId: room.roomId }),
    next: hasMore ? nextPath(room, "/threads", nextCursor) : null,
    actions: act("create_thread", { roomId: room.roomId }, "Start a Thread", "first"),
    list: table("Threads", ["Thread", "Started by", "Entries", "Last activity"], rows),
  })
}

export function hypothesesPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, nextCursor } = visit.ask("hypotheses", {}, { roomId: room.roomId, after: cursor(visit) })
  const beside = evidenceBeside(visit, items)
  const rows = items.map((record) => hypothesisItem(record, beside))
  return section(visit, room, {
    path: "/hypotheses",
    name: "Hypotheses",
    json: readPath("hypotheses", {}, { roomId: room.roomId }),
    next: nextPath(room, "/hypotheses", nextCursor),
    actions: act("publish_hypothesis", { roomId: room.roomId, threadId: room.openingThreadId }, "Publish a hypothesis", "first"),
    list: rows.length === 0 ? empty("No hypothesis yet.") : html`<ul class="cards">${rows}</ul>`,
  })
}

export function findingsPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, nextCursor } = visit.ask("room_publications", visit.params, { after: cursor(visit) })
  const shown = items.filter(({ kind }) => kind !== "hypothesis")
  const rows = shown.map(
    (record) =>
      html`<li data-entry><p class="meta"><span>${label(record.kind, record.versionId, record.label)} ${words(record.kind)}</span>${
        record.outcome === null ? null : html`<span>${stateBadge(record.outcome)}</span>`
      }${
        record.status === "current" ? null : html`<span>${stateBadge(record.status)}</span>`
      }<span>${tally(record.evidenceTally, record.author.username)}</span><span>${person(record.author)}</span><span>${time(record.createdAt)}</span></p>
    <a class="wording" href="${to(`/records/${record.versionId}`)}" dir="auto">${markdownInLink(record.wording)}</a><p class="hint">${record.provenanceSummary}</p>
    </li>`,
  )
  const at = { roomId: room.roomId, threadId: room.openingThreadId }
  return section(visit, room, {
    path: "/findings",
    name: "Findings and cited claims",
    json: readPath("room_publications", { roomId: room.roomId }),
    next: nextPath(room, "/findings", nextCursor),
    actions: html`${act("publish_finding", at, "Publish a finding", "first")}${act("publish_cited_claim", at, "Cite a claim")}`,
    list:
      rows.length === 0
        ? empty("No finding yet. A finding reports a result with its evidence. It can be positive, negative or inconclusive.")
        : html`<ul class="cards">${rows}</ul>`,
  })
}

export function materialsPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, nextCursor } = visit.ask("room_materials", visit.params, { after: cursor(visit) })
  const rows = items.map(
    (material) => html`<tr data-entry><td>${label("material", material.materialId, material.label)}${fromOther(material)}</td>
    <td><a href="${to(`/materials/${material.materialId}`)}">${material.name}</a></td><td>${stateBadge(material.obtainability)}</td>
    <td>${digest(material.reference)}</td><td>${person(material.registeredBy)}</td></tr>`,
  )
  return section(visit, room, {
    path: "/materials",
    name: "Materials",
    json: readPath("room_materials", { roomId: room.roomId }),
    next: nextPath(room, "/materials", nextCursor),
    actions: act("register_material", { roomId: room.roomId, threadId: room.openingThreadId }, "Register a material", "first"),
    list:
      rows.length === 0
        ? empty("No material yet. A material is an input or output, identified by its content: a digest or a pinned reference.")
        : table("Materials", ["", "Name", "Obtainable", "Reference", "Registered by"], rows),
  })
}

const linkRow = (visit: Visit, link: AnswerOf<"room_links">["items"][number]): Html =>
  html`<li data-entry><p class="meta"><span>${label("link", link.linkId, link.label)}</span><span>${struckIf(link.withdrawn, stateBadge(link.kind))}</span><span>${person(link.author)}</span><span>${time(link.at)}</span>${ofOwn(visit, link)}</p>
  ${recordChip(link.target, 140)}${link.replacement === null ? null : html` replaced by ${recordChip(link.replacement, 140)}`}<p class="said" dir="auto">${struckIf(link.withdrawn, inlineMarkdown(link.explanation))}</p>${takenBack(link.withdrawn)}
  </li>`

export function linksPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, nextCursor } = visit.ask("room_links", visit.params, { after: cursor(visit) })
  const { findingLinks } = visit.ask("room_context", visit.params, { parts: "findingLinks" })
  const related = findingLinks.map(
    (link) => html`<tr><td>${label("finding", link.finding.versionId, link.finding.label)}</td>
    <td>${struckIf(link.withdrawn, stateBadge(link.towardQuestion.verdict))} ${label("experiment", link.experimentId, link.experimentLabel)}</td>
    <td>${link.towardHypothesis.map(({ versionId, label: text, verdict }) => html`${struckIf(link.withdrawn, stateBadge(verdict))} ${label("hypothesis", versionId, text)} `)}${takenBack(link.withdrawn)}</td>
    <td>${person(link.author)}${ofOwn(visit, link)}</td><td><a href="${to(`/links/${link.linkId}`)}">the link</a></td></tr>`,
  )
  return section(visit, room, {
    path: "/links",
    name: "Links",
    json: readPath("room_links", { roomId: room.roomId }),
    next: nextPath(room, "/links", nextCursor),
    list: html`<section aria-labelledby="said">${heading(2, "said", "Later statements about records")}${
      items.length === 0
        ? empty("Nothing was corrected, superseded, disputed or retracted.")
        : html`<ul class="cards">${items.map((link) => linkRow(visit, link))}</ul>`
    }</section>
<section aria-labelledby="related">${heading(2, "related", "Findings related to experiments")}${related.length === 0 ? empty("No finding is related to an experiment.") : table("Finding links", ["Finding", "Toward the question", "Toward hypotheses", "Said by", ""], related)}</section>`,
  })
}
