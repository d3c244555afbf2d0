/** Webhooks: addresses to notify of new entries in a Room, with the progress and the latest deliveries of each. */
import { randomBytes } from "node:crypto"
import { parse, type Stored, stored } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import type { Delivery } from "../contract/nouns/rooms.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import type { ActionBody } from "../contract/operations/actions.ts"
import { noSuch } from "../ledger/write/references.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Ledger } from "../ledger/write/ledger.ts"
import { isoTime, type World } from "../ledger/world.ts"
import type { Audit } from "../people/audit.ts"
import type { Person } from "../people/people.ts"
import type { Rooms } from "./rooms.ts"
import { isForbidden, type Reach } from "./webhook-addresses.ts"

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
  const setResend = db.prepare("UPDATE webhooks SET resend = +? WHERE webhook_id = +?")
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
    resend: (webhookId: string, sequence: number) => setResend.run(sequence, webhookId),
    remove: (webhookId: string) => remove.run(webhookId),
  }
}

// Adding, changing and removing webhooks, for the owner of a Room.

const OFF = "Its owner turned it off."

interface Parts {
  readonly ledger: Ledger
  readonly world: World
  readonly rooms: Rooms
  readonly webhooks: Webhooks
  readonly audit: Audit
}

const invalid = (action: "add_webhook" | "change_webhook", path: string, message: string) =>
  new Refusal("invalid_schema", `The body does not match the schema of ${action}.`, { issues: [{ path, message }] })

/** Parses the address of a new webhook. @throws Refusal `invalid_schema` for one that cannot be used */
function addressIn(url: string): URL {
  const address = URL.parse(url)
  if (address === null || (address.protocol !== "https:" && address.protocol !== "http:"))
    throw invalid("add_webhook", "/url", "must be an address that begins with https:// or http://")
  if (address.username !== "" || address.password !== "")
    throw invalid("add_webhook", "/url", "must not contain a username or password")
  address.hash = ""
  return address
}

export type WebhookActions = ReturnType<typeof webhookActions>

export function webhookActions({ ledger, world, rooms, webhooks, audit }: Parts) {
  /** @throws Refusal 404 for an unknown Room, 403 for anyone but the owner */
  function mustOwn({ userId }: Person, roomId: string): void {
    rooms.mustExist(roomId)
    if (rooms.standing(roomId, userId)?.role === "owner") return
    throw new Refusal("role_required", "Only the owner of the Room manages its webhooks.", {
      current: { needed: ["owner"] },
    })
  }
  const log = (
    kind: "add_webhook" | "change_webhook",
    by: Person,
    { webhookId, roomId, url }: Webhook,
    done?: string,
  ) =>
    audit.write({
      kind,
      by,
      roomId,
      subject: { kind: "webhook", id: webhookId, name: new URL(url).host },
      ...(done !== undefined && { detail: { done } }),
    })

  return {
    mustOwn,

    /**
     * Adds a webhook, which receives entries accepted from now on. The returned secret is shown only once. @throws
     * Refusal
     */
    async add(by: Person, roomId: string, { url }: ActionBody<"add_webhook">, reach: Reach): Promise<Webhook> {
      mustOwn(by, roomId)
      const address = addressIn(url)
      if (await isForbidden(address, reach))
        throw invalid(
          "add_webhook",
          "/url",
          "must have a public address: the operator of the service can allow other networks",
        )
      return ledger.transact(() => {
        mustOwn(by, roomId)
        if (webhooks.ofRoom(roomId).length >= limits.roomWebhooks)
          throw new Refusal("state_conflict", `This Room has ${limits.roomWebhooks} webhooks; remove one first.`)
        const webhook = {
          webhookId: world.id(),
          roomId,
          url: address.href,
          secret: `whsec_${randomBytes(32).toString("base64")}`,
          delivered: ledger.activity.watermark(roomId),
          resend: null,
          failingSince: null,
          offBecause: null,
        }
        webhooks.add(webhook, by.userId, isoTime(world.now()))
        log("add_webhook", by, webhook)
        return webhook
      })
    },

    /** Turns a webhook on or off, removes it, or sends an entry again. @throws Refusal 404, 403, 409 */
    change: (by: Person, webhookId: string, { do: action, sequence }: ActionBody<"change_webhook">): Promise<void> =>
      ledger.transact(() => {
        const webhook = webhooks.find(webhookId)
        if (webhook === undefined) throw noSuch("room")
        mustOwn(by, webhook.roomId)
        if (action === "send_again") {
          if (webhook.offBecause !== null) throw new Refusal("state_conflict", "This webhook is off. Turn it on first.")
          if (sequence === undefined || sequence < 1 || sequence > webhook.delivered) {
            const message = `must be the sequence of an entry up to ${webhook.delivered}, the last one delivered`
            throw invalid("change_webhook", "/sequence", message)
          }
          webhooks.resend(webhookId, sequence)
        } else if (action === "remove") webhooks.remove(webhookId)
        else webhooks.turn(webhookId, action === "turn_off" ? OFF : null)
        log("change_webhook", by, webhook, action)
      }),
  }
}
