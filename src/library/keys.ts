/** Personal keys: their rows, and whose Library a token opens. */
import type { KeyReach, LibraryPermission } from "../contract/enumerations.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Actor, KeyGrant } from "../ledger/actor.ts"
import type { Db } from "../ledger/database.ts"
import { moment } from "../ledger/world.ts"
import { tokenDigest, tokenForm, tokenPrefixes } from "../people/tokens.ts"

export type KeyAgent = { readonly name?: string; readonly version?: string; readonly model?: string }

export type PersonalKey = {
  readonly keyId: string
  readonly owner: { readonly userId: string; readonly username: string }
  readonly label: string
  readonly permissions: readonly LibraryPermission[]
  readonly reach: KeyReach
  /** The Collections of a selected reach, as far as its person still has them; null for the other reaches. */
  readonly collectionIds: readonly string[] | null
  readonly agent: KeyAgent | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

interface Row {
  key_id: string
  user_id: string
  username: string
  label: string
  permissions: string
  reach: KeyReach
  agent: string | null
  created_at: string
  expires_at: string
  revoked_at: string | null
  last_used_at: string | null
  collection_ids: string
}

const personalKey = (row: Row): PersonalKey => ({
  keyId: row.key_id,
  owner: { userId: row.user_id, username: row.username },
  label: row.label,
  permissions: JSON.parse(row.permissions) as LibraryPermission[],
  reach: row.reach,
  collectionIds: row.reach === "selected" ? (JSON.parse(row.collection_ids) as string[]) : null,
  agent: row.agent === null ? null : (JSON.parse(row.agent) as KeyAgent),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
})

const refused = (why: string) => new Refusal("not_authenticated", why)

/** @throws Refusal `not_authenticated` when it is over */
function mustLive({ revoked_at, expires_at }: { revoked_at: string | null; expires_at: string }, at: string): void {
  if (revoked_at !== null) throw refused(`This personal key was revoked at ${revoked_at}.`)
  if (expires_at <= at) throw refused(`This personal key expired at ${expires_at}.`)
}

/** A key's last use is noted at most this often, in milliseconds: it must not cost a write each time. */
const LAST_USE_STEP = 60_000

const SHOWN = `SELECT k.*, p.username, (SELECT json_group_array(c.collection_id) FROM key_collections c WHERE c.key_id = k.key_id) AS collection_ids
  FROM personal_keys k JOIN people p USING (user_id)`

export type Keys = ReturnType<typeof keys>

export function keys(db: Db) {
  const insert = db.prepare(
    "INSERT INTO personal_keys (key_id, token_digest, user_id, label, permissions, reach, agent, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const select = db.prepare("INSERT INTO key_collections (key_id, collection_id) VALUES (?, ?)")
  const byDigest = db.prepare<Row>(`${SHOWN} WHERE k.token_digest = ?`)
  const byId = db.prepare<Row>(`${SHOWN} WHERE k.key_id = ?`)
  const ofPerson = db.prepare<Row>(`${SHOWN} WHERE k.user_id = ? ORDER BY k.key_id DESC`)
  const life = db.prepare<{ expires_at: string; revoked_at: string | null }>(
    "SELECT expires_at, revoked_at FROM personal_keys WHERE key_id = ?",
  )
  const revoke = db.prepare("UPDATE personal_keys SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL")
  const used = db.prepare("UPDATE personal_keys SET last_used_at = ? WHERE key_id = ? AND (last_used_at IS NULL OR last_used_at < ?)")

  /** When a use was last noted, in milliseconds. */
  const noted = new Map<string, number>()

  return {
    insert(made: Omit<PersonalKey, "revokedAt" | "lastUsedAt">, token: string): void {
      const { keyId, owner, label, permissions, reach, agent, createdAt, expiresAt } = made
      insert.run(
        keyId,
        tokenDigest(token),
        owner.userId,
        label,
        JSON.stringify(permissions),
        reach,
        agent === null ? null : JSON.stringify(agent),
        createdAt,
        expiresAt,
      )
      for (const collectionId of made.collectionIds ?? []) select.run(keyId, collectionId)
    },
    /** Lets a Collection join a selected reach. */
    select: (keyId: string, collectionId: string) => select.run(keyId, collectionId),

    /**
     * Whose Library a bearer token opens, at the moment of asking.
     * @throws Refusal `not_authenticated`, saying what is wrong with the token as far as its holder may know
     */
    authenticate(token: string, at: string): Actor & { readonly key: KeyGrant } {
      const form = tokenForm("personalKey", token)
      if (form === "foreign") {
        const room = token.startsWith(tokenPrefixes.credential)
        throw refused(room ? "A Room credential opens no Library; this route takes a personal key." : "This is no personal key.")
      }
      if (form === "mistyped") throw refused("This personal key is mistyped or cut off: its checksum does not match.")
      const row = byDigest.get(tokenDigest(token))
      if (row === undefined) throw refused("This personal key is unknown here.")
      mustLive(row, at)
      const { owner, keyId, permissions, reach } = personalKey(row)
      return { ...owner, grant: null, key: { keyId, permissions: new Set(permissions), reach } }
    },

    /** The recheck of every write. @throws Refusal `not_authenticated` */
    confirm(keyId: string, at: string): void {
      const row = life.get(keyId)
      if (row === undefined) throw refused("This personal key is unknown here.")
      mustLive(row, at)
    },
    /** Whether a use is to be noted: reads are uses too, and must not cost a write each time. */
    isUseDue(keyId: string, at: string): boolean {
      const now = Date.parse(at)
      if (now - (noted.get(keyId) ?? 0) < LAST_USE_STEP) return false
      noted.set(keyId, now)
      return true
    },
    /** Notes a use, at most once in a while. */
    used: (keyId: string, at: string) => used.run(at, keyId, moment(Date.parse(at) - LAST_USE_STEP)),

    find(keyId: string): PersonalKey | undefined {
      const row = byId.get(keyId)
      return row && personalKey(row)
    },
    ofPerson: (userId: string): PersonalKey[] => ofPerson.all(userId).map(personalKey),
    revoke: (keyId: string, at: string) => revoke.run(at, keyId),
  }
}
