/**
 * How far the caller can see: a person in the browser their whole Library, a personal key what its reach leaves of it.
 * Everything that reads a Collection goes through the one expression below, so what is out of reach is simply not there.
 */
import type { KeyReach } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Actor } from "../../ledger/journal/actor.ts"

export interface Scope {
  readonly userId: string
  readonly reach: KeyReach
  /** Empty for a person in the browser. */
  readonly keyId: string
}

export const scopeOf = ({ userId, key }: Pick<Actor, "userId" | "key">): Scope => ({
  userId,
  reach: key?.reach ?? "all",
  keyId: key?.keyId ?? "",
})

/** The whole of a person's Library. */
export const wholeScope = (userId: string): Scope => ({ userId, reach: "all", keyId: "" })

/** Whether the saved papers themselves are in reach. */
export const reachesLibrary = ({ reach }: Scope): boolean => reach !== "selected"

/** What follows `WITH`: the Collections in reach of three values (see `values`), as `reached`. */
export const REACHED = `
  me (user_id, reach, key_id) AS (VALUES (+?, +?, +?)),
  reached AS (
    SELECT c.*, m.unread, me.user_id AS reader_id FROM me
    CROSS JOIN collection_members m ON m.user_id = me.user_id
    JOIN collections c ON c.collection_id = m.collection_id
    WHERE me.reach = 'all' OR (me.reach = 'owned' AND c.owner_id = me.user_id)
      OR (me.reach = 'selected' AND EXISTS (SELECT 1 FROM key_collections k WHERE k.key_id = me.key_id AND k.collection_id = c.collection_id)))`

/** What `REACHED` begins with. */
export const values = ({ userId, reach, keyId }: Scope): [string, KeyReach, string] => [userId, reach, keyId]

/** @throws Refusal 403 for a key whose reach leaves the saved papers out */
export function mustReachLibrary(actor: Actor): void {
  if (reachesLibrary(scopeOf(actor))) return
  throw new Refusal("not_authorized", "The reach of this key leaves the Library itself out; it holds chosen Collections only.", {
    status: 403,
    current: { needed: ["reach"], reach: "selected", reaches: ["all", "owned"] },
  })
}

/** The caps that a batch can meet. */
export type Cap =
  | "collectionPapers"
  | "savedPapers"
  | "ownedCollections"
  | "tags"
  | "paperTags"
  | "collectionMembers"
  | "threadNotes"
  | "highlights"

const held: Record<Cap, string> = {
  collectionPapers: "papers in a Collection",
  savedPapers: "saved papers in the Library",
  ownedCollections: "owned Collections",
  tags: "tags in a Library",
  paperTags: "tags on one paper",
  collectionMembers: "members of a Collection, open invitations included",
  threadNotes: "notes on one paper in a Collection",
  highlights: "highlights in one paper",
}

/** @throws Refusal `limit_reached` when `added` more would pass the cap */
export function mustFit(limit: Cap, now: number, added: number): void {
  const most = limits[limit]
  if (added === 0 || now + added <= most) return
  throw new Refusal(
    "limit_reached",
    `There may be ${most.toLocaleString("en")} ${held[limit]}; there are ${now.toLocaleString("en")}, and ${added} more were sent. Nothing was written.`,
    {
      current: { limit, most, now, added },
    },
  )
}

/** @throws Refusal 404 */
export const noCollection = (): Refusal => new Refusal("unknown_collection", "There is no such Collection in reach.")
export const noPaper = (): Refusal => new Refusal("unknown_paper", "There is no such paper in reach.")
export const ownerOnly = (): Refusal =>
  new Refusal("not_authorized", "Only the owner of the Collection may do this.", { status: 403, current: { needed: ["owner"] } })
