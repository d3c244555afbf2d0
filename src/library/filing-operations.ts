/** Filing: what a person or an agent with their key does with papers, Collections and notes. */
import type { Actor } from "../ledger/journal/actor.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import { type Issue, Refusal } from "../contract/refusals/refusal.ts"
import type { FiledPaper } from "./papers/papers.ts"
import type { LibraryTables } from "./tables.ts"
import { mustFit, mustReachLibrary, noPaper, reachesLibrary, scopeOf } from "./reach/scope.ts"

/** The Library has no Rooms and no Threads. */
export const inLibrary = { roomId: null, threadId: undefined } as const

/** Papers that are sent with titles for some of them. */
interface Titled {
  readonly arxivIds: readonly string[]
  readonly titles?: readonly { readonly arxivId: string; readonly title: string }[]
}

/** Titles of papers that are not sent. */
const strangeTitles = ({ arxivIds, titles = [] }: Titled): Issue[] =>
  titles.flatMap(({ arxivId }, index) =>
    arxivIds.includes(arxivId) ? [] : [{ path: `/titles/${index}/arxivId`, message: "is not among arxivIds" }],
  )

/** The papers of a body, each with the title that came with it. */
function titled({ arxivIds, titles = [] }: Titled): FiledPaper[] {
  const given = new Map(titles.map(({ arxivId, title }) => [arxivId, title]))
  return arxivIds.map((arxivId) => {
    const title = given.get(arxivId)
    return title === undefined ? { arxivId } : { arxivId, given: { title, authors: [], publishedAt: null } }
  })
}

export function filingOperations({ saved, collections, notes, keys }: LibraryTables) {
  /** The Collection in reach that a body names. @throws Refusal 404 */
  const inBody = ({ actor, body }: { actor: Actor; body: { collectionId: string } }) => ({
    ...inLibrary,
    collection: collections.mustFind(scopeOf(actor), body.collectionId),
  })

  /** The same, and how many notes its thread on the paper holds. @throws Refusal 404 */
  function withPaper(call: { actor: Actor; body: { collectionId: string; arxivId: string } }) {
    const subject = inBody(call)
    const held = collections.notesOn(subject.collection.id, call.body.arxivId)
    if (held === undefined) throw noPaper()
    return { ...subject, held }
  }

  /** What others see of the key that an agent posted with; null for a person. */
  function via({ key }: Actor): string | null {
    const found = key && keys.find(key.keyId)
    return found === undefined ? null : JSON.stringify({ label: found.label, agent: found.agent })
  }

  const save_papers = behaviour("save_papers", {
    subject({ actor }) {
      mustReachLibrary(actor)
      return inLibrary
    },
    references: ({ body }) => strangeTitles(body),
    write({ actor, body }, _subject, { at }) {
      return { target: { id: actor.userId, label: null }, result: { ...saved.save(actor.userId, titled(body), at), label: null } }
    },
  })

  const create_collection = behaviour("create_collection", {
    subject: () => inLibrary,
    write({ actor, body }, _subject, change) {
      const collectionId = change.newId()
      collections.create(collectionId, actor.userId, body.name, change.at)
      if (actor.key?.reach === "selected") keys.select(actor.key.keyId, collectionId)
      return { target: { id: collectionId, label: null }, result: { collectionId, name: body.name, label: null } }
    },
  })

  const add_papers = behaviour("add_papers", {
    subject: inBody,
    references: ({ body }) => strangeTitles(body),
    write({ actor, body }, { collection }, { at }) {
      const papers = titled(body)
      const filed = collections.add(collection, papers, actor.userId, at)
      const kept = reachesLibrary(scopeOf(actor)) ? saved.save(actor.userId, papers, at) : { saved: null, alreadySaved: null }
      return { target: { id: collection.id, label: null }, result: { collectionId: collection.id, ...filed, ...kept, label: null } }
    },
  })

  const remove_paper = behaviour("remove_paper", {
    subject: withPaper,
    admit(_call, { held }) {
      if (held > 0)
        throw new Refusal(
          "thread_has_notes",
          `The paper's thread holds ${held} ${held === 1 ? "note" : "notes"}; it stays until they are deleted.`,
          { current: { notes: held } },
        )
    },
    write({ body }, { collection }) {
      collections.removePaper(collection.id, body.arxivId)
      return { target: { id: collection.id, label: null }, result: { collectionId: collection.id, arxivId: body.arxivId, label: null } }
    },
  })

  const rename_collection = behaviour("rename_collection", {
    subject: ({ actor, body }) => ({ ...inLibrary, collection: collections.mustOwn(scopeOf(actor), body.collectionId) }),
    write({ body }, { collection }) {
      collections.rename(collection.id, body.name)
      return { target: { id: collection.id, label: null }, result: { collectionId: collection.id, name: body.name, label: null } }
    },
  })

  const post_note = behaviour("post_note", {
    subject: withPaper,
    references({ body }, { collection }) {
      if (body.replyToNoteId === undefined) return []
      const note = notes.find(body.replyToNoteId)
      const here = note?.collectionId === collection.id && note.arxivId === body.arxivId
      return here ? [] : [{ path: "/replyToNoteId", message: "is not a note on this paper in this Collection" }]
    },
    admit: (_call, { held }) => mustFit("threadNotes", held, 1),
    write({ actor, body }, { collection }, change) {
      const { arxivId, text, replyToNoteId = null } = body
      const noteId = change.newId()
      notes.post({
        noteId,
        collectionId: collection.id,
        arxivId,
        authorId: actor.userId,
        at: change.at,
        text,
        replyToNoteId,
        via: via(actor),
      })
      return { target: { id: noteId, label: null }, result: { noteId, collectionId: collection.id, arxivId, replyToNoteId, label: null } }
    },
  })

  return { save_papers, create_collection, add_papers, remove_paper, rename_collection, post_note }
}
