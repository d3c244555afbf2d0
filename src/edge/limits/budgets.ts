/**
 * How many bytes, connections and open feeds the service allows, in total and for each caller. The numbers are defined with
 * the limits of the contract. Over a budget the answer is 503 with `retryAfter`; reads without a body still work.
 */
import { limits } from "../../contract/limits.ts"
import { Bodies } from "./bodies.ts"
import { Counts, overBudget, type Share } from "./counts.ts"

export interface BudgetNumbers {
  /** Bytes of bodies from authenticated callers. */
  readonly bodies: Share
  /** Bytes of bodies from callers that have not authenticated. */
  readonly strangersBodies: Share
  readonly connections: Share
  readonly feeds: Share
  /** Pages and costly reads handed to other threads, including those still waiting. */
  readonly reads: Share
}

/** The contract's numbers. */
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

  /** Counts an open feed. @param key the reader's address; null for an address shared by many @returns a function that releases it @throws Refusal */
  holdFeed(key: string | null): () => void {
    if (this.feeds.isOver(key)) throw overBudget("Too many clients are waiting on this feed")
    this.feeds.add(key)
    return () => this.feeds.add(key, -1)
  }

  /** Counts a request while another thread answers it. @param key as in `holdFeed` @returns a function that releases it @throws Refusal */
  holdRead(key: string | null): () => void {
    if (this.reads.isOver(key)) throw overBudget("Too many clients are waiting for a page or a long answer")
    this.reads.add(key)
    return () => this.reads.add(key, -1)
  }
}
