/** Room credentials: their rows, and who a token speaks for. */
import type { Permission } from "../contract/enumerations.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Actor } from "../ledger/actor.ts"
import type { Db } from "../ledger/database.ts"
import { moment } from "../ledger/world.ts"
import { tokenDigest, tokenForm, tokenPrefixes } from "../people/tokens.ts"

export type Credential = {
  readonly credentialId: string
  readonly roomId: string
  readonly owner: { readonly userId: string; readonly username: string }
  readonly label: string
  readonly permissions: readonly Permission[]
  readonly threadIds: readonly string[] | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

interface Row {
  credential_id: string
  room_id: string
  user_id: string
  username: string
  label: string
  permissions: string
  thread_ids: string | null
  created_at: string
  expires_at: string
  revoked_at: string | null
  last_used_at: string | null
}

const credential = (row: Row): Credential => ({
  credentialId: row.credential_id,
  roomId: row.room_id,
  owner: { userId: row.user_id, username: row.username },
  label: row.label,
  permissions: JSON.parse(row.permissions) as Permission[],
  threadIds: row.thread_ids === null ? null : (JSON.parse(row.thread_ids) as string[]),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
})

const refused = (why: string) => new Refusal("not_authenticated", why)

/** @throws Refusal `not_authenticated` when it is over */
function mustLive({ revoked_at, expires_at }: { revoked_at: string | null; expires_at: string }, at: string): void {
  if (revoked_at !== null) throw refused(`This credential was revoked at ${revoked_at}.`)
  if (expires_at <= at) throw refused(`This credential expired at ${expires_at}.`)
}

/** A credential's last use is noted at most this often, in milliseconds: it must not cost a write each time. */
const LAST_USE_STEP = 60_000

const COLUMNS = "c.*, p.username FROM credentials c JOIN people p USING (user_id)"

export type Credentials = ReturnType<typeof credentials>

export function credentials(db: Db) {
  const insert = db.prepare(
    "INSERT INTO credentials (credential_id, token_digest, room_id, user_id, label, permissions, thread_ids, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const byDigest = db.prepare<Row>(`SELECT ${COLUMNS} WHERE c.token_digest = ?`)
  const byId = db.prepare<Row>(`SELECT ${COLUMNS} WHERE c.credential_id = ?`)
  const ofRoom = db.prepare<Row>(`SELECT ${COLUMNS} WHERE c.room_id = ? ORDER BY c.credential_id`)
  const life = db.prepare<{ expires_at: string; revoked_at: string | null }>(
    "SELECT expires_at, revoked_at FROM credentials WHERE credential_id = ?",
  )
  const revoke = db.prepare("UPDATE credentials SET revoked_at = ? WHERE credential_id = ? AND revoked_at IS NULL")
  const revokeAll = db.prepare("UPDATE credentials SET revoked_at = ? WHERE room_id = ? AND user_id = ? AND revoked_at IS NULL")
  const used = db.prepare("UPDATE credentials SET last_used_at = ? WHERE credential_id = ? AND (last_used_at IS NULL OR last_used_at < ?)")

  return {
    insert(
      { credentialId, roomId, owner, label, permissions, threadIds, createdAt, expiresAt }: Omit<Credential, "revokedAt" | "lastUsedAt">,
      token: string,
    ): void {
      const threads = threadIds === null ? null : JSON.stringify(threadIds)
      insert.run(credentialId, tokenDigest(token), roomId, owner.userId, label, JSON.stringify(permissions), threads, createdAt, expiresAt)
    },

    /**
     * Who a bearer token speaks for, at the moment of asking.
     * @throws Refusal `not_authenticated`, saying what is wrong with the token as far as its holder may know
     */
    authenticate(token: string, at: string): Actor & { readonly credential: Credential } {
      const form = tokenForm("credential", token)
      if (form === "foreign") {
        const personal = token.startsWith(tokenPrefixes.personalKey)
        throw refused(
          personal ? "A personal key opens the Library only; this route takes a Room credential." : "This is no Room credential.",
        )
      }
      if (form === "mistyped") throw refused("This credential is mistyped or cut off: its checksum does not match.")
      const row = byDigest.get(tokenDigest(token))
      if (row === undefined) throw refused("This credential is unknown here.")
      mustLive(row, at)
      const found = credential(row)
      const { credentialId, roomId } = found
      const grant = {
        credentialId,
        roomId,
        permissions: new Set(found.permissions),
        threadIds: found.threadIds && new Set(found.threadIds),
      }
      return { ...found.owner, grant, credential: found }
    },

    /** The recheck of every write. @throws Refusal `not_authenticated` */
    confirm(credentialId: string, at: string): void {
      const row = life.get(credentialId)
      if (row === undefined) throw refused("This credential is unknown here.")
      mustLive(row, at)
    },
    /** Notes a use, at most once in a while. */
    used: (credentialId: string, at: string) => used.run(at, credentialId, moment(Date.parse(at) - LAST_USE_STEP)),

    find(credentialId: string): Credential | undefined {
      const row = byId.get(credentialId)
      return row && credential(row)
    },
    ofRoom: (roomId: string): Credential[] => ofRoom.all(roomId).map(credential),
    revoke: (credentialId: string, at: string) => revoke.run(at, credentialId),
    /** Revokes what a person still has in a Room. */
    revokeAll: (roomId: string, userId: string, at: string) => revokeAll.run(at, roomId, userId),
  }
}
