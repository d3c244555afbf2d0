/** Delivers the activity of a Room to one webhook, in order and at least once, from the webhook's own position. */
import { setTimeout } from "node:timers/promises"
import type { Logger } from "pino"
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { Webhook as Signer } from "standardwebhooks"
import type { Delivery } from "../../contract/nouns/rooms.ts"
import { parse } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { isoTime } from "../../ledger/world.ts"
import { roomEvent } from "../../rooms/activity.ts"
import {
  type Reach,
  ForbiddenAddress,
  mustReachLiteral,
  pinned,
  publicAddresses,
} from "../../rooms/webhook-addresses.ts"
import type { Webhook } from "../../rooms/webhooks.ts"
import type { Instance } from "../compose/instance.ts"
import type { RoomEvent } from "../../contract/reads/activity.ts"
import { uncompressed } from "../../outgoing.ts"
import { softwareVersion } from "../../packaged.ts"

// Background work of a service: one task for each item of a list that others may change, such as the followed Rooms
// and the webhooks.

/** Milliseconds between two reads of the list. */
const TASKS_INTERVAL = 1_000

/**
 * Pauses between attempts, each twice as long as the one before up to the longest, until they are reset. @param first
 * in milliseconds @param longest likewise
 */
function growingPauses(first: number, longest: number) {
  let milliseconds = first
  return {
    /** Pauses, or until `signal` is aborted. */
    async next(signal: AbortSignal): Promise<void> {
      const pause = setTimeout(milliseconds, undefined, { signal })
      milliseconds = Math.min(milliseconds * 2, longest)
      await pause.catch(() => undefined)
    },
    reset(): void {
      milliseconds = first
    },
  }
}
type Pauses = ReturnType<typeof growingPauses>

interface Task {
  /** Works until the end or until it is aborted. Never throws. */
  run(): Promise<void>
}

export interface TaskParts<Item, T extends Task> {
  /** Returns the present items by their ids. @throws if the data cannot be read */
  readonly list: () => ReadonlyMap<string, Item>
  readonly make: (id: string, item: Item, signal: AbortSignal) => T
  /** Called at each read of the list with the present item of a running task. @returns whether the task goes on */
  readonly goesOn: (task: T, item: Item) => boolean
  readonly onFault: (fault: unknown) => void
}

class Tasks<Item, T extends Task> {
  readonly #parts: TaskParts<Item, T>
  readonly #running = new Map<
    string,
    { readonly task: T; readonly ending: AbortController; readonly ended: Promise<void> }
  >()
  readonly #timer: NodeJS.Timeout

  /** Starts the tasks at once, and those of new items later. */
  constructor(parts: TaskParts<Item, T>) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#update(), TASKS_INTERVAL).unref()
    this.#update()
  }

  /** Ends the tasks whose items are gone, and starts those of new items. */
  #update(): void {
    const { list, make, goesOn, onFault } = this.#parts
    try {
      const items = list()
      for (const [id, { task, ending }] of this.#running) {
        const item = items.get(id)
        if (item === undefined || !goesOn(task, item)) ending.abort()
      }
      for (const [id, item] of items) {
        if (this.#running.has(id)) continue
        const ending = new AbortController()
        const task = make(id, item, ending.signal)
        const ended = task.run().finally(() => this.#running.delete(id))
        this.#running.set(id, { task, ending, ended })
      }
    } catch (fault) {
      onFault(fault)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    const running = [...this.#running.values()]
    for (const { ending } of running) ending.abort()
    await Promise.all(running.map(({ ended }) => ended))
  }
}

// Delivers one webhook event: a POST, signed as Standard Webhooks defines, that does not follow redirects or read the
// response body.

/** The outcome of a delivery. */
export interface Outcome {
  /** The status of the response; null if there was none. */
  readonly status: number | null
  /** The status, or why there was no response, in a few words. */
  readonly text: string
}

interface DeliveryRequest {
  readonly url: string
  readonly secret: string
  readonly event: RoomEvent
  /** The time in the signature. */
  readonly at: Date
  readonly reach: Reach
  readonly signal: AbortSignal
}

/** Returns why there was no response, in a few words. */
function failureText(error: NodeJS.ErrnoException): string {
  if (error instanceof ForbiddenAddress) return error.message
  if (error.name === "TimeoutError" || error.name === "AbortError")
    return `did not answer within ${limits.webhookSeconds} seconds`
  return `could not be reached (${error.code ?? error.message})`
}

const statusText = (status: number): string =>
  status >= 300 && status < 400 ? `${status}: redirects are not followed` : String(status)

/** Delivers an event. Each attempt for an entry has the same id. Never throws. */
export function deliver({ url, secret, event, at, reach, signal }: DeliveryRequest): Promise<Outcome> {
  const body = JSON.stringify(event)
  const id = `msg_${event.roomId.replaceAll("-", "")}_${event.sequence}`
  return new Promise((done) => {
    const failed = (error: Error) => done({ status: null, text: failureText(error) })
    try {
      const address = new URL(url)
      mustReachLiteral(address, reach)
      const call = (address.protocol === "https:" ? requestHttps : requestHttp)(address, {
        method: "POST",
        agent: false,
        lookup: pinned(reach),
        signal: AbortSignal.any([signal, AbortSignal.timeout(limits.webhookSeconds * 1000)]),
        headers: {
          ...uncompressed,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "user-agent": `research-room/${softwareVersion}`,
          "webhook-id": id,
          "webhook-timestamp": Math.floor(at.getTime() / 1000),
          "webhook-signature": new Signer(secret).sign(id, at, body),
        },
      })
      call.once("response", (response) => {
        const { statusCode: status = 0 } = response
        // Only the status is used.
        response.destroy()
        done({ status, text: statusText(status) })
      })
      // Nobody asked for another protocol. Node then emits nothing else, not even when the time is up.
      call.once("upgrade", ({ statusCode: status = 0 }, socket) => {
        socket.destroy()
        done({ status, text: statusText(status) })
      })
      // The connection may also fail after the response.
      call.on("error", failed)
      call.once("close", () => failed(new Error("it closed the connection")))
      call.end(body)
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

export interface SendingSettings extends Reach {
  /** Milliseconds before a failed delivery is retried: the first time and at most. */
  readonly pauses: readonly [first: number, longest: number]
}

/**
 * Milliseconds between two stores of the position. After a kill, the deliveries since the last store are sent again.
 */
const STORE_INTERVAL = 1_000
/** The most milliseconds that a webhook waits for a new entry before it checks again. */
const INTERVAL = 60_000
/** Milliseconds before a webhook is retried after its data could not be read or written. */
const FAILURE_PAUSE = 15_000
const DAY = 86_400_000

export interface SendingParts {
  readonly instance: Instance
  readonly log: Pick<Logger, "warn">
  readonly webhookId: string
  readonly baseUrl: string
  readonly settings: SendingSettings
  readonly signal: AbortSignal
}

export class Sending implements Task {
  readonly #parts: SendingParts
  readonly #pauses: Pauses
  #waking = new AbortController()
  /** Deliveries that are not stored yet. */
  #deliveries: Delivery[] = []
  #storedAt = performance.now()

  constructor(parts: SendingParts) {
    this.#parts = parts
    this.#pauses = growingPauses(...parts.settings.pauses)
  }

  /** Ends a pause, because the webhook has changed. */
  wake(): void {
    this.#waking.abort()
  }

  /**
   * Delivers until `signal` is aborted or the webhook is turned off or deleted. If the data cannot be read or written,
   * it ends after a pause.
   */
  async run(): Promise<void> {
    const { log, webhookId, signal } = this.#parts
    try {
      await this.#deliverAll()
    } catch (err) {
      if (signal.aborted) return
      log.warn({ webhookId, err }, "a webhook failed; the service will retry")
      await setTimeout(FAILURE_PAUSE, undefined, { signal }).catch(() => undefined)
    }
  }

  async #deliverAll(): Promise<void> {
    const { instance, baseUrl, settings, signal } = this.#parts
    let webhook = this.#find()
    // `watch.closed`: the service is shutting down.
    while (webhook !== undefined && !signal.aborted && !instance.ledger.watch.closed) {
      this.#waking = new AbortController()
      const sequence = webhook.resend ?? webhook.delivered + 1
      const [row] = instance.ledger.activity.after(webhook.roomId, sequence - 1, undefined, 1)
      if (row === undefined) {
        await this.#store(webhook, null)
        await this.#nextEntry(webhook.roomId)
        webhook = this.#find()
        continue
      }
      const startedAt = performance.now()
      const at = instance.world.now()
      const event = roomEvent(webhook.roomId, parse(row.body), baseUrl)
      const outcome = await deliver({ ...webhook, reach: settings, event, at: new Date(at), signal })
      if (signal.aborted) break
      webhook = await this.#handle(webhook, row.sequence, outcome, {
        at,
        milliseconds: Math.round(performance.now() - startedAt),
      })
    }
    if (webhook !== undefined) await this.#store(webhook, null)
  }

  /** Returns the stored webhook; undefined if it is turned off or deleted. */
  #find(): Webhook | undefined {
    const webhook = this.#parts.instance.tables.webhooks.find(this.#parts.webhookId)
    return webhook?.offBecause === null ? webhook : undefined
  }

  /** Handles the outcome of a delivery. @returns the updated webhook; undefined if it is turned off or deleted */
  async #handle(
    webhook: Webhook,
    sequence: number,
    { status, text }: Outcome,
    { at, milliseconds }: { at: number; milliseconds: number },
  ) {
    const isDelivered = status !== null && status >= 200 && status < 300
    this.#deliveries.push({ sequence, at: isoTime(at), isDelivered, outcome: text, milliseconds })
    const isResent = webhook.resend !== null
    if (isDelivered) {
      this.#pauses.reset()
      const next: Webhook = { ...webhook, delivered: isResent ? webhook.delivered : sequence, failingSince: null }
      if (!isResent && performance.now() - this.#storedAt < STORE_INTERVAL && !this.#waking.signal.aborted) return next
      await this.#store(next, isResent ? sequence : null)
      return this.#find()
    }
    const failingSince = webhook.failingSince ?? isoTime(at)
    const offBecause =
      status === 410
        ? "The address answered 410: it wants no more deliveries."
        : at - Date.parse(failingSince) > limits.webhookDays * DAY
          ? `No delivery has succeeded since ${failingSince.slice(0, 16)}Z. The last one: ${text}.`
          : null
    // A delivery that the owner requested again is tried once.
    await this.#store({ ...webhook, failingSince, offBecause }, isResent ? sequence : null)
    if (offBecause === null) await this.#pauses.next(this.#orWoken())
    return this.#find()
  }

  async #store({ delivered, failingSince, offBecause }: Webhook, resent: number | null): Promise<void> {
    if (this.#deliveries.length === 0) return
    const deliveries = this.#deliveries
    const { ledger, tables } = this.#parts.instance
    await ledger.transact(() =>
      tables.webhooks.note(this.#parts.webhookId, { delivered, failingSince, offBecause, deliveries }, resent),
    )
    this.#deliveries = []
    this.#storedAt = performance.now()
  }

  #nextEntry(roomId: string): Promise<unknown> {
    return this.#parts.instance.ledger.watch.next(roomId, performance.now() + INTERVAL, this.#orWoken())
  }

  #orWoken = (): AbortSignal => AbortSignal.any([this.#parts.signal, this.#waking.signal])
}

// Delivers to all webhooks of a service, each independently.

export const standardSending: SendingSettings = { ...publicAddresses, pauses: [2_000, 3_600_000] }

/** Starts to deliver. Owners may add webhooks, turn them off, and ask for a delivery again. */
export const deliveringWebhooks = (parts: Omit<SendingParts, "webhookId" | "signal">) =>
  new Tasks<number | null, Sending>({
    list: () => new Map(parts.instance.tables.webhooks.on().map(({ webhookId, resend }) => [webhookId, resend])),
    make: (webhookId, _resend, signal) => new Sending({ ...parts, webhookId, signal }),
    goesOn(sending, resend) {
      if (resend !== null) sending.wake()
      return true
    },
    onFault: (err) => parts.log.warn({ err }, "the list of webhooks could not be read"),
  })
