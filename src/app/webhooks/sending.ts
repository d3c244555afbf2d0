/** Delivers to one webhook what lands in its Room, in order and at least once, from its own place in the Room's activity. */
import type { Delivery } from "../../contract/answers/webhooks.ts"
import { parse } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { isoTime } from "../../ledger/world.ts"
import { roomEvent } from "../../rooms/room-events.ts"
import type { Reach } from "../../rooms/webhook-addresses.ts"
import type { Webhook } from "../../rooms/webhooks.ts"
import type { Instance } from "../compose/instance.ts"
import { deliver, type Outcome } from "./delivering.ts"

export interface SendingSettings extends Reach {
  /** Milliseconds before a delivery that failed is tried again: the first time, and the longest. */
  readonly pauses: readonly [first: number, longest: number]
}

/** Milliseconds of deliveries that are noted at once: a kill forgets them, and they are sent again. */
const NOTED = 1_000
/** Milliseconds after which a webhook that waits looks again by itself. */
const LOOK = 60_000
const DAY = 86_400_000

export class Sending {
  readonly #instance: Instance
  readonly #webhookId: string
  readonly #baseUrl: string
  readonly #settings: SendingSettings
  readonly #signal: AbortSignal
  #waking = new AbortController()
  #pause: number
  /** What is delivered and not noted yet. */
  #deliveries: Delivery[] = []
  #notedAt = performance.now()

  constructor(instance: Instance, webhookId: string, baseUrl: string, settings: SendingSettings, signal: AbortSignal) {
    this.#instance = instance
    this.#webhookId = webhookId
    this.#baseUrl = baseUrl
    this.#settings = settings
    this.#signal = signal
    this.#pause = settings.pauses[0]
  }

  /** Ends a pause: something is to be looked at. */
  wake(): void {
    this.#waking.abort()
  }

  /** Delivers until `signal` is aborted or the webhook is off or gone. @throws where the data cannot be read or written */
  async run(): Promise<void> {
    let webhook = this.#find()
    // Nobody waits any longer once the service is closing.
    while (webhook !== undefined && !this.#signal.aborted && !this.#instance.ledger.watch.closed) {
      this.#waking = new AbortController()
      const sequence = webhook.resend ?? webhook.delivered + 1
      const [row] = this.#instance.ledger.activity.after(webhook.roomId, sequence - 1, undefined, 1)
      if (row === undefined) {
        await this.#note(webhook, null)
        await this.#landed(webhook.roomId)
        webhook = this.#find()
        continue
      }
      const began = performance.now()
      const at = this.#instance.world.now()
      const event = roomEvent(webhook.roomId, parse(row.body), this.#baseUrl)
      const outcome = await deliver({ ...webhook, reach: this.#settings, event, at: new Date(at), signal: this.#signal })
      if (this.#signal.aborted) break
      webhook = await this.#took(webhook, row.sequence, outcome, { at, milliseconds: Math.round(performance.now() - began) })
    }
    if (webhook !== undefined) await this.#note(webhook, null)
  }

  /** The webhook as it stands, with what is not noted yet; undefined where it is off or gone. */
  #find(): Webhook | undefined {
    const found = this.#instance.tables.webhooks.find(this.#webhookId)
    return found?.offBecause === null ? found : undefined
  }

  /** Goes on from what came of a delivery. @returns the webhook as it stands then */
  async #took(webhook: Webhook, sequence: number, { status, text }: Outcome, { at, milliseconds }: { at: number; milliseconds: number }) {
    const isDelivered = status !== null && status >= 200 && status < 300
    this.#deliveries.push({ sequence, at: isoTime(at), isDelivered, outcome: text, milliseconds })
    const isResent = webhook.resend !== null
    if (isDelivered) {
      this.#pause = this.#settings.pauses[0]
      const next: Webhook = { ...webhook, delivered: isResent ? webhook.delivered : sequence, failingSince: null }
      if (!isResent && performance.now() - this.#notedAt < NOTED && !this.#waking.signal.aborted) return next
      await this.#note(next, isResent ? sequence : null)
      return this.#find()
    }
    const failingSince = webhook.failingSince ?? isoTime(at)
    const offBecause =
      status === 410
        ? "The address answered 410: it wants no more deliveries."
        : at - Date.parse(failingSince) > limits.webhookDays * DAY
          ? `No delivery has succeeded since ${failingSince.slice(0, 16)}Z. The last one: ${text}.`
          : null
    // What its owner wants to be sent again is tried once.
    await this.#note({ ...webhook, failingSince, offBecause }, isResent ? sequence : null)
    if (offBecause === null) await this.#rest()
    return this.#find()
  }

  async #note({ delivered, failingSince, offBecause }: Webhook, resent: number | null): Promise<void> {
    if (this.#deliveries.length === 0) return
    const deliveries = this.#deliveries
    const { ledger, tables } = this.#instance
    await ledger.transact(() => tables.webhooks.note(this.#webhookId, { delivered, failingSince, offBecause, deliveries }, resent))
    this.#deliveries = []
    this.#notedAt = performance.now()
  }

  /** Waits until something lands in the Room. */
  #landed(roomId: string): Promise<unknown> {
    const ended = AbortSignal.any([this.#signal, this.#waking.signal])
    return this.#instance.ledger.watch.next(roomId, performance.now() + LOOK, ended)
  }

  /** Pauses before the next try, longer each time. */
  #rest(): Promise<void> {
    const milliseconds = this.#pause
    this.#pause = Math.min(milliseconds * 2, this.#settings.pauses[1])
    const ended = AbortSignal.any([this.#signal, this.#waking.signal])
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      ended.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true })
    })
  }
}
