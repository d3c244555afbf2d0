/**
 * Verifies a Room's activity while reading it: no entry is missing or changed, and each is chained to the one before.
 */
import type { ActivityEntry } from "../contract/answers/index.ts"
import { entryDigest, firstPreviousDigest } from "../contract/answers/chain.ts"
import { ChainBroken } from "./errors.ts"

/**
 * A position in a Room's activity, such as a receipt's `activity`. A kept mark proves that nothing before it was
 * rewritten.
 */
export interface ActivityMark {
  readonly sequence: number
  readonly digest: string
}

export class Chain {
  readonly #roomId: string
  /** The mark that the feed must still contain; null once it was verified. */
  #mark: ActivityMark | null = null
  #sequence: number
  /** The last entry's digest; null if unknown. */
  #digest: string | null

  /** @param after where to start: a sequence, taken on trust, or a mark, which is verified */
  constructor(roomId: string, after: number | ActivityMark) {
    const marked = typeof after === "object" && after.sequence > 0 ? after : null
    this.#roomId = roomId
    this.#mark = marked
    this.#sequence = typeof after === "number" ? after : Math.max(0, after.sequence - 1)
    this.#digest = this.#sequence === 0 ? firstPreviousDigest : null
  }

  /** The sequence to read after: one before the mark, so that the marked entry is read again. */
  get sequence(): number {
    return this.#sequence
  }

  get digest(): string | null {
    return this.#digest
  }

  /**
   * Verifies the next entry.
   * @returns whether the entry is new; the marked one is not
   * @throws ChainBroken
   */
  take(entry: ActivityEntry): boolean {
    const due = this.#sequence + 1
    if (entry.sequence !== due) throw this.#broken(due, `entry ${entry.sequence} is in its place`)
    const digest = entryDigest(entry)
    if (digest !== entry.digest) throw this.#broken(due, "its content does not have the digest it names")
    if (this.#digest !== null && entry.previousDigest !== this.#digest)
      throw this.#broken(due, "it is not chained to the entry before it")
    const mark = this.#mark
    if (mark !== null && mark.digest !== digest) throw this.#broken(due, "it is not the entry that was marked")
    this.#mark = null
    this.#sequence = due
    this.#digest = digest
    return mark === null
  }

  /** Checks at the end of the feed that the mark was found. @throws ChainBroken if the feed ends before it */
  mustHoldMark(): void {
    if (this.#mark !== null) throw this.#broken(this.#mark.sequence, "the feed ends before it")
  }

  #broken(sequence: number, why: string): ChainBroken {
    return new ChainBroken(this.#roomId, sequence, why)
  }
}
