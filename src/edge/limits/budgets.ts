/**
 * How many bytes, connections and open feeds the service allows, in total and for each caller. The numbers are defined
 * with the limits of the contract. Over a budget the answer is 503 with `retryAfter`; reads without a body still work.
 */
import { readFileSync } from "node:fs"
import { setImmediate as turn } from "node:timers/promises"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"

/**
 * Token buckets. Each allows a burst and refills at a steady rate. A bucket is stored as one number, the time when it
 * will be full again. The table is bounded: the buckets unused for longest are dropped, half of the table at a time, so
 * that taking a token never needs a scan.
 */
export interface BucketSize {
  readonly perMinute: number
  /** How many tokens a full bucket holds. */
  readonly atOnce: number
}

/** Milliseconds of rounding error to ignore, so that no caller is refused because of it. */
const ROUNDING = 0.001

export class Buckets {
  /** Milliseconds to refill one token. */
  readonly #step: number
  /** Milliseconds to refill an empty bucket. */
  readonly #depth: number
  readonly #half: number
  #recent = new Map<string, number>()
  #older: ReadonlyMap<string, number> = new Map()

  /** @param most the most buckets to remember */
  constructor({ perMinute, atOnce }: BucketSize, most = 20_000) {
    this.#step = 60_000 / perMinute
    this.#depth = this.#step * atOnce
    this.#half = Math.max(1, Math.floor(most / 2))
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  /** Takes a token. @returns 0, or the milliseconds until the next token if none is left (nothing is taken then) */
  take(key: string, now: number): number {
    const fullAgain = Math.max(this.#fullAgain(key), now) + this.#step
    const wait = fullAgain - now - this.#depth
    if (wait > ROUNDING) return wait
    this.#keep(key, fullAgain)
    return 0
  }

  /** Returns the milliseconds until a token is available, 0 if one is, without taking it. */
  wait(key: string, now: number): number {
    const wait = Math.max(this.#fullAgain(key), now) + this.#step - now - this.#depth
    return wait > ROUNDING ? wait : 0
  }

  /** Whether the bucket is remembered, so its owner was active recently. */
  knows(key: string): boolean {
    return this.#recent.has(key) || this.#older.has(key)
  }

  #fullAgain(key: string): number {
    return this.#recent.get(key) ?? this.#older.get(key) ?? 0
  }

  #keep(key: string, fullAgain: number): void {
    this.#recent.set(key, fullAgain)
    if (this.#recent.size <= this.#half) return
    this.#older = this.#recent
    this.#recent = new Map()
  }
}

// Spreads long work: of large bodies and pages that arrive together, the thread handles one per turn of its event loop.

let last: Promise<void> = Promise.resolve()

/** Waits for a turn to do long work. Small requests and new connections are served between turns. */
export function ownTurn(): Promise<void> {
  last = last.then(() => turn())
  return last
}

/** The limits on a resource: in total and for each caller. */
interface Share {
  readonly total: number
  readonly each: number
}

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

/** The number of connections over the budget that are still answered with a 503. */
export const ANSWERED_OVER_BUDGET = 200

/**
 * Files that the service itself opens at most: the database on each thread, child processes, requests to other
 * services.
 */
const OWN_FILES = 200
const FEWEST_CONNECTIONS = 16

/** The system's limit on open files; null if unknown. */
export function openFilesLimit(): number | null {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    if (soft !== undefined) return Number(soft)
  } catch {
    // Without /proc, the slower process report has the limit too.
  }
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
  }
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : null
}

/** Reduces the budget for connections to fit a limit on open files. */
export function belowLimit(numbers: BudgetNumbers, limit: number | null): BudgetNumbers {
  if (limit === null) return numbers
  const { total, each } = numbers.connections
  const most = Math.min(total, Math.max(FEWEST_CONNECTIONS, limit - OWN_FILES - ANSWERED_OVER_BUDGET))
  return { ...numbers, connections: { total: most, each: Math.min(each, most) } }
}

/** The refusal of a request over budget. @param what the sentence that names the exhausted resource */
export const overBudget = (what: string): Refusal =>
  new Refusal("temporarily_unavailable", `${what}. Send the same request again in a moment.`, {
    retryAfter: 1,
  })

/** Counts what is in use, in total and for each caller. */
export class Counts {
  /** The most that may be in use. */
  readonly total: number
  readonly #each: number
  readonly #held = new Map<string, number>()
  sum = 0

  constructor({ total, each }: Share) {
    this.total = total
    this.#each = each
  }

  /** Whether `amount` more would exceed a limit. @param key the caller; null to check only the total */
  isOver(key: string | null, amount = 1): boolean {
    return this.sum + amount > this.total || (key !== null && (this.#held.get(key) ?? 0) + amount > this.#each)
  }

  add(key: string | null, amount = 1): void {
    this.sum += amount
    if (key === null) return
    const now = (this.#held.get(key) ?? 0) + amount
    if (now > 0) this.#held.set(key, now)
    else this.#held.delete(key)
  }

  /** Counts one more. @returns a function that releases it @throws Refusal with that sentence over a limit */
  hold(key: string | null, what: string): () => void {
    if (this.isOver(key)) throw overBudget(what)
    this.add(key)
    return () => this.add(key, -1)
  }
}

/** Bytes counted for even the smallest body: its request takes memory too. */
const LEAST = 4_096

interface HeldBody {
  readonly key: string
  held: number
  readonly giveUp: (refusal: Refusal) => void
}

const tooManyBytes = (): Refusal => {
  const refusal = overBudget("The service is receiving too many bytes of request bodies")
  refusal.details.headers = { connection: "close" }
  return refusal
}

/**
 * Limits the memory of request bodies. A body counts from its first byte until its request is answered. When the budget
 * is used up, the body that has been idle longest is dropped, so a stalled client does not block an active one.
 */
export class Bodies {
  readonly #counts: Counts
  /** Bodies not yet received in full, the longest idle first. */
  readonly #coming = new Set<HeldBody>()

  constructor(share: Share) {
    this.#counts = new Counts(share)
  }

  get bytes(): number {
    return this.#counts.sum
  }

  /** Starts counting a body. @param giveUp called when the body is dropped in favour of others @throws Refusal */
  open(key: string, giveUp: (refusal: Refusal) => void): HeldBody {
    const body = { key, held: 0, giveUp }
    this.#hold(body, LEAST)
    this.#coming.add(body)
    return body
  }

  /** Updates the number of bytes that a body holds. @throws Refusal if the budget is used up */
  grow(body: HeldBody, held: number): void {
    this.#coming.delete(body)
    this.#coming.add(body)
    if (held > body.held) this.#hold(body, held)
  }

  /** Marks the body as complete: it is no longer dropped. */
  whole(body: HeldBody): void {
    this.#coming.delete(body)
  }

  close(body: HeldBody): void {
    this.#coming.delete(body)
    this.#counts.add(body.key, -body.held)
    body.held = 0
  }

  /** Counts the bytes, and drops other bodies for them if it must. */
  #hold(body: HeldBody, held: number): void {
    const more = held - body.held
    while (this.#counts.isOver(body.key, more)) {
      // If the caller has used up its own share, only its own bodies are dropped.
      const key = this.#counts.isOver(null, more) ? null : body.key
      const idlest = this.#coming.values().find((other) => other !== body && (key === null || other.key === key))
      if (idlest === undefined) throw tooManyBytes()
      this.close(idlest)
      idlest.giveUp(tooManyBytes())
    }
    this.#counts.add(body.key, more)
    body.held = held
  }
}

export class Budgets {
  readonly bodies: Bodies
  readonly strangersBodies: Bodies
  readonly connections: Counts
  readonly feeds: Counts
  readonly reads: Counts

  constructor(numbers: BudgetNumbers = standardBudgets) {
    this.bodies = new Bodies(numbers.bodies)
    this.strangersBodies = new Bodies(numbers.strangersBodies)
    this.connections = new Counts(numbers.connections)
    this.feeds = new Counts(numbers.feeds)
    this.reads = new Counts(numbers.reads)
  }

  /**
   * Counts an open feed. @param key the reader's address; null for an address shared by many @returns a function that
   * releases it @throws Refusal
   */
  holdFeed(key: string | null): () => void {
    return this.feeds.hold(key, "Too many clients are waiting on this feed")
  }

  /**
   * Counts a request while another thread answers it. @param key as in `holdFeed` @returns a function that releases it
   * @throws Refusal
   */
  holdRead(key: string | null): () => void {
    return this.reads.hold(key, "Too many clients are waiting for a page or a long answer")
  }
}
