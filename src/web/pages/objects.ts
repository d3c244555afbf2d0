/** The pages of materials, links, checkpoints and papers, and the list of concepts. */
import { partInWords } from "../../contract/definitions/sentence.ts"
import { feedLinks } from "../about.ts"
import { accepted } from "../../contract/reads/shared.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { entryPath, readPath } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { beginning, inlineMarkdown, markdown, phrase } from "../markdown.ts"
import { act, forMembers } from "../parts/actions.ts"
import { whatChanged } from "../parts/changed.ts"
import { whyStale } from "../parts/conclusion.ts"
import { stateBadge } from "../parts/marks.ts"
import {
  list,
  nextPage,
  recordItem,
  section,
  tableOr,
  digest,
  empty,
  exactTime,
  facts,
  pictures,
  fromOther,
  label,
  named,
  person,
  recordChip,
  time,
  ways,
} from "../parts/parts.ts"
import { effectFigure } from "./effects.ts"
import { asOfEntry } from "./past.ts"
import { absent, doubts, failures, nothingOf, restsOn } from "../parts/judging.ts"
import { numbersLine, numbersOf } from "../parts/numbers.ts"
import { reviewBody, reviewLine, reviewSection } from "../parts/reviews.ts"
import { roomBanners, roomRail } from "../parts/room-frame.ts"
import { struckIf, takeBack, takenBack } from "../parts/withdrawal.ts"
import type { Shown, Visit } from "../visit.ts"
import { bytes, counted, title, words } from "../words.ts"

type Material = AnswerOf<"material">
const uses = (
  kind: "attempt" | "plan",
  name: string,
  { total, items }: Material["consumedBy"],
): readonly [Content, Content] => [
  name,
  total === 0
    ? "none"
    : html`${items.map(
        ({ id, label: text, name: use, ...origin }) => html`${label(kind, id, text)}${fromOther(origin)} ${use} `,
      )}${total > items.length ? `and ${total - items.length} more` : null}`,
]

/** Renders a reported address, as a link only if a browser can open it. */
const location = (uri: string): Html =>
  uri.startsWith("https:") ? html`<a rel="nofollow noopener ugc" href="${uri}">${uri}</a>` : html`<code>${uri}</code>`

const sameDigest = (registered: string | null, observed: string): Html | null => {
  if (registered === null) return null
  return registered === observed ? stateBadge("succeeded", "the same") : stateBadge("failed", "differs")
}

export function materialPage(visit: Visit): Shown {
  const material = visit.ask("material", visit.params)
  const room = visit.ask("room", { roomId: material.materialOriginRoom })
  const { materialId } = material
  const locations = material.locations.map(
    ({ state, uri, explanation, reporter, at, observedDigest }) =>
      html`<tr><td>${stateBadge(state)}</td>
  <td>${location(uri)}${explanation && html`<br>${explanation}`}</td>
  <td>${person(reporter)} ${time(at)}</td>
  <td>${
    observedDigest === null
      ? html`<span class="quiet">none</span>`
      : html`${digest(observedDigest)} ${sameDigest(material.digest, observedDigest)}`
  }</td>
  </tr>`,
  )
  return {
    title: `${material.label}: ${material.name}`,
    rail: roomRail(room),
    json: readPath("material", { materialId }),
    body: html`<p class="meta"><span><span class="label">${material.label}</span> material</span>\
<span>${stateBadge(material.obtainability)}</span><span>${person(material.registeredBy)}</span>\
<span>${exactTime(material.registeredAt)}</span></p>
<h1>${material.name}</h1>\
${material.description === null ? null : html`<p class="said" dir="auto">${inlineMarkdown(material.description)}</p>`}
${facts([
  ["Reference", digest(material.reference)],
  ["Digest", material.digest && digest(material.digest)],
  ["Digest of its values", material.valuesDigest && digest(material.valuesDigest)],
  ["Media type", material.mediaType],
  ["Size", material.sizeBytes === null ? null : bytes(material.sizeBytes)],
  ["Labelled in", html`<a href="${to(`/rooms/${room.roomId}`)}" dir="auto">${room.title}</a>`],
  uses("attempt", "Consumed by", material.consumedBy),
  uses("attempt", "Produced by", material.producedBy),
  uses("plan", "Required by", material.requiredBy),
])}
${section(
  "locations",
  "Reported locations",
  html`${tableOr(
    "No location has been reported.",
    "Locations",
    ["State", "Address", "Reported by", "Observed digest"],
    locations,
  )}<p class="hint">The service does not open these addresses.</p>`,
)}
${forMembers(visit, room, act("report_material_location", { materialId }))}
${ways([["JSON", readPath("material", { materialId })]])}`,
  }
}

type Link = AnswerOf<"link">
type Answered = NonNullable<Extract<Link, { answered: unknown }>["answered"]>

/** Renders the statement by which a record's author answered a dispute. */
const answeredBy = (threadId: string, { by, linkId, entryId, at }: Answered): Html =>
  html`<p>Its author answered by \
<a href="${to(linkId === undefined ? entryPath(threadId, entryId ?? "") : `/links/${linkId}`)}">a ${words(by)}</a>, \
${exactTime(at)}.</p>`

function linkBody(visit: Visit, link: Link): Html {
  const own = takeBack(visit, link)
  const withdrawn =
    link.withdrawn === null
      ? null
      : html`<div class="banner quiet" role="note" aria-label="Withdrawn">${takenBack(link.withdrawn)}</div>`
  if (link.kind === "finding_link") {
    return html`<h1>${link.finding.label} related to ${link.experimentLabel}</h1>${withdrawn}
      <p>${recordChip(link.finding, 200)} ${label("experiment", link.experimentId, link.experimentLabel)}\
${link.attemptId === null ? null : html` from ${label("attempt", link.attemptId, link.attemptLabel ?? "")}`}</p>
<ul class="verdicts"><li>${struckIf(link.withdrawn, stateBadge(link.towardQuestion.verdict))} toward the question. \
${phrase(link.towardQuestion.explanation)}</li>
  ${link.towardHypothesis.map(
    ({ versionId, label: text, verdict, explanation, ...origin }) =>
      html`<li>${struckIf(link.withdrawn, stateBadge(verdict))} ${label("hypothesis", versionId, text)}\
${fromOther(origin)} ${phrase(explanation)}</li>`,
  )}</ul>
<p class="meta"><span>${person(link.author)}</span><span>${exactTime(link.at)}</span><span>\
<a href="${to(entryPath(link.card.threadId, link.card.entryId))}">${counted(link.replies, "reply", "replies")}</a>\
</span>${own === null ? null : html`<span>${own}</span>`}</p>`
  }
  if (link.kind === "review") {
    const { kind, id, label: text, says } = link.target
    return html`<p class="meta"><span>review of ${named(kind, id, text ?? words(kind))}</span>\
<span>${person(link.author)}</span><span>${exactTime(link.at)}</span></p>
<h1>${struckIf(link.withdrawn, stateBadge(link.verdict, title(link.verdict)))}</h1>${withdrawn}
${says === null ? null : html`<blockquote class="said" dir="auto">${beginning(says, 400)}</blockquote>`}
${reviewBody(visit, link, true)}
${facts([
  ["Content digest", digest(link.contentDigest)],
  ["Said at", html`<a href="${to(entryPath(link.threadId, link.entryId))}">its place in the Thread</a>`],
])}`
  }
  const content = accepted("link", link.content)
  return html`<p class="meta"><span><span class="label">${link.label}</span> link</span>\
<span>${person(link.author)}</span><span>${exactTime(link.at)}</span>\
${own === null ? null : html`<span>${own}</span>`}</p>
    <h1>${struckIf(link.withdrawn, html`${stateBadge(link.kind, title(link.kind))} ${link.target.label}`)}</h1>\
${withdrawn}
<p>${recordChip(link.target, 220)}</p><p class="said" dir="auto">${inlineMarkdown(link.explanation)}</p>
  ${
    content.part === undefined
      ? null
      : html`<p><strong>Disputed part:</strong> ${phrase(partInWords(content.part))}</p>`
  }
  ${content.correction === undefined ? null : html`<p><strong>Correction:</strong> ${phrase(content.correction)}</p>`}
${link.answered === null ? null : answeredBy(link.threadId, link.answered)}
${link.replacement === null ? null : html`<p>Replaced by ${recordChip(link.replacement, 220)}</p>`}
${
  content.evidence === undefined
    ? null
    : html`<p>Evidence: ${content.evidence.map(
        (versionId) => html`<a href="${to(`/records/${versionId}`)}">a record</a> `,
      )}</p>`
}
${facts([
  ["Status", stateBadge(link.status)],
  ["Content digest", digest(link.contentDigest)],
  ["Said at", html`<a href="${to(entryPath(link.threadId, link.entryId))}">its place in the Thread</a>`],
])}`
}

export function linkPage(visit: Visit): Shown {
  const link = visit.ask("link", visit.params)
  const room = visit.ask("room", { roomId: link.roomId })
  const json = readPath("link", { linkId: link.linkId })
  const { threadId, entryId: replyToEntryId } = link.kind === "finding_link" ? link.card : link
  return {
    title:
      link.kind === "finding_link"
        ? `${link.finding.label} and ${link.experimentLabel}`
        : link.kind === "review"
          ? `Review of ${link.target.label ?? words(link.target.kind)}`
          : `${link.label}: ${words(link.kind)} ${link.target.label}`,
    rail: roomRail(room),
    json,
    body: html`${linkBody(visit, link)}\
${forMembers(visit, room, act("post_message", { threadId, replyToEntryId }, "Reply", "first"))}\
${ways([["JSON", json]])}`,
  }
}

export function checkpointPage(visit: Visit): Shown {
  const checkpoint = visit.ask("checkpoint", visit.params)
  const room = visit.ask("room", { roomId: checkpoint.roomId })
  const { thread } = visit.ask("thread_context", { threadId: checkpoint.threadId })
  const json = readPath("checkpoint", { checkpointId: checkpoint.checkpointId })
  const judged = visit.ask("checkpoint_case", visit.params)
  const { supersedesCheckpointId: replaced, openQuestions, table } = checkpoint
  const said = [checkpoint.answer, checkpoint.conclusion, checkpoint.synthesis].join(" ")
  const versionIds = checkpoint.citations.map(({ versionId }) => versionId)
  const numbered = (text: string) => numbersOf(visit, { roomId: room.roomId, versionIds, since: checkpoint.at }, text)
  const reasoning = markdown(checkpoint.synthesis, numbered(checkpoint.synthesis))
  return {
    title: `Checkpoint of ${thread.title}`,
    rail: roomRail(room),
    json,
    body: html`<p class="meta"><span>checkpoint of <a href="${to(`/threads/${thread.threadId}`)}" dir="auto">\
${thread.title}</a></span><span>${person(checkpoint.author)}</span><span>${exactTime(checkpoint.at)}</span>\
<span>covers entries 1 to ${checkpoint.coversThrough}</span></p>
<p class="verdict">${stateBadge(
      checkpoint.state,
      checkpoint.state === "concluded" ? "Concluded" : "So far, not concluded",
    )} ${reviewLine(checkpoint.reviewed)}${numbersLine(checkpoint.numbersCheck)}</p>
${
  checkpoint.conclusion === null
    ? html`<h1 dir="auto">${thread.title}</h1>`
    : html`<h1 class="statement" dir="auto">\
${inlineMarkdown(checkpoint.conclusion, numbered(checkpoint.conclusion))}</h1>`
}
${
  checkpoint.answer &&
  html`<p class="lead" dir="auto">\
${inlineMarkdown(checkpoint.answer, numbered(checkpoint.answer))}</p>`
}
${table && effectFigure(visit, room.roomId, table, said, table.moved.length)}
${
  checkpoint.stale
    ? html`<div class="banner warn" role="note" aria-label="Stale">${stateBadge("disputed", "Stale: news since then")}\
${whyStale(checkpoint.staleReasons)}</div>`
    : whyStale(checkpoint.staleReasons)
}
${
  checkpoint.selected
    ? null
    : html`<div class="banner quiet" role="note" aria-label="Replaced"><p>\
<a href="${to(`/checkpoints/${thread.selectedCheckpointId ?? ""}`)}">A newer checkpoint</a> of this Thread replaces \
it.</p></div>`
}
${roomBanners(room)}
${checkpoint.conclusion === null ? reasoning : null}
${pictures(checkpoint)}
${restsOn(judged)}
${whatChanged(checkpoint)}
${failures(judged)}
${doubts(judged, "which it cites")}
${nothingOf([...absent(judged), openQuestions.length === 0 && "No question was left open."])}
${reviewSection(visit, room, checkpoint.checkpointId, checkpoint.reviews, checkpoint.reviewed)}
${section(
  "open",
  "Open questions",
  list("questions", openQuestions, (question) => html`<li dir="auto">${inlineMarkdown(question)}</li>`),
)}
${checkpoint.conclusion === null ? null : section("synthesis", "Reasoning", reasoning)}
${facts([
  ["Replaces", replaced && html`<a href="${to(`/checkpoints/${replaced}`)}">the checkpoint before it</a>`],
  ["Content digest", digest(checkpoint.contentDigest)],
  ["Posted at", html`<a href="${to(entryPath(checkpoint.threadId, checkpoint.entryId))}">its place in the Thread</a>`],
  [
    "Permalink",
    html`<a href="${asOfEntry(visit.url.pathname, checkpoint.activitySequence)}">as it was posted</a>, \
<a href="${asOfEntry(`/rooms/${room.roomId}`, checkpoint.activitySequence)}">the Room as it stood then</a>`,
  ],
])}${ways([["JSON", json]])}`,
  }
}

export function paperPage(visit: Visit): Shown {
  const arxivId = visit.id("arxivId")
  const { items, nextCursor } = visit.ask("paper_publications", { arxivId }, { after: visit.parameter("after") })
  return {
    title: `arXiv:${arxivId}`,
    json: readPath("paper_publications", { arxivId }),
    feeds: feedLinks(`/papers/${encodeURIComponent(arxivId)}`, `arXiv:${arxivId}`),
    body: html`<h1>arXiv:${arxivId}</h1>
      <p class="meta"><span>This service knows only what records quote from the paper.</span><span>\
<a rel="noopener" href="https://arxiv.org/abs/${arxivId}">the paper at arXiv</a></span></p>
${list(
  "cards",
  items,
  (record) => recordItem(record, html`<span>${person(record.author)}</span>`),
  empty("No record quotes this paper."),
)}${nextPage(visit, nextCursor, "Older records")}`,
  }
}

export function conceptsPage(visit: Visit): Shown {
  const query = visit.parameter("query")
  const { items, nextCursor } = visit.ask("concepts", {}, { query, after: visit.parameter("after") })
  const rows = items.map(
    ({ versionId, key, label: text, definition, recordKind, recordLabel }) =>
      html`<tr data-entry><th scope="row"><a href="${to(`/records/${versionId}#concept-${key}`)}">${text}</a><br>\
<code>${key}</code></th>
  <td dir="auto">${beginning(definition, 300)}</td><td>${label(recordKind, versionId, recordLabel)}</td></tr>`,
  )
  const none =
    query === undefined
      ? "No record defines a concept yet."
      : `No ${nextCursor === null ? "" : "newer "}concept contains “${query}”.`
  return {
    title: "Concepts",
    json: readPath("concepts", {}, { query }),
    body: html`<h1>Concepts</h1><p class="meta">Concepts that records define and use in their statements. Each \
definition belongs to its record.</p>
<form class="inline" role="search" aria-label="Concepts" action="${to("/concepts")}"><div class="field">\
<label for="concept-query">Key, label or definition contains</label>\
<input id="concept-query" name="query" type="search" maxlength="200" value="${query}"></div><div class="field">\
<button class="quiet">Filter</button></div></form>
${tableOr(none, "Concepts", ["Concept", "Definition", "Defined in"], rows)}
${nextPage(visit, nextCursor, "Older concepts")}`,
  }
}
