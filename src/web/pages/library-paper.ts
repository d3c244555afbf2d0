/** A paper in one's Library: what is known of it, the notes on it in a Collection, one's own notes and highlights. */
import { randomUUID } from "node:crypto"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { withQuery } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import { inlineMarkdown, markdown } from "../markdown.ts"
import { act } from "../parts/actions.ts"
import { actionButton, empty, exactTime, facts, heading, more, person, recordChip, time, ways } from "../parts/parts.ts"
import { orNull, type Visit } from "../visit.ts"
import { paperPath, signedInOnly } from "./library.ts"

type Note = AnswerOf<"collection_notes">["items"][number]

const viaKey = ({ via }: Note): Html | null =>
  via && html` <span class="tag" title="through the personal key ${via.label}">via ${via.agent?.name ?? via.label}</span>`

const noteItem = (note: Note, notes: readonly Note[], own: string, here: string): Html => {
  const answered = notes.find(({ noteId }) => noteId === note.replyToNoteId)
  return html`<li class="post${note.unread ? " fresh" : ""}" id="note-${note.noteId}" data-entry><h3 class="by">${person({ username: note.author })}${viaKey(note)} · ${time(note.at)}</h3>
    ${
      note.replyToNoteId === null
        ? null
        : html`<p class="in-reply">In reply to <a href="#note-${note.replyToNoteId}">${answered?.author ?? "an earlier note"}</a></p>`
    }${markdown(note.text)}${note.author === own ? html`<div class="after">${actionButton("delete_note", { noteId: note.noteId }, "Delete", { danger: true, next: here })}</div>` : null}</li>`
}

/** The notes of one Collection on the paper, and a place to write another. */
function thread(visit: Visit, arxivId: string, collection: { id: string; name: string }): Html {
  const offset = visit.url.searchParams.get("offset") || undefined
  const page = orNull(() => visit.ask("collection_notes", { collectionId: collection.id }, { arxivId, offset }))
  if (page === null) return html``
  const here = paperPath(arxivId, collection.id)
  const last = page.items.at(-1)
  const unread = page.items.some((note) => note.unread)
  return html`<section aria-labelledby="notes">${heading(2, "notes", html`Notes in <a href="${to(`/library/collections/${collection.id}`)}">${collection.name}</a>`, unread && last !== undefined ? actionButton("mark_read", { "/collectionId": collection.id, "/arxivId": arxivId, "/throughNoteId": last.noteId }, "Mark read", { next: here }) : null)}
${
  page.items.length === 0
    ? empty("No note yet. Notes are seen by everybody the Collection is shared with.")
    : html`<ol class="timeline" aria-label="Notes">${page.items.map((note) => noteItem(note, page.items, visit.person?.username ?? "", here))}</ol>`
}${more(page.nextOffset === null ? null : withQuery(here, { offset: page.nextOffset }), "Later notes")}
<form class="stack" method="post" action="${to("/web/post_note")}" data-draft="note-${collection.id}-${arxivId}"><input type="hidden" name="/requestId" value="${randomUUID()}"><input type="hidden" name="/collectionId" value="${collection.id}"><input type="hidden" name="/arxivId" value="${arxivId}"><input type="hidden" name="_next" value="${here}"><div class="field"><label for="note-text">Write a note</label>
  <textarea id="note-text" name="/text" required maxlength="${limits.note}"></textarea></div><div class="buttons"><button>Post the note</button></div>
  </form></section>`
}

function annotations({ notes, highlights, revision, updatedAt }: AnswerOf<"library_annotations">, arxivId: string, here: string): Html {
  const given = { arxivId, expectedRevision: revision, _next: here }
  return html`<section aria-labelledby="own">${heading(2, "own", "Your own notes and highlights", html`${act("write_annotation", { ...given, notes }, notes === "" ? "Write notes" : "Change your notes")} ${act("add_highlight", given, "Add a highlight")}`)}
<p class="hint">Only you and agents with a key of yours see them.</p>${notes === "" ? null : markdown(notes)}
${
  highlights.length === 0
    ? notes === ""
      ? empty("Nothing is annotated yet.")
      : null
    : html`<ul class="cards">${highlights.map(
        ({ highlightId, quote, page, colour, comment, version }) => html`<li data-entry><blockquote class="said">${quote}</blockquote>
  <p class="meta"><span>page ${page}</span>${version === null ? null : html`<span>in version ${version}</span>`}<span>${colour}</span></p>
  ${comment === null ? null : html`<p>${inlineMarkdown(comment)}</p>`}${actionButton("remove_highlight", { highlightId, "/expectedRevision": String(revision) }, "Remove", { danger: true, next: here })}</li>`,
      )}</ul>`
}
${updatedAt === null ? null : html`<p class="meta">changed ${time(updatedAt)}, revision ${revision}</p>`}</section>`
}

export const libraryPaperPage = signedInOnly((visit) => {
  const arxivId = visit.id("arxivId")
  const paper = visit.ask("library_paper", {}, { arxivId })
  const [own, { items: published }] = [visit.ask("library_annotations", {}, { arxivId }), visit.ask("paper_publications", { arxivId })]
  const asked = visit.url.searchParams.get("collection")
  const collection = paper.collections.find(({ id }) => id === asked) ?? paper.collections[0]
  const here = paperPath(arxivId, collection?.id)
  return {
    title: paper.title ?? `arXiv:${arxivId}`,
    body: html`<p class="meta"><a href="${to("/library")}">Library</a></p><h1>${paper.title ?? `arXiv:${arxivId}`}</h1>
<p class="meta">${paper.authors.length === 0 ? null : html`<span>${paper.authors.join(", ")}</span>`}<span>arXiv:${arxivId}</span>${paper.categories.length === 0 ? null : html`<span>${paper.categories.join(" ")}</span>`}</p>
<section aria-label="Actions"><div class="actions">${paper.saved === true ? actionButton("unsave_papers", { "/arxivIds": arxivId }, "Unsave", { next: here }) : actionButton("save_papers", { "/arxivIds": arxivId }, "Save", { next: here })}${act("add_papers", { arxivIds: arxivId }, "Add to a Collection")}</div></section>
${paper.abstract === null ? html`<p class="quiet">What arXiv says of it is not known here.</p>` : html`<p class="said">${inlineMarkdown(paper.abstract)}</p>`}
${facts([
  ["Saved", paper.savedAt === null ? "no" : exactTime(paper.savedAt)],
  [
    "Collections",
    paper.collections.length === 0
      ? "none"
      : html`${paper.collections.map(({ id, name }) => html`<a href="${to(paperPath(arxivId, id))}">${name}</a> `)}`,
  ],
])}
${collection === undefined ? null : thread(visit, arxivId, collection)}
${annotations(own, arxivId, here)}
<section aria-labelledby="published">${heading(2, "published", "What Rooms here say of it")}${published.length === 0 ? empty("No record quotes it.") : published.map((record) => recordChip(record, 160))}</section>
${ways([["At arXiv’s number in Rooms", `/papers/${encodeURIComponent(arxivId)}`]])}`,
  }
})
