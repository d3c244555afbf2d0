/**
 * Delays each acknowledgement until the commit before it is in a copy of the data. One sync runs at a time. It releases the
 * acknowledgements that were waiting when it began; later ones wait for the next sync.
 */
import { Refusal } from "../../contract/refusals/refusal.ts"
import { uncertain } from "../../ledger/write/group.ts"

export type SyncOutcome = "confirmed" | "failed"

export interface BarrierParts {
  /** Copies everything committed so far; rejects if that fails or takes too long. */
  readonly sync: () => Promise<void>
  /** Returns the position of the newest entry of the history. */
  readonly newest: () => number
  /** Called after each sync with its duration in milliseconds and, if it failed, the error. */
  readonly onSync: (outcome: SyncOutcome, milliseconds: number, error?: unknown) => void
}

interface Waiting {
  resolve(): void
  reject(refusal: Refusal): void
}

export class Barrier {
  readonly #parts: BarrierParts
  #waiting: Waiting[] = []
  #isRunning = false
  #isScheduled = false
  /** The newest entry that is known to be in the copy. */
  #through = 0
  /** When the oldest write that may not be in the copy was committed, by `performance.now`. */
  #since: number | null = null

  constructor(parts: BarrierParts) {
    this.#parts = parts
  }

  /** Milliseconds since the oldest write that may not be in the copy; 0 if all writes are. */
  get lag(): number {
    return this.#since === null ? 0 : performance.now() - this.#since
  }

  /** How many acknowledgements wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Waits for a sync that begins after this call. @throws Refusal 503 with `committed: null` if it fails */
  passed(): Promise<void> {
    this.#since ??= performance.now()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      if (this.#isScheduled || this.#isRunning) return
      this.#isScheduled = true
      // Writes of one commit call this in the same turn.
      setImmediate(() => void this.#sync())
    })
  }

  /** Waits until everything that can be read now is in the copy. @throws Refusal 503 */
  async settled(): Promise<void> {
    if (this.#parts.newest() <= this.#through) return
    await this.passed().catch(() => {
      throw new Refusal("temporarily_unavailable", "The newest entries are not in the copy yet. Read again in a moment.", { retryAfter: 2 })
    })
  }

  async #sync(): Promise<void> {
    this.#isScheduled = false
    this.#isRunning = true
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
        this.#parts.onSync("confirmed", performance.now() - startedAt)
        for (const { resolve } of group) resolve()
      } catch (error) {
        this.#since = before
        this.#parts.onSync("failed", performance.now() - startedAt, error)
        for (const { reject } of group) reject(uncertain())
      }
    }
    this.#isRunning = false
  }
}
