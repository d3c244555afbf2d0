/** Personal keys: their rows, and whose Library a token opens. */
import type { Person } from "../contract/answers/index.ts"
import type { LibraryPermission } from "../contract/schema/enumerations.ts"
import { parse, type Stored } from "../contract/json.ts"
import type { PersonalKey as Shown } from "../contract/library/answers.ts"
import type { Actor, KeyGrant } from "../ledger/journal/actor.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import type { Token } from "../ledger/journal/chance.ts"
import { bearerDigest, lastUseBefore, mustHold, type TokenLife, usesDue } from "../people/bearer-tokens.ts"
import { tokenStart } from "../people/tokens.ts"

export type KeyAgent = NonNullable<Shown["agent"]>

export interface PersonalKey extends Shown {
  readonly owner: Person
}

type Row = Omit<Shown, "permissions" | "collectionIds" | "agent"> &
  Person & {
    readonly permissions: Stored<LibraryPermission[]>
    readonly collectionIds: Stored<string[]>
    readonly agent: Stored<KeyAgent> | null
  }

/** For a selected reach, the Collections that its person still has. */
const personalKey = ({ userId, username, permissions, collectionIds, agent, ...row }: Row): PersonalKey => ({
  ...row,
  owner: { userId, username },
  permissions: parse(permissions),
  collectionIds: row.reach === "selected" ? parse(collectionIds) : null,
  agent: agent && parse(agent),
})

const SHOWN = `SELECT k.key_id AS keyId, k.user_id AS userId, p.username, k.label, k.permissions, k.reach, k.agent, k.token_start AS tokenStart, k.created_at AS createdAt,
    k.expires_at AS expiresAt, k.revoked_at AS revokedAt, k.last_used_at AS lastUsedAt,
    (SELECT json_group_array(c.collection_id) FROM key_collections c WHERE c.key_id = k.key_id) AS collectionIds
  FROM personal_keys k JOIN people p USING (user_id)`

export type Keys = ReturnType<typeof keys>

export function keys(db: Db) {
  const insert = inserting(db, "personal_keys")
  const select = inserting(db, "key_collections")
  const byDigest = db.prepare<Row>(`${SHOWN} WHERE k.token_digest = +?`)
  const byId = db.prepare<Row>(`${SHOWN} WHERE k.key_id = +?`)
  const ofPerson = db.prepare<Row>(`${SHOWN} WHERE k.user_id = +? ORDER BY k.key_id DESC`)
  const listed = db.prepare<Row>(`${SHOWN} WHERE k.key_id < +? ORDER BY k.key_id DESC LIMIT +?`)
  const all = db.prepare<Row>(`${SHOWN} ORDER BY k.key_id`)
  const life = db.prepare<TokenLife>("SELECT expires_at AS expiresAt, revoked_at AS revokedAt FROM personal_keys WHERE key_id = +?")
  const revoke = db.prepare("UPDATE personal_keys SET revoked_at = +? WHERE key_id = +? AND revoked_at IS NULL")
  const revokeAllOf = db.prepare("UPDATE personal_keys SET revoked_at = +? WHERE user_id = +? AND revoked_at IS NULL")
  const used = db.prepare(
    "UPDATE personal_keys SET last_used_at = +? WHERE key_id = +? AND (last_used_at IS NULL OR last_used_at NOT BETWEEN +? AND +?)",
  )

  return {
    insert(made: Omit<PersonalKey, "tokenStart" | "revokedAt" | "lastUsedAt">, { token, digest }: Token): void {
      const { keyId, owner, label, permissions, reach, agent, createdAt, expiresAt } = made
      insert({
        keyId,
        tokenDigest: digest,
        tokenStart: tokenStart(token),
        userId: owner.userId,
        label,
        permissions: JSON.stringify(permissions),
        reach,
        agent: agent === null ? null : JSON.stringify(agent),
        createdAt,
        expiresAt,
      })
      for (const collectionId of made.collectionIds ?? []) select({ keyId, collectionId })
    },
    /** Lets a Collection join a selected reach. */
    select: (keyId: string, collectionId: string) => select({ keyId, collectionId }),

    /**
     * Whose Library a bearer token opens, at the moment of asking.
     * @throws Refusal `not_authenticated`, saying what is wrong with the token as far as its holder may know
     */
    authenticate(token: string, at: string): Actor & { readonly key: KeyGrant } {
      const row = mustHold("personalKey", byDigest.get(bearerDigest("personalKey", token)), at)
      const { owner, keyId, permissions, reach } = personalKey(row)
      return { ...owner, grant: null, key: { keyId, permissions: new Set(permissions), reach } }
    },

    /** The recheck of every write. @throws Refusal `not_authenticated` */
    confirm(keyId: string, at: string): void {
      mustHold("personalKey", life.get(keyId), at)
    },
    /** Whether a use is to be noted. */
    isUseDue: usesDue(),
    /** Notes a use, at most once in a while. */
    used: (keyId: string, at: string) => used.run(at, keyId, lastUseBefore(at), at),

    find(keyId: string): PersonalKey | undefined {
      const row = byId.get(keyId)
      return row && personalKey(row)
    },
    ofPerson: (userId: string): PersonalKey[] => ofPerson.all(userId).map(personalKey),
    /** Everybody's, the newest first. @param before an id to go on before; null for the newest */
    page: (before: string | null, count: number): PersonalKey[] => listed.all(before ?? "g", count).map(personalKey),
    /** Everybody's. */
    all: (): PersonalKey[] => all.all().map(personalKey),
    revoke: (keyId: string, at: string) => revoke.run(at, keyId),
    /** Revokes all of a person's; expired ones too, since the clock may be wrong. @returns how many */
    revokeAllOf: (userId: string, at: string): number => revokeAllOf.run(at, userId),
  }
}
