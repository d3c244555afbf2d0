/** What people do with Collections in the browser beyond filing: delete, share by invitation, import, read. */
import * as v from "valibot"
import { count } from "../answers/fields.ts"
import { plain, text, username, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref, subject } from "../schema/ref.ts"
import { ids, onePaper, paperNamed, reading } from "./reads.ts"

const inBrowser = { family: "library", surface: "browser" } as const
const label = v.null()
const ofCollection = { collectionId: uuid, name: text(limits.collectionName), label }
const ofInvitation = { invitationId: uuid, ...ofCollection }

export const sharingOperations = [
  operation({
    name: "delete_collection",
    ...inBrowser,
    method: "DELETE",
    path: "/api/library/collections/{collectionId}",
    summary: "Deletes a Collection with its notes, for every member; only by its owner. Saved papers stay saved.",
    by: "owner",
    target: "collection",
    result: ofCollection,
  }),
  operation({
    name: "invite_to_collection",
    ...inBrowser,
    path: "/api/library/collections/{collectionId}/invitations",
    summary: "Invites a person of this instance to a Collection; only by its owner.",
    by: "owner",
    target: "collection_invitation",
    refusals: ["state_conflict", "limit_reached"],
    fields: { username },
    result: { ...ofInvitation, username },
    example: { username: "grace" },
  }),
  operation({
    name: "withdraw_collection_invitation",
    ...inBrowser,
    method: "DELETE",
    path: "/api/library/invitations/{invitationId}",
    summary: "Withdraws your open invitation to a Collection.",
    target: "collection_invitation",
    result: ofInvitation,
  }),
  operation({
    name: "accept_collection_invitation",
    ...inBrowser,
    path: "/api/library/invitations/{invitationId}/accept",
    summary: "Accepts an invitation: the Collection is then shared with the person.",
    target: "collection",
    result: ofInvitation,
  }),
  operation({
    name: "decline_collection_invitation",
    ...inBrowser,
    path: "/api/library/invitations/{invitationId}/decline",
    summary: "Declines an invitation.",
    target: "collection_invitation",
    result: ofInvitation,
  }),
  operation({
    name: "leave_collection",
    ...inBrowser,
    path: "/api/library/collections/{collectionId}/leave",
    summary: "Leaves a shared Collection. Your notes stay in it.",
    target: "collection",
    refusals: ["state_conflict"],
    result: ofCollection,
  }),
  operation({
    name: "remove_collection_member",
    ...inBrowser,
    method: "DELETE",
    path: "/api/library/collections/{collectionId}/members/{username}",
    summary: "Removes a member from a Collection; only by its owner.",
    by: "owner",
    target: "collection",
    refusals: ["state_conflict"],
    result: { ...ofCollection, username },
  }),
  operation({
    name: "delete_note",
    ...inBrowser,
    method: "DELETE",
    path: "/api/library/notes/{noteId}",
    summary: "Deletes your own note. The owner of the Collection may also delete a note of a former member.",
    target: "note",
    result: { noteId: uuid, collectionId: uuid, ...paperNamed, label },
  }),
  operation({
    name: "mark_read",
    ...inBrowser,
    path: "/api/library/mark_read",
    summary:
      "Marks the notes of a Collection as read by the person: with paperId or arxivId only those on that paper, " +
      "and with throughNoteId only those up to that one.",
    receiptOf: "nobody",
    target: "collection",
    fields: { collectionId: subject("collection"), ...onePaper, throughNoteId: v.exactOptional(ref("note")) },
    result: { collectionId: uuid, unread: count, label },
    example: { collectionId: "0198f3a0-0000-7000-8000-000000000021", arxivId: "1706.03762" },
  }),
  operation({
    name: "import_papers",
    ...inBrowser,
    path: "/api/library/import_papers",
    summary:
      "Saves every paper that a text names, all of them or none; with collectionId it also adds them to that " +
      "Collection. The text may be a list of references, or a file in BibTeX, RIS or CSL-JSON. " +
      "The receipt lists what could not be read; a text without anything readable is refused.",
    target: "library",
    refusals: ["limit_reached"],
    contentBytes: limits.requestBodyBytes,
    fields: { text: plain(limits.importedText), collectionId: v.exactOptional(subject("collection")) },
    result: {
      collectionId: v.nullable(uuid),
      added: v.nullable(ids),
      alreadyThere: v.nullable(ids),
      saved: ids,
      alreadySaved: ids,
      ...reading,
      label,
    },
    example: {
      collectionId: "0198f3a0-0000-7000-8000-000000000021",
      text:
        "@article{shannon1948, title={A Mathematical Theory of Communication}, author={Shannon, C. " +
        "E.}, journal={Bell System Technical Journal}, year={1948}, doi={10.1002/j.1538-7305.1948.tb01338.x}}",
    },
  }),
] as const
