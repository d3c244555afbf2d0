/** Collections, their members, and the papers they hold. */
import type { Person } from "../contract/answers/parts.ts"
import type { CollectionPaper, CollectionSummary, PaperMember } from "../contract/library/reads.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import type { Cited } from "./bibliography/file.ts"
import { type FiledPaper, type ShownPaper, shownPaper } from "./papers/papers.ts"
import { REINDEX } from "./papers/names.ts"
import { offsetPage, pageItems } from "./saved.ts"
import { mustFit, noCollection, ownerOnly, REACHED, reachesLibrary, type Scope, values } from "./papers/scope.ts"

/** A Collection, as one reader sees it. */
export type Collection = CollectionSummary

type CollectionRow = Omit<Collection, "isOwner" | "counts"> & Collection["counts"] & { readonly isOwner: number }

const collection = ({ isOwner, papers, notes, unread, ...row }: CollectionRow): Collection => ({
  ...row,
  isOwner: isOwner === 1,
  counts: { papers, notes, unread },
})

type PaperRow = Omit<CollectionPaper, PaperMember> & ShownPaper

const SHOWN_COLLECTION = `r.collection_id AS id, r.name, r.owner_id = r.reader_id AS isOwner, o.username AS owner,
    r.created_at AS createdAt, r.papers, r.notes, r.unread
  FROM reached r JOIN people o ON o.user_id = r.owner_id`

export function collections(db: Db) {
  const owned = db.prepare<{ collections: number }>("SELECT collections FROM library_counts WHERE user_id = +?")
  const insert = inserting(db, "collections")
  const join = inserting(db, "collection_members")
  const rename = db.prepare("UPDATE collections SET name = +? WHERE collection_id = +?")
  const one = db.prepare<CollectionRow>(`WITH ${REACHED} SELECT ${SHOWN_COLLECTION} WHERE r.collection_id = +?`)
  const page = db.prepare<CollectionRow>(
    `WITH ${REACHED} SELECT ${SHOWN_COLLECTION}
     ORDER BY r.collection_id DESC LIMIT ${pageItems + 1} OFFSET +?`,
  )
  const members = db.prepare<Person>(
    `SELECT m.user_id AS userId, p.username
      FROM collection_members m
      JOIN people p USING (user_id)
      JOIN collections c USING (collection_id)
      WHERE m.collection_id = +?
      ORDER BY c.owner_id <> m.user_id, p.username`,
  )
  const among = db.prepare<{ paperId: string }>(
    `SELECT paper_id AS paperId
      FROM collection_papers
      WHERE collection_id = +? AND paper_id IN (SELECT value FROM json_each(+?))`,
  )
  const add = db.prepare(
    `INSERT INTO collection_papers (collection_id, paper_id, added_by, added_at, known, given, citation_key)
     SELECT +?, w.value ->> 'paperId', +?, +?,
        EXISTS (SELECT 1 FROM papers WHERE paper_id = w.value ->> 'paperId' AND origin = 'import'), w.value ->> 'given',
       CASE WHEN NOT EXISTS (SELECT 1
         FROM collection_papers k
         WHERE k.collection_id = +? AND k.citation_key = w.value ->> 'citationKey') THEN w.value ->> 'citationKey' END
     FROM json_each(+?) w`,
  )
  const holding = db.prepare<{ paperId: string; notes: number }>(
    `SELECT c.paper_id AS paperId, c.notes
      FROM json_each(+?) w
      JOIN collection_papers c ON c.collection_id = +? AND c.paper_id = w.value
      ORDER BY w.key
      LIMIT 1`,
  )
  const removePaper = db.prepare("DELETE FROM collection_papers WHERE collection_id = +? AND paper_id = +?")
  const papersPage = db.prepare<PaperRow>(
    `SELECT c.paper_id AS paperId, c.added_at AS addedAt, b.username AS addedBy, c.notes,
        coalesce(c.given, s.given) AS given,
       CASE WHEN c.known = 1 OR p.origin = 'import' OR s.known = 1 THEN p.record END AS record,
       CASE WHEN c.known = 1 OR p.origin = 'import' OR s.known = 1 THEN p.same_as END AS sameAs
     FROM (SELECT * FROM collection_papers WHERE collection_id = +? ORDER BY entry DESC LIMIT +? OFFSET +?) c
     JOIN people b ON b.user_id = c.added_by
     LEFT JOIN papers p ON p.paper_id = c.paper_id
     LEFT JOIN saved_papers s ON s.user_id = +? AND s.paper_id = c.paper_id
     ORDER BY c.entry DESC`,
  )
  const cited = db.prepare<Cited>(
    `SELECT c.paper_id AS paperId, c.citation_key AS citationKey, c.given,
        CASE WHEN c.known = 1 OR p.origin = 'import' THEN p.record END AS record,
       CASE WHEN c.known = 1 OR p.origin = 'import' THEN p.same_as END AS sameAs
     FROM collection_papers c
      LEFT JOIN papers p ON p.paper_id = c.paper_id
      WHERE c.collection_id = +?
      ORDER BY c.entry`,
  )
  // The order of both lists respects the foreign keys.
  const removeMember = [
    "DELETE FROM unread_notes WHERE user_id = +? AND collection_id = +?",
    `DELETE FROM key_collections
      WHERE key_id IN (SELECT key_id FROM personal_keys WHERE user_id = +?) AND collection_id = +?`,
    "DELETE FROM collection_members WHERE user_id = +? AND collection_id = +?",
  ].map((sql) => db.prepare(sql))
  const deleteAll = [
    "unread_notes",
    "notes",
    "collection_papers",
    "key_collections",
    "collection_invitations",
    "collection_members",
    "collections",
  ].map((table) => db.prepare(`DELETE FROM ${table} WHERE collection_id = +?`))

  const papersWithNotes = db.prepare<{ authorId: string; paperId: string }>(
    "SELECT DISTINCT author_id AS authorId, paper_id AS paperId FROM notes WHERE collection_id = +?",
  )
  const reindex = db.prepare(REINDEX)

  return {
    /** @throws Refusal `limit_reached` */
    create(collectionId: string, ownerId: string, name: string, at: string): void {
      mustFit("ownedCollections", owned.get(ownerId)?.collections ?? 0, 1)
      insert({ collectionId, ownerId, name, createdAt: at })
      join({ userId: ownerId, collectionId, joinedAt: at })
    },
    rename: (collectionId: string, name: string) => rename.run(name, collectionId),
    /** Deletes a Collection and everything in it, for all members. */
    delete(collectionId: string): void {
      const toReindex = papersWithNotes.all(collectionId)
      for (const statement of deleteAll) statement.run(collectionId)
      for (const { authorId, paperId } of toReindex) reindex.run(authorId, paperId)
    },

    find(scope: Scope, collectionId: string): Collection | undefined {
      const row = one.get(...values(scope), collectionId)
      return row && collection(row)
    },
    /** @throws Refusal `unknown_collection` */
    mustFind(scope: Scope, collectionId: string): Collection {
      const found = this.find(scope, collectionId)
      if (found === undefined) throw noCollection()
      return found
    },
    /** @throws Refusal `unknown_collection`; 403 for a Collection that the person does not own */
    mustOwn(scope: Scope, collectionId: string): Collection {
      const found = this.mustFind(scope, collectionId)
      if (!found.isOwner) throw ownerOnly()
      return found
    },
    /** Returns a page of the Collections in reach, newest first. */
    page: (scope: Scope, offset: number) => offsetPage(page.all(...values(scope), offset).map(collection), offset),

    members: (collectionId: string) => members.all(collectionId),
    join: (collectionId: string, userId: string, at: string) => join({ userId, collectionId, joinedAt: at }),
    /** Removes a member, their unread marks, and the Collection from the reach of their keys. */
    leave: (collectionId: string, userId: string) =>
      removeMember.forEach((statement) => statement.run(userId, collectionId)),

    /**
     * Adds the papers that the Collection does not hold yet under any of their ids. @param namesOf returns every id of
     * a paper
     * @throws Refusal `limit_reached` before anything is added
     */
    add(
      { id, counts }: Collection,
      filed: readonly FiledPaper[],
      by: string,
      at: string,
      namesOf: (paperId: string) => readonly string[],
    ) {
      const held = new Set(
        among.all(id, JSON.stringify(filed.flatMap(({ paperId }) => namesOf(paperId)))).map(({ paperId }) => paperId),
      )
      const present = new Set(
        filed.map(({ paperId }) => paperId).filter((paperId) => namesOf(paperId).some((name) => held.has(name))),
      )
      const added = filed.filter(({ paperId }) => !present.has(paperId))
      mustFit("collectionPapers", counts.papers, added.length)
      add.run(id, by, at, id, JSON.stringify(added))
      return {
        added: added.map(({ paperId }) => paperId),
        alreadyThere: filed.flatMap(({ paperId }) => (present.has(paperId) ? [paperId] : [])),
      }
    },
    /**
     * Finds the id under which a Collection holds a paper, and counts the notes on it; undefined if it does not hold
     * the paper.
     */
    holding: (collectionId: string, names: readonly string[]) => holding.get(JSON.stringify(names), collectionId),
    removePaper: (collectionId: string, paperId: string) => removePaper.run(collectionId, paperId),

    /** Returns a page of a Collection's papers, newest first, and their ids. */
    papers(scope: Scope, collectionId: string, offset: number) {
      const rows = papersPage.all(collectionId, pageItems + 1, offset, reachesLibrary(scope) ? scope.userId : "")
      const items = rows.map(({ paperId, record, sameAs, given, ...added }) =>
        shownPaper<CollectionPaper>({ paperId, record, sameAs, given }, added),
      )
      return { page: offsetPage(items, offset), paperIds: rows.slice(0, pageItems).map(({ paperId }) => paperId) }
    },
    /** Returns every paper of a Collection for a bibliography, in the order they were added. */
    bibliography: (collectionId: string): readonly Cited[] => cited.all(collectionId),
  }
}

// Open invitations to Collections.

export interface Invitation {
  readonly invitationId: string
  readonly collection: { readonly id: string; readonly name: string }
  readonly ownerId: string
  readonly invitedBy: string
  readonly userId: string
  readonly username: string
  readonly invitedAt: string
}

type InvitationRow = Omit<Invitation, "collection"> & { readonly collectionId: string; readonly name: string }

const invitation = ({ collectionId, name, ...row }: InvitationRow): Invitation => ({
  ...row,
  collection: { id: collectionId, name },
})

const INVITATIONS = `SELECT i.invitation_id AS invitationId, i.collection_id AS collectionId, c.name,
    c.owner_id AS ownerId, o.username AS invitedBy, i.user_id AS userId, p.username, i.invited_at AS invitedAt
  FROM collection_invitations i JOIN collections c USING (collection_id)
  JOIN people o ON o.user_id = c.owner_id JOIN people p ON p.user_id = i.user_id`

export function collectionInvitations(db: Db) {
  const insert = inserting(db, "collection_invitations")
  const one = db.prepare<InvitationRow>(`${INVITATIONS} WHERE i.invitation_id = +?`)
  const remove = db.prepare("DELETE FROM collection_invitations WHERE invitation_id = +?")
  const received = db.prepare<InvitationRow>(`${INVITATIONS} WHERE i.user_id = +? ORDER BY i.invitation_id`)
  const sent = db.prepare<InvitationRow>(`${INVITATIONS} WHERE i.collection_id = +? ORDER BY i.invitation_id`)

  return {
    open: (invitationId: string, collectionId: string, userId: string, at: string) =>
      insert({ invitationId, collectionId, userId, invitedAt: at }),
    find(invitationId: string): Invitation | undefined {
      const row = one.get(invitationId)
      return row && invitation(row)
    },
    /** Removes an invitation that was accepted, declined or withdrawn. */
    close: (invitationId: string) => remove.run(invitationId),
    receivedBy: (userId: string): Invitation[] => received.all(userId).map(invitation),
    sentFor: (collectionId: string): Invitation[] => sent.all(collectionId).map(invitation),
  }
}
