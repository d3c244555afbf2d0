/** A service that Litestream has started, which answers a write once Litestream has copied it. */
import type { Logger } from "pino"
import type { ReadName } from "../../contract/reads/index.ts"
import { messageOf } from "../../contract/faults.ts"
import type { Metrics } from "../../edge/telemetry/metrics.ts"
import { Barrier } from "./barrier.ts"
import type { Instance } from "../compose/instance.ts"
import type { Litestream } from "./litestream.ts"
import { repeat } from "../../ledger/storage/repeat.ts"

/** Milliseconds between two looks whether Litestream still runs. */
const LOOK = 500

/** Reads that say of a write that it is kept: a receipt, and the feed that mirrors copy and agents go by. All others may be a moment ahead of the copy. */
const answeredOnceCopied: ReadonlySet<string> = new Set<ReadName>(["receipt", "room_activity"])

export interface ReplicationParts {
  readonly litestream: Litestream
  readonly instance: Instance
  readonly metrics: Metrics
  readonly log: Pick<Logger, "warn" | "info">
  /** Told that writes fail until the copy is there again. */
  readonly onFailed: () => void
  /** Told in a sentence that Litestream has ended. */
  readonly onEnded: (sentence: string) => void
}

export class Replication {
  readonly #barrier: Barrier
  readonly #litestream: Litestream
  readonly #looks: NodeJS.Timeout
  #failing: string | null = null

  /** From now on writes are answered once they are copied. */
  constructor({ litestream, instance, metrics, log, onFailed, onEnded }: ReplicationParts) {
    const { ledger } = instance
    this.#litestream = litestream
    this.#barrier = new Barrier({
      sync: () => litestream.sync(),
      newest: () => ledger.journal.count(),
      told: (outcome, milliseconds, error) => {
        counted.synced(outcome, milliseconds)
        if (outcome === "failed") {
          const why = messageOf(error)
          if (this.#failing === null)
            log.warn({ alarm: "not_replicated", why }, "Litestream does not copy: writes are answered 503 until it does, and reads go on.")
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
    this.#looks = repeat(() => {
      if (litestream.hasEnded())
        onEnded("Litestream, which started this service, has ended: the service ends too, since nothing more is copied.")
    }, LOOK)
  }

  /** Why writes are not answered, if they are not. */
  get why(): string | null {
    return this.#failing === null ? null : `Litestream does not copy what is written: ${this.#failing}.`
  }

  /** Settles once what a read found is in the copy; undefined for one that need not be. */
  mayBeSent = (read: string): Promise<void> | undefined => (answeredOnceCopied.has(read) ? this.#barrier.settled() : undefined)

  close(): void {
    clearInterval(this.#looks)
    this.#litestream.close()
  }
}
