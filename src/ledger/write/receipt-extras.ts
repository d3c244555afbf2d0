/** What a behaviour looks up before a write and answers beside its receipt, such as similar work. It is looked up in the thread that answers. */
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { ReceiptExtras, ReceiptTarget } from "../journal/behaviour.ts"
import type { Delivery } from "../journal/delivery.ts"
import { type Db, isStorageFault } from "../storage/database.ts"
import { grantRefusal } from "./access.ts"
import { notStored } from "./not-stored.ts"

/** How many of the last accepted deliveries are remembered. */
const RECENT = 4_096

const nameOf = ({ operation, actor, deliveryId }: Delivery): string => `${operation.name} ${actor.userId} ${deliveryId}`

export class ExtrasFinder {
  readonly #db: Db
  /** The last accepted deliveries among those that something was foreseen of. */
  readonly #recent = new Set<string>()

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * What a behaviour foresees of a write. Nothing is looked up for an actor who may not do it, nor for a retry of a recent write. For
   * the retry of an older write it is looked up in vain: the answer is the stored one.
   * @throws Refusal 503 when the disk does not answer
   */
  of(delivery: Delivery): ReceiptExtras | undefined {
    const { operation, actor, behaviour } = delivery
    if (behaviour.findExtras === undefined || grantRefusal(operation, actor) !== null || this.#recent.has(nameOf(delivery)))
      return undefined
    try {
      return this.#db.snapshot(() => behaviour.findExtras?.(delivery))
    } catch (error) {
      throw isStorageFault(error) ? notStored() : error
    }
  }

  /** The same of a write of a batch; nothing where it names what the batch has yet to make. */
  ofBatched(delivery: Delivery): ReceiptExtras | undefined {
    try {
      return this.of(delivery)
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return undefined
      throw error
    }
  }

  /** Remembers an accepted write, and tells what foresaw something of it. */
  accepted(delivery: Delivery, { onAccepted: accepted }: ReceiptExtras, made: ReceiptTarget): void {
    this.#recent.add(nameOf(delivery))
    if (this.#recent.size > RECENT) for (const oldest of this.#recent.keys().take(1)) this.#recent.delete(oldest)
    accepted?.(made)
  }
}
