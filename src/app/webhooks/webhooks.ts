/** The webhooks that a service delivers to, each by itself, as the data says at the time. */
import type { Logger } from "pino"
import { repeat } from "../../ledger/storage/repeat.ts"
import { publicAddresses } from "../../rooms/webhook-addresses.ts"
import type { Instance } from "../compose/instance.ts"
import { Sending, type SendingSettings } from "./sending.ts"

/** Milliseconds after which it is looked again which there are: their owners may have changed them. */
const LOOK = 1_000
/** Milliseconds before one whose data could not be read or written goes on. */
const TROUBLE = 15_000

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
  readonly #resting = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(instance: Instance, log: Logger, baseUrl: string, settings: SendingSettings) {
    this.#instance = instance
    this.#log = log
    this.#baseUrl = baseUrl
    this.#settings = settings
  }

  start(): void {
    this.#timer = repeat(
      () => this.look(),
      LOOK,
      (err) => this.#log.warn({ err }, "which webhooks there are could not be looked up"),
    )
    this.look()
  }

  /** Begins to deliver to what is new, ends what is off or gone, and wakes what is to send something again. */
  look(): void {
    const on = new Map(this.#instance.tables.webhooks.on().map(({ webhookId, resend }) => [webhookId, resend]))
    for (const [webhookId, { ending }] of this.#running) if (!on.has(webhookId)) ending.abort()
    for (const [webhookId, resend] of on) {
      const running = this.#running.get(webhookId)
      if (running !== undefined) {
        if (resend !== null) running.sending.wake()
      } else if ((this.#resting.get(webhookId) ?? 0) <= performance.now()) this.#begin(webhookId)
    }
  }

  #begin(webhookId: string): void {
    const ending = new AbortController()
    const sending = new Sending(this.#instance, webhookId, this.#baseUrl, this.#settings, ending.signal)
    const ended = sending
      .run()
      .catch((err: unknown) => {
        this.#resting.set(webhookId, performance.now() + TROUBLE)
        if (!ending.signal.aborted) this.#log.warn({ webhookId, err }, "a webhook could not go on; it is tried again")
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
