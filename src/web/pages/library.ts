/** The Library of the person who is signed in: saved papers, Collections, invitations. */
import type { Answer } from "../../edge/answer.ts"
import { withQuery } from "../addresses.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Content, type Html, html, joined, to } from "../html.ts"
import { act } from "../parts/actions.ts"
import { actionButton, empty, exactTime, facts, heading, more, person, table, time, ways } from "../parts/parts.ts"
import { redirected } from "../redirect.ts"
import { orNull, type Shown, type Visit } from "../visit.ts"
import { counted } from "../words.ts"

type Paper = Pick<AnswerOf<"library_papers">["items"][number], "arxivId" | "title" | "authors" | "publishedAt">
type Held = AnswerOf<"library_collection">

/** Pages of the Library are for those who have one. */
export const signedInOnly =
  (page: (visit: Visit) => Shown) =>
  (visit: Visit): Shown | Answer =>
    visit.person === undefined
      ? redirected(visit, withQuery("/sign-in", { next: `${visit.url.pathname}${visit.url.search}` }))
      : page(visit)

export const paperPath = (arxivId: string, collectionId?: string): string =>
  withQuery(`/library/papers/${encodeURIComponent(arxivId)}`, { collection: collectionId })

/** A paper as lists name it: its title where it is known, else its id. */
const paperName = ({ arxivId, title, authors, publishedAt }: Paper, collectionId?: string): Html =>
  html`<a class="wording" href="${to(paperPath(arxivId, collectionId))}">${title ?? `arXiv:${arxivId}`}</a><span class="hint">${
    title === null
      ? "nothing more is known of it here"
      : html`${authors.length > 4 ? `${authors.slice(0, 3).join(", ")} and ${authors.length - 3} others` : authors.join(", ")}${publishedAt === null ? null : `, ${publishedAt.slice(0, 4)}`} · arXiv:${arxivId}`
  }</span>`

const collectionLink = ({ id, name }: { readonly id: string; readonly name: string }): Html =>
  html`<a href="${to(`/library/collections/${id}`)}">${name}</a>`

/** How many notes there are, and how many of them are new to the reader. */
const noted = ({ notes, unread }: { readonly notes: number; readonly unread: number }): Html =>
  html`${notes}${unread === 0 ? null : html` <strong class="active">${unread} new</strong>`}`

function collections(items: AnswerOf<"library_collections">["items"]): Html {
  if (items.length === 0)
    return empty(
      "No Collection yet. A Collection holds papers on one matter, with notes on each, and can be shared with others of this service.",
    )
  return table(
    "Collections",
    ["Collection", "Owner", "Papers", "Notes"],
    items.map(
      (collection) => html`<tr data-entry><th scope="row">${collectionLink(collection)}</th>
    <td>${collection.isOwner ? "you" : person({ username: collection.owner })}</td><td class="number">${collection.counts.papers}</td>
    <td>${noted(collection.counts)}</td></tr>`,
    ),
  )
}

const invitations = ({ items }: AnswerOf<"library_invitations">): Html | null =>
  items.length === 0
    ? null
    : html`<section aria-labelledby="invitations">${heading(2, "invitations", "You are invited")}<ul class="cards">${items.map(
        ({ invitationId, collection, invitedBy, invitedAt }) =>
          html`<li>${person({ username: invitedBy })} shares “${collection.name}” with you, ${time(invitedAt)}<div class="actions">
      ${actionButton("accept_collection_invitation", { invitationId }, html`Accept<span class="aside"> ${collection.name}</span>`, { next: `/library/collections/${collection.id}` })}
      ${actionButton("decline_collection_invitation", { invitationId }, html`Decline<span class="aside"> ${collection.name}</span>`, { danger: true, next: "/library" })}</div>
      </li>`,
      )}</ul></section>`

export const libraryPage = signedInOnly((visit) => {
  const offset = visit.url.searchParams.get("offset") || undefined
  const [saved, held, received] = [
    visit.ask("library_papers", {}, { offset }),
    visit.ask("library_collections"),
    visit.ask("library_invitations"),
  ]
  const rows = saved.items.map(
    (paper) => html`<tr data-entry><td>${paperName(paper)}</td><td>${joined(paper.collections.map(collectionLink))}</td>
    <td>${time(paper.savedAt)}</td>
    <td>${actionButton("unsave_papers", { "/arxivIds": paper.arxivId }, html`Unsave<span class="aside"> ${paper.arxivId}</span>`, { next: "/library" })}</td>
    </tr>`,
  )
  return {
    title: "Library",
    body: html`<h1>Library</h1><p class="meta">Yours alone, but for the Collections you share. Nothing of it enters a Room by itself.</p>${invitations(received)}
<section aria-labelledby="collections">${heading(2, "collections", "Collections", act("create_collection", {}, "Create a Collection"))}${collections(held.items)}</section>
<section aria-labelledby="papers">${heading(2, "papers", "Saved papers", act("save_papers", { _next: "/library" }, "Save papers"))}
  ${rows.length === 0 ? empty("No paper is saved. Save one by its arXiv id or address; an agent of yours can do so with a personal key, issued under your account.") : table("Saved papers", ["Paper", "Collections", "Saved", html`<span class="aside">Actions</span>`], rows)}
  ${more(saved.nextOffset === null ? null : withQuery("/library", { offset: saved.nextOffset }), "Older papers")}</section>`,
  }
})

function sharing({ id, isOwner, owner, members }: Held, sent: AnswerOf<"collection_invitations"> | null): Html {
  const here = `/library/collections/${id}`
  const people: Content = members.map(
    (username) =>
      html`<li>${person({ username })}${username === owner ? " (owner)" : isOwner ? html` ${actionButton("remove_collection_member", { collectionId: id, username }, html`Remove<span class="aside"> ${username}</span>`, { danger: true, next: here })}` : null}</li>`,
  )
  const open = sent?.items.map(
    ({ invitationId, username, invitedAt }) =>
      html`<li>${person({ username })}, invited ${time(invitedAt)} ${actionButton("withdraw_collection_invitation", { invitationId }, html`Withdraw<span class="aside"> ${username}</span>`, { next: here })}</li>`,
  )
  return html`<section aria-labelledby="shared">${heading(2, "shared", "Shared with", isOwner ? act("invite_to_collection", { collectionId: id, _next: here }, "Share it") : null)}<ul>${people}${open}</ul>
    ${isOwner ? null : actionButton("leave_collection", { collectionId: id }, "Leave it", { danger: true, next: "/library" })}</section>`
}

export const collectionPage = signedInOnly((visit) => {
  const collectionId = visit.id("collectionId")
  const held = visit.ask("library_collection", { collectionId }, { offset: visit.url.searchParams.get("offset") || undefined })
  const sent = held.isOwner ? orNull(() => visit.ask("collection_invitations", { collectionId })) : null
  const here = `/library/collections/${collectionId}`
  const unread = (arxivId: string) => held.notes.filter((note) => note.arxivId === arxivId && note.unread).length
  const rows = held.items.map(
    (paper) => html`<tr data-entry><td>${paperName(paper, collectionId)}</td>
    <td>${noted({ notes: paper.notes, unread: unread(paper.arxivId) })}</td><td>${person({ username: paper.addedBy })} ${time(paper.addedAt)}</td>
    <td>${actionButton("remove_paper", { "/collectionId": collectionId, "/arxivId": paper.arxivId }, html`Remove<span class="aside"> ${paper.arxivId}</span>`, { danger: true, next: here })}</td>
    </tr>`,
  )
  return {
    title: held.name,
    body: html`<p class="meta"><a href="${to("/library")}">Library</a></p><h1>${held.name}</h1>
<p class="meta"><span>${held.isOwner ? "yours" : html`of ${person({ username: held.owner })}`}</span><span>${counted(held.counts.papers, "paper")}</span><span>${noted(held.counts)} notes</span></p>
<section aria-label="Actions"><div class="actions">${act("add_papers", { collectionId, _next: here }, "Add papers", "first")}${act("import_bibtex", { collectionId, _next: here }, "Import BibTeX or RIS")}${held.counts.unread === 0 ? null : actionButton("mark_read", { "/collectionId": collectionId }, "Mark everything read", { next: here })}${held.isOwner ? html`${act("rename_collection", { collectionId, name: held.name }, "Rename")}` : null}</div>
  </section>
<section aria-labelledby="papers">${heading(2, "papers", "Papers")}${rows.length === 0 ? empty("No paper yet. Add some by their arXiv ids or addresses, or import a BibTeX or RIS file.") : table("Papers", ["Paper", "Notes", "Added by", html`<span class="aside">Actions</span>`], rows)}${more(held.nextOffset === null ? null : withQuery(here, { offset: held.nextOffset }), "Older papers")}</section>
${sharing(held, sent)}
${facts([["Created", exactTime(held.createdAt)]])}
${
  held.isOwner
    ? html`<details><summary>Delete this Collection</summary><p>Its papers stay saved; its notes go for everybody it is shared with.</p>
  ${actionButton("delete_collection", { collectionId }, "Delete it for good", { danger: true, next: "/library" })}</details>`
    : null
}
${ways([["As BibTeX", `/api/library/collections/${collectionId}/bibtex`]])}`,
  }
})
