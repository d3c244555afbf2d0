/** The pages of materials and papers, and the list of concepts. */
import { feedLinks } from "../about.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { readPath, type Content, type Html, html, to } from "../html.ts"
import { beginning, inlineMarkdown } from "../markdown.ts"
import { whyNot } from "../parts/actions.ts"
import { firstScreen, scopeLine, stands, roomRail, nextAct } from "../parts/room-frame.ts"
import { stateBadge } from "../parts/marks.ts"
import { nextOfMaterial } from "../parts/next-acts.ts"
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
} from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { bytes, counted } from "../words.ts"

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
