/** Search in the text of the record, in Rooms and in concepts. A pasted id finds its object. */
import { feedLinks } from "../about.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { type ObjectSpec, objects } from "../../contract/objects/objects.ts"
import { each, keysOf } from "../../contract/typed.ts"
import type { AnswerOf, ReadName } from "../../contract/reads/index.ts"
import { escapeHtml } from "../../contract/text.ts"
import { entryPath, pathOf, readPath, withQuery, hiddenInputs, type Html, html, markup, to } from "../html.ts"
import { stateBadge } from "../parts/marks.ts"
import { list, section, empty, heading, label, more, person, time } from "../parts/parts.ts"
import { paperName } from "../parts/papers.ts"
import { beginning, plainText } from "../markdown.ts"
import { orNull, type Shown, type Visit } from "../visit.ts"
import { choices, shortened, words } from "../words.ts"

type Hit = AnswerOf<"search">["items"][number]

/** Returns the path of a hit: a message's place in its timeline, or the page of another object. */
function place({ kind, id, threadId, entryId }: Hit): string | null {
  const entry = threadId === null ? null : entryPath(threadId, entryId ?? id)
  if (kind === "person") return `/people/${encodeURIComponent(id)}`
  return kind === "message" ? entry : (pathOf(kind, id) ?? entry)
}

/** The passage with the words found; of a checkpoint its whole answer, which is never cut. */
function passageIn({ kind, title, snippet }: Hit): Html {
  const passage = plainText(snippet)
  if (kind !== "checkpoint") return markup(passage)
  const whole = escapeHtml(plainText(title))
  const marked = passage.replace(/^…|…$/g, "").trim()
  const bare = marked.replace(/<\/?mark>/g, "")
  return markup(whole.includes(bare) ? whole.replace(bare, () => marked) : `${whole} … ${passage}`)
}

/**
 * Renders a hit. Its snippet is already escaped, except the marks around the words found. @param rooms the titles of
 * the hits' Rooms by id, in a search of several Rooms
 */
function hit(found: Hit, rooms: ReadonlyMap<string, string>): Html {
  const room = found.roomId === null ? undefined : rooms.get(found.roomId)
  const [at, shown] = [place(found), passageIn(found)]
  return html`<li data-entry><p class="meta"><span>${
    found.label === null ? null : html`<span class="label">${found.label}</span> `
  }${words(found.kind)}</span>${
    found.status === null || found.status === "current" ? null : html`<span>${stateBadge(found.status)}</span>`
  }<span>${person(found.author)}</span><span>${time(found.at)}</span>${
    room === undefined
      ? null
      : html`<span>${found.kind === "room" ? null : "in "}<a href="${to(`/rooms/${found.roomId}`)}" dir="auto">\
${shortened(room, 60)}</a></span>`
  }</p>
  ${
    at === null
      ? html`<span class="wording" dir="auto">${shown}</span>`
      : html`<a class="wording" href="${to(at)}" dir="auto">${shown}</a>`
  }${found.kind === "message" ? html`<p class="hint">in ${found.title}</p>` : null}</li>`
}

/** The public kinds with a page, one for each read that returns them. */
const kindsById = [
  ...new Map(
    keysOf(objects).flatMap((kind) => {
      const { id, page, isPublic, read }: ObjectSpec & { readonly read: ReadName | null } = objects[kind]
      return isPublic && page !== null && read !== null ? [[read, { kind, id, read }] as const] : []
    }),
  ).values(),
]

/** Returns the path of the object with an id; null if there is none. */
function byId(visit: Visit, query: string): string | null {
  if (!isUuid(query)) return null
  const id = query.toLowerCase()
  const kind = kindsById.find(({ id: name, read }) => orNull(() => visit.ask(read, { [name]: id })) !== null)?.kind
  return kind === undefined ? null : (pathOf(kind, id) ?? null)
}

/** The filters, besides kinds, that the page takes from its address. */
const NARROWING = ["roomId", "status", "author", "agent", "since"] as const
type Narrowing = { readonly [N in (typeof NARROWING)[number]]: string | undefined }

const narrowing = ({ parameter }: Visit): Narrowing => each(NARROWING, parameter)

const filter = (
  query: string,
  kinds: string | undefined,
  narrowed: Narrowing,
): Html => html`<form class="inline" action="${to("/search")}"><input type="hidden" name="query" value="${query}">\
${hiddenInputs(Object.entries(narrowed))}<div class="field"><label for="kinds">Look in</label>
  <select id="kinds" name="kinds"><option value="">everything</option>\
${choices("searchKind").map(
  ({ value, text }) => html`<option value="${value}"${value === kinds ? html` selected` : null}>${text}</option>`,
)}</select>
  </div><div class="field"><button class="quiet">Filter</button></div></form>`

/** Says that the results are for other words than the person typed. */
const instead = (typed: string, shown: string, page: string): Html | null =>
  typed === shown
    ? null
    : html`<p class="quiet">No results for “${typed}”. Showing results for “<a \
href="${to(withQuery(page, { query: shown }))}">${shown}</a>”.</p>`

const SHOWN_PAPERS = 5

/** Renders the visitor's saved papers that match. Nobody else sees them. */
function savedPapers(visit: Visit, typed: string): Html | null {
  if (visit.person === undefined) return null
  const first = visit.ask("library_papers", {}, { query: typed })
  const query = first.didYouMean ?? typed
  const { items } = query === typed ? first : visit.ask("library_papers", {}, { query })
  if (items.length === 0) return null
  const all = to(withQuery("/library", { query }))
  const shown = items.slice(0, SHOWN_PAPERS).map((paper) => html`<li data-entry>${paperName(paper)}</li>`)
  const rest = items.length > SHOWN_PAPERS ? html`<p class="more"><a href="${all}">More saved papers</a></p>` : null
  const found = html`${instead(typed, query, "/library")}<ul class="cards papers">${shown}</ul>${rest}`
  return section("saved", "In your Library", found, html`<a href="${all}">Show in Library</a>`)
}

const concept = ({
  versionId,
  key,
  label: text,
  recordKind,
  recordLabel,
  definition,
}: AnswerOf<"concepts">["items"][number]): Html =>
  html`<li data-entry><a href="${to(`/records/${versionId}#concept-${key}`)}">\
${text}</a> in ${label(recordKind, versionId, recordLabel)}<br>${beginning(definition, 200)}</li>`

function results(visit: Visit, typed: string): Html {
  const [kinds, after] = [visit.parameter("kinds"), visit.parameter("after")]
  const narrowed = narrowing(visit)
  const isNarrowed = NARROWING.some((name) => narrowed[name] !== undefined)
  const first = visit.ask("search", {}, { query: typed, kinds, ...narrowed, after })
  const query = first.didYouMean ?? typed
  const [direct, found, rooms, concepts] = [
    byId(visit, query),
    query === typed ? first : visit.ask("search", {}, { query, kinds, ...narrowed }),
    isNarrowed ? { items: [] } : visit.ask("rooms", {}, { query }),
    isNarrowed ? { items: [] } : visit.ask("concepts", {}, { query }),
  ]
  const titles: ReadonlyMap<string, string> =
    narrowed.roomId === undefined
      ? visit.tables.rooms.titles([...new Set(found.items.flatMap(({ roomId }) => roomId ?? []))])
      : new Map()
  return html`${
    direct === null ? null : html`<div class="banner active"><a href="${to(direct)}">The object with this id</a></div>`
  }
<section aria-labelledby="record">${heading(2, "record", "In the record", filter(query, kinds, narrowed))}\
${instead(typed, query, "/search")}\
${list(
  "cards",
  found.items,
  (each) => hit(each, titles),
  empty(
    html`No results for “${typed}”. All words must occur. Try fewer words or others. \
Logs are not searched here: the page of an attempt leads to its log.`,
  ),
)}${more(
  found.nextCursor === null ? null : withQuery("/search", { query, kinds, ...narrowed, after: found.nextCursor }),
  "More results",
)}</section>
${after !== undefined || isNarrowed || kinds !== undefined ? null : savedPapers(visit, typed)}
${section(
  "rooms",
  "Rooms",
  list(
    "cards",
    rooms.items,
    (room) =>
      html`<li data-entry><a href="${to(`/rooms/${room.roomId}`)}" dir="auto">${room.title}</a>\
<p class="said" dir="auto">${room.question}</p></li>`,
  ),
)}
${section("concepts", "Concepts", list("cards", concepts.items, concept))}`
}

export function searchPage(visit: Visit): Shown {
  const query = visit.parameter("query")?.trim() ?? ""
  if (query === "")
    return {
      title: "Search",
      body: html`<h1>Search</h1>\
${empty("Type words of a statement, a message, a paper or a Room's title, or paste an id.")}`,
    }
  return {
    title: `Search: ${query}`,
    json: readPath("search", {}, { query, ...narrowing(visit) }),
    feeds: feedLinks("/search", query, `?${new URLSearchParams({ query })}`),
    body: html`<h1>Search for “${query}”</h1>${results(visit, query)}`,
  }
}
