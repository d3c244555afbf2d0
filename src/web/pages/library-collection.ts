/** A Collection: its papers, the people it is shared with, and its export as a file. */
import { withQuery } from "../addresses.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { act } from "../parts/actions.ts"
import {
  list,
  section,
  actionButton,
  confirmButton,
  empty,
  exactTime,
  facts,
  heading,
  more,
  person,
  time,
} from "../parts/parts.ts"
import { asFiles, calledBy, noted, paperName } from "../parts/papers.ts"
import { type PasteResult, pasteBox, pasted } from "../parts/paste.ts"
import { orNull, type Shown, type Visit } from "../visit.ts"
import { counted } from "../words.ts"
import { signedInOnly } from "./library.ts"

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
