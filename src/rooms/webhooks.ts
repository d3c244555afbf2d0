/** Webhooks: addresses that are told what lands in a Room, how far each has come, and what became of its newest deliveries. */
import { parse, type Stored, stored } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import type { Delivery } from "../contract/answers/webhooks.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"

/** A webhook as it is delivered to. */
export interface Webhook {
  readonly webhookId: string
  readonly roomId: string
  readonly url: string
  /** What deliveries are signed with. */
  readonly secret: string
  /** The last entry of the Room's activity that was delivered. */
  readonly delivered: number
  /** An entry that its owner wants to be sent again; null for none. */
  readonly resend: number | null
  /** Since when deliveries fail; null where the newest did not. */
  readonly failingSince: string | null
  /** Why nothing is delivered any more; null while it is. */
  readonly offBecause: string | null
}

/** What came of deliveries: how far they have come, and whether they fail. */
export interface Progress {
  readonly delivered: number
  readonly failingSince: string | null
  readonly offBecause: string | null
  /** The newest last. */
  readonly deliveries: readonly Delivery[]
}

interface Row extends Webhook {
  readonly recent: Stored<Delivery[]>
}
interface ListedRow extends Row {
  readonly userId: string
  readonly username: string
  readonly addedAt: string
}

const COLUMNS = `w.webhook_id AS webhookId, w.room_id AS roomId, w.url, w.secret, w.delivered, w.resend, w.failing_since AS failingSince,
  w.off_because AS offBecause, w.recent`

export type Webhooks = ReturnType<typeof webhooks>

export function webhooks(db: Db) {
  const insert = inserting(db, "webhooks")
  const find = db.prepare<Row>(`SELECT ${COLUMNS} FROM webhooks w WHERE w.webhook_id = +?`)
  const on = db.prepare<{ webhookId: string; resend: number | null }>(
    "SELECT webhook_id AS webhookId, resend FROM webhooks WHERE off_because IS NULL ORDER BY webhook_id",
  )
  const ofRoom = db.prepare<ListedRow>(
    `SELECT ${COLUMNS}, p.user_id AS userId, p.username, w.added_at AS addedAt FROM webhooks w JOIN people p ON p.user_id = w.added_by
     WHERE w.room_id = +? ORDER BY w.webhook_id`,
  )
  const note = db.prepare(
    "UPDATE webhooks SET delivered = +?, failing_since = +?, off_because = +?, recent = +?, resend = iif(resend = +?, NULL, resend) WHERE webhook_id = +?",
  )
  const turn = db.prepare("UPDATE webhooks SET off_because = +?, failing_since = NULL WHERE webhook_id = +?")
  const allOff = db.prepare("UPDATE webhooks SET off_because = +? WHERE off_because IS NULL")
  const again = db.prepare("UPDATE webhooks SET resend = +? WHERE webhook_id = +?")
  const remove = db.prepare("DELETE FROM webhooks WHERE webhook_id = +?")
  return {
    /** @param delivered the entry after which it is told what lands */
    add(webhook: Pick<Webhook, "webhookId" | "roomId" | "url" | "secret" | "delivered">, addedBy: string, at: string): void {
      insert({ ...webhook, addedBy, addedAt: at, recent: "[]" })
    },
    find: (webhookId: string): Webhook | undefined => find.get(webhookId),
    /** Those that are delivered to. */
    on: () => on.all(),
    /** Those of a Room with what became of their newest deliveries. */
    ofRoom: (roomId: string) =>
      ofRoom.all(roomId).map(({ secret: _secret, roomId: _room, resend: _resend, userId, username, recent, ...shown }) => ({
        ...shown,
        addedBy: { userId, username },
        deliveries: parse(recent).toReversed(),
      })),
    /** Notes what came of deliveries, one that was sent again among them. @param resent the entry that was; null for none */
    note(webhookId: string, { delivered, failingSince, offBecause, deliveries }: Progress, resent: number | null): void {
      const before = find.get(webhookId)
      if (before === undefined) return
      const recent = [...parse(before.recent), ...deliveries].slice(-limits.webhookDeliveries)
      note.run(delivered, failingSince, offBecause, stored(JSON.stringify(recent)), resent, webhookId)
    },
    /** @param because why it is off; null turns it on */
    turn: (webhookId: string, because: string | null) => turn.run(because, webhookId),
    /** Turns off all that are on. */
    turnAllOff: (because: string) => allOff.run(because),
    resend: (webhookId: string, sequence: number) => again.run(sequence, webhookId),
    remove: (webhookId: string) => remove.run(webhookId),
  }
}
