/**
 * What people do in their Library: annotate and tag papers, give keys to their tools, share Collections, and import a
 * bibliography.
 */
import { Refusal } from "../contract/refusals.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { behaviour, type Subject } from "../ledger/journal/behaviour.ts"
import { type Highlight, named } from "../contract/library/reads.ts"
import {
  type PaperName,
  paperNamedBy,
  inLibrary,
  outcome,
  naming,
  papersNamedBy,
  type LibraryTables,
  foundIn,
  readingOf,
  readImport,
} from "./filed.ts"
import { mustFit, noPaper, wholeScope, scopeOf } from "./papers/scope.ts"
import { expiry, mintToken } from "../people/tokens.ts"
import { present } from "../contract/typed.ts"
import type { People } from "../people/people.ts"
import type { Collection, Invitation } from "./collections.ts"

// A person's private annotations. Every change to notes or highlights names the revision it was based on.

interface Annotated extends Subject {
  readonly paperId: string
}

export function annotationOperations({ papers, annotations, names }: LibraryTables) {
  /** Finds a paper that the person saved, shares, or already annotated. @throws Refusal 404 */
  function filed({ actor, body }: { actor: Actor; body: PaperName }): Annotated {
    const paperId = paperNamedBy(names, actor.userId, body)
    const { savedAt, held } = papers.standing(wholeScope(actor.userId), paperId)
    if (savedAt === null && !held && annotations.revision(actor.userId, paperId) === 0) throw noPaper()
    return { ...inLibrary, paperId }
  }

  /** Finds the person's own highlight named in the path. @throws Refusal 404 */
  function inPath({
    actor,
    params,
  }: {
    actor: Actor
    params: { highlightId: string }
  }): Annotated & { readonly highlight: Highlight } {
    const highlight = annotations.findHighlight(params.highlightId, actor.userId)
    if (highlight === undefined) throw new Refusal("room_unavailable", "You have no such highlight.")
    return { ...inLibrary, paperId: highlight.paperId, highlight }
  }

  /** @throws Refusal `state_conflict` with the current annotations */
  function mustBeCurrent(
    { actor, body }: { actor: Actor; body: { expectedRevision: number } },
    { paperId }: Annotated,
  ): void {
    const current = annotations.read(actor.userId, paperId)
    if (current.revision === body.expectedRevision) return
    throw new Refusal(
      "state_conflict",
      `Your notes on this paper have changed since: they are at revision ${current.revision}.`,
      {
        current: {
          ...named(paperId),
          revision: current.revision,
          notes: current.notes,
          highlights: current.highlights.length,
        },
      },
    )
  }

  const write_annotation = behaviour("write_annotation", {
    subject: filed,
    admit: (call, subject) => mustBeCurrent(call, subject),
    write({ actor, body }, { paperId }, { at }) {
      const revision = annotations.raise(actor.userId, paperId, body.notes, at)
      return outcome(paperId, { ...named(paperId), revision, label: null })
    },
  })

  const add_highlight = behaviour("add_highlight", {
    subject: filed,
    admit(call, subject) {
      mustBeCurrent(call, subject)
      mustFit("highlights", annotations.highlights(call.actor.userId, subject.paperId), 1)
    },
    write({ actor, body }, { paperId }, change) {
      const { quote, page, colour, comment = null, version = null, prefix = null, suffix = null } = body
      const highlightId = change.newId()
      const revision = annotations.raise(actor.userId, paperId, null, change.at)
      annotations.addHighlight(
        actor.userId,
        paperId,
        { highlightId, quote, page, colour, comment, version, prefix, suffix },
        change.at,
      )
      return outcome(highlightId, { ...named(paperId), revision, highlightId, label: null })
    },
  })

  const amend_highlight = behaviour("amend_highlight", {
    subject: inPath,
    admit: (call, subject) => mustBeCurrent(call, subject),
    write({ actor, body }, { paperId, highlight }, { at }) {
      const { highlightId } = highlight
      const { colour = highlight.colour, comment = highlight.comment } = body
      annotations.amendHighlight(highlightId, colour, comment, at)
      const revision = annotations.raise(actor.userId, paperId, null, at)
      return outcome(highlightId, { ...named(paperId), revision, highlightId, label: null })
    },
  })

  const remove_highlight = behaviour("remove_highlight", {
    subject: inPath,
    admit: (call, subject) => mustBeCurrent(call, subject),
    write({ actor }, { paperId, highlight: { highlightId } }, { at }) {
      annotations.removeHighlight(highlightId)
      const revision = annotations.raise(actor.userId, paperId, null, at)
      return outcome(highlightId, { ...named(paperId), revision, highlightId, label: null })
    },
  })

  const set_reading_position = behaviour("set_reading_position", {
    subject: filed,
    references: ({ body: { page, pages = page } }) =>
      page > pages ? [{ path: "/page", message: "is past the last page" }] : [],
    write({ actor, body }, { paperId }, { at }) {
      const { page, pages = null, offset = 0 } = body
      const knownPages = annotations.setPosition(actor.userId, paperId, { page, pages, offset }, at)
      return outcome(paperId, { ...named(paperId), page, pages: knownPages, offset, label: null })
    },
  })

  return { write_annotation, add_highlight, amend_highlight, remove_highlight, set_reading_position }
}

// Issuing and revoking personal keys. A token is sent only in the answer that issues it.

export function keyOperations({ keys, collections }: LibraryTables) {
  const issue_key = behaviour("issue_key", {
    subject: () => inLibrary,
    references({ actor, body }) {
      const { reach, collectionIds } = body
      if (collectionIds === undefined) return []
      if (reach !== "selected") return [{ path: "/collectionIds", message: "is allowed only when reach is selected" }]
      return collectionIds.flatMap((collectionId, index) =>
        collections.find(scopeOf(actor), collectionId) === undefined
          ? [{ path: `/collectionIds/${index}`, message: "is not a Collection of yours" }]
          : [],
      )
    },
    write({ actor, body }, _subject, change) {
      const keyId = change.newId()
      const token = change.token((bytes) => mintToken("personalKey", bytes))
      const { label, permissions, reach, collectionIds = null, agent = null } = body
      const key = { label, permissions, reach, collectionIds, expiresAt: expiry(body.expiresAt, change.at), agent }
      keys.insert(
        { keyId, owner: { userId: actor.userId, username: actor.username }, ...key, createdAt: change.at },
        token,
      )
      return { ...outcome(keyId, { keyId, ...key }), secret: { token: token.token } }
    },
  })

  const revoke_key = behaviour("revoke_key", {
    subject({ actor, params }) {
      const key = keys.find(params.keyId)
      if (key?.owner.userId !== actor.userId) throw new Refusal("room_unavailable", "You have no such key.")
      return { ...inLibrary, key }
    },
    admit(_call, { key: { keyId, revokedAt } }) {
      if (revokedAt !== null)
        throw new Refusal("state_conflict", `The key was revoked at ${revokedAt}.`, { current: { keyId, revokedAt } })
    },
    write(_call, { key: { keyId, label } }, { at }) {
      keys.revoke(keyId, at)
      return outcome(keyId, { keyId, label, revokedAt: at })
    },
  })

  return { issue_key, revoke_key }
}

// Tagging saved papers. Tagging a paper also saves it.

export function tagOperations(tables: LibraryTables) {
  const { saved, tags, names } = tables
  const { named } = naming(tables)
  const tag_papers = behaviour("tag_papers", {
    subject: () => inLibrary,
    admit: ({ actor, body }) => tags.mustTake(actor.userId, papersNamedBy(names, actor.userId, body), body.tags),
    write({ actor, body }, _subject, change) {
      const sent = papersNamedBy(names, actor.userId, body).map((paperId) => ({ paperId }))
      const papers = named(actor.userId, sent, change)
      const kept = saved.save(actor.userId, papers, change.at)
      const paperIds = papers.map(({ paperId }) => paperId)
      const { changed, before } = tags.add(actor.userId, paperIds, body.tags)
      return outcome(actor.userId, { tags: body.tags, tagged: changed, alreadyTagged: before, ...kept, label: null })
    },
  })

  const untag_papers = behaviour("untag_papers", {
    subject: () => inLibrary,
    write({ actor, body }) {
      const { changed, before } = tags.remove(actor.userId, papersNamedBy(names, actor.userId, body), body.tags)
      return outcome(actor.userId, { tags: body.tags, untagged: changed, notTagged: before, label: null })
    },
  })

  return { tag_papers, untag_papers }
}

// In the browser alone: sharing and deleting Collections, deleting notes, and importing a bibliography.

type InPath<Id extends string> = { readonly actor: Actor; readonly params: Readonly<Record<Id, string>> }

const notFound = (sentence: string) => new Refusal("room_unavailable", sentence)
const ofCollection = ({ id, name }: Collection) => ({ collectionId: id, name, label: null })
const ofInvitation = ({ invitationId, collection }: Invitation) => ({
  invitationId,
  collectionId: collection.id,
  name: collection.name,
  label: null,
})

export function sharingOperations({ people, ...tables }: LibraryTables & { readonly people: People }) {
  const { saved, collections, notes, invitations, names } = tables
  const papers = naming(tables)
  /** Finds the Collection named in the path. @throws Refusal 404 */
  const shared = ({ actor, params }: InPath<"collectionId">) => ({
    ...inLibrary,
    collection: collections.mustFind(scopeOf(actor), params.collectionId),
  })
  /** Does the same, for its owner only. @throws Refusal 404, 403 */
  const owned = ({ actor, params }: InPath<"collectionId">) => ({
    ...inLibrary,
    collection: collections.mustOwn(scopeOf(actor), params.collectionId),
  })

  /**
   * Finds the invitation named in the path. @param side the role in it that the person must have @throws Refusal 404
   */
  function findInvitation({ actor, params }: InPath<"invitationId">, side: "userId" | "ownerId") {
    const found = invitations.find(params.invitationId)
    if (found?.[side] !== actor.userId) throw notFound("There is no such open invitation.")
    return { ...inLibrary, invitation: found }
  }
  const received = (call: InPath<"invitationId">) => findInvitation(call, "userId")

  const unsave_papers = behaviour("unsave_papers", {
    subject: () => inLibrary,
    write({ actor, body }) {
      const all = papersNamedBy(names, actor.userId, body)
      const unsaved = all.filter((paperId) => saved.unsave(actor.userId, paperId))
      return outcome(actor.userId, {
        unsaved,
        notSaved: all.filter((paperId) => !unsaved.includes(paperId)),
        label: null,
      })
    },
  })

  const delete_collection = behaviour("delete_collection", {
    subject: owned,
    write(_call, { collection }) {
      collections.delete(collection.id)
      return outcome(collection.id, ofCollection(collection))
    },
  })

  const invite_to_collection = behaviour("invite_to_collection", {
    subject: owned,
    references: ({ body }) =>
      people.named(body.username) === undefined ? [{ path: "/username", message: "is not the name of a user" }] : [],
    admit({ body }, { collection }) {
      const members = collections.members(collection.id)
      const invited = invitations.sentFor(collection.id)
      const existing = [...members, ...invited].find(({ username }) => username === body.username)
      if (existing !== undefined)
        throw new Refusal(
          "state_conflict",
          `${body.username} ${members.includes(existing) ? "has this Collection" : "is invited"} already.`,
          {
            current: { username: body.username },
          },
        )
      mustFit("collectionMembers", members.length + invited.length, 1)
    },
    write({ body }, { collection }, change) {
      const { userId, username } = present(people.named(body.username))
      const invitationId = change.newId()
      invitations.open(invitationId, collection.id, userId, change.at)
      return outcome(invitationId, { invitationId, ...ofCollection(collection), username })
    },
  })

  function close({ invitation }: { readonly invitation: Invitation }) {
    invitations.close(invitation.invitationId)
    return outcome(invitation.invitationId, ofInvitation(invitation))
  }

  const withdraw_collection_invitation = behaviour("withdraw_collection_invitation", {
    subject: (call) => findInvitation(call, "ownerId"),
    write: (_call, subject) => close(subject),
  })

  const accept_collection_invitation = behaviour("accept_collection_invitation", {
    subject: received,
    write({ actor }, { invitation }, { at }) {
      invitations.close(invitation.invitationId)
      collections.join(invitation.collection.id, actor.userId, at)
      return outcome(invitation.collection.id, ofInvitation(invitation))
    },
  })

  const decline_collection_invitation = behaviour("decline_collection_invitation", {
    subject: received,
    write: (_call, subject) => close(subject),
  })

  const leave_collection = behaviour("leave_collection", {
    subject: shared,
    admit(_call, { collection }) {
      if (collection.isOwner)
        throw new Refusal("state_conflict", "The owner cannot leave a Collection, but can delete it.", {
          current: { owner: collection.owner },
        })
    },
    write({ actor }, { collection }) {
      collections.leave(collection.id, actor.userId)
      return outcome(collection.id, ofCollection(collection))
    },
  })

  const remove_collection_member = behaviour("remove_collection_member", {
    subject(call) {
      const { collection } = owned(call)
      const username = call.params.username.toLowerCase()
      const member = collections.members(collection.id).find((each) => each.username === username)
      if (member === undefined) throw notFound("No member of this Collection has that name.")
      return { ...inLibrary, collection, member }
    },
    admit(_call, { collection, member }) {
      if (member.username === collection.owner)
        throw new Refusal("state_conflict", "The owner cannot be removed.", { current: { owner: collection.owner } })
    },
    write(_call, { collection, member }) {
      collections.leave(collection.id, member.userId)
      return outcome(collection.id, { ...ofCollection(collection), username: member.username })
    },
  })

  /** Whether the owner may delete a note whose author left the Collection. A paper with notes cannot be removed. */
  const isAbandoned = (collection: Collection, authorId: string) =>
    collection.isOwner && collections.members(collection.id).every(({ userId }) => userId !== authorId)

  const delete_note = behaviour("delete_note", {
    subject({ actor, params }) {
      const noteId = params.noteId
      const note = notes.find(noteId)
      const collection = note && collections.find(scopeOf(actor), note.collectionId)
      if (collection === undefined) throw notFound("There is no such note.")
      if (note?.authorId !== actor.userId && !isAbandoned(collection, note?.authorId ?? "")) {
        throw new Refusal("not_authorized", "Only its author can delete a note.", {
          status: 403,
          current: { needed: ["author"] },
        })
      }
      return { ...inLibrary, noteId, collectionId: collection.id, paperId: note?.paperId ?? "" }
    },
    write(_call, { noteId, collectionId, paperId }) {
      notes.delete(noteId)
      return outcome(noteId, { noteId, collectionId, ...named(paperId), label: null })
    },
  })

  const mark_read = behaviour("mark_read", {
    subject: ({ actor, body }) => ({
      ...inLibrary,
      collection: collections.mustFind(scopeOf(actor), body.collectionId),
    }),
    write({ actor, body }, { collection }) {
      const isAll = body.paperId === undefined && body.arxivId === undefined
      const requested = isAll ? undefined : paperNamedBy(names, actor.userId, body)
      const paperId =
        requested && (collections.holding(collection.id, names.all(actor.userId, requested))?.paperId ?? requested)
      const unread = notes.markRead(actor.userId, collection.id, paperId, body.throughNoteId)
      return outcome(collection.id, { collectionId: collection.id, unread, label: null })
    },
  })

  const import_papers = behaviour("import_papers", {
    subject: ({ actor, body }) => ({
      ...inLibrary,
      collection: body.collectionId === undefined ? null : collections.mustFind(scopeOf(actor), body.collectionId),
    }),
    prepare: ({ actor, body }) => readImport(body.text, actor.userId),
    references: (call) => papers.unknown(call.actor.userId, foundIn(call).papers),
    write(call, { collection }, change) {
      const { actor } = call
      const found = foundIn(call)
      const all = papers.named(actor.userId, found.papers, change)
      const filed =
        collection &&
        collections.add(collection, all, actor.userId, change.at, (paperId) => names.all(actor.userId, paperId))
      const { added = null, alreadyThere = null } = filed ?? {}
      const kept = saved.save(actor.userId, all, change.at)
      return {
        target: { ...(collection && { kind: "collection" }), id: collection?.id ?? actor.userId, label: null },
        result: {
          collectionId: collection?.id ?? null,
          added,
          alreadyThere,
          ...kept,
          ...readingOf(found),
          label: null,
        },
      }
    },
  })

  return {
    unsave_papers,
    delete_collection,
    invite_to_collection,
    withdraw_collection_invitation,
    accept_collection_invitation,
    decline_collection_invitation,
    leave_collection,
    remove_collection_member,
    delete_note,
    mark_read,
    import_papers,
  }
}
