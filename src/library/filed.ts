/**
 * Files papers: reads those that a text names, and resolves those that a write names to the ids that the person has
 * them under.
 */
import { parse, stored } from "../contract/json.ts"
import { type Issue, Refusal } from "../contract/refusals.ts"
import { limits } from "../contract/limits.ts"
import { isArxivId, isDoi } from "../contract/schema/fields.ts"
import { type Change, behaviour } from "../ledger/journal/behaviour.ts"
import type { Found } from "./papers/found.ts"
import { type Names, pairOf, names } from "./papers/names.ts"
import { descriptionFrom, type FiledPaper, type Given, type PaperRecord, papers } from "./papers/papers.ts"
import { wholeScope, mustFit, mustReachLibrary, noPaper, reachesLibrary, scopeOf } from "./papers/scope.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { named } from "../contract/library/reads.ts"
import { inDigits } from "../contract/text.ts"
import type { Job } from "../jobs/job.ts"
import { parsing } from "../jobs/pool.ts"
import { isFile, readPlain } from "./pasted.ts"
import type { Db } from "../ledger/storage/database.ts"
import { annotations, notes } from "./annotations.ts"
import { collections, collectionInvitations } from "./collections.ts"
import { keys } from "./keys.ts"
import { metadata } from "./papers/record.ts"
import { saved, tags } from "./saved.ts"

// The tables of the Library.

export type LibraryTables = ReturnType<typeof libraryTables>

export const libraryTables = (db: Db) => ({
  papers: papers(db),
  names: names(db),
  metadata: metadata(db),
  saved: saved(db),
  tags: tags(db),
  collections: collections(db),
  notes: notes(db),
  invitations: collectionInvitations(db),
  keys: keys(db),
  annotations: annotations(db),
})

// Reading a text. A long one or a file is parsed in a separate process with bounded time and memory.

/** The most characters of plain text that are parsed in this thread. */
const INLINE_CHARACTERS = 5_000

const paperJob = (path: string): Job<readonly string[], Found> => ({
  name: "papers",
  bounds: { seconds: limits.parsingSeconds, megabytes: limits.parsingMegabytes },
  output: limits.parsingOutput,
  tooCostly: () =>
    new Refusal("invalid_schema", "This takes too much time or memory to read. Nothing was stored. Send it in parts.", {
      issues: [
        { path, message: `takes more than ${limits.parsingSeconds} seconds or ${limits.parsingMegabytes} MiB to read` },
      ],
    }),
})

/**
 * Finds the papers that the texts name, and the parts that name none.
 * @param userId who sent them, and has one text parsed at a time
 * @param path the texts' field in the request body
 * @throws Refusal 422 if parsing exceeds its bounds, 503 if too many texts are being parsed
 */
export async function readPapers(texts: readonly string[], userId: string | null, path = "/text"): Promise<Found> {
  const isShort = texts.reduce((length, text) => length + text.length, 0) <= INLINE_CHARACTERS
  if (!isShort || texts.some(isFile)) return parsing.run(paperJob(path), texts, userId)
  return readPlain(texts)
}

/**
 * Finds the papers of a text to import. @throws Refusal 422 if it names no paper or too many, otherwise as `readPapers`
 * does
 */
export async function readImport(text: string, userId: string): Promise<Found> {
  const found = await readPapers([text], userId)
  const { length } = found.papers
  const refuse = (sentence: string, message: string) =>
    new Refusal("invalid_schema", `${sentence} Nothing was stored.`, { issues: [{ path: "/text", message }] })
  if (length > limits.importedPapers)
    throw refuse(
      `This names ${inDigits(length)} papers. At most ${inDigits(limits.importedPapers)} can be ` +
        "imported at once: paste it in parts.",
      `names ${length} papers`,
    )
  if (length > 0) return found
  const [first] = found.unreadable
  const why = first === undefined ? "is empty" : `“${first.input}” ${first.why}`
  throw refuse(first === undefined ? "There is nothing here to read." : `No paper could be read in this. ${why}.`, why)
}

/** The papers that `prepare` found in a write's text before the transaction. */
export const foundIn = ({ prepared }: { readonly prepared?: unknown }): Found =>
  (prepared as Found | undefined) ?? nothingFound
const nothingFound: Found = { papers: [], unreadable: [], byWords: [] }

/** What a receipt says of the reading of a text. */
export const readingOf = ({ readAs = [], unreadable }: Found) => ({
  readAs: [...readAs],
  unreadable: [...unreadable],
})

/** The members of a request body that name papers to file. */
interface SentPapers {
  readonly arxivIds?: readonly string[]
  readonly identifiers?: readonly string[]
  readonly titles?: readonly { readonly arxivId: string; readonly title: string }[]
}

/**
 * Parses the identifiers in a body. @throws Refusal 422 if they name no paper, or more papers than one write may file
 */
async function readIdentifiers(
  { arxivIds = [], identifiers }: SentPapers,
  { userId }: Actor,
): Promise<Found | undefined> {
  if (identifiers === undefined) return undefined
  const found = await readPapers(identifiers, userId, "/identifiers")
  const count = found.papers.length + arxivIds.length
  if (count > limits.arxivIds)
    throw new Refusal(
      "invalid_schema",
      `This names ${count} papers; one write can file ${limits.arxivIds}. Nothing was stored. Send them in parts.`,
      {
        issues: [
          {
            path: "/identifiers",
            message: `names ${found.papers.length} papers; one write can file ${limits.arxivIds}`,
          },
        ],
      },
    )
  if (count > 0) return found
  const issues = found.unreadable.map(({ input, why }) => ({
    path: "/identifiers",
    message: `${JSON.stringify(input)} ${why}`,
  }))
  throw new Refusal("invalid_schema", `None of the identifiers names a paper. Nothing was stored.`, { issues })
}

/** Returns an issue for each title whose paper is not in `arxivIds`. */
const unmatchedTitles = ({ arxivIds = [], titles = [] }: SentPapers): Issue[] =>
  titles.flatMap(({ arxivId }, index) =>
    arxivIds.includes(arxivId) ? [] : [{ path: `/titles/${index}/arxivId`, message: "is not among arxivIds" }],
  )

/** Returns the papers of a body with their titles and descriptions. */
function sentPapers({ arxivIds = [], titles = [] }: SentPapers, found: Found): FiledPaper[] {
  const titleOf = new Map(titles.map(({ arxivId, title }) => [arxivId, title]))
  const byArxivId = arxivIds.map((paperId): FiledPaper => {
    const title = titleOf.get(paperId)
    return title === undefined ? { paperId } : { paperId, given: { title } }
  })
  return [...byArxivId, ...found.papers]
}

/**
 * Maps the ids of sent papers to those that a person has them under, and merges ids that turn out to belong to one
 * paper.
 */
export function naming({ names, papers }: Pick<LibraryTables, "names" | "papers">) {
  /** Merges the ids that a body gives for one paper. Two arXiv ids are never merged. */
  function joinStated(userId: string, { paperId, names: others = [] }: FiledPaper): void {
    for (const other of others) {
      const [from, to] = [names.of(userId, other), names.of(userId, paperId)]
      if (from === to || (isArxivId(from) && isArxivId(to))) continue
      // A `ref:` id needs an alias only if the person has something under it.
      if (isDoi(from) || names.reaches(userId, from)) names.join(userId, { paperId: from, sameAs: to }, null)
    }
  }

  /** Merges each of these papers with another that a source reports as the same, if the person has both. */
  function joinReported(userId: string, paperIds: readonly string[], change: Change): void {
    const due = change.readList(() =>
      names.reportedPairs(userId, paperIds).flatMap(({ paperId, sameAs, record }) => {
        const pair = pairOf(paperId, sameAs)
        return pair === undefined || !names.reaches(userId, sameAs)
          ? []
          : [{ ...pair, given: descriptionFrom(stored<PaperRecord>(record)) }]
      }),
    )
    for (const { paperId, sameAs, given } of due) names.join(userId, { paperId, sameAs }, given)
  }

  return {
    /** Returns the papers of a write without duplicates, each under the id that the person has it under. */
    named(userId: string, sent: readonly FiledPaper[], change: Change): FiledPaper[] {
      for (const paper of sent) joinStated(userId, paper)
      const ids = sent.map(({ paperId }) => names.of(userId, paperId))
      joinReported(userId, ids, change)
      const filed = new Map<string, FiledPaper>()
      for (const { paperId: sentAs, given, citationKey } of sent) {
        const paperId = names.of(userId, sentAs)
        const earlier = filed.get(paperId)
        const description = given ?? givenInReach(userId, paperId)
        filed.set(paperId, {
          paperId,
          ...(description && { given: description }),
          ...(citationKey && { citationKey }),
          ...earlier,
        })
      }
      return [...filed.values()]
    },

    /** Returns an issue for each `ref:` id that is sent without a description and is not in the person's reach. */
    unknown: (userId: string, sent: readonly FiledPaper[]): Issue[] =>
      sent
        .filter(
          ({ paperId, given }) => given === undefined && paperId.startsWith("ref:") && !names.reaches(userId, paperId),
        )
        .map(({ paperId }) => ({ path: "/identifiers", message: `${paperId} names no paper in reach` })),
  }

  /** Returns the description that someone in a shared Collection gave of a paper with a `ref:` id. */
  function givenInReach(userId: string, paperId: string): Given | undefined {
    const given = paperId.startsWith("ref:") ? papers.standing(wholeScope(userId), paperId).given : null
    return given === null ? undefined : parse(given)
  }
}

/** The members of a body or query that name one paper. */
export interface PaperName {
  readonly paperId?: string
  readonly arxivId?: string
}

/**
 * Returns the id under which a person has the paper that a body or query names. @throws Refusal 422 if it names none,
 * or two
 */
export function paperNamedBy(names: Names, userId: string, { paperId, arxivId }: PaperName): string {
  const named = paperId ?? arxivId
  if (named === undefined)
    throw new Refusal("invalid_parameter", "Say which paper: send paperId or arxivId.", {
      issues: [{ path: "/paperId", message: "is required if arxivId is left out" }],
    })
  const id = names.of(userId, named)
  if (arxivId !== undefined && names.of(userId, arxivId) !== id)
    throw new Refusal("invalid_parameter", "paperId and arxivId name two different papers. Send one of them.", {
      issues: [{ path: "/arxivId", message: "does not name the same paper as paperId" }],
    })
  return id
}

/** Returns the ids under which a person has the papers that a body names by `paperIds` and `arxivIds`. */
export const papersNamedBy = (
  names: Names,
  userId: string,
  { paperIds = [], arxivIds = [] }: { readonly paperIds?: readonly string[]; readonly arxivIds?: readonly string[] },
): string[] => [...new Set([...paperIds, ...arxivIds].map((id) => names.of(userId, id)))]

// Operations that a person or an agent with their key may call: filing papers, editing Collections, and posting notes.

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
    prepare: ({ actor, body }: { actor: Actor; body: SentPapers }) => readIdentifiers(body, actor),
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
