/** Personal keys, and the authentication of their tokens. */
import type { Person } from "../contract/answers/parts.ts"
import type { LibraryPermission } from "../contract/schema/enumerations.ts"
import { parse, type Stored } from "../contract/json.ts"
import type { PersonalKey as Shown } from "../contract/library/reads.ts"
import type { Actor, KeyGrant } from "../ledger/journal/actor.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import type { Token } from "../ledger/world.ts"
import { bearers, tokenStart } from "../people/tokens.ts"

export interface PersonalKey extends Shown {
  readonly owner: Person
}

type Row = Omit<Shown, "permissions" | "collectionIds" | "agent"> &
  Person & {
    readonly permissions: Stored<LibraryPermission[]>
    readonly collectionIds: Stored<string[]>
    readonly agent: Stored<NonNullable<Shown["agent"]>> | null
  }

const personalKey = ({ userId, username, permissions, collectionIds, agent, ...row }: Row): PersonalKey => ({
  ...row,
  owner: { userId, username },
  permissions: parse(permissions),
  collectionIds: row.reach === "selected" ? parse(collectionIds) : null,
  agent: agent && parse(agent),
})

const SHOWN = `SELECT k.key_id AS keyId, k.user_id AS userId, p.username, k.label, k.permissions, k.reach, k.agent,
    k.token_start AS tokenStart, k.created_at AS createdAt,
    k.expires_at AS expiresAt, k.revoked_at AS revokedAt, k.last_used_at AS lastUsedAt,
    (SELECT json_group_array(c.collection_id) FROM key_collections c WHERE c.key_id = k.key_id) AS collectionIds
  FROM personal_keys k JOIN people p USING (user_id)`

export type Keys = ReturnType<typeof keys>

export function keys(db: Db) {
  const insert = inserting(db, "personal_keys")
  const select = inserting(db, "key_collections")
  const bearing = bearers(db, {
    kind: "personalKey",
    table: "personal_keys",
    key: "key_id",
    select: SHOWN,
    shown: personalKey,
  })
  const ofPerson = db.prepare<Row>(`${SHOWN} WHERE k.user_id = +? ORDER BY k.key_id DESC`)

  return {
    ...bearing,
    insert(key: Omit<PersonalKey, "tokenStart" | "revokedAt" | "lastUsedAt">, { token, digest }: Token): void {
      const { keyId, owner, permissions, agent } = key
      insert({
        ...key,
        tokenDigest: digest,
        tokenStart: tokenStart(token),
        userId: owner.userId,
        permissions: JSON.stringify(permissions),
        agent: agent && JSON.stringify(agent),
      })
      for (const collectionId of key.collectionIds ?? []) select({ keyId, collectionId })
    },
    /** Adds a Collection to a key with a selected reach. */
    select: (keyId: string, collectionId: string) => select({ keyId, collectionId }),

    /**
     * Returns the person that a bearer token acts for, and its permissions.
     * @throws Refusal `not_authenticated`, with as much of the reason as its holder may know
     */
    authenticate(
      token: string,
      at: string,
      by: "opened" | "recognised" = "opened",
    ): Actor & { readonly key: KeyGrant } {
      const { owner, keyId, permissions, reach } = bearing[by](token, at)
      return { ...owner, grant: null, key: { keyId, permissions: new Set(permissions), reach } }
    },

    ofPerson: (userId: string): PersonalKey[] => ofPerson.all(userId).map(personalKey),
  }
}
