/** The operations of the Library: filing papers, personal keys, annotations and sharing. */
import * as v from "valibot"
import { count } from "../answers/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import {
  oneOf,
  plain,
  text,
  uuid,
  whole,
  distinct,
  shape,
  time,
  username,
  arxivId,
  distinctBy,
  list,
  tag,
} from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import {
  oneOfPaper,
  onePaper,
  paperNamed,
  ids,
  reading,
  newPapers,
  oneOfNew,
  oneOfPapers,
  somePapers,
} from "./reads.ts"
import { each } from "../typed.ts"
import { ref, subject } from "../schema/parts.ts"

// What a person, or an agent with their personal key, files in the Library; the browser has the same operations under
// /api/library, and unsaves and tags papers.

const byFiler = { family: "library", permissions: ["file_papers"] } as const
/** Titles that the sender gives, each for one of the sent papers. */
const titles = distinctBy(list(shape({ arxivId, title: text(limits.explanation) }), limits.arxivIds), "arxivId")
const name = text(limits.collectionName)
const papersInBrowser = { family: "library", surface: "browser", target: "library", atLeastOneOf: oneOfPapers } as const
/** A person's own tags are words to find saved papers by. Only that person sees them. */
const tagged = { ...somePapers, tags: distinct(tag, limits.paperTags, 1) }
const tagging = { arxivIds: ["1706.03762"], tags: ["warm-up", "to read"] }

const filingOperations = [
  operation({
    name: "save_papers",
    ...byFiler,
    summary:
      "Saves papers to the Library. A paper that is already saved stays unchanged, and is listed in the receipt as " +
      "alreadySaved. A text that names no paper is listed as unreadable. A title given with a paper is shown until " +
      "one is known from a source.",
    target: "library",
    refusals: ["limit_reached"],
    atLeastOneOf: oneOfNew,
    fields: { ...newPapers, titles: v.exactOptional(titles) },
    result: { saved: ids, alreadySaved: ids, ...reading, label: v.null() },
    example: {
      arxivIds: ["1706.03762", "hep-th/9711200"],
      identifiers: ["10.1002/j.1538-7305.1948.tb01338.x", "ISBN 978-0-262-03384-8"],
    },
  }),
  operation({
    name: "create_collection",
    ...byFiler,
    summary:
      "Creates an empty Collection owned by the person. A Collection created with a key of selected reach joins " +
      "that reach.",
    target: "collection",
    refusals: ["limit_reached"],
    fields: { name },
    result: { collectionId: uuid, name, label: v.null() },
    example: { name: "Warm-up and early loss" },
  }),
  operation({
    name: "add_papers",
    ...byFiler,
    summary:
      "Adds papers to a Collection. If the key reaches the Library they are saved there too; " +
      "if not, saved and alreadySaved in the receipt are null. A text that names no paper is listed as unreadable. " +
      "A title given with a paper is shown until one is known from a source.",
    target: "collection",
    refusals: ["limit_reached"],
    atLeastOneOf: oneOfNew,
    fields: { collectionId: subject("collection"), ...newPapers, titles: v.exactOptional(titles) },
    result: {
      collectionId: uuid,
      added: ids,
      alreadyThere: ids,
      saved: v.nullable(ids),
      alreadySaved: v.nullable(ids),
      ...reading,
      label: v.null(),
    },
    example: { collectionId: "0198f3a0-0000-7000-8000-000000000021", arxivIds: ["1706.03762"] },
  }),
  operation({
    name: "remove_paper",
    ...byFiler,
    summary: "Removes a paper from a Collection, unless its thread there holds a note. The paper stays saved.",
    target: "collection",
    refusals: ["unknown_paper", "thread_has_notes"],
    atLeastOneOf: oneOfPaper,
    fields: { collectionId: subject("collection"), ...onePaper },
    result: { collectionId: uuid, ...paperNamed, label: v.null() },
    example: { collectionId: "0198f3a0-0000-7000-8000-000000000021", arxivId: "1706.03762" },
  }),
  operation({
    name: "rename_collection",
    ...byFiler,
    summary: "Renames a Collection that the person owns.",
    by: "owner",
    target: "collection",
    fields: { collectionId: subject("collection"), name },
    result: { collectionId: uuid, name, label: v.null() },
    example: { collectionId: "0198f3a0-0000-7000-8000-000000000021", name: "Warm-up, clipping and early loss" },
  }),
  operation({
    name: "post_note",
    family: "library",
    summary:
      "Posts a note on a paper of a Collection, under the person's name. With a key, the note is marked via, " +
      "and nobody's read mark moves.",
    permissions: ["post_notes"],
    target: "note",
    refusals: ["unknown_paper", "limit_reached"],
    atLeastOneOf: oneOfPaper,
    fields: {
      collectionId: subject("collection"),
      ...onePaper,
      text: text(limits.note),
      replyToNoteId: v.exactOptional(ref("note")),
    },
    result: { noteId: uuid, collectionId: uuid, ...paperNamed, replyToNoteId: v.nullable(uuid), label: v.null() },
    example: {
      collectionId: "0198f3a0-0000-7000-8000-000000000021",
      arxivId: "1706.03762",
      text: "Section 5.3 gives the warm-up they used: $n_w = 4000$ steps.",
    },
  }),
  operation({
    name: "unsave_papers",
    ...papersInBrowser,
    path: "/api/library/unsave_papers",
    summary:
      "Removes papers from the Library's list of saved papers, with their tags. " +
      "Collections keep them, and annotations stay.",
    fields: somePapers,
    result: { unsaved: ids, notSaved: ids, label: v.null() },
    example: { arxivIds: ["1706.03762"] },
  }),
  operation({
    name: "tag_papers",
    ...papersInBrowser,
    path: "/api/library/tag_papers",
    summary:
      "Gives papers your own tags, and saves those that are not saved yet. " +
      "Tags are in lower case, and only you see them.",
    refusals: ["limit_reached"],
    fields: tagged,
    result: { tags: ids, tagged: ids, alreadyTagged: ids, saved: ids, alreadySaved: ids, label: v.null() },
    example: tagging,
  }),
  operation({
    name: "untag_papers",
    ...papersInBrowser,
    path: "/api/library/untag_papers",
    summary: "Removes tags from papers, which stay saved.",
    fields: tagged,
    result: { tags: ids, untagged: ids, notTagged: ids, label: v.null() },
    example: tagging,
  }),
] as const

// Personal keys: the tokens with which a person's own agents use the Library. They are issued in the browser and
// shown once.

const keyLabel = text(limits.credentialLabel)
const permissions = distinct(oneOf(enumerations.libraryPermission), enumerations.libraryPermission.length, 1)
const reach = oneOf(enumerations.keyReach)
const keysInBrowser = { family: "library", surface: "browser", target: "personal_key" } as const
/** The person's description of the agent that will use the key. */
export const agent = shape(
  each(["name", "version", "model"] as const, () => v.exactOptional(plain(limits.clientField))),
)

const keyOperations = [
  operation({
    name: "issue_key",
    ...keysInBrowser,
    path: "/api/library/keys",
    summary: "Issues a personal key for the caller's own Library. The token is in this answer and never shown again.",
    requiredWhen: [{ field: "collectionIds", when: { field: "reach", in: ["selected"] } }],
    fields: {
      label: keyLabel,
      permissions,
      reach,
      collectionIds: v.exactOptional(distinct(ref("collection"), limits.keyCollections)),
      expiresAt: v.exactOptional(time),
      agent: v.exactOptional(agent),
    },
    result: {
      keyId: uuid,
      label: keyLabel,
      permissions,
      reach,
      collectionIds: v.nullable(v.array(uuid)),
      expiresAt: time,
      agent: v.nullable(agent),
      /** Only in the first answer; a replay does not contain it. */
      token: v.exactOptional(plain(200)),
    },
    example: {
      label: "reading agent",
      permissions: ["read_library", "file_papers", "post_notes"],
      reach: "selected",
      collectionIds: ["0198f3a0-0000-7000-8000-000000000021"],
      agent: { name: "paper-scout", version: "0.3" },
    },
  }),
  operation({
    name: "revoke_key",
    ...keysInBrowser,
    path: "/api/library/keys/{keyId}/revoke",
    summary: "Revokes your own personal key at once.",
    refusals: ["state_conflict"],
    result: { keyId: uuid, label: keyLabel, revokedAt: time },
  }),
] as const

// What a person keeps about a paper for themselves: free text, highlights, and how far they have read.

const inBrowser = { family: "library", surface: "browser" } as const
const label = v.null()
const page = v.pipe(whole(1), v.maxValue(limits.lastPage, `must be at most ${limits.lastPage}`))
const colour = oneOf(enumerations.highlightColour)
const comment = text(limits.explanation)
const guard = { expectedRevision: whole() }
const annotated = { ...paperNamed, revision: count, label }
const expected = ["expectedRevision"]
const refusals = ["state_conflict"] as const

const readingOperations = [
  operation({
    name: "write_annotation",
    ...inBrowser,
    path: "/api/library/annotations",
    summary: "Writes the person's own free text on a paper that they saved or share; an empty text removes it.",
    target: "annotation",
    expected,
    refusals: [...refusals, "unknown_paper"],
    atLeastOneOf: oneOfPaper,
    fields: { ...onePaper, ...guard, notes: plain(limits.message, 0) },
    result: annotated,
    example: { arxivId: "1706.03762", expectedRevision: 0, notes: "Compare the schedule in *5.3* with ours." },
  }),
  operation({
    name: "add_highlight",
    ...inBrowser,
    path: "/api/library/highlights",
    summary:
      "Highlights a passage of a paper: the quote with its page and a colour; " +
      "to find it again, also the text around it and the version of the paper.",
    target: "highlight",
    expected,
    refusals: [...refusals, "unknown_paper", "limit_reached"],
    atLeastOneOf: oneOfPaper,
    fields: {
      ...onePaper,
      ...guard,
      quote: text(limits.statement),
      page,
      colour,
      comment: v.exactOptional(comment),
      version: v.exactOptional(whole(1)),
      prefix: v.exactOptional(plain(limits.locator)),
      suffix: v.exactOptional(plain(limits.locator)),
    },
    result: { ...annotated, highlightId: uuid },
    example: {
      arxivId: "1706.03762",
      expectedRevision: 1,
      quote: "We used warmup_steps = 4000.",
      page: 7,
      colour: "yellow",
      version: 7,
    },
  }),
  operation({
    name: "amend_highlight",
    ...inBrowser,
    method: "PATCH",
    path: "/api/library/highlights/{highlightId}",
    summary: "Changes the colour or the comment of a highlight; null removes the comment.",
    target: "highlight",
    expected,
    refusals,
    atLeastOneOf: ["colour", "comment"],
    fields: { ...guard, colour: v.exactOptional(colour), comment: v.exactOptional(v.nullable(comment)) },
    result: { ...annotated, highlightId: uuid },
    example: { expectedRevision: 2, colour: "green" },
  }),
  operation({
    name: "remove_highlight",
    ...inBrowser,
    method: "DELETE",
    path: "/api/library/highlights/{highlightId}",
    summary: "Removes a highlight.",
    target: "highlight",
    expected,
    refusals,
    fields: guard,
    result: { ...annotated, highlightId: uuid },
    example: { expectedRevision: 3 },
  }),
  operation({
    name: "set_reading_position",
    ...inBrowser,
    path: "/api/library/reading_position",
    summary:
      "Stores how far the person has read: the page, and the position on it in thousandths of its height. " +
      "pages is the number of pages of the paper, and stays until a write changes it.",
    receiptOf: "nobody",
    target: "reading_position",
    refusals: ["unknown_paper"],
    atLeastOneOf: oneOfPaper,
    fields: {
      ...onePaper,
      page,
      pages: v.exactOptional(page),
      offset: v.exactOptional(v.pipe(whole(), v.maxValue(1_000, "must be at most 1000"))),
    },
    result: { ...paperNamed, page: count, pages: v.nullable(count), offset: count, label },
    example: { arxivId: "1706.03762", page: 7, pages: 15, offset: 420 },
  }),
] as const

// What people do with Collections in the browser beyond filing: delete, share by invitation, import, read.

const ofCollection = { collectionId: uuid, name: text(limits.collectionName), label }
const ofInvitation = { invitationId: uuid, ...ofCollection }

const sharingOperations = [
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

export const libraryOperations = [
  ...filingOperations,
  ...sharingOperations,
  ...readingOperations,
  ...keyOperations,
] as const
