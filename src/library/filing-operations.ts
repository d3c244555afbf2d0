/**
 * Operations that a person or an agent with their key may call: filing papers, editing Collections, and posting notes.
 */
import type { Actor } from "../ledger/journal/actor.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { named } from "../contract/library/papers.ts"
import {
  foundIn,
  readingOf,
  naming,
  type PaperName,
  paperNamedBy,
  readIdentifiers,
  sentPapers,
  type SentPapers,
  unmatchedTitles,
} from "./filed.ts"
import type { LibraryTables } from "./tables.ts"
import { mustFit, mustReachLibrary, noPaper, reachesLibrary, scopeOf } from "./reach/scope.ts"

/** The subject of a Library write, which belongs to no Room or Thread. */
export const inLibrary = { roomId: null, threadId: undefined } as const

/** The outcome of a write whose target has no label. */
export const outcome = <Result>(id: string, result: Result) => ({ target: { id, label: null }, result })

export function filingOperations(tables: LibraryTables) {
  const { saved, collections, notes, keys, names } = tables
  const papers = naming(tables)
  /** Finds the Collection in reach that the body names. @throws Refusal 404 */
  const inBody = ({ actor, body }: { actor: Actor; body: { collectionId: string } }) => ({
    ...inLibrary,
    collection: collections.mustFind(scopeOf(actor), body.collectionId),
  })

  /** Does the same, and counts the notes on the paper that the body names. @throws Refusal 404 */
  function withPaper(call: { actor: Actor; body: PaperName & { collectionId: string } }) {
    const subject = inBody(call)
    const { userId } = call.actor
    const held = collections.holding(subject.collection.id, names.all(userId, paperNamedBy(names, userId, call.body)))
    if (held === undefined) throw noPaper()
    return { ...subject, ...held }
  }

  // The identifiers are parsed in `prepare`, before the transaction.
  const sent = (call: { body: SentPapers; prepared?: unknown }) => sentPapers(call.body, foundIn(call))
  const filing = {
    prepare: ({ body }: { body: SentPapers }) => readIdentifiers(body),
    references: (call: { actor: Actor; body: SentPapers; prepared?: unknown }) => [
      ...unmatchedTitles(call.body),
      ...papers.unknown(call.actor.userId, sent(call)),
    ],
  }

  /** Returns JSON of the public part of the key that an agent posts with; null for a person. */
  function via({ key }: Actor): string | null {
    const found = key && keys.find(key.keyId)
    return found === undefined ? null : JSON.stringify({ label: found.label, agent: found.agent })
  }

  const save_papers = behaviour("save_papers", {
    subject({ actor }) {
      mustReachLibrary(actor)
      return inLibrary
    },
    ...filing,
    write(call, _subject, change) {
      const { userId } = call.actor
      const kept = saved.save(userId, papers.named(userId, sent(call), change), change.at)
      return outcome(userId, { ...readingOf(foundIn(call)), ...kept, label: null })
    },
  })

  const create_collection = behaviour("create_collection", {
    subject: () => inLibrary,
    write({ actor, body }, _subject, change) {
      const collectionId = change.newId()
      collections.create(collectionId, actor.userId, body.name, change.at)
      if (actor.key?.reach === "selected") keys.select(actor.key.keyId, collectionId)
      return outcome(collectionId, { collectionId, name: body.name, label: null })
    },
  })

  const add_papers = behaviour("add_papers", {
    subject: inBody,
    ...filing,
    write(call, { collection }, change) {
      const { actor } = call
      const all = papers.named(actor.userId, sent(call), change)
      const filed = collections.add(collection, all, actor.userId, change.at, (paperId) =>
        names.all(actor.userId, paperId),
      )
      const kept = reachesLibrary(scopeOf(actor))
        ? saved.save(actor.userId, all, change.at)
        : { saved: null, alreadySaved: null }
      return outcome(collection.id, {
        collectionId: collection.id,
        ...filed,
        ...kept,
        ...readingOf(foundIn(call)),
        label: null,
      })
    },
  })

  const remove_paper = behaviour("remove_paper", {
    subject: withPaper,
    admit(_call, { notes: held }) {
      if (held > 0)
        throw new Refusal(
          "thread_has_notes",
          `There ${held === 1 ? "is a note" : `are ${held} notes`} on this paper in the Collection. ` +
            `It can be removed once ${held === 1 ? "the note is" : "they are"} deleted.`,
          { current: { notes: held } },
        )
    },
    write(_call, { collection, paperId }) {
      collections.removePaper(collection.id, paperId)
      return outcome(collection.id, { collectionId: collection.id, ...named(paperId), label: null })
    },
  })

  const rename_collection = behaviour("rename_collection", {
    subject: ({ actor, body }) => ({
      ...inLibrary,
      collection: collections.mustOwn(scopeOf(actor), body.collectionId),
    }),
    write({ body }, { collection }) {
      collections.rename(collection.id, body.name)
      return outcome(collection.id, { collectionId: collection.id, name: body.name, label: null })
    },
  })

  const post_note = behaviour("post_note", {
    subject: withPaper,
    references({ body }, { collection, paperId }) {
      if (body.replyToNoteId === undefined) return []
      const note = notes.find(body.replyToNoteId)
      const here = note?.collectionId === collection.id && note.paperId === paperId
      return here ? [] : [{ path: "/replyToNoteId", message: "is not a note on this paper in this Collection" }]
    },
    admit: (_call, { notes: held }) => mustFit("threadNotes", held, 1),
    write({ actor, body }, { collection, paperId }, change) {
      const { text, replyToNoteId = null } = body
      const noteId = change.newId()
      const collectionId = collection.id
      notes.post({
        noteId,
        collectionId,
        paperId,
        replyToNoteId,
        authorId: actor.userId,
        postedAt: change.at,
        text,
        via: via(actor),
      })
      return outcome(noteId, { noteId, collectionId, ...named(paperId), replyToNoteId, label: null })
    },
  })

  return { save_papers, create_collection, add_papers, remove_paper, rename_collection, post_note }
}
