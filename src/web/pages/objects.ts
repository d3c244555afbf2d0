/** The pages of objects that need one screen: links, materials and papers; and the list of concepts. */
import { feedLinks } from "../about.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { readPath, type Content, type Html, html, to, entryPath } from "../html.ts"
import { beginning, inlineMarkdown, phrase } from "../markdown.ts"
import { whyNot } from "../parts/actions.ts"
import { firstScreen, scopeLine, stands, roomRail, nextAct, type FirstScreen } from "../parts/room-frame.ts"
import { stateBadge } from "../parts/marks.ts"
import { nextOfMaterial, nextOfLink } from "../parts/next-acts.ts"
import {
  list,
  nextPage,
  recordItem,
  tableOr,
  digest,
  empty,
  exactTime,
  facts,
  fold,
  fromOther,
  heading,
  label,
  person,
  time,
  ways,
  named,
  ofHypothesis,
  recordChip,
} from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { bytes, counted, title, words } from "../words.ts"
import { partInWords } from "../../contract/definitions/sentence.ts"
import { accepted } from "../../contract/operations/index.ts"
import { reviewBody } from "../parts/judging.ts"
import { struckIf, takeBack, takenBack } from "../parts/evidence.ts"
import { effectsOf } from "./forest.ts"

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
  const room = visit.room(material.materialOriginRoom)
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
  const { registeredAt, obtainability, description, mediaType, sizeBytes, consumedBy, producedBy, requiredBy } =
    material
  const size = [mediaType, sizeBytes === null ? null : bytes(sizeBytes)].filter((each) => each !== null).join(", ")
  return {
    title: `${material.label}: ${material.name}`,
    rail: roomRail(room),
    wide: true,
    json: readPath("material", { materialId }),
    body: html`${firstScreen({
      meta: html`<span><span class="label">${material.label}</span> material</span>\
<span>${person(material.registeredBy)}</span><span>${exactTime(registeredAt)}</span>`,
      sentence: html`<h1>${material.name}</h1>`,
      scope: description && scopeLine("What it is", html`<span dir="auto">${inlineMarkdown(description)}</span>`),
      picture: html`<section aria-labelledby="locations">${heading(2, "locations", "Reported locations")}${tableOr(
        "No location has been reported.",
        "Locations",
        ["State", "Address", "Reported by", "Observed digest"],
        locations,
      )}<p class="hint">The service does not open these addresses.</p></section>`,
      verdict: stands(
        stateBadge(obtainability),
        size !== "" && size,
        html`Used by ${counted(consumedBy.total, "attempt")}, required by ${counted(requiredBy.total, "plan")}`,
      ),
      next: nextAct(visit, room, nextOfMaterial(material)) ?? whyNot(visit, room),
    })}
${fold(
  "uses",
  "What uses it",
  counted(consumedBy.total + producedBy.total + requiredBy.total, "use"),
  facts([
    uses("attempt", "Used by", consumedBy),
    uses("attempt", "Produced by", producedBy),
    uses("plan", "Required by", requiredBy),
  ]),
)}
${fold(
  "about",
  "Provenance",
  "its reference and its digests",
  facts([
    ["Reference", digest(material.reference)],
    ["Digest", material.digest && digest(material.digest)],
    ["Digest of its values", material.valuesDigest && digest(material.valuesDigest)],
    ["Labelled in", html`<a href="${to(`/rooms/${room.roomId}`)}" dir="auto">${room.title}</a>`],
  ]),
)}
${ways([["JSON", readPath("material", { materialId })]])}`,
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

/** Whether the key of a concept is only its words with underscores. */
const isWords = (key: string, text: string): boolean => key.replaceAll("_", " ") === text.toLowerCase()

export function conceptsPage(visit: Visit): Shown {
  const query = visit.parameter("query")
  const { items, nextCursor } = visit.ask("concepts", {}, { query, after: visit.parameter("after") })
  const rows = items.map(
    ({ versionId, key, label: text, definition, recordKind, recordLabel }) =>
      html`<tr data-entry><th scope="row"><a href="${to(`/records/${versionId}#concept-${key}`)}">${text}</a>\
${isWords(key, text) ? null : html`<br><code>${key}</code>`}</th>
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
<label for="concept-query">Word or definition contains</label>\
<input id="concept-query" name="query" type="search" maxlength="200" value="${query}"></div><div class="field">\
<button class="quiet">Filter</button></div></form>
${tableOr(none, "Concepts", ["Concept", "Definition", "Defined in"], rows)}
${nextPage(visit, nextCursor, "Older concepts")}`,
  }
}

// A link: a statement about a record, a finding's verdicts on an experiment, or a review.

type Link = AnswerOf<"link">
type Answered = NonNullable<Extract<Link, { answered: unknown }>["answered"]>

/** Renders the statement by which a record's author answered a dispute. */
const answeredBy = (threadId: string, { by, linkId, entryId, at }: Answered): Html =>
  html`<p>Its author answered by \
<a href="${to(linkId === undefined ? entryPath(threadId, entryId ?? "") : `/links/${linkId}`)}">a ${words(by)}</a>, \
${exactTime(at)}.</p>`

/** What the record that a link is about measured, or its sentence where it measured nothing. */
function measuredBy(visit: Visit, roomId: string, record: Parameters<typeof recordChip>[0]): Html {
  const picture = effectsOf(visit, roomId, visit.effects(record.versionId), record.label)
  return picture ?? html`<p class="claimed">${stateBadge("untested", `${record.label} has no measured effect`)}</p>`
}

type Screen = Pick<FirstScreen, "meta" | "sentence" | "scope" | "picture" | "verdict">

/** A finding's verdicts on the question of an experiment and on its hypotheses. */
function ofFinding(visit: Visit, link: Extract<Link, { kind: "finding_link" }>, own: Content): Screen {
  const { finding, experimentId, experimentLabel, attemptId, attemptLabel, towardQuestion, withdrawn } = link
  return {
    meta: html`<span>${label("finding", finding.versionId, finding.label)} about \
${label("experiment", experimentId, experimentLabel)}</span><span>${person(link.author)}</span>\
<span>${exactTime(link.at)}</span>${own}`,
    sentence: html`<h1>What ${finding.label} says about ${experimentLabel}</h1>`,
    scope: html`<ul class="verdicts"><li>${struckIf(withdrawn, stateBadge(towardQuestion.verdict))} the \
question: ${phrase(towardQuestion.explanation)}</li>${link.towardHypothesis.map(
      (hypothesis) =>
        html`<li>${struckIf(withdrawn, stateBadge(hypothesis.verdict))} ${ofHypothesis(hypothesis)}: \
${phrase(hypothesis.explanation)}</li>`,
    )}</ul><p>${recordChip(finding)}${
      attemptId !== null && html` from ${label("attempt", attemptId, attemptLabel ?? "")}`
    }</p>`,
    picture: measuredBy(visit, link.roomId, finding),
    verdict: stands(
      struckIf(withdrawn, stateBadge(towardQuestion.verdict)),
      html`<a href="${to(entryPath(link.card.threadId, link.card.entryId))}">\
${counted(link.replies, "reply", "replies")}</a>`,
    ),
  }
}

/** A review, with what was done to check. */
function ofReview(visit: Visit, link: Extract<Link, { kind: "review" }>): Screen {
  const { kind, id, label: text, says } = link.target
  const record = kind === "finding" ? visit.record(id) : null
  return {
    meta: html`<span>review of ${named(kind, id, text ?? words(kind))}</span>\
<span>${person(link.author)}</span><span>${exactTime(link.at)}</span>`,
    sentence: html`<h1>${struckIf(link.withdrawn, stateBadge(link.verdict, title(link.verdict)))}</h1>`,
    scope: reviewBody(visit, link, true),
    picture: html`${says && html`<blockquote class="said" dir="auto">${beginning(says, 400)}</blockquote>`}\
${record && effectsOf(visit, record.roomId, visit.effects(id), record.label)}`,
    verdict: stands(
      struckIf(link.withdrawn, stateBadge(link.verdict)),
      link.answered === null ? "The author has not answered yet." : "The author has answered.",
    ),
  }
}

/** A dispute, correction, retraction or supersession. */
function ofStatement(visit: Visit, link: Exclude<Link, { kind: "finding_link" | "review" }>, own: Content): Screen {
  const { part, correction, evidence = [] } = accepted("link", link.content)
  const named = (versionId: string): Html => {
    const record = visit.record(versionId)
    return record === null
      ? html`<a href="${to(`/records/${versionId}`)}">a record</a>`
      : label(record.kind, versionId, record.label)
  }
  return {
    meta: html`<span><span class="label">${link.label}</span> link</span>\
<span>${person(link.author)}</span><span>${exactTime(link.at)}</span>${own}`,
    sentence: html`<h1>${struckIf(link.withdrawn, stateBadge(link.kind, `${title(link.kind)} ${link.target.label}`))}\
</h1>`,
    scope: html`<p class="said" dir="auto">${inlineMarkdown(link.explanation)}</p>\
${part && html`<p><strong>Disputed part:</strong> ${phrase(partInWords(part))}</p>`}\
${correction && html`<p><strong>Correction:</strong> ${phrase(correction)}</p>`}\
<p>${recordChip(link.target)}</p>\
${link.answered && answeredBy(link.threadId, link.answered)}\
${link.replacement && html`<p>Replaced by ${recordChip(link.replacement)}</p>`}\
${evidence.length > 0 && html`<p>Evidence: ${evidence.map((versionId) => html`${named(versionId)} `)}</p>`}`,
    picture: measuredBy(visit, link.roomId, link.target),
    verdict: stands(
      stateBadge(link.status, `${link.target.label} is ${words(link.status)}`),
      link.kind === "disputes" &&
        link.withdrawn === null &&
        (link.answered === null ? "No answer from its author yet." : "Its author has answered."),
    ),
  }
}

export function linkPage(visit: Visit): Shown {
  const link = visit.ask("link", visit.params)
  const room = visit.room(link.roomId)
  const json = readPath("link", { linkId: link.linkId })
  const way = takeBack(visit, link)
  const own = way && html`<span>${way}</span>`
  const screen =
    link.kind === "finding_link"
      ? ofFinding(visit, link, own)
      : link.kind === "review"
        ? ofReview(visit, link)
        : ofStatement(visit, link, own)
  const { threadId, entryId } = link.kind === "finding_link" ? link.card : link
  return {
    title:
      link.kind === "finding_link"
        ? `${link.finding.label} and ${link.experimentLabel}`
        : link.kind === "review"
          ? `Review of ${link.target.label ?? words(link.target.kind)}`
          : `${link.label}: ${words(link.kind)} ${link.target.label}`,
    rail: roomRail(room),
    wide: true,
    json,
    body: html`${firstScreen({
      ...screen,
      standing:
        link.withdrawn !== null &&
        link.kind !== "review" &&
        html`<div class="banner quiet" role="note" aria-label="Withdrawn">${takenBack(link.withdrawn)}</div>`,
      next: nextAct(visit, room, nextOfLink(link)) ?? whyNot(visit, room),
    })}
${fold(
  "about",
  "Provenance",
  "its place in the Thread",
  facts([
    ["Content digest", link.kind === "finding_link" ? null : digest(link.contentDigest)],
    ["Said at", html`<a href="${to(entryPath(threadId, entryId))}">its place in the Thread</a>`],
  ]),
)}
${ways([["JSON", json]])}`,
  }
}
