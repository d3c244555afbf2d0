/**
 * The Library of the signed-in person: saved papers with search and order, Collections, tags and invitations; and the
 * page of a Collection.
 */
import type { Answer } from "../../edge/answers/answer.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { withQuery, attributes, type Html, html, joined, to, type Content } from "../html.ts"
import { act } from "../parts/actions.ts"
import {
  list,
  section,
  actionButton,
  empty,
  heading,
  more,
  person,
  time,
  confirmButton,
  exactTime,
  facts,
} from "../parts/parts.ts"
import {
  asFiles,
  calledBy,
  collectionLink,
  noted,
  paperName,
  readTo,
  tagLinks,
  type PasteResult,
  pasteBox,
  pasted,
} from "../parts/papers.ts"
import { toSignIn, type Shown, type Visit, orNull } from "../visit.ts"
import { counted } from "../words.ts"

/** Makes a page for signed-in people only. Others are sent to sign in. */
export const signedInOnly =
  (page: (visit: Visit) => Shown) =>
  (visit: Visit): Shown | Answer =>
    visit.person === undefined ? toSignIn(visit) : page(visit)

const orderNames = { saved: "newest saved", title: "title", published: "newest published" } as const

function listingIn({ parameter }: Visit) {
  const value = (name: string) => parameter(name)?.trim() || undefined
  const sort = enumerations.paperOrder.find((each) => each === value("sort"))
  return {
    query: value("query")?.slice(0, limits.searchQuery),
    tag: value("tag")?.slice(0, limits.tag).toLowerCase(),
    sort,
  }
}
type Listing = ReturnType<typeof listingIn>

type Invitation = AnswerOf<"library_invitations">["items"][number]
const invitation = ({ invitationId, collection, invitedBy, invitedAt }: Invitation): Html =>
  html`<li>${person({ username: invitedBy })} invited you to “${collection.name}” ${time(invitedAt)}\
<div class="actions">
  ${actionButton(
    "accept_collection_invitation",
    { invitationId },
    html`Accept<span class="aside"> ${collection.name}</span>`,
    { next: `/library/collections/${collection.id}` },
  )}
  ${actionButton(
    "decline_collection_invitation",
    { invitationId },
    html`Decline<span class="aside"> ${collection.name}</span>`,
    { danger: true, next: "/library" },
  )}</div></li>`

const find = ({ query, tag, sort }: Listing): Html =>
  html`<form class="find" role="search" aria-label="Saved papers" action="${to("/library")}">${
    tag === undefined ? null : html`<input type="hidden" name="tag" value="${tag}">`
  }<label class="aside" for="find">Words in titles, authors, abstracts and your notes</label>\
<input id="find" type="search" name="query" value="${query}" maxlength="${limits.searchQuery}" \
placeholder="Title, author, abstract, your notes"><label class="aside" for="find-sort">Order</label>\
<select id="find-sort" name="sort">\
${enumerations.paperOrder.map(
  (each) =>
    html`<option value="${each}"${attributes({ selected: each === (sort ?? "saved") })}>${orderNames[each]}</option>`,
)}</select><button class="quiet">Find</button></form>`

function papers(visit: Visit, listing: Listing, hasAny: boolean): Html {
  const { query, tag, sort } = listing
  const first = visit.ask("library_papers", {}, { query, tag, sort, offset: visit.parameter("offset") })
  // A word without results may be mistyped.
  const suggested = first.didYouMean === null || tag !== undefined ? undefined : first.didYouMean
  const { items, nextOffset } =
    suggested === undefined ? first : visit.ask("library_papers", {}, { query: suggested, sort })
  const read = visit.tables.library.annotations.positions(
    visit.person?.userId ?? "",
    items.map(({ paperId }) => paperId),
  )
  const here = withQuery("/library", { query, tag, sort })
  const narrowed = query !== undefined || tag !== undefined
  const none = narrowed
    ? "No saved paper contains all of these words. The search covers titles, authors, journals, abstracts, " +
      "tags and your notes."
    : "No papers saved yet. Paste one above. Your agents can also save papers, with a personal key from your " +
      "account page."
  const item = (paper: (typeof items)[number]) => {
    const position = read.get(paper.paperId)
    return html`<li data-entry>${paperName(paper)}<div class="paper-end"><p class="meta">\
<span>saved ${time(paper.savedAt)}</span>${position && html`<span>${readTo(position)}</span>`}${
      paper.collections.length === 0 ? null : html`<span>in ${joined(paper.collections.map(collectionLink))}</span>`
    }${paper.tags.length === 0 ? null : html`<span>${tagLinks(paper.tags)}</span>`}</p>\
${actionButton(
  "unsave_papers",
  { "/paperIds": paper.paperId },
  html`Unsave<span class="aside"> ${calledBy(paper)}</span>`,
  { next: here },
)}</div></li>`
  }
  const name = tag === undefined ? "Saved papers" : html`Saved papers tagged “${tag}”`
  return html`<section aria-labelledby="papers">\
${heading(2, "papers", name, narrowed ? html`<a href="${to("/library#papers")}">Show all</a>` : null)}\
${hasAny || narrowed ? find(listing) : null}\
${
  suggested === undefined
    ? null
    : html`<p class="quiet">No results for “${query}”. Showing results for “<a \
href="${to(withQuery("/library", { query: suggested, sort }))}">${suggested}</a>”.</p>`
}
${list("cards papers", items, item, empty(none))}\
${more(
  nextOffset === null ? null : withQuery("/library", { query: suggested ?? query, tag, sort, offset: nextOffset }),
  "More papers",
)}</section>`
}

function collections({ items, nextOffset }: AnswerOf<"library_collections">): Html | null {
  const item = (collection: (typeof items)[number]) => {
    const { isOwner, owner, counts } = collection
    return html`<li data-collection>${collectionLink(collection)}\
${isOwner ? null : html` <span class="quiet">shared by ${person({ username: owner })}</span>`}<div class="meta">\
<span>${counted(counts.papers, "paper")}</span><span>${noted(counts, counts.notes === 1 ? " note" : " notes")}</span>\
</div></li>`
  }
  const none = html`<p class="quiet">A Collection holds papers on one topic, with notes on each. You can share it with \
others here.</p>`
  const rest = more(
    nextOffset === null ? null : withQuery("/library", { collections: nextOffset }),
    "Older Collections",
  )
  return section(
    "collections",
    "Collections",
    html`${list("", items, item, none)}${rest}`,
    act("create_collection", {}, "New"),
  )
}

/** Maximum number of tags shown without a click. Those with the most papers come first. */
const SHOWN_TAGS = 40

function tags({ items }: AnswerOf<"library_tags">, { tag: current }: Listing): Html | null {
  const link = ({ tag, papers: count }: (typeof items)[number]) =>
    html`<li><a class="tag" \
href="${to(withQuery("/library", { tag }))}"${attributes({ "aria-current": tag === current ? "true" : null })}>${tag} \
<span class="count">${count}</span></a></li>`
  const often = new Set([...items].sort((one, other) => other.papers - one.papers).slice(0, SHOWN_TAGS))
  const others = items.filter((item) => !often.has(item))
  const folded =
    others.length === 0
      ? null
      : html`<details><summary>${counted(others.length, "more tag")}</summary>\
<ul class="tags">${others.map(link)}</ul></details>`
  const shown = items.filter((item) => often.has(item))
  const none = html`<p class="quiet">Only you can see your tags. Add them on the page of a paper.</p>`
  return section("tags", "Your tags", html`${list("tags", shown, link, none)}${folded}`)
}

/** Returns the page, with the result of a pasted text. */
export function libraryShown(visit: Visit, result: PasteResult = {}): Shown {
  const listing = listingIn(visit)
  const held = visit.ask("library_collections", {}, { offset: visit.parameter("collections") })
  const [received, tagged] = [visit.ask("library_invitations"), visit.ask("library_tags")]
  const collection = held.items.find(({ id }) => id === result.collectionId)
  const saved = visit.tables.library.saved.count(visit.person?.userId ?? "")
  const { query, tag, sort } = listing
  return {
    title: "Library",
    wide: true,
    body: html`<h1>Library</h1><p class="meta"><span>${counted(saved, "saved paper")}</span>\
<span>only you can see it, except the Collections you share</span></p>
<p class="jump ways"><a href="#collections">Collections</a> <a href="#tags">Tags</a> <a href="#files">Download</a></p>
${pasted(result, collection)}${pasteBox({ ...result, collections: held.items })}\
${section("invitations", "Invitations", list("cards", received.items, invitation))}
<div class="shelved">${papers(visit, listing, saved > 0)}
<aside aria-label="Filed under">${collections(held)}${tags(tagged, listing)}
<section aria-labelledby="files">${heading(2, "files", "Download")}<p class="quiet">\
${
  query === undefined && tag === undefined
    ? "All saved papers, with your tags."
    : "The papers listed here, with your tags."
}</p>${asFiles("/api/library/papers", { query, tag, sort })}</section></aside></div>`,
  }
}

export const libraryPage = signedInOnly((visit) => libraryShown(visit))

// A Collection: its papers, the people it is shared with, and its export as a file.

type Held = AnswerOf<"library_collection">

function sharing({ id, isOwner, owner, members }: Held, sent: AnswerOf<"collection_invitations"> | null): Html {
  const here = `/library/collections/${id}`
  const people: Content = members.map(
    (username) =>
      html`<li>${person({ username })}\
${
  username === owner
    ? " (owner)"
    : isOwner
      ? confirmButton(
          html`Remove<span class="aside"> ${username}</span>`,
          `${username} will no longer see its papers and notes. Their notes stay.`,
          actionButton("remove_collection_member", { collectionId: id, username }, `Remove ${username}`, {
            danger: true,
            next: here,
          }),
        )
      : null
}</li>`,
  )
  const open = sent?.items.map(
    ({ invitationId, username, invitedAt }) =>
      html`<li>${person({ username })}, invited ${time(invitedAt)} \
${actionButton(
  "withdraw_collection_invitation",
  { invitationId },
  html`Withdraw<span class="aside"> ${username}</span>`,
  { next: here },
)}</li>`,
  )
  return html`<section aria-labelledby="shared">\
${heading(
  2,
  "shared",
  "Shared with",
  isOwner ? act("invite_to_collection", { collectionId: id, _next: here }, "Share") : null,
)}<ul>${people}${open}</ul>
    ${
      isOwner
        ? null
        : confirmButton(
            "Leave this Collection",
            "You will no longer see its papers and notes, unless you are invited again. Your own notes stay in it.",
            actionButton("leave_collection", { collectionId: id }, "Leave Collection", {
              danger: true,
              next: "/library",
            }),
          )
    }</section>`
}

/** Returns the page of a Collection, with the result of a pasted text. @throws Refusal `unknown_collection` */
export function collectionShown(visit: Visit, collectionId: string, result: PasteResult = {}): Shown {
  const held = visit.ask("library_collection", { collectionId }, { offset: visit.parameter("offset") })
  const sent = held.isOwner ? orNull(() => visit.ask("collection_invitations", { collectionId })) : null
  const here = `/library/collections/${collectionId}`
  const unread = new Map<string, number>()
  for (const note of held.notes) if (note.unread) unread.set(note.paperId, (unread.get(note.paperId) ?? 0) + 1)
  const item = (paper: Held["items"][number]) =>
    html`<li data-entry>${paperName(paper, collectionId)}<div class="paper-end"><p class="meta">\
<span>added by ${person({ username: paper.addedBy })} ${time(paper.addedAt)}</span>\
<span>${noted(
      { notes: paper.notes, unread: unread.get(paper.paperId) ?? 0 },
      paper.notes === 1 ? " note" : " notes",
    )}</span></p>${actionButton(
      "remove_paper",
      { "/collectionId": collectionId, "/paperId": paper.paperId },
      html`Remove<span class="aside"> ${calledBy(paper)}</span>`,
      { next: here },
    )}</div></li>`
  const rest = more(held.nextOffset === null ? null : withQuery(here, { offset: held.nextOffset }), "Older papers")
  return {
    title: held.name,
    wide: true,
    body: html`<p class="meta"><a href="${to("/library")}">Library</a></p><h1>${held.name}</h1>
<p class="meta"><span>${held.isOwner ? "yours" : html`shared by ${person({ username: held.owner })}`}</span>\
<span>${counted(held.counts.papers, "paper")}</span>\
<span>${noted(held.counts, held.counts.notes === 1 ? " note" : " notes")}</span></p>
${
  held.isOwner || held.counts.unread > 0
    ? html`<section aria-label="Actions">\
<div class="actions">${
        held.counts.unread === 0
          ? null
          : actionButton("mark_read", { "/collectionId": collectionId }, "Mark all as read", { next: here })
      }${held.isOwner ? act("rename_collection", { collectionId, name: held.name }, "Rename") : null}</div></section>`
    : null
}
${pasted(result, held)}${pasteBox({ ...result, collections: [], of: held })}
<div class="shelved">${section("papers", "Papers", [
      list("cards papers", held.items, item, empty("No papers yet. Paste some above.")),
      rest,
    ])}
<aside aria-label="About this Collection">${sharing(held, sent)}
<section aria-labelledby="files">${heading(2, "files", "Download")}<p class="quiet">All papers of this Collection. \
Those that came from a file keep their citation keys.</p>\
${asFiles(`/api/library/collections/${collectionId}`)}</section>
${facts([["Created", exactTime(held.createdAt)]])}
${
  held.isOwner
    ? confirmButton(
        "Delete this Collection",
        "Its papers stay saved. Its notes are deleted for everybody.",
        actionButton("delete_collection", { collectionId }, "Delete Collection", { danger: true, next: "/library" }),
      )
    : null
}</aside></div>`,
  }
}

export const collectionPage = signedInOnly((visit) => collectionShown(visit, visit.id("collectionId")))
