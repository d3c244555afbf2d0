/**
 * Finds what a behaviour returns beside a receipt, such as similar work. Runs on the thread that answers, before the
 * write.
 */
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { ReceiptExtras } from "../journal/behaviour.ts"
import type { Delivery } from "../journal/delivery.ts"
import { type Db, isStorageFault } from "../storage/database.ts"
import { grantRefusal } from "./admission.ts"
import { notStored } from "./commit-queue.ts"

/** How many accepted deliveries are remembered. */
const RECENT = 4_096

const nameOf = ({ operation, actor, deliveryId }: Delivery): string => `${operation.name} ${actor.userId} ${deliveryId}`

export class ExtrasFinder {
  readonly #db: Db
  /** The last accepted deliveries that had extras. */
  readonly #recent = new Set<string>()

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * Finds the extras of a write. Skipped if the actor lacks the permission, and for a retry of a recent write. For a
   * retry of an older write they are found and not used: the answer is the stored one.
   * @throws Refusal 503 if the storage fails
   */
  of(delivery: Delivery): ReceiptExtras | undefined {
    const { operation, actor, behaviour } = delivery
    if (
      behaviour.findExtras === undefined ||
      grantRefusal(operation, actor) !== null ||
      this.#recent.has(nameOf(delivery))
    )
      return undefined
    try {
      return this.#db.snapshot(() => behaviour.findExtras?.(delivery))
    } catch (error) {
      throw isStorageFault(error) ? notStored() : error
    }
  }

  /** The same for a write of a batch; undefined if it refers to an object that the batch has yet to make. */
  ofBatched(delivery: Delivery): ReceiptExtras | undefined {
    try {
      return this.of(delivery)
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return undefined
      throw error
    }
  }

  /** Remembers an accepted write. */
  accepted(delivery: Delivery): void {
    this.#recent.add(nameOf(delivery))
    if (this.#recent.size > RECENT) for (const oldest of this.#recent.keys().take(1)) this.#recent.delete(oldest)
  }
}
