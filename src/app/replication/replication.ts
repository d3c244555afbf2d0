/** Makes a service that Litestream started answer each write after Litestream has copied it. */
import type { Logger } from "pino"
import type { ReadName } from "../../contract/reads/index.ts"
import { messageOf } from "../../contract/faults.ts"
import type { Metrics } from "../../edge/telemetry/metrics.ts"
import { Barrier } from "./barrier.ts"
import type { Instance } from "../compose/instance.ts"
import type { Litestream } from "./litestream.ts"
import { repeat } from "../../ledger/storage/repeat.ts"

/** Milliseconds between two checks whether Litestream still runs. */
const INTERVAL = 500

/** Reads that must not be ahead of the copy: receipts, and the feed that mirrors and agents rely on. */
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
  readonly #barrier: Barrier
  readonly #litestream: Litestream
  readonly #timer: NodeJS.Timeout
  #failing: string | null = null

  /** Starts to delay the responses to writes. */
  constructor({ litestream, instance, metrics, log, onFailed, onEnded }: ReplicationParts) {
    const { ledger } = instance
    this.#litestream = litestream
    this.#barrier = new Barrier({
      sync: () => litestream.sync(),
      newest: () => ledger.journal.count(),
      onSync: (outcome, milliseconds, error) => {
        counted.synced(outcome, milliseconds)
        if (outcome === "failed") {
          const why = messageOf(error)
          if (this.#failing === null)
            log.warn({ alarm: "not_replicated", why }, "Litestream does not copy: writes are answered 503 until it does; reads still work.")
          this.#failing = why
          onFailed()
        } else if (this.#failing !== null) {
          this.#failing = null
          log.info({ alarm: "not_replicated", over: true }, "Litestream copies again.")
        }
      },
    })
    const counted = metrics.watchCopy(this.#barrier)
    ledger.answerAfter(() => this.#barrier.passed())
    this.#timer = repeat(() => {
      if (litestream.hasEnded())
        onEnded("Litestream, which started this service, has ended: the service ends too, because nothing is copied any longer.")
    }, INTERVAL)
  }

  /** A sentence on why writes fail; null if they do not. */
  get why(): string | null {
    return this.#failing === null ? null : `Litestream does not copy what is written: ${this.#failing}.`
  }

  /** Waits until the data behind a read is in the copy; undefined for a read that need not wait. */
  mayBeSent = (read: string): Promise<void> | undefined => (confirmedReads.has(read) ? this.#barrier.settled() : undefined)

  close(): void {
    clearInterval(this.#timer)
    this.#litestream.close()
  }
}
