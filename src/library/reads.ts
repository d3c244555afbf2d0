/** What the Library answers: to a personal key as far as it reaches, to its person in the browser all of it. */
import { type DiscoveryName, discoveryRoutes } from "../discovery/routes.ts"
import { JsonText } from "../contract/json.ts"
import type { LibraryPaper } from "../contract/library/answers.ts"
import { named } from "../contract/library/papers.ts"
import { limits } from "../contract/limits.ts"
import { inBrowser, pathTo } from "../contract/reads/index.ts"
import { schemaVersions } from "../contract/versions.ts"
import { respelled } from "../ledger/lists/spelling.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { NamedText, type Readers } from "../ledger/reads/reading.ts"
import { bibliographyOf, unchanged } from "./bibtex/file.ts"
import { writeBibtex } from "./bibtex/write.ts"
import { paperNamedBy } from "./filed.ts"
import { type PaperStanding, shownPaper } from "./papers/papers.ts"
import { WORDS, matchWord, matchQuery } from "./words.ts"
import type { LibraryTables } from "./tables.ts"
import { mustReachLibrary, noPaper, reachesLibrary, type Scope, scopeOf } from "./reach/scope.ts"

const document = (name: DiscoveryName): string => discoveryRoutes.find((route) => route.name === name)?.path ?? ""

/** Papers that are counted to tell which of several words is meant. */
const SPELLING_TEXTS = 50

/** What an identity tells of the limits. */
const { collectionPapers, savedPapers, ownedCollections, pageItems, arxivIds, collectionName, note, requestBodyBytes } = limits
const told = { collectionPapers, savedPapers, ownedCollections, pageItems, arxivIds, collectionName, note, requestBodyBytes }

export function libraryReads({ papers, names, saved, tags, collections, notes, invitations, keys, annotations }: LibraryTables) {
  /** Whether something that the reader may see has to do with the paper: it is saved, held, or annotated. */
  function concerns(scope: Scope, paperId: string, { savedAt, held }: PaperStanding): boolean {
    return savedAt !== null || held || (reachesLibrary(scope) && annotations.revision(scope.userId, paperId) > 0)
  }

  /** A paper in reach, or one that the operator imported for everybody. @throws Refusal 404 */
  function mustKnow(scope: Scope, query: { readonly paperId?: string; readonly arxivId?: string }) {
    const paperId = paperNamedBy(names, scope.userId, query)
    const standing = papers.standing(scope, paperId)
    const inReach = concerns(scope, paperId, standing)
    if (!inReach && !standing.imported) throw noPaper()
    return { ...standing, paperId, inReach }
  }

  /** A query with words that none of the reader's papers has put right by one letter each; undefined where that finds nothing. */
  function respelledFor(actor: Actor, query: string): string | undefined {
    const texts = (word: string, isLast: boolean) => saved.matches(matchWord(word, isLast, actor), SPELLING_TEXTS)
    const near = respelled(
      query,
      WORDS,
      (word, isLast) => texts(word, isLast) > 0,
      (some) =>
        some
          .map((word) => ({ word, count: texts(word, false) }))
          .reduce((best, each) => (each.count > best.count ? each : best), { word: "", count: 0 }).word || undefined,
    )
    const match = near === undefined ? undefined : matchQuery(near, actor)
    return match !== undefined && saved.matches(match, 1) > 0 ? near : undefined
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
        limits: told,
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
      const { query: typed, tag, sort, format = "json", offset = 0 } = query
      const match = typed === undefined ? undefined : matchQuery(typed, actor)
      const wanted = { ...(sort && { sort }), ...(tag !== undefined && { tag }), ...(match !== undefined && { match }) }
      // Signs alone are no word of any paper.
      const none = typed !== undefined && match === undefined
      if (format === "json") {
        const page = none ? { items: [], hasMore: false, nextOffset: null } : saved.page(scopeOf(actor), wanted, offset)
        const near = page.items.length > 0 || offset > 0 || typed === undefined ? undefined : respelledFor(actor, typed)
        return { ...page, didYouMean: near ?? null }
      }
      const { all, cited } = saved.bibliography(scopeOf(actor), wanted)
      return bibliographyOf("library", format, none ? [] : all, cited)
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
        { schemaVersion: schemaVersions.library, ...saving, collections: new JsonText(holding), tags: own && new JsonText(own), links },
      )
    },

    library_annotations({ actor, query }) {
      const scope = scopeOf(actor)
      const { paperId, inReach } = mustKnow(scope, query)
      // Of a paper that is merely known here, a key that does not reach it learns nothing of what its person wrote on it.
      return annotations.read(inReach ? scope.userId : "", paperId)
    },

    library_keys({ actor }) {
      return { items: keys.ofPerson(actor.userId).map(({ owner: _owner, ...key }) => key) }
    },
    library_invitations({ actor }) {
      const received = invitations.receivedBy(actor.userId)
      return {
        items: received.map(({ invitationId, collection, invitedBy, invitedAt }) => ({ invitationId, collection, invitedBy, invitedAt })),
      }
    },
    collection_invitations({ actor, params }) {
      const { id } = collections.mustOwn(scopeOf(actor), params.collectionId)
      return { items: invitations.sentFor(id).map(({ invitationId, username, invitedAt }) => ({ invitationId, username, invitedAt })) }
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
