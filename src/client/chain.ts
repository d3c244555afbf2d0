/** Verifies a Room's activity as it is read: no entry missing, each whole, each resting on the one before. */
import type { ActivityEntry } from "../contract/answers/index.ts"
import { entryDigest, firstPreviousDigest } from "../contract/answers/chain.ts"
import { ChainBroken } from "./errors.ts"

/** A place in a Room's activity that somebody keeps: a receipt's `activity` is one. Whoever holds it can prove that nothing before it was rewritten. */
export interface ActivityMark {
  readonly sequence: number
  readonly digest: string
}

export class Chain {
  readonly #roomId: string
  /** The mark that the feed must still hold; null once it was seen. */
  #mark: ActivityMark | null = null
  #sequence: number
  /** null: nothing is known of the entry before. */
  #digest: string | null

  /** @param after where reading starts: a sequence that is trusted as it is, or a mark that is proved */
  constructor(roomId: string, after: number | ActivityMark) {
    const marked = typeof after === "object" && after.sequence > 0 ? after : null
    this.#roomId = roomId
    this.#mark = marked
    this.#sequence = typeof after === "number" ? after : Math.max(0, after.sequence - 1)
    this.#digest = this.#sequence === 0 ? firstPreviousDigest : null
  }

  /** The sequence to read after: one below a mark, so that the marked entry itself is read again. */
  get sequence(): number {
    return this.#sequence
  }

  /** The digest of the last entry taken. */
  get digest(): string | null {
    return this.#digest
  }

  /**
   * Takes the next entry.
   * @returns whether it is new; the marked one is not
   * @throws ChainBroken
   */
  take(entry: ActivityEntry): boolean {
    const due = this.#sequence + 1
    if (entry.sequence !== due) throw this.#broken(due, `entry ${entry.sequence} stands in its place`)
    const digest = entryDigest(entry)
    if (digest !== entry.digest) throw this.#broken(due, "its content does not have the digest it names")
    if (this.#digest !== null && entry.previousDigest !== this.#digest) throw this.#broken(due, "it does not rest on the entry before it")
    const mark = this.#mark
    if (mark !== null && mark.digest !== digest) throw this.#broken(due, "it is not the entry it was")
    this.#mark = null
    this.#sequence = due
    this.#digest = digest
    return mark === null
  }

  /** Called where the feed ends for now. @throws ChainBroken when it ends before the mark */
  mustHoldMark(): void {
    if (this.#mark !== null) throw this.#broken(this.#mark.sequence, "the feed ends before it")
  }

  #broken(sequence: number, why: string): ChainBroken {
    return new ChainBroken(this.#roomId, sequence, why)
  }
}
