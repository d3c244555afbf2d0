/** The lists of a Room: Threads, hypotheses, findings, materials and links. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { readPath, type Content, type Html, html, to } from "../html.ts"
import { inlineMarkdown, markdownInLink } from "../markdown.ts"
import { act, forMembers } from "../parts/actions.ts"
import { evidenceBeside, tally, ofOwn, struckIf, takeBack, takenBack } from "../parts/evidence.ts"
import { stateBadge } from "../parts/marks.ts"
import {
  list,
  nextPage,
  recordItem,
  section,
  tableOr,
  digest,
  empty,
  fromOther,
  label,
  person,
  recordChip,
  table,
  time,
  ofHypothesis,
} from "../parts/parts.ts"
import { following, type Room } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"

interface Section {
  readonly path: string
  readonly name: string
  readonly json: string
  readonly lead?: Content
  readonly actions?: Content
  readonly list: Content
  readonly next: string | number | null | undefined
}

/** Returns the page of a section: a heading, actions, and a list that the script keeps up to date. */
export const sectionPage = (
  visit: Visit,
  room: Room,
  { path, name, json, lead, actions, list, next }: Section,
): Shown => ({
  title: `${name} · ${room.title}`,
  ...following(room, path),
  json,
  body: html`<h1>${name}</h1>${lead && html`<p class="meta"><span>${lead}</span></p>`}
    ${actions === undefined ? null : html`<section aria-label="Actions">${forMembers(visit, room, actions)}</section>`}\
<div id="live-list" data-live>${list}</div>
    ${nextPage(visit, next)}`,
})

/** Renders a hypothesis in a list, with its verdict, its tally and its newest evidence. */
const hypothesisItem = (
  record: AnswerOf<"hypotheses">["items"][number],
  beside: ReturnType<typeof evidenceBeside>,
): Html =>
  html`<li data-entry><p class="meta"><span>${label("hypothesis", record.versionId, record.label)}</span>\
<span>${stateBadge(record.verdict ?? "untested")}</span>${
    record.status === "current" ? null : html`<span>${stateBadge(record.status)}</span>`
  }<span>${tally(record.evidenceTally, record.author.username)}</span><span>${person(record.author)}</span>\
<span>${time(record.createdAt)}</span></p>
<a class="wording" href="${to(`/records/${record.versionId}`)}" dir="auto">${markdownInLink(record.wording)}</a>\
${beside(record.versionId)}</li>`

export const roomOf = (visit: Visit) => visit.room(visit.id("roomId"))

export function threadsPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, hasMore, nextCursor } = visit.ask("room_threads", visit.params, { after: visit.parameter("after") })
  const rows = items.map(
    (thread) =>
      html`<tr data-entry><td><a href="${to(`/threads/${thread.threadId}`)}" dir="auto">${thread.title}</a>\
${thread.opening ? html` <span class="tag">opening</span>` : null}\
${thread.stale ? html` ${stateBadge("disputed", "conclusion stale")}` : null}</td>
    <td>${person(thread.author)}</td><td class="number">${thread.timelineWatermark}</td>\
<td>${time(thread.lastActivityAt)}</td></tr>`,
  )
  return sectionPage(visit, room, {
    path: "/threads",
    name: "Threads",
    json: readPath("room_threads", { roomId: room.roomId }),
    next: hasMore ? nextCursor : null,
    actions: act("create_thread", { roomId: room.roomId }, "Start a Thread", "first"),
    list: table("Threads", ["Thread", "Started by", "Entries", "Last activity"], rows),
  })
}

export function hypothesesPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, nextCursor } = visit.ask("hypotheses", {}, { roomId: room.roomId, after: visit.parameter("after") })
  const beside = evidenceBeside(visit, items)
  return sectionPage(visit, room, {
    path: "/hypotheses",
    name: "Hypotheses",
    json: readPath("hypotheses", {}, { roomId: room.roomId }),
    next: nextCursor,
    actions: act(
      "publish_hypothesis",
      { roomId: room.roomId, threadId: room.openingThreadId },
      "Publish a hypothesis",
      "first",
    ),
    list: list("cards", items, (record) => hypothesisItem(record, beside), empty("No hypothesis yet.")),
  })
}

export function findingsPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, nextCursor } = visit.ask("room_publications", visit.params, { after: visit.parameter("after") })
  const shown = items.filter(({ kind }) => kind !== "hypothesis")
  const item = (record: (typeof items)[number]) => {
    const { evidenceTally, author, createdAt, outcome, provenanceSummary, reviewed } = record
    const meta = html`<span>${tally(evidenceTally, author.username, reviewed)}</span><span>${person(author)}</span>\
<span>${time(createdAt)}</span>`
    return recordItem(record, meta, { outcome, below: html`<p class="hint">${provenanceSummary}</p>` })
  }
  const none = empty(
    "No finding yet. A finding reports a result with its evidence. It can be positive, negative or inconclusive.",
  )
  const at = { roomId: room.roomId, threadId: room.openingThreadId }
  return sectionPage(visit, room, {
    path: "/findings",
    name: "Findings and cited claims",
    json: readPath("room_publications", { roomId: room.roomId }),
    next: nextCursor,
    actions: html`${act("publish_finding", at, "Publish a finding", "first")}\
${act("publish_cited_claim", at, "Cite a claim")}`,
    list: list("cards", shown, item, none),
  })
}

export function materialsPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, nextCursor } = visit.ask("room_materials", visit.params, { after: visit.parameter("after") })
  const rows = items.map(
    (
      material,
    ) => html`<tr data-entry><td>${label("material", material.materialId, material.label)}${fromOther(material)}</td>
    <td><a href="${to(`/materials/${material.materialId}`)}">${material.name}</a></td>\
<td>${stateBadge(material.obtainability)}</td>
    <td>${digest(material.reference)}</td><td>${person(material.registeredBy)}</td></tr>`,
  )
  const none =
    "No material yet. A material is an input or output, identified by its content: a digest or a pinned reference."
  return sectionPage(visit, room, {
    path: "/materials",
    name: "Materials",
    json: readPath("room_materials", { roomId: room.roomId }),
    next: nextCursor,
    actions: act(
      "register_material",
      { roomId: room.roomId, threadId: room.openingThreadId },
      "Register a material",
      "first",
    ),
    list: tableOr(none, "Materials", ["", "Name", "Obtainable", "Reference", "Registered by"], rows),
  })
}

const linkRow = (visit: Visit, link: AnswerOf<"room_links">["items"][number]): Html =>
  html`<li data-entry><p class="meta"><span>${label("link", link.linkId, link.label)}</span>\
<span>${struckIf(link.withdrawn, stateBadge(link.kind))}</span><span>${person(link.author)}</span>\
<span>${time(link.at)}</span>${ofOwn(visit, link)}</p>
  ${recordChip(link.target)}\
${link.replacement === null ? null : html` replaced by ${recordChip(link.replacement)}`}\
<p class="said" dir="auto">${struckIf(link.withdrawn, inlineMarkdown(link.explanation))}</p>${takenBack(link.withdrawn)}
  </li>`

export function linksPage(visit: Visit): Shown {
  const room = roomOf(visit)
  const { items, nextCursor } = visit.ask("room_links", visit.params, { after: visit.parameter("after") })
  const { findingLinks } = visit.ask("room_context", visit.params, { parts: "findingLinks" })
  const related = findingLinks.map(
    (link) => html`<tr><th scope="row">${label("finding", link.finding.versionId, link.finding.label)}</th>
    <td data-is="question:">${struckIf(link.withdrawn, stateBadge(link.towardQuestion.verdict))} \
${label("experiment", link.experimentId, link.experimentLabel)}</td>
    <td data-is="hypotheses:">${link.towardHypothesis.map(
      (hypothesis) => html`${struckIf(link.withdrawn, stateBadge(hypothesis.verdict))} ${ofHypothesis(hypothesis)} `,
    )}${takenBack(link.withdrawn)}</td>
    <td data-is="by">${person(link.author)}</td><td>${takeBack(visit, link)} \
<a href="${to(`/links/${link.linkId}`)}">the link</a></td></tr>`,
  )
  return sectionPage(visit, room, {
    path: "/links",
    name: "Links",
    json: readPath("room_links", { roomId: room.roomId }),
    next: nextCursor,
    list: html`${section(
      "said",
      "Later statements about records",
      list(
        "cards",
        items,
        (link) => linkRow(visit, link),
        empty("Nothing was corrected, superseded, disputed or retracted."),
      ),
    )}
${section(
  "related",
  "Findings related to experiments",
  tableOr(
    "No finding is related to an experiment.",
    "Finding links",
    ["Finding", "On the question", "On hypotheses", "Said by", ""],
    related,
    "stacked",
  ),
)}`,
  })
}
