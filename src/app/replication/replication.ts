/**
 * Makes a service that Litestream started answer each write after Litestream has copied it. One sync runs at a time. It
 * releases the answers that were waiting when it began; later ones wait for the next sync.
 */
import type { Logger } from "pino"
import { messageOf } from "../../contract/faults.ts"
import type { ReadName } from "../../contract/reads/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Metrics } from "../../edge/telemetry/metrics.ts"
import { repeat } from "../../ledger/storage/repeat.ts"
import { uncertain } from "../../ledger/write/commit-queue.ts"
import type { Instance } from "../compose/instance.ts"
import type { Litestream } from "./litestream.ts"

/** Milliseconds between two checks whether Litestream still runs. */
const INTERVAL = 500

/** Reads that must not be ahead of the copy: receipts, and the feed that agents rely on. */
const confirmedReads: ReadonlySet<string> = new Set<ReadName>(["receipt", "room_activity"])

export interface ReplicationParts {
  readonly litestream: Litestream
  readonly instance: Instance
  readonly metrics: Metrics
  readonly log: Pick<Logger, "warn" | "info">
  /** Called when writes begin to fail because the copy cannot be made. */
  readonly onFailed: () => void
  /** Called with a sentence when Litestream has ended. */
  readonly onEnded: (sentence: string) => void
}

export class Replication {
  readonly #parts: ReplicationParts
  readonly #counted: ReturnType<Metrics["watchCopy"]>
  readonly #timer: NodeJS.Timeout
  #waiting: PromiseWithResolvers<void>[] = []
  #isRunning = false
  /** The newest entry that is known to be in the copy. */
  #through = 0
  /** When the oldest write that may not be in the copy was committed, by `performance.now`. */
  #since: number | null = null
  #failing: string | null = null

  /** Starts to delay the responses to writes. */
  constructor(parts: ReplicationParts) {
    const { litestream, instance, metrics, onEnded } = parts
    this.#parts = parts
    this.#counted = metrics.watchCopy(this)
    instance.ledger.answerAfter(() => this.#copied())
    this.#timer = repeat(() => {
      if (litestream.hasEnded())
        onEnded(
          "Litestream, which started this service, has ended: the service ends too, because nothing is copied any " +
            "longer.",
        )
    }, INTERVAL)
  }

  /** Milliseconds since the oldest write that may not be in the copy; 0 if all writes are. */
  get lag(): number {
    return this.#since === null ? 0 : performance.now() - this.#since
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** A sentence on why writes fail; null if they do not. */
  get why(): string | null {
    return this.#failing === null ? null : `Litestream does not copy what is written: ${this.#failing}.`
  }

  /**
   * Waits until everything that a read may show is in the copy; undefined for a read that need not wait. @throws
   * Refusal 503
   */
  mayBeSent = (read: string): Promise<void> | undefined => (confirmedReads.has(read) ? this.#settled() : undefined)

  close(): void {
    clearInterval(this.#timer)
    this.#parts.litestream.close()
  }

  /** Waits for a sync that begins after this call. @throws Refusal 503 with `committed: null` if it fails */
  #copied(): Promise<void> {
    this.#since ??= performance.now()
    const waiting = Promise.withResolvers<void>()
    this.#waiting.push(waiting)
    // Writes of one commit call this in the same turn.
    if (this.#waiting.length === 1 && !this.#isRunning) setImmediate(() => void this.#sync())
    return waiting.promise
  }

  async #settled(): Promise<void> {
    if (this.#parts.instance.ledger.journal.count() <= this.#through) return
    await this.#copied().catch(() => {
      throw new Refusal(
        "temporarily_unavailable",
        "The newest entries are not in the copy yet. Read again in a moment.",
        { retryAfter: 2 },
      )
    })
  }

  async #sync(): Promise<void> {
    const { litestream, instance } = this.#parts
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      const before = this.#since
      const startedAt = performance.now()
      this.#since = null
      try {
        const newest = instance.ledger.journal.count()
        await litestream.sync()
        this.#through = newest
        this.#counted.synced("confirmed", performance.now() - startedAt)
        this.#succeeded()
        for (const { resolve } of group) resolve()
      } catch (error) {
        this.#since = before
        this.#counted.synced("failed", performance.now() - startedAt)
        this.#failed(messageOf(error))
        for (const { reject } of group) reject(uncertain())
      }
    }
    this.#isRunning = false
  }

  #succeeded(): void {
    if (this.#failing !== null)
      this.#parts.log.info({ alarm: "not_replicated", over: true }, "Litestream copies again.")
    this.#failing = null
  }

  #failed(why: string): void {
    const { log, onFailed } = this.#parts
    if (this.#failing === null)
      log.warn(
        { alarm: "not_replicated", why },
        "Litestream does not copy: writes are answered 503 until it does; reads still work.",
      )
    this.#failing = why
    onFailed()
  }
}
