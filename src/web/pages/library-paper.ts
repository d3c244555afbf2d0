/** A paper in the Library: its description, the reader's notes, tags and position, and the notes of Collections. */
import { randomUUID } from "node:crypto"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { hyphenated } from "../../contract/schema/paper-mention.ts"
import { withQuery, attributes, hiddenInputs, type Html, html, joined, to } from "../html.ts"
import { inlineMarkdown, markdown } from "../markdown.ts"
import { act } from "../parts/actions.ts"
import {
  list,
  recordItem,
  section,
  actionButton,
  empty,
  exactTime,
  facts,
  heading,
  more,
  person,
  time,
} from "../parts/parts.ts"
import { calledBy, paperLinks, paperPath, readTo, sourceLine } from "../parts/papers.ts"
import { orNull, type Visit } from "../visit.ts"
import { dateOf } from "../words.ts"
import { signedInOnly } from "./library.ts"

type Note = AnswerOf<"collection_notes">["items"][number]

const hidden = (fields: Readonly<Record<string, string>>): Html =>
  hiddenInputs(Object.entries({ "/requestId": randomUUID(), ...fields }))

const viaKey = ({ via }: Note): Html | null =>
  via &&
  html` <span class="tag" title="through the personal key ${via.label}">via ${via.agent?.name ?? via.label}</span>`

const noteItem = (note: Note, notes: readonly Note[], own: string, here: string): Html => {
  const answered = notes.find(({ noteId }) => noteId === note.replyToNoteId)
  return html`<li class="post${note.unread ? " fresh" : ""}" id="note-${note.noteId}" data-entry>\
<h3 class="by">${person({ username: note.author })}${viaKey(note)} · ${time(note.at)}</h3>
    ${
      note.replyToNoteId &&
      html`<p class="in-reply">In reply to <a href="#note-${note.replyToNoteId}">\
${answered?.author ?? "an earlier note"}</a></p>`
    }${markdown(note.text)}${
      note.author === own
        ? html`<div class="after">\
${actionButton("delete_note", { noteId: note.noteId }, "Delete", { danger: true, next: here })}</div>`
        : null
    }</li>`
}

/** Renders the notes of a Collection on the paper, and a form to add one. */
function thread(visit: Visit, paperId: string, collection: { id: string; name: string }): Html {
  const offset = visit.parameter("offset")
  const page = orNull(() => visit.ask("collection_notes", { collectionId: collection.id }, { paperId, offset }))
  if (page === null) return html``
  const here = paperPath(paperId, collection.id)
  const last = page.items.at(-1)
  const unread = page.items.some((note) => note.unread)
  return html`<section aria-labelledby="notes">\
${heading(
  2,
  "notes",
  html`Notes in <a href="${to(`/library/collections/${collection.id}`)}">${collection.name}</a>`,
  unread && last !== undefined
    ? actionButton(
        "mark_read",
        { "/collectionId": collection.id, "/paperId": paperId, "/throughNoteId": last.noteId },
        "Mark read",
        { next: here },
      )
    : null,
)}
${
  page.items.length === 0
    ? html`<p class="quiet">No notes yet. Everybody who shares the Collection sees them.</p>`
    : html`<ol class="timeline" aria-label="Notes">\
${page.items.map((note) => noteItem(note, page.items, visit.person?.username ?? "", here))}</ol>`
}${more(page.nextOffset === null ? null : withQuery(here, { offset: page.nextOffset }), "Later notes")}
<form class="stack" method="post" action="${to("/web/post_note")}" data-draft="note-${collection.id}-${paperId}">\
${hidden({ "/collectionId": collection.id, "/paperId": paperId, _next: here })}<div class="field">\
<label for="note-text">Write a note</label>
  <textarea id="note-text" name="/text" required maxlength="${limits.note}"></textarea></div><div class="buttons">\
<button>Post note</button></div>
  </form></section>`
}

/** How many of a person's Rooms are offered to cite a passage in. */
const MOST_ROOMS = 20

type Room = readonly [roomId: string, title: string]

/** The Rooms in which a visitor can cite a paper; none for a paper that is not at arXiv. */
function roomsToCiteIn({ edge, tables, person: reader }: Visit, arxivId: string | null): readonly Room[] {
  if (arxivId === null || reader === undefined) return []
  const own = edge.instance.tables.members.roomsOf(reader.userId, MOST_ROOMS).map(({ roomId }) => roomId)
  return [...tables.rooms.titles(own)]
}

/**
 * A form that takes a passage into the form of a cited claim, where nothing is stored yet. It is posted, since a quote
 * may be longer than an address.
 * @param passage the quote and its place, or the inputs for them
 */
const citing = (rooms: readonly Room[], arxivId: string, passage: Html, about: string): Html =>
  html`<form class="inline cite" method="post" action="${to("/web/publish_cited_claim")}">\
${hidden({ "/paper/arxivId": arxivId, _preview: "1" })}${passage}${
  rooms.length === 1
    ? html`<input type="hidden" name="/roomId" value="${rooms[0]?.[0]}">`
    : html`<label class="aside" for="room-${about}">Room</label><select id="room-${about}" name="/roomId">\
${rooms.map(([roomId, title]) => html`<option value="${roomId}">${title}</option>`)}</select>`
}<button class="quiet">Cite it in ${rooms.length === 1 ? html`“${rooms[0]?.[1]}”` : "this Room"}</button></form>`

/** A form for a passage that is pasted from the paper. */
const citingPasted = (rooms: readonly Room[], arxivId: string): Html =>
  html`<details class="fold"><summary>Cite a passage</summary>${citing(
    rooms,
    arxivId,
    html`<label for="passage">The passage, word for word</label>\
<textarea id="passage" name="/quote" required rows="3" maxlength="${limits.statement}"></textarea>\
<label for="passage-page">On page</label>\
<input id="passage-page" name="/locator/page" inputmode="numeric" maxlength="6" size="4">`,
    "passage",
  )}</details>`

/** Renders the person's own notes with a form to edit them, and their highlights. */
function annotations(
  { notes, highlights, revision, updatedAt }: AnswerOf<"library_annotations">,
  { paperId, arxivId }: { readonly paperId: string; readonly arxivId: string | null },
  here: string,
  rooms: readonly Room[],
): Html {
  const expected = String(revision)
  const box = html`<form class="stack own-notes" method="post" action="${to("/web/write_annotation")}" \
data-draft="own-${paperId}-${revision}">${hidden({ "/paperId": paperId, "/expectedRevision": expected, _next: here })}\
<div class="field"><label class="aside" for="own-text">Your notes</label>
  <textarea id="own-text" name="/notes" maxlength="${limits.message}" placeholder="Markdown and TeX">\
${notes}</textarea></div><div class="buttons"><button>Save notes</button></div></form>`
  const highlight = ({ highlightId, quote, page, colour, comment, version }: (typeof highlights)[number]) =>
    html`<li data-entry><blockquote class="said">${quote}</blockquote>
  <p class="meta"><span>page ${page}</span>${version === null ? null : html`<span>in version ${version}</span>`}\
<span>${colour}</span></p>
  ${comment && html`<p>${inlineMarkdown(comment)}</p>`}${
    arxivId !== null &&
    rooms.length > 0 &&
    citing(
      rooms,
      arxivId,
      hiddenInputs([
        ["/quote", quote],
        ["/locator/page", String(page)],
        ["/paper/version", version === null ? null : String(version)],
      ]),
      highlightId,
    )
  }\
${actionButton("remove_highlight", { highlightId, "/expectedRevision": expected }, "Remove", {
  danger: true,
  next: here,
})}</li>`
  return html`<section aria-labelledby="own">\
${heading(
  2,
  "own",
  "Your notes",
  updatedAt === null ? null : html`<span class="quiet">changed ${time(updatedAt)}</span>`,
)}
${notes === "" ? box : html`${markdown(notes)}<details><summary>Edit</summary>${box}</details>`}</section>
${section(
  "highlights",
  "Highlights",
  [
    list("cards", highlights, highlight, html`<p class="quiet">No highlights yet.</p>`),
    arxivId === null || rooms.length === 0 ? null : citingPasted(rooms, arxivId),
  ],
  act("add_highlight", { paperId, expectedRevision: revision, _next: here }, "Add highlight"),
)}`
}

function tags(visit: Visit, paperId: string, own: readonly string[], here: string): Html | null {
  const known = visit.ask("library_tags").items.filter(({ tag }) => !own.includes(tag))
  const item = (tag: string) =>
    html`<li><span class="tag"><a href="${to(withQuery("/library", { tag }))}">${tag}</a>\
<form method="post" action="${to("/web/untag_papers")}">${hidden({ "/paperIds": paperId, "/tags": tag, _next: here })}\
<button title="Remove tag"><span aria-hidden="true">×</span>\
<span class="aside">Remove ${tag}</span></button></form></span></li>`
  const form = html`<form class="add-tag" method="post" action="${to("/web/tag_papers")}">\
${hidden({ "/paperIds": paperId, _next: here })}<label class="aside" for="new-tags">More tags, separated by \
commas</label><input id="new-tags" name="/tags" required list="known-tags" maxlength="500" \
placeholder="to read, warm-up" autocomplete="off"><datalist id="known-tags">\
${known.slice(0, 100).map(({ tag }) => html`<option value="${tag}"></option>`)}</datalist>\
<button class="quiet">Add tags</button></form>`
  return section(
    "tags",
    "Tags",
    [list("tags", own, item), form],
    html`<span class="quiet">only you and your agents see them</span>`,
  )
}

function reading({ page, pages, at }: AnswerOf<"reading_position">, paperId: string, here: string): Html {
  const number = (name: string, value: number | null) =>
    attributes({
      name,
      value,
      type: "number",
      min: 1,
      max: limits.lastPage,
      inputmode: "numeric",
      id: `read${name.replace("/", "-")}`,
    })
  return html`<section aria-labelledby="reading">\
${heading(
  2,
  "reading",
  "Read so far",
  at === null || page === null ? null : html`<span class="quiet">${readTo({ page, pages })}, ${time(at)}</span>`,
)}<form class="position" method="post" action="${to("/web/set_reading_position")}">\
${hidden({ "/paperId": paperId, _next: here })}${
  page === null || pages === null
    ? null
    : html`<div class="so-far"><progress max="${pages}" value="${page}" aria-label="${readTo({ page, pages })}">\
${readTo({ page, pages })}</progress></div>`
}<label for="read-page">Page</label><input required${number("/page", page)}>\
<label for="read-pages">of<span class="aside"> how many</span></label><input${number("/pages", pages)} placeholder="?">\
<button class="quiet">Save</button></form></section>`
}

/** Renders the records that cite the paper, which are public. */
function cited(visit: Visit, arxivId: string, here: string): Html | null {
  const { items, nextCursor } = visit.ask("paper_publications", { arxivId }, { after: visit.parameter("cited") })
  const rooms = visit.tables.rooms.titles([...new Set(items.map(({ roomId }) => roomId))])
  const item = (record: (typeof items)[number]) =>
    recordItem(
      record,
      html`<span><a href="${to(`/rooms/${record.roomId}`)}">${rooms.get(record.roomId) ?? "a Room"}</a></span>`,
    )
  const found = list("uses", items, item, html`<p class="quiet">No Room cites it yet.</p>`)
  const rest = more(nextCursor === null ? null : withQuery(here, { cited: nextCursor }), "Earlier ones")
  const page =
    items.length === 0 ? null : html`<a href="${to(`/papers/${encodeURIComponent(arxivId)}`)}">Public page</a>`
  return section("cited", "Where Rooms cite it", [found, rest], page)
}

function filing(visit: Visit, paperId: string, current: readonly { readonly id: string }[], here: string): Html {
  const others = visit.ask("library_collections").items.filter(({ id }) => current.every((each) => each.id !== id))
  return others.length === 0
    ? html`<p class="quiet">\
${
  current.length === 0
    ? html`You have no Collections. ${act("create_collection", {}, "New Collection")}`
    : "It is in all of your Collections."
}</p>`
    : html`<form class="inline" method="post" action="${to("/web/add_papers")}">\
${hidden({ "/identifiers": paperId, _next: here })}<label class="aside" for="add-to">Collection</label>\
<select id="add-to" name="/collectionId">\
${others.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select>\
<button class="quiet">Add to Collection</button></form>`
}

export const libraryPaperPage = signedInOnly((visit) => {
  const paper = visit.ask("library_paper", {}, { paperId: visit.id("paperId") })
  const {
    paperId,
    arxivId,
    isbn,
    title,
    authors,
    moreAuthors,
    abstract,
    categories,
    year,
    venue,
    volume,
    issue,
    pages,
    publishedAt,
    savedAt,
  } = paper
  const [own, position] = [
    visit.ask("library_annotations", {}, { paperId }),
    visit.ask("reading_position", {}, { paperId }),
  ]
  const collectionId = visit.parameter("collection")
  const collection = paper.collections.find(({ id }) => id === collectionId) ?? paper.collections[0]
  const here = paperPath(paperId, collection?.id)
  const isOwn = savedAt !== null || paper.collections.length > 0 || own.revision > 0
  const filed = paper.collections.map(
    ({ id, name }) =>
      html`<a href="${to(paperPath(paperId, id))}"${attributes({
        "aria-current": id === collection?.id ? "true" : null,
      })}>${name}</a>`,
  )
  const appeared = [venue, volume && `volume ${volume}`, issue && `issue ${issue}`, pages && `pages ${pages}`]
    .filter((part) => part)
    .join(", ")
  const details = [
    title === null ? null : arxivId && `arXiv:${arxivId}`,
    isbn && `ISBN ${hyphenated(isbn)}`,
    publishedAt === null ? year : dateOf(publishedAt),
    categories.join(" "),
  ]
  return {
    title: calledBy(paper),
    wide: true,
    body: html`<p class="meta"><a href="${to("/library")}">Library</a></p>\
<h1>${title === null ? calledBy(paper) : inlineMarkdown(title)}</h1>
${authors.length === 0 ? null : html`<p>${authors.join(", ")}${moreAuthors === true ? " and others" : ""}</p>`}\
${appeared === "" ? null : html`<p class="quiet">${appeared}</p>`}
<p class="meta">${details.map((each) => (each ? html`<span>${each}</span>` : null))}\
${paperLinks(paper).map((link) => html`<span>${link}</span>`)}<span class="quiet">${sourceLine(paper)}</span></p>
<section aria-label="Actions">\
<div class="actions">${
      savedAt !== null
        ? actionButton("unsave_papers", { "/paperIds": paperId }, "Unsave", { next: here })
        : actionButton("save_papers", { "/identifiers": paperId }, "Save", { next: here })
    }${filing(visit, paperId, paper.collections, here)}</div></section>
<div class="beside-paper"><div>
<section aria-labelledby="abstract">${heading(2, "abstract", "Abstract")}\
${abstract === null ? empty("No abstract yet.") : html`<p class="abstract">${inlineMarkdown(abstract)}</p>`}
${facts([
  ["Saved", savedAt === null ? "no" : exactTime(savedAt)],
  ["Collections", filed.length === 0 ? "none" : joined(filed)],
])}</section>
${tags(visit, paperId, paper.tags ?? [], here)}
${isOwn ? reading(position, paperId, here) : null}</div>
<div>${isOwn ? annotations(own, paper, here, roomsToCiteIn(visit, arxivId)) : null}
${collection === undefined ? null : thread(visit, paperId, collection)}</div></div>
${arxivId && cited(visit, arxivId, here)}`,
  }
})
