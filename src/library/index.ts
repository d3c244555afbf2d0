/**
 * The Library as a domain: people's papers, their Collections, notes and annotations, and the keys of their tools; with
 * its reads.
 */
import type { Domain, Ground } from "../ledger/domains/domain.ts"
import type { People } from "../people/people.ts"
import { annotationOperations, keyOperations, tagOperations, sharingOperations } from "./operations.ts"
import { filingOperations, type LibraryTables, libraryTables, type PaperName, paperNamedBy } from "./filed.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { isSign, phrasesIn, termsOf, wordsIn } from "../contract/words.ts"
import { type DiscoveryName, discoveryRoutes } from "../discovery/routes.ts"
import { JsonText } from "../contract/json.ts"
import { type LibraryPaper, named } from "../contract/library/reads.ts"
import { limits } from "../contract/limits.ts"
import { inBrowser, pathTo } from "../contract/reads/index.ts"
import { schemaVersions } from "../contract/service.ts"
import { respelled } from "../ledger/lists/substrings.ts"
import { NamedText, type Readers } from "../ledger/reads/reading.ts"
import { bibliographyOf, unchanged, writeBibtex } from "./bibliography/file.ts"
import { shownPaper } from "./papers/papers.ts"
import { mustReachLibrary, noPaper, reachesLibrary, type Scope, scopeOf } from "./papers/scope.ts"

// The reads. A personal key gets the part that it reaches; a person in the browser gets everything. The words of a
// query become full-text match expressions over the saved papers.

/** Words of a query that are searched for; any further words are ignored. */
const MAX_WORDS = 12
/** Length from which the last word, which may be incomplete, is matched as a prefix. */
const MIN_PREFIX = 3

type Reader = Pick<Actor, "userId" | "key">

/**
 * The index columns that a reader may search. A key may lack the permission to read annotations, or notes may be out of
 * its reach.
 */
function columnsFor({ key }: Reader): string {
  const notes = key === undefined || key.reach === "all"
  const annotations = key === undefined || key.permissions.has("read_annotations")
  return ["paper", ...(notes ? ["notes"] : []), ...(annotations ? ["annotations"] : [])].join(" ")
}

/** Limits terms to the reader's own texts. */
const inOwnTexts = (terms: string, reader: Reader): string =>
  `owner : "${reader.userId.replaceAll("-", "")}" AND {${columnsFor(reader)}} : (${terms})`

/** @param words a word, or neighbouring signs of a script without spaces */
const term = (words: readonly string[], isLast: boolean): string => {
  const isPrefix = isLast && !isSign(words[0]) && [...words.join("")].length >= MIN_PREFIX
  return `"${termsOf(words).join(" ")}"${isPrefix ? " *" : ""}`
}

/** Returns the match expression of a single word. */
const matchWord = (word: string, isLast: boolean, reader: Reader): string => inOwnTexts(term([word], isLast), reader)

/** Returns the match expression of a query, which requires all of its words; undefined if the query has none. */
function matchQuery(query: string, reader: Reader): string | undefined {
  const words = phrasesIn(query, false).flatMap((phrase) =>
    isSign(phrase[0]) ? [phrase] : phrase.map((word) => [word]),
  )
  const terms = words.slice(0, MAX_WORDS).map((word, index, all) => term(word, index === all.length - 1))
  return terms.length === 0 ? undefined : inOwnTexts(terms.join(" AND "), reader)
}

const document = (name: DiscoveryName): string => discoveryRoutes.find((route) => route.name === name)?.path ?? ""

/** The most papers counted for each candidate when a misspelled word is corrected. */
const SPELLING_MATCHES = 50

const { collectionPapers, savedPapers, ownedCollections, pageItems, arxivIds, collectionName, note, requestBodyBytes } =
  limits
const identityLimits = {
  collectionPapers,
  savedPapers,
  ownedCollections,
  pageItems,
  arxivIds,
  collectionName,
  note,
  requestBodyBytes,
}

function libraryReads({
  papers,
  names,
  saved,
  tags,
  collections,
  notes,
  invitations,
  keys,
  annotations,
}: LibraryTables) {
  /**
   * Finds a paper that the operator imported for everyone, or one in reach: saved, annotated, or in a Collection in
   * reach.
   * @throws Refusal 404
   */
  function mustKnow(scope: Scope, query: PaperName) {
    const paperId = paperNamedBy(names, scope.userId, query)
    const standing = papers.standing(scope, paperId)
    const isAnnotated = reachesLibrary(scope) && annotations.revision(scope.userId, paperId) > 0
    const inReach = standing.savedAt !== null || standing.held || isAnnotated
    if (!inReach && !standing.imported) throw noPaper()
    return { ...standing, paperId, inReach }
  }

  /**
   * Corrects by one letter each word of a query that none of the reader's papers has; undefined if the result finds
   * nothing either.
   */
  function correctSpelling(actor: Actor, query: string): string | undefined {
    const count = (word: string, isLast: boolean) =>
      saved.countMatches(matchWord(word, isLast, actor), SPELLING_MATCHES)
    const corrected = respelled(
      query,
      [...wordsIn(query)],
      ({ folded: word }, isLast) => isSign(word) || count(word, isLast) > 0,
      (candidates) => {
        const counts = candidates.map((word) => ({ word, papers: count(word, false) }))
        return counts.filter(({ papers }) => papers > 0).sort((one, other) => other.papers - one.papers)[0]?.word
      },
    )
    const match = corrected === undefined ? undefined : matchQuery(corrected, actor)
    return match !== undefined && saved.countMatches(match, 1) > 0 ? corrected : undefined
  }

  return {
    library_identity({ actor, basePath = "" }) {
      const key = actor.key && keys.find(actor.key.keyId)
      if (key === undefined) throw new Error("this read is for personal keys")
      const { keyId: id, owner, label, permissions, reach, collectionIds, expiresAt, agent } = key
      const links = {
        collections: pathTo("library_collections"),
        papers: pathTo("library_papers"),
        paper: pathTo("library_paper"),
        annotations: pathTo("library_annotations"),
        schema: document("library_schema"),
        skill: document("skill"),
      }
      return {
        userId: owner.userId,
        username: owner.username,
        key: { id, label, expiresAt, agent },
        permissions,
        reach,
        collectionIds,
        limits: identityLimits,
        links: Object.fromEntries(Object.entries(links).map(([name, path]) => [name, `${basePath}${path}`])),
      }
    },

    library_collections: ({ actor, query }) => collections.page(scopeOf(actor), query.offset ?? 0),

    library_collection({ actor, params, query }) {
      const scope = scopeOf(actor)
      const collection = collections.mustFind(scope, params.collectionId)
      const { format = "json" } = query
      if (format !== "json")
        return bibliographyOf(`collection-${collection.id}`, format, collections.bibliography(collection.id), unchanged)
      const { page, paperIds: shown } = collections.papers(scope, collection.id, query.offset ?? 0)
      const members = collections.members(collection.id).map(({ username }) => username)
      return { ...collection, members, ...notes.on(scope.userId, collection.id, shown), ...page }
    },

    library_papers({ actor, query }) {
      mustReachLibrary(actor)
      const { query: search, tag, sort, format = "json", offset = 0 } = query
      const match = search === undefined ? undefined : matchQuery(search, actor)
      const filter = { ...(sort && { sort }), ...(tag !== undefined && { tag }), ...(match !== undefined && { match }) }
      // A query of punctuation alone matches nothing.
      const matchesNothing = search !== undefined && match === undefined
      if (format === "json") {
        const page = matchesNothing
          ? { items: [], hasMore: false, nextOffset: null }
          : saved.page(scopeOf(actor), filter, offset)
        const corrected =
          page.items.length > 0 || offset > 0 || search === undefined ? undefined : correctSpelling(actor, search)
        return { ...page, didYouMean: corrected ?? null }
      }
      const { all, read } = saved.bibliography(scopeOf(actor), filter)
      return bibliographyOf("library", format, matchesNothing ? [] : all, read)
    },

    library_tags({ actor }) {
      mustReachLibrary(actor)
      return { items: tags.all(actor.userId) }
    },

    library_paper({ actor, query, basePath = "" }) {
      const scope = scopeOf(actor)
      const { paperId, record, sameAs, given, savedAt, collections: holding, tags: own } = mustKnow(scope, query)
      const { arxivId } = named(paperId)
      const path = actor.key === undefined ? inBrowser("library_paper") : pathTo("library_paper")
      const links = {
        self: `${basePath}${path}?${arxivId === null ? "paperId" : "arxivId"}=${encodeURIComponent(paperId)}`,
        publications: arxivId === null ? null : `${basePath}${pathTo("paper_publications", { arxivId })}`,
      }
      const saving = { saved: reachesLibrary(scope) ? savedAt !== null : null, savedAt }
      return shownPaper<LibraryPaper>(
        { paperId, record, sameAs, given },
        {
          schemaVersion: schemaVersions.library,
          ...saving,
          collections: new JsonText(holding),
          tags: own && new JsonText(own),
          links,
        },
      )
    },

    library_annotations({ actor, query }) {
      const scope = scopeOf(actor)
      const { paperId, inReach } = mustKnow(scope, query)
      // A key can read the metadata of an imported paper out of its reach, but not its owner's annotations.
      return annotations.read(inReach ? scope.userId : "", paperId)
    },

    library_keys({ actor }) {
      return { items: keys.ofPerson(actor.userId).map(({ owner: _owner, ...key }) => key) }
    },
    library_invitations({ actor }) {
      const received = invitations.receivedBy(actor.userId)
      return {
        items: received.map(({ invitationId, collection, invitedBy, invitedAt }) => ({
          invitationId,
          collection,
          invitedBy,
          invitedAt,
        })),
      }
    },
    collection_invitations({ actor, params }) {
      const { id } = collections.mustOwn(scopeOf(actor), params.collectionId)
      return {
        items: invitations
          .sentFor(id)
          .map(({ invitationId, username, invitedAt }) => ({ invitationId, username, invitedAt })),
      }
    },
    collection_notes({ actor, params, query }) {
      const scope = scopeOf(actor)
      const { id } = collections.mustFind(scope, params.collectionId)
      const held = collections.holding(id, names.all(scope.userId, paperNamedBy(names, scope.userId, query)))
      if (held === undefined) throw noPaper()
      return notes.page(scope.userId, id, held.paperId, query.offset ?? 0)
    },
    collection_bibtex({ actor, params }) {
      const { id } = collections.mustFind(scopeOf(actor), params.collectionId)
      return new NamedText(`collection-${id}.bib`, writeBibtex(collections.bibliography(id)))
    },
    reading_position({ actor, query }) {
      const { paperId } = mustKnow(scopeOf(actor), query)
      return annotations.position(actor.userId, paperId)
    },
  } satisfies Partial<Readers>
}

export { metadataIntake, libraryActs, type Found } from "./papers/found.ts"
export { readPapers } from "./filed.ts"
export type { LibraryTables }

export interface Given {
  readonly library: LibraryTables
  readonly people: People
}

export const domain = {
  tables: [({ db }: Ground) => ({ library: libraryTables(db) })],
  operations: [
    ({ library, people }: Given) => ({
      ...filingOperations(library),
      ...sharingOperations({ ...library, people }),
      ...annotationOperations(library),
      ...keyOperations(library),
      ...tagOperations(library),
    }),
  ],
  reads: [({ library }: Given) => libraryReads(library)],
} satisfies Domain
