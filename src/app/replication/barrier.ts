/**
 * Holds every acknowledgement back until a copy of the data has what was committed before it. One sync is under way at a time:
 * it releases what was waiting when it began; what is committed meanwhile waits for the next.
 */
import { Refusal } from "../../contract/refusals/refusal.ts"
import { uncertain } from "../../ledger/write/not-stored.ts"

export type SyncOutcome = "confirmed" | "failed"

export interface BarrierParts {
  /** Settles once everything committed at the call is in the copy; rejects if that fails or takes too long. */
  readonly sync: () => Promise<void>
  /** The position of the newest entry of the history. */
  readonly newest: () => number
  /** Told of each sync: how long it took in milliseconds and, where it failed, why. */
  readonly told: (outcome: SyncOutcome, milliseconds: number, error?: unknown) => void
}

interface Waiting {
  resolve(): void
  reject(refusal: Refusal): void
}

export class Barrier {
  readonly #parts: BarrierParts
  #waiting: Waiting[] = []
  #isUnderWay = false
  #isDue = false
  /** The newest entry that is certainly in the copy. */
  #through = 0
  /** When the oldest write that may not be in the copy was committed, as `performance.now` tells it. */
  #since: number | null = null

  constructor(parts: BarrierParts) {
    this.#parts = parts
  }

  /** Milliseconds for which the oldest write that may not be in the copy has waited; 0 where all are. */
  get lag(): number {
    return this.#since === null ? 0 : performance.now() - this.#since
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Settles once a sync that began after this call is over. @throws Refusal 503 with `committed: null` where it failed */
  passed(): Promise<void> {
    this.#since ??= performance.now()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      if (this.#isDue || this.#isUnderWay) return
      this.#isDue = true
      // Writes that were committed together are confirmed in the same turn.
      setImmediate(() => void this.#sync())
    })
  }

  /** Settles once all that can be read now is in the copy: at once where it is. @throws Refusal 503 */
  async settled(): Promise<void> {
    if (this.#parts.newest() <= this.#through) return
    await this.passed().catch(() => {
      throw new Refusal("temporarily_unavailable", "What is newest here is not in the copy yet. Ask again in a moment.", { retryAfter: 2 })
    })
  }

  async #sync(): Promise<void> {
    this.#isDue = false
    this.#isUnderWay = true
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      const before = this.#since
      const startedAt = performance.now()
      this.#since = null
      try {
        const newest = this.#parts.newest()
        await this.#parts.sync()
        this.#through = newest
        this.#parts.told("confirmed", performance.now() - startedAt)
        for (const { resolve } of group) resolve()
      } catch (error) {
        this.#since = before
        this.#parts.told("failed", performance.now() - startedAt, error)
        for (const { reject } of group) reject(uncertain())
      }
    }
    this.#isUnderWay = false
  }
}
