/**
 * Time, ids and chance come in here and nowhere else, so that a whole instance can be replayed from a seed.
 */
import { createHash, randomBytes } from "node:crypto"
import { v7 } from "uuid"

export interface World {
  /** Milliseconds since 1970 by the system's clock. Within a process they never go back, even if the clock does. */
  now(): number
  /** A UUIDv7, greater than every earlier one: ids tell the order of creation, and may run ahead of the clock. */
  id(): string
  /** Makes every id from here on greater than those of a moment, in milliseconds. */
  idsAfter(moment: number): void
  /** `count` bytes that nobody can predict (or, in a seeded world, anybody can). */
  bytes(count: number): Buffer
}

/** The moment written last: writes of one group share theirs. */
let latest = { milliseconds: Number.NaN, text: "" }

/** Moments as they stand in the data and on the wire. */
export function isoTime(milliseconds: number): string {
  if (latest.milliseconds !== milliseconds) latest = { milliseconds, text: new Date(milliseconds).toISOString() }
  return latest.text
}

/** The moment in a UUIDv7, in milliseconds. */
export const momentOf = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16)

/** Chance drawn from the system in larger pieces: a call for each id would cost a write more than the id. */
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
    // Within a millisecond ids count upwards from a random start that leaves room for two thousand million of them.
    this.#idSequence = time === this.#idTime ? this.#idSequence + 1 : random.readUInt32BE(0) >>> 1
    this.#idTime = time
    return v7({ msecs: time, seq: this.#idSequence, random })
  }
}

/** The world as it is. @param clock another clock than the machine's, for a story told in the past */
export const realWorld = (clock: () => number = Date.now): World => new SteadyWorld(clock, pooledBytes())

/** A world in which the same calls in the same order give the same answers. `clock` tells its time. */
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
