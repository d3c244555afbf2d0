/**
 * What bodies, connections and held feeds may take of the service, all together and for one caller. The numbers stand among
 * the limits of the contract. Over one of them the answer is 503 with `retryAfter`; reads without a body go on.
 */
import { limits } from "../../contract/limits.ts"
import { Bodies } from "./bodies.ts"
import { Counts, overBudget, type Share } from "./counts.ts"

export interface BudgetNumbers {
  /** Bytes of bodies of callers that are known. */
  readonly bodies: Share
  /** Bytes of bodies of callers that have not identified themselves. */
  readonly strangersBodies: Share
  readonly connections: Share
  readonly feeds: Share
  /** Pages and costly reads that other threads are asked for, those that wait among them. */
  readonly reads: Share
}

/** The numbers of the contract. */
export const standardBudgets: BudgetNumbers = {
  bodies: { total: limits.bodiesBytes, each: limits.callerBodiesBytes },
  strangersBodies: { total: limits.strangersBodiesBytes, each: limits.strangersBodiesBytes },
  connections: { total: limits.connections, each: limits.addressConnections },
  feeds: { total: limits.heldFeeds, each: limits.addressHeldFeeds },
  reads: { total: limits.heldReads, each: limits.addressHeldReads },
}

export class Budgets {
  readonly bodies: Bodies
  readonly strangersBodies: Bodies
  readonly connections: Counts
  readonly feeds: Counts
  readonly reads: Counts

  constructor(numbers: BudgetNumbers = standardBudgets) {
    this.bodies = new Bodies(new Counts(numbers.bodies))
    this.strangersBodies = new Bodies(new Counts(numbers.strangersBodies))
    this.connections = new Counts(numbers.connections)
    this.feeds = new Counts(numbers.feeds)
    this.reads = new Counts(numbers.reads)
  }

  /** Holds a feed open. @param key the reader's address; null for one that many share @returns what lets it go. @throws Refusal */
  holdFeed(key: string | null): () => void {
    if (this.feeds.isOver(key)) throw overBudget("Too many clients are waiting on this feed")
    this.feeds.add(key)
    return () => this.feeds.add(key, -1)
  }

  /** Holds a request for as long as another thread is asked for its answer. @param key as of a feed @returns what lets it go. @throws Refusal */
  holdRead(key: string | null): () => void {
    if (this.reads.isOver(key)) throw overBudget("Too many clients are waiting for a page or a long answer")
    this.reads.add(key)
    return () => this.reads.add(key, -1)
  }
}
