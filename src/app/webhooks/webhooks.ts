/** Delivers to all webhooks of a service, each independently. */
import type { Logger } from "pino"
import { repeat } from "../../ledger/storage/repeat.ts"
import { publicAddresses } from "../../rooms/webhook-addresses.ts"
import type { Instance } from "../compose/instance.ts"
import { Sending, type SendingSettings } from "./sending.ts"

/** Milliseconds between two reads of the list of webhooks, which their owners may have changed. */
const INTERVAL = 1_000
/** Milliseconds before a webhook is retried after its data could not be read or written. */
const FAILURE_PAUSE = 15_000

export const standardSending: SendingSettings = { ...publicAddresses, pauses: [2_000, 3_600_000] }

interface Running {
  readonly sending: Sending
  readonly ending: AbortController
  readonly ended: Promise<void>
}

export class Webhooks {
  readonly #instance: Instance
  readonly #log: Logger
  readonly #baseUrl: string
  readonly #settings: SendingSettings
  readonly #running = new Map<string, Running>()
  /** When each paused webhook may be retried, by `performance.now`. */
  readonly #pausedUntil = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(instance: Instance, log: Logger, baseUrl: string, settings: SendingSettings) {
    this.#instance = instance
    this.#log = log
    this.#baseUrl = baseUrl
    this.#settings = settings
  }

  start(): void {
    this.#timer = repeat(
      () => this.update(),
      INTERVAL,
      (err) => this.#log.warn({ err }, "the list of webhooks could not be read"),
    )
    this.update()
  }

  /** Starts new webhooks, stops those that were turned off or deleted, and wakes those with a delivery to repeat. */
  update(): void {
    const on = new Map(this.#instance.tables.webhooks.on().map(({ webhookId, resend }) => [webhookId, resend]))
    for (const [webhookId, { ending }] of this.#running) if (!on.has(webhookId)) ending.abort()
    for (const [webhookId, resend] of on) {
      const running = this.#running.get(webhookId)
      if (running !== undefined) {
        if (resend !== null) running.sending.wake()
      } else if ((this.#pausedUntil.get(webhookId) ?? 0) <= performance.now()) this.#begin(webhookId)
    }
  }

  #begin(webhookId: string): void {
    const ending = new AbortController()
    const sending = new Sending(this.#instance, webhookId, this.#baseUrl, this.#settings, ending.signal)
    const ended = sending
      .run()
      .catch((err: unknown) => {
        this.#pausedUntil.set(webhookId, performance.now() + FAILURE_PAUSE)
        if (!ending.signal.aborted) this.#log.warn({ webhookId, err }, "a webhook failed; the service will retry")
      })
      .finally(() => this.#running.delete(webhookId))
    this.#running.set(webhookId, { sending, ending, ended })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    const running = [...this.#running.values()]
    for (const { ending } of running) ending.abort()
    await Promise.all(running.map(({ ended }) => ended))
  }
}
