/** Webhooks: addresses to notify of new entries in a Room, with the progress and the latest deliveries of each. */
import { parse, type Stored, stored } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import type { Delivery } from "../contract/answers/rooms.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"

/** A webhook with its delivery state. */
export interface Webhook {
  readonly webhookId: string
  readonly roomId: string
  readonly url: string
  readonly secret: string
  /** The sequence of the last entry that was delivered. */
  readonly delivered: number
  /** The sequence of an entry to send again; null for none. */
  readonly resend: number | null
  /** When deliveries began to fail; null if the latest succeeded. */
  readonly failingSince: string | null
  /** Why the webhook is off; null while it is on. */
  readonly offBecause: string | null
}

/** The result of a round of deliveries. */
export interface Progress extends Pick<Webhook, "delivered" | "failingSince" | "offBecause"> {
  /** In order, the newest last. */
  readonly deliveries: readonly Delivery[]
}

type Row = Webhook & { readonly recent: Stored<Delivery[]> }

const COLUMNS = `w.webhook_id AS webhookId, w.room_id AS roomId, w.url, w.secret, w.delivered, w.resend, \
w.failing_since AS failingSince,
  w.off_because AS offBecause, w.recent`

export type Webhooks = ReturnType<typeof webhooks>

export function webhooks(db: Db) {
  const insert = inserting(db, "webhooks")
  const find = db.prepare<Row>(`SELECT ${COLUMNS} FROM webhooks w WHERE w.webhook_id = +?`)
  const on = db.prepare<{ webhookId: string; resend: number | null }>(
    "SELECT webhook_id AS webhookId, resend FROM webhooks WHERE off_because IS NULL ORDER BY webhook_id",
  )
  const ofRoom = db.prepare<Row & { userId: string; username: string; addedAt: string }>(
    `SELECT ${COLUMNS}, p.user_id AS userId, p.username, w.added_at AS addedAt
      FROM webhooks w
      JOIN people p ON p.user_id = w.added_by
     WHERE w.room_id = +? ORDER BY w.webhook_id`,
  )
  const note = db.prepare(
    `UPDATE webhooks SET delivered = +?, failing_since = +?, off_because = +?, recent = +?,
        resend = iif(resend = +?, NULL, resend) WHERE webhook_id = +?`,
  )
  const turn = db.prepare("UPDATE webhooks SET off_because = +?, failing_since = NULL WHERE webhook_id = +?")
  const allOff = db.prepare("UPDATE webhooks SET off_because = +? WHERE off_because IS NULL")
  const again = db.prepare("UPDATE webhooks SET resend = +? WHERE webhook_id = +?")
  const remove = db.prepare("DELETE FROM webhooks WHERE webhook_id = +?")
  return {
    /** Adds a webhook, which receives the entries after `delivered`. */
    add: (
      webhook: Pick<Webhook, "webhookId" | "roomId" | "url" | "secret" | "delivered">,
      addedBy: string,
      at: string,
    ) => insert({ ...webhook, addedBy, addedAt: at, recent: "[]" }),
    find: (webhookId: string): Webhook | undefined => find.get(webhookId),
    on: () => on.all(),
    ofRoom: (roomId: string) =>
      ofRoom
        .all(roomId)
        .map(({ secret: _secret, roomId: _room, resend: _resend, userId, username, recent, ...shown }) => ({
          ...shown,
          addedBy: { userId, username },
          deliveries: parse(recent).toReversed(),
        })),
    /** Stores the result of deliveries. @param resent the entry that was sent again; null for none */
    note(
      webhookId: string,
      { delivered, failingSince, offBecause, deliveries }: Progress,
      resent: number | null,
    ): void {
      const before = find.get(webhookId)
      if (before === undefined) return
      const recent = [...parse(before.recent), ...deliveries].slice(-limits.webhookDeliveries)
      note.run(delivered, failingSince, offBecause, stored(JSON.stringify(recent)), resent, webhookId)
    },
    /** Turns a webhook off, or on if `because` is null. */
    turn: (webhookId: string, because: string | null) => turn.run(because, webhookId),
    turnAllOff: (because: string) => allOff.run(because),
    resend: (webhookId: string, sequence: number) => again.run(sequence, webhookId),
    remove: (webhookId: string) => remove.run(webhookId),
  }
}
