/** What people do with Collections in the browser beyond filing: delete, share by invitation, import, read. */
import * as v from "valibot"
import { count } from "../answers/fields.ts"
import { arxivId, distinct, plain, shape, text, username, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref, subject } from "../schema/ref.ts"

const family = "library"
const surface = "browser"
const label = v.null()
const ids = v.array(v.string())
const ofCollection = { collectionId: uuid, name: text(limits.collectionName), label }
const ofInvitation = { invitationId: uuid, ...ofCollection }

export const unsavePapers = operation({
  name: "unsave_papers",
  family,
  surface,
  path: "/api/library/unsave_papers",
  summary: "Takes papers out of the Library's list of saved papers. Collections keep theirs, and annotations stay; their tags go.",
  target: "library",
  fields: { arxivIds: distinct(arxivId, limits.arxivIds, 1) },
  result: { unsaved: ids, notSaved: ids, label },
  example: { arxivIds: ["1706.03762"] },
})

export const deleteCollection = operation({
  name: "delete_collection",
  family,
  surface,
  method: "DELETE",
  path: "/api/library/collections/{collectionId}",
  summary: "Deletes a Collection with its notes, for every member; its owner only. Saved papers stay saved.",
  by: "owner",
  target: "collection",
  fields: {},
  result: ofCollection,
  example: {},
})

export const inviteToCollection = operation({
  name: "invite_to_collection",
  family,
  surface,
  path: "/api/library/collections/{collectionId}/invitations",
  summary: "Invites a person of this instance to a Collection; its owner only.",
  by: "owner",
  target: "collection_invitation",
  refusals: ["state_conflict", "limit_reached"],
  fields: { username },
  result: { ...ofInvitation, username },
  example: { username: "grace" },
})

export const withdrawCollectionInvitation = operation({
  name: "withdraw_collection_invitation",
  family,
  surface,
  method: "DELETE",
  path: "/api/library/invitations/{invitationId}",
  summary: "Takes back your open invitation to a Collection.",
  target: "collection_invitation",
  fields: {},
  result: ofInvitation,
  example: {},
})

export const acceptCollectionInvitation = operation({
  name: "accept_collection_invitation",
  family,
  surface,
  path: "/api/library/invitations/{invitationId}/accept",
  summary: "Accepts an invitation: the Collection is shared with the person from now on.",
  target: "collection",
  fields: {},
  result: ofInvitation,
  example: {},
})

export const declineCollectionInvitation = operation({
  name: "decline_collection_invitation",
  family,
  surface,
  path: "/api/library/invitations/{invitationId}/decline",
  summary: "Declines an invitation.",
  target: "collection_invitation",
  fields: {},
  result: ofInvitation,
  example: {},
})

export const leaveCollection = operation({
  name: "leave_collection",
  family,
  surface,
  path: "/api/library/collections/{collectionId}/leave",
  summary: "Leaves a shared Collection. Your notes stay in it.",
  target: "collection",
  refusals: ["state_conflict"],
  fields: {},
  result: ofCollection,
  example: {},
})

export const removeCollectionMember = operation({
  name: "remove_collection_member",
  family,
  surface,
  method: "DELETE",
  path: "/api/library/collections/{collectionId}/members/{username}",
  summary: "Ends a member's share in a Collection; its owner only.",
  by: "owner",
  target: "collection",
  refusals: ["state_conflict"],
  fields: {},
  result: { ...ofCollection, username },
  example: {},
})

export const deleteNote = operation({
  name: "delete_note",
  family,
  surface,
  method: "DELETE",
  path: "/api/library/notes/{noteId}",
  summary: "Deletes your own note. The owner of the Collection may also delete a note of a former member.",
  target: "note",
  fields: {},
  result: { noteId: uuid, collectionId: uuid, arxivId: v.string(), label },
  example: {},
})

export const markRead = operation({
  name: "mark_read",
  family,
  surface,
  path: "/api/library/mark_read",
  summary:
    "Marks the notes of a Collection as read by the person: those on one paper with arxivId, and with throughNoteId only those up to that one.",
  receiptOf: "nobody",
  target: "collection",
  fields: { collectionId: subject("collection"), arxivId: v.exactOptional(arxivId), throughNoteId: v.exactOptional(ref("note")) },
  result: { collectionId: uuid, unread: count, label },
  example: { collectionId: "0198f3a0-0000-7000-8000-000000000021", arxivId: "1706.03762" },
})

/** An entry of a BibTeX file that names no paper of arXiv, or cannot be read. */
const skipped = shape({ key: v.nullable(v.string()), reason: v.string() })

export const importBibtex = operation({
  name: "import_bibtex",
  family,
  surface,
  path: "/api/library/collections/{collectionId}/bibtex",
  summary:
    "Adds the arXiv papers of a BibTeX or RIS file to a Collection and saves them, all of them or none. Entries that name no arXiv id are told in the receipt; a file in which none does is refused.",
  target: "collection",
  refusals: ["limit_reached"],
  contentBytes: limits.requestBodyBytes,
  fields: { bibtex: plain(limits.bibtex) },
  result: { collectionId: uuid, added: ids, alreadyThere: ids, saved: ids, alreadySaved: ids, skipped: v.array(skipped), label },
  example: {
    bibtex:
      "@misc{vaswani2017, title={Attention Is All You Need}, author={Vaswani, Ashish}, year={2017}, eprint={1706.03762}, archivePrefix={arXiv}}",
  },
})
