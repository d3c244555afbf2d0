/**
 * What a write must know of its caller inside its transaction, in one statement: whether the credential and the person
 * are still valid, the Room, their role in it and its newest entry, and whether the delivery id was used. The statement
 * joins tables of several domains, because one statement costs a third of seven.
 */
import { parse, type Stored } from "../../contract/json.ts"
import type { Actor, Known, RoomAccess } from "../../ledger/journal/actor.ts"
import { packedId } from "../../ledger/journal/columns.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { TokenLife } from "../../people/tokens.ts"
import { ACCESS, ACCESS_TABLES } from "../../rooms/rooms.ts"

interface Row extends Omit<RoomAccess, "archive" | "origin" | "roomId"> {
  readonly isEnabled: 0 | 1
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  /** null: the caller has no credential, or there is no such Room. */
  readonly roomId: string | null
  readonly archive: Stored<NonNullable<RoomAccess["archive"]>> | null
  readonly origin: Stored<NonNullable<RoomAccess["origin"]>> | null
  readonly isUsed: 0 | 1
  readonly sequence: number | null
  readonly activityDigest: string | null
  readonly isWorkedOn: 0 | 1
}

/** The caller of a write, as far as admission and the Rooms know it. */
export interface Caller extends Known {
  readonly isEnabled: boolean
  /** The credential's times; undefined without one. */
  readonly credential: TokenLife | undefined
}

export function callers(db: Db): (actor: Actor, deliveryId: string, at: string) => Caller | undefined {
  const look = db.prepare<Row>(
    `SELECT p.disabled_at IS NULL AS isEnabled,
       c.expires_at AS expiresAt, c.revoked_at AS revokedAt, c.last_used_at AS lastUsedAt,
       ${ACCESS},
       EXISTS (SELECT 1 FROM journal j WHERE j.delivery_id = +?) AS isUsed,
       h.activity_sequence AS sequence, h.activity_digest AS activityDigest,
       EXISTS (SELECT 1 FROM work_claims w WHERE w.room_id = r.room_id AND w.until > +?)
         OR EXISTS (SELECT 1 FROM experiments e
           WHERE e.assignee_id = p.user_id AND e.room_id = r.room_id AND e.lease_until IS NOT NULL) AS isWorkedOn
     FROM people p
     LEFT JOIN credentials c ON c.credential_id = +?
     LEFT JOIN rooms r ON r.room_id = +?
     ${ACCESS_TABLES("p.user_id")}
     WHERE p.user_id = +? AND p.instance_id IS NULL`,
  )
  return ({ userId, grant }, deliveryId, at) => {
    const { credentialId = "", roomId = "" } = grant ?? {}
    const row = look.get(packedId(deliveryId), at, credentialId, roomId, userId)
    if (row === undefined) return undefined
    const { title, state, role, archive, origin, expiresAt, sequence, activityDigest } = row
    return {
      isEnabled: row.isEnabled === 1,
      credential: expiresAt === null ? undefined : { expiresAt, revokedAt: row.revokedAt },
      lastUsedAt: row.lastUsedAt,
      isUsed: row.isUsed === 1,
      room:
        row.roomId === null
          ? null
          : {
              access: {
                roomId: row.roomId,
                title,
                state,
                role,
                archive: archive && parse(archive),
                origin: origin && parse(origin),
              },
              head: sequence === null || activityDigest === null ? null : { sequence, digest: activityDigest },
              isWorkedOn: row.isWorkedOn === 1,
            },
    }
  }
}
