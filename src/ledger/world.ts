/** The only source of time, ids and random bytes, so that a whole instance can be replayed from a seed. */
import { createHash, randomBytes } from "node:crypto"
import { v7 } from "uuid"

export interface World {
  /** Milliseconds since 1970 by the system's clock. Never goes back within a process, even if the clock does. */
  now(): number
  /** A UUIDv7, greater than every earlier one. Ids are ordered by creation, and their time may be ahead of the clock. */
  id(): string
  /** Makes every later id greater than the ids of a moment, in milliseconds. */
  idsAfter(moment: number): void
  /** `count` unpredictable bytes; in a seeded world they follow from the seed. */
  bytes(count: number): Buffer
}

/** The last moment that was formatted: the writes of one group share theirs. */
let latest = { milliseconds: Number.NaN, text: "" }

/** Formats a moment as it is stored and served. */
export function isoTime(milliseconds: number): string {
  if (latest.milliseconds !== milliseconds) latest = { milliseconds, text: new Date(milliseconds).toISOString() }
  return latest.text
}

/** Returns the moment in a UUIDv7, in milliseconds. */
export const momentOf = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16)

/** Random bytes, fetched from the system in larger blocks: a system call for each id would be the larger part of its cost. */
function pooledBytes(): (count: number) => Buffer {
  let pool = Buffer.alloc(0)
  let used = 0
  return (count) => {
    if (used + count > pool.length) {
      pool = randomBytes(Math.max(4096, count))
      used = 0
    }
    used += count
    return pool.subarray(used - count, used)
  }
}

class SteadyWorld implements World {
  readonly #clock: () => number
  readonly bytes: (count: number) => Buffer
  #latest = 0
  #idsFrom = 0
  #idTime = -1
  #idSequence = 0

  constructor(clock: () => number, bytes: (count: number) => Buffer) {
    this.#clock = clock
    this.bytes = bytes
  }

  now(): number {
    this.#latest = Math.max(this.#latest, this.#clock())
    return this.#latest
  }

  idsAfter(moment: number): void {
    this.#idsFrom = Math.max(this.#idsFrom, moment + 1)
  }

  id(): string {
    const random = this.bytes(16)
    const time = Math.max(this.now(), this.#idTime, this.#idsFrom)
    // Within a millisecond, ids count up from a random start that leaves room for two billion of them.
    this.#idSequence = time === this.#idTime ? this.#idSequence + 1 : random.readUInt32BE(0) >>> 1
    this.#idTime = time
    return v7({ msecs: time, seq: this.#idSequence, random })
  }
}

/** The real world. @param clock a clock to use instead of the machine's, for a story told in the past */
export const realWorld = (clock: () => number = Date.now): World => new SteadyWorld(clock, pooledBytes())

/** A world in which the same calls in the same order return the same values. @param clock returns the time */
export function seededWorld(seed: string, clock: () => number): World {
  let block = 0
  const bytes = (count: number): Buffer => {
    const blocks: Buffer[] = []
    for (let length = 0; length < count; length += 32) {
      blocks.push(createHash("sha256").update(`${seed}:${block++}`).digest())
    }
    return Buffer.concat(blocks).subarray(0, count)
  }
  return new SteadyWorld(clock, bytes)
}
