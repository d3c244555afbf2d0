/** Adding, changing and removing webhooks, for the owner of a Room. */
import { randomBytes } from "node:crypto"
import type { ActionBody } from "../contract/operations/actions.ts"
import { limits } from "../contract/limits.ts"
import { noSuch } from "../contract/objects/no-such.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Ledger } from "../ledger/write/ledger.ts"
import { isoTime, type World } from "../ledger/world.ts"
import type { Audit } from "../people/audit.ts"
import type { Person } from "../people/people.ts"
import type { Rooms } from "./rooms.ts"
import { isForbidden, type Reach } from "./webhook-addresses.ts"
import type { Webhook, Webhooks } from "./webhooks.ts"

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
