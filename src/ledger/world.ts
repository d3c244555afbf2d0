/**
 * The only source of time, ids and random bytes, so that a whole instance can be replayed from a seed; and of checks
 * that are repeated by the clock.
 */
import { createHash, randomBytes } from "node:crypto"
import { v7 } from "uuid"

export type World = ReturnType<typeof steadyWorld>

/** The last moment that was formatted: the writes of one group share theirs. */
let latest = { milliseconds: Number.NaN, text: "" }

/** Formats a moment as it is stored and served. */
export function isoTime(milliseconds: number): string {
  if (latest.milliseconds !== milliseconds) latest = { milliseconds, text: new Date(milliseconds).toISOString() }
  return latest.text
}

/** Returns the moment in a UUIDv7, in milliseconds. */
export const momentOf = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16)

/**
 * Random bytes, fetched from the system in larger blocks: a system call for each id would be the larger part of its
 * cost.
 */
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

function steadyWorld(clock: () => number, bytes: (count: number) => Buffer) {
  let newest = 0
  let idsFrom = 0
  let idTime = -1
  let idSequence = 0
  const now = (): number => {
    newest = Math.max(newest, clock())
    return newest
  }
  return {
    /** Milliseconds since 1970 by the system's clock. Never goes back within a process, even if the clock does. */
    now,
    /**
     * A UUIDv7, greater than every earlier one. Ids are ordered by creation, and their time may be ahead of the clock.
     */
    id(): string {
      const random = bytes(16)
      const time = Math.max(now(), idTime, idsFrom)
      // Within a millisecond, ids count up from a random start that leaves room for two billion of them.
      idSequence = time === idTime ? idSequence + 1 : random.readUInt32BE(0) >>> 1
      idTime = time
      return v7({ msecs: time, seq: idSequence, random })
    },
    /** Makes every later id greater than the ids of a moment, in milliseconds. */
    idsAfter(moment: number): void {
      idsFrom = Math.max(idsFrom, moment + 1)
    },
    /** `count` unpredictable bytes; in a seeded world they follow from the seed. */
    bytes,
  }
}

/** The real world. @param clock a clock to use instead of the machine's, for a story told in the past */
export const realWorld = (clock: () => number = Date.now): World => steadyWorld(clock, pooledBytes())

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
  return steadyWorld(clock, bytes)
}

/** Returns the time a number of minutes after another. */
export const later = (at: string, minutes: number): string => isoTime(Date.parse(at) + minutes * 60_000)

// Repeated checks. A check that fails, for example because no more files can be opened, never ends the service.

/** @param onFault called with the error of each failed check @returns a timer that does not keep the process alive */
export const repeat = (
  look: () => void,
  milliseconds: number,
  onFault: (fault: unknown) => void = () => {},
): NodeJS.Timeout =>
  setInterval(() => {
    try {
      look()
    } catch (fault) {
      onFault(fault)
    }
  }, milliseconds).unref()
