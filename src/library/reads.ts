/** What the Library answers: to a personal key as far as it reaches, to its person in the browser all of it. */
import { discoveryRoutes } from "../contract/discovery/routes.ts"
import { JsonText, type Writable } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import { browserReadPath, type Read } from "../contract/read.ts"
import { reads } from "../contract/reads/index.ts"
import { schemaVersions } from "../contract/versions.ts"
import type { Actor } from "../ledger/actor.ts"
import { LibraryPage, PlainText } from "../ledger/paging.ts"
import type { Readers } from "../ledger/reading.ts"
import type { Annotations } from "./annotations.ts"
import { writeBibtex } from "./bibtex/write.ts"
import type { Collections } from "./collections.ts"
import type { CollectionInvitations } from "./invitations.ts"
import type { Keys } from "./keys.ts"
import type { Notes } from "./notes.ts"
import { type Papers, type PaperStanding, shownPaper } from "./papers/papers.ts"
import type { Saved } from "./saved.ts"
import { mustReachLibrary, noPaper, reachesLibrary, type Scope, scopeOf } from "./reach/scope.ts"

interface Parts {
  readonly papers: Papers
  readonly saved: Saved
  readonly collections: Collections
  readonly notes: Notes
  readonly invitations: CollectionInvitations
  readonly keys: Keys
  readonly annotations: Annotations
}

const paths = new Map([...reads, ...discoveryRoutes].map(({ name, path }) => [name, path]))
const pathOf = (name: string): string => paths.get(name) as string
const inBrowser = (name: string): string => browserReadPath(reads.find((read) => read.name === name) as Read) as string

/** Every read of the Library is somebody's. */
function mustBe(actor: Actor | null): Actor {
  if (actor === null) throw new Error("the Library is read by its person or a key of theirs")
  return actor
}

/** What an identity tells of the limits. */
const { collectionPapers, savedPapers, ownedCollections, pageItems, arxivIds, collectionName, note, requestBodyBytes } = limits
const told = { collectionPapers, savedPapers, ownedCollections, pageItems, arxivIds, collectionName, note, requestBodyBytes }

export function libraryReads({ papers, saved, collections, notes, invitations, keys, annotations }: Parts) {
  /** Whether something that the reader may see has to do with the paper: it is saved, held, or annotated. */
  function concerns(scope: Scope, arxivId: string, { savedAt, held }: PaperStanding): boolean {
    return savedAt !== null || held || (reachesLibrary(scope) && annotations.revision(scope.userId, arxivId) > 0)
  }

  /** A paper in reach, or one that the operator imported for everybody. @throws Refusal 404 */
  function mustKnow(scope: Scope, arxivId: string) {
    const standing = papers.standing(scope, arxivId)
    const inReach = concerns(scope, arxivId, standing)
    if (!inReach && !standing.imported) throw noPaper()
    return { ...standing, inReach }
  }

  return {
    library_identity({ actor, basePath = "" }) {
      const key = actor?.key && keys.find(actor.key.keyId)
      if (key === undefined) throw new Error("this read is for personal keys")
      const { keyId: id, owner, label, permissions, reach, collectionIds, expiresAt, agent } = key
      const links = {
        collections: "library_collections",
        papers: "library_papers",
        paper: "library_paper",
        annotations: "library_annotations",
        schema: "library_schema",
        skill: "skill",
      }
      return {
        userId: owner.userId,
        username: owner.username,
        key: { id, label, expiresAt, agent },
        permissions,
        reach,
        collectionIds,
        limits: told,
        links: Object.fromEntries(Object.entries(links).map(([name, read]) => [name, `${basePath}${pathOf(read)}`])),
      }
    },

    library_collections: ({ actor, query }) => collections.page(scopeOf(mustBe(actor)), query.offset ?? 0),

    library_collection({ actor, params, query }) {
      const scope = scopeOf(mustBe(actor))
      const collection = collections.mustFind(scope, params.collectionId as string)
      const { page, arxivIds: shown } = collections.papers(scope, collection.id, query.offset ?? 0)
      const members = collections.members(collection.id).map(({ username }) => username)
      return new LibraryPage(page.items, page.nextOffset, { ...collection, members, ...notes.on(scope.userId, collection.id, shown) })
    },

    library_papers({ actor, query }) {
      mustReachLibrary(mustBe(actor))
      return saved.page(scopeOf(mustBe(actor)), query.offset ?? 0)
    },

    library_paper({ actor, query, basePath = "" }) {
      const scope = scopeOf(mustBe(actor))
      const { record, savedAt, collections: holding } = mustKnow(scope, query.arxivId)
      const encoded = encodeURIComponent(query.arxivId)
      const links = {
        self: `${basePath}${actor?.key === undefined ? inBrowser("library_paper") : pathOf("library_paper")}?arxivId=${encoded}`,
        publications: `${basePath}${pathOf("paper_publications").replace("{arxivId}", encoded)}`,
      }
      const saving = { saved: reachesLibrary(scope) ? savedAt !== null : null, savedAt }
      return shownPaper(query.arxivId, record, {
        schemaVersion: schemaVersions.library,
        ...saving,
        collections: new JsonText(holding),
        links,
      })
    },

    library_annotations({ actor, query }) {
      const scope = scopeOf(mustBe(actor))
      const { inReach } = mustKnow(scope, query.arxivId)
      // Of a paper that is merely known here, a key that does not reach it learns nothing of what its person wrote on it.
      return annotations.read(inReach ? scope.userId : "", query.arxivId)
    },

    library_keys({ actor }) {
      return { items: keys.ofPerson(mustBe(actor).userId).map(({ owner: _owner, ...key }) => key) as Writable[] }
    },
    library_invitations({ actor }) {
      const received = invitations.receivedBy(mustBe(actor).userId)
      return {
        items: received.map(({ invitationId, collection, invitedBy, invitedAt }) => ({ invitationId, collection, invitedBy, invitedAt })),
      }
    },
    collection_invitations({ actor, params }) {
      const { id } = collections.mustOwn(scopeOf(mustBe(actor)), params.collectionId as string)
      return { items: invitations.sentFor(id).map(({ invitationId, username, invitedAt }) => ({ invitationId, username, invitedAt })) }
    },
    collection_notes({ actor, params, query }) {
      const scope = scopeOf(mustBe(actor))
      const { id } = collections.mustFind(scope, params.collectionId as string)
      if (collections.notesOn(id, query.arxivId) === undefined) throw noPaper()
      return notes.page(scope.userId, id, query.arxivId, query.offset ?? 0)
    },
    collection_bibtex({ actor, params }) {
      const { id } = collections.mustFind(scopeOf(mustBe(actor)), params.collectionId as string)
      return new PlainText(writeBibtex(collections.bibliography(id)))
    },
    reading_position({ actor, query }) {
      const { userId } = mustBe(actor)
      mustKnow(scopeOf(mustBe(actor)), query.arxivId)
      return annotations.position(userId, query.arxivId)
    },
  } satisfies Partial<Readers>
}
