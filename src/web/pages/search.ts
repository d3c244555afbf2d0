/** Search over what can be searched: Rooms by title and question, concepts, and records by full text where that read exists. */
import { reads } from "../../contract/reads/index.ts"
import { isUuid } from "../../contract/fields.ts"
import { type Html, html, markup, to } from "../html.ts"
import { escapeHtml } from "../html.ts"
import { pathOf } from "../addresses.ts"
import { empty, heading, label } from "../parts/parts.ts"
import { stateBadge } from "../parts/marks.ts"
import { orNull, type Shown, type Visit } from "../visit.ts"
import { shortened, words } from "../words.ts"

interface Hit {
  readonly kind: string
  readonly id?: string
  readonly versionId?: string
  readonly threadId?: string | null
  readonly entryId?: string | null
  readonly label?: string | null
  readonly title?: string
  readonly snippet?: string
  readonly status?: string
}

/** A snippet's marks as markup; everything else in it is text. */
const marked = (snippet: string): Html => markup(escapeHtml(snippet).replaceAll("&lt;mark&gt;", "<mark>").replaceAll("&lt;/mark&gt;", "</mark>"))

function hit(found: Hit): Html {
  const id = found.id ?? found.versionId ?? ""
  const path = found.kind === "message" && found.threadId ? `/threads/${found.threadId}?entry=${found.entryId ?? id}#entry-${found.entryId ?? id}` : (pathOf(found.kind, id) ?? "/")
  return html`<li data-entry><p class="meta"><span>${words(found.kind)} ${found.label}</span>${found.status === undefined || found.status === "current" ? null : html`<span>${stateBadge(found.status)}</span>`}</p><a class="wording" href="${to(path)}">${found.snippet === undefined ? found.title : marked(found.snippet)}</a></li>`
}

async function fullText(visit: Visit, query: string): Promise<Html | null> {
  if (!reads.some(({ name }) => name === "search")) return null
  const found = (await orNull(visit.ask("search" as never, {}, { query } as never))) as { items: Hit[] } | null
  if (found === null) return null
  return html`<section aria-labelledby="record">${heading(2, "record", "In the record")}${found.items.length === 0 ? html`<p class="quiet">Nothing.</p>` : html`<ul class="cards">${found.items.map(hit)}</ul>`}</section>`
}

/** An id or a digest pasted into the search leads straight to its object where there is one. */
async function byId(visit: Visit, query: string): Promise<string | null> {
  if (!isUuid(query)) return null
  const id = query.toLowerCase()
  const tries = [["record", { versionId: id }, "/records/"], ["experiment", { experimentId: id }, "/experiments/"], ["attempt", { attemptId: id }, "/attempts/"], ["room", { roomId: id }, "/rooms/"], ["material", { materialId: id }, "/materials/"], ["link", { linkId: id }, "/links/"], ["plan", { planId: id }, "/plans/"], ["thread_context", { threadId: id }, "/threads/"], ["checkpoint", { checkpointId: id }, "/checkpoints/"]] as const
  for (const [name, params, path] of tries) if ((await orNull(visit.ask(name, params))) !== null) return `${path}${id}`
  return null
}

export async function searchPage(visit: Visit): Promise<Shown> {
  const query = (visit.url.searchParams.get("query") ?? "").trim()
  const body = async () => {
    if (query === "") return empty("Type what you look for: words of a statement, a message, a Room's title; or paste an id.")
    const [direct, found, rooms, concepts] = await Promise.all([byId(visit, query), fullText(visit, query), visit.ask("rooms", {}, { query }), visit.ask("concepts", {}, { query })])
    return html`${direct === null ? null : html`<div class="banner active"><a href="${to(direct)}">The object with this id</a></div>`}${found}
<section aria-labelledby="rooms">${heading(2, "rooms", "Rooms")}${rooms.items.length === 0 ? html`<p class="quiet">None.</p>` : html`<ul class="cards">${rooms.items.map((room) => html`<li data-entry><a href="${to(`/rooms/${room.roomId}`)}">${room.title}</a><p class="said">${room.question}</p></li>`)}</ul>`}</section>
<section aria-labelledby="concepts">${heading(2, "concepts", "Concepts")}${concepts.items.length === 0 ? html`<p class="quiet">None.</p>` : html`<ul class="cards">${concepts.items.map((concept) => html`<li data-entry><a href="${to(`/records/${concept.versionId}#concept-${concept.key}`)}">${concept.label}</a> in ${label(concept.recordKind, concept.versionId, concept.recordLabel)}<br>${shortened(concept.definition, 200)}</li>`)}</ul>`}</section>`
  }
  return { title: query === "" ? "Search" : `Search: ${query}`, body: html`<h1>Search${query === "" ? null : html` for “${query}”`}</h1>${await body()}` }
}
