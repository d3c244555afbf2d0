/**
 * Forges histories: what a faulty service would have left behind. A forger is clever: when it changes one thing it
 * adapts digests, receipts and replays, so that only the meaning is wrong.
 */
import { FIRST_PREVIOUS, entryDigestOf } from "./content.ts"
import { isOk, isReplay } from "./deliveries.ts"
import { deliveryOf, type History, parsed, type Read, type Receipt, type Truth, type Write } from "./history.ts"

/** Makes the forged parts writable. */
type Open<T> = T extends readonly (infer I)[]
  ? Open<I>[]
  : T extends object
    ? { -readonly [K in keyof T]: Open<T[K]> }
    : T
export type Entry = Open<Truth["feed"][number]>
export type OpenReceipt = Open<Receipt>
export type OpenRead = Open<Read>
export type OpenWrite = Open<Write>

export class Forger {
  readonly writes: OpenWrite[]
  readonly reads: OpenRead[]
  readonly truth: Open<Truth>

  constructor(history: History) {
    const copy = structuredClone(history) as unknown as { writes: OpenWrite[]; reads: OpenRead[]; truth: Open<Truth> }
    this.writes = copy.writes
    this.reads = copy.reads
    this.truth = copy.truth
  }

  get history(): History {
    return this as unknown as History
  }

  /** The accepted writes that were answered at once, with their receipts. */
  originals(): { write: OpenWrite; receipt: OpenReceipt }[] {
    return this.writes
      .filter((write) => isOk(write as Write) && !write.rehearsal)
      .map((write) => ({ write, receipt: parsed<OpenReceipt>(write.answer) }))
      .filter(({ receipt }) => receipt.replayed !== true)
  }
  refusals(code?: string): OpenWrite[] {
    return this.writes.filter(
      ({ status, answer }) =>
        status >= 400 && (code === undefined || parsed<{ refusal: string }>(answer).refusal === code),
    )
  }
  replays(): OpenWrite[] {
    return this.writes.filter((write) => isReplay(write as Write))
  }
  rehearsals(): OpenWrite[] {
    return this.writes.filter((write) => write.rehearsal && isOk(write as Write) && !isReplay(write as Write))
  }

  /** Changes one stored receipt, and every answer that repeats it. */
  receipt(delivery: string, change: (receipt: OpenReceipt) => void): void {
    const before = this.truth.receipts[delivery]
    if (before == null) return
    const receipt = parsed<OpenReceipt>(before)
    change(receipt)
    const after = JSON.stringify(receipt)
    this.truth.receipts[delivery] = after
    const repeated = before.slice(0, -1)
    for (const write of this.writes)
      if (deliveryOf(write as Write) === delivery && write.answer.startsWith(repeated))
        write.answer = `${after.slice(0, -1)}${write.answer.slice(repeated.length)}`
  }

  /** Renumbers and rechains the feed in its present order, and updates the receipts. */
  seal(): void {
    const moved = new Map<number, Entry>()
    let previous = FIRST_PREVIOUS
    this.truth.feed.forEach((entry, index) => {
      moved.set(entry.sequence, entry)
      entry.sequence = index + 1
      entry.previousDigest = previous
      entry.digest = entryDigestOf(entry)
      previous = entry.digest
    })
    for (const delivery of Object.keys(this.truth.receipts))
      this.receipt(delivery, (receipt) => {
        const entry = receipt.activity && moved.get(receipt.activity.sequence)
        if (entry) receipt.activity = { sequence: entry.sequence, digest: entry.digest }
      })
  }
}
