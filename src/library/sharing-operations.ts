/**
 * Operations for people in the browser: sharing and deleting Collections, deleting notes, and importing a bibliography.
 */
import { present } from "../contract/typed.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import type { People } from "../people/people.ts"
import { named as namedPaper } from "../contract/library/reads.ts"
import type { Collection, Invitation } from "./collections.ts"
import { foundIn, naming, paperNamedBy, papersNamedBy, readingOf, inLibrary, outcome } from "./filed.ts"
import { readImport } from "./reading.ts"
import type { LibraryTables } from "./tables.ts"
import { mustFit, scopeOf } from "./reach/scope.ts"

type InPath<Id extends string> = { readonly actor: Actor; readonly params: Readonly<Record<Id, string>> }

const notFound = (sentence: string) => new Refusal("room_unavailable", sentence)
const named = ({ id, name }: Collection) => ({ collectionId: id, name, label: null })
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
      return outcome(collection.id, named(collection))
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
      return outcome(invitationId, { invitationId, ...named(collection), username })
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
      return outcome(collection.id, named(collection))
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
      return outcome(collection.id, { ...named(collection), username: member.username })
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
      return outcome(noteId, { noteId, collectionId, ...namedPaper(paperId), label: null })
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
