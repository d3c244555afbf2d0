/**
 * What bodies, connections and held feeds may take of the service, all together and for one caller. The numbers stand among
 * the limits of the contract. Over one of them the answer is 503 with `retryAfter`; reads without a body go on.
 */
import { limits } from "../contract/limits.ts"
import { Bodies } from "./bodies.ts"
import { Counts, overBudget, type Share } from "./counts.ts"

export interface BudgetNumbers {
  /** Bytes of bodies of callers that are known. */
  readonly bodies: Share
  /** Bytes of bodies of whoever has not said who they are. */
  readonly strangersBodies: Share
  readonly connections: Share
  readonly feeds: Share
}

/** The numbers of the contract. */
export const standardBudgets: BudgetNumbers = {
  bodies: { total: limits.bodiesBytes, each: limits.callerBodiesBytes },
  strangersBodies: { total: limits.strangersBodiesBytes, each: limits.strangersBodiesBytes },
  connections: { total: limits.connections, each: limits.addressConnections },
  feeds: { total: limits.heldFeeds, each: limits.addressHeldFeeds },
}

export class Budgets {
  readonly bodies: Bodies
  readonly strangersBodies: Bodies
  readonly connections: Counts
  readonly feeds: Counts

  constructor(numbers: BudgetNumbers = standardBudgets) {
    this.bodies = new Bodies(new Counts(numbers.bodies))
    this.strangersBodies = new Bodies(new Counts(numbers.strangersBodies))
    this.connections = new Counts(numbers.connections)
    this.feeds = new Counts(numbers.feeds)
  }

  /** Holds a feed open. @param key the reader's address; null for one that many share @returns what lets it go. @throws Refusal */
  holdFeed(key: string | null): () => void {
    if (this.feeds.isOver(key)) throw overBudget("as many readers waiting for a feed")
    this.feeds.add(key)
    return () => this.feeds.add(key, -1)
  }
}
