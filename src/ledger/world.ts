/**
 * The only source of time, ids and random bytes, so that a whole instance can be replayed from a seed; what one write
 * takes of them; and checks that are repeated by the clock.
 */
import { createHash, hash, randomBytes } from "node:crypto"
import { v7 } from "uuid"
import type { Json, JsonObject } from "../contract/json.ts"

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

// The ids, tokens and lists that one write takes from the world: recorded in a live write, given again in a replay.

/**
 * What a write took from the world, in the order of its requests. Empty members are left out. Accepted writes have it
 * under these names, so they stay.
 */
export type Given = {
  /** Ids, in the order they were requested. */
  readonly ids?: readonly string[]
  /** Digests of the tokens that it made. */
  readonly tokens?: readonly string[]
  /** Lists that it read from tables that are not derived from the journal; left out if all are empty. */
  readonly told?: readonly Json[][]
  /** The result of preparing its body outside of the transaction. */
  readonly prepared?: Json
  /** The stored part of the members beside its receipt, which describe the state before the write. */
  readonly foreseen?: JsonObject
  /** The warnings of its receipt: a later version might compute others. */
  readonly warnings?: readonly Json[]
  /** The Room that gave its target the label, if it is another Room: the feed shows it. */
  readonly labelledBy?: string
  /** The person named in its body by a username of another instance. */
  readonly named?: string
  /** The ids here of another instance's people, by their id there, if they differ. */
  readonly people?: Readonly<Record<string, string>>
}

/** A secret for its holder, and its stored digest. */
export interface Token {
  /** Empty in a replay: only its holder still has the text. */
  readonly token: string
  readonly digest: string
}

export interface Chance {
  newId(): string
  /** Makes a token from the random bytes that `mint` is given. */
  token(mint: (bytes: (count: number) => Buffer) => string): Token
  /**
   * Reads a list that is not derived from the journal, such as what sources say about papers. A replay returns the list
   * that was read originally.
   */
  readList<T extends Json>(read: () => readonly T[]): readonly T[]
  given(): Given
}

/** The digest under which a token is stored and found. */
export const tokenDigest = (token: string): string => hash("sha256", token)

/** Chance for a live write, taken from the world and recorded. */
export function liveChance(world: World): Chance {
  const ids: string[] = []
  const tokens: string[] = []
  const lists: Json[][] = []
  return {
    newId() {
      const id = world.id()
      ids.push(id)
      return id
    },
    token(mint) {
      const token = mint((count) => world.bytes(count))
      const digest = tokenDigest(token)
      tokens.push(digest)
      return { token, digest }
    },
    readList(read) {
      const list = read()
      lists.push([...list])
      return list
    },
    given: () => ({
      ...(ids.length > 0 && { ids }),
      ...(tokens.length > 0 && { tokens }),
      ...(lists.some(({ length }) => length > 0) && { told: lists }),
    }),
  }
}

/** A replay took something else from the world than the original write did. */
export class OtherChance extends Error {}

/**
 * Chance for a replay, taken from the record. @throws OtherChance if more is requested than was recorded, or, at
 * `given`, if less was requested
 */
export function recordedChance(then: Given): Chance {
  let ids = 0
  let tokens = 0
  let lists = 0
  const next = <T>(list: readonly T[] = [], at: number, what: string): T => {
    const found = list[at]
    if (found === undefined) throw new OtherChance(`it requests more ${what} than were recorded`)
    return found
  }
  return {
    newId: () => next(then.ids, ids++, "ids"),
    token: () => ({ token: "", digest: next(then.tokens, tokens++, "tokens") }),
    readList: <T extends Json>() => (then.told === undefined ? [] : (next(then.told, lists++, "lists") as T[])),
    given() {
      if (
        lists !== (then.told?.length ?? 0) ||
        ids !== (then.ids?.length ?? 0) ||
        tokens !== (then.tokens?.length ?? 0)
      )
        throw new OtherChance("it requests less than was recorded")
      return then
    },
  }
}

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
