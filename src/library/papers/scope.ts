/**
 * The part of a Library that a caller can see: all of it for a person in the browser, less for a personal key with a
 * limited reach. Every read of a Collection goes through the one SQL expression below, so a Collection out of reach
 * looks like one that does not exist.
 */
import type { KeyReach } from "../../contract/schema/enumerations.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
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

export const wholeScope = (userId: string): Scope => ({ userId, reach: "all", keyId: "" })

/** Whether saved papers are in reach, and not only Collections. */
export const reachesLibrary = ({ reach }: Scope): boolean => reach !== "selected"

/**
 * Common table expressions to put after `WITH`: `reached` holds the Collections in reach. The first three parameters
 * come from `values`.
 */
export const REACHED = `
  me (user_id, reach, key_id) AS (VALUES (+?, +?, +?)),
  reached AS (
    SELECT c.*, m.unread, me.user_id AS reader_id FROM me
    CROSS JOIN collection_members m ON m.user_id = me.user_id
    JOIN collections c ON c.collection_id = m.collection_id
    WHERE me.reach = 'all' OR (me.reach = 'owned' AND c.owner_id = me.user_id)
      OR (me.reach = 'selected' AND EXISTS (SELECT 1
        FROM key_collections k
        WHERE k.key_id = me.key_id AND k.collection_id = c.collection_id)))`

/** The parameters of `REACHED`. */
export const values = ({ userId, reach, keyId }: Scope): [string, KeyReach, string] => [userId, reach, keyId]

/** @throws Refusal 403 for a key that reaches only selected Collections */
export function mustReachLibrary(actor: Actor): void {
  if (reachesLibrary(scopeOf(actor))) return
  throw new Refusal("not_authorized", "This key reaches selected Collections only, not the Library itself.", {
    status: 403,
    current: { needed: ["reach"], reach: "selected", reaches: ["all", "owned"] },
  })
}

/** The limits that a write can exceed by adding items, in words. */
const labels = {
  collectionPapers: "papers in a Collection",
  savedPapers: "saved papers in the Library",
  ownedCollections: "owned Collections",
  tags: "tags in a Library",
  paperTags: "tags on one paper",
  collectionMembers: "members of a Collection, open invitations included",
  threadNotes: "notes on one paper in a Collection",
  highlights: "highlights in one paper",
} as const

/** @throws Refusal `limit_reached` if `added` more items would exceed the limit */
export function mustFit(limit: keyof typeof labels, now: number, added: number): void {
  const most = limits[limit]
  if (added === 0 || now + added <= most) return
  throw new Refusal(
    "limit_reached",
    `The limit is ${most.toLocaleString("en")} ${labels[limit]}. There are ${now.toLocaleString("en")}, ` +
      `and this write adds ${added}. Nothing was stored.`,
    { current: { limit, most, now, added } },
  )
}

export const noCollection = (): Refusal => new Refusal("unknown_collection", "There is no such Collection in reach.")
export const noPaper = (): Refusal => new Refusal("unknown_paper", "There is no such paper in reach.")
export const ownerOnly = (): Refusal =>
  new Refusal("not_authorized", "Only the owner of the Collection may do this.", {
    status: 403,
    current: { needed: ["owner"] },
  })
