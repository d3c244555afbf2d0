/** Follows a Room's activity by long polling, through restarts and lost connections, and verifies it. */
import { type ActivityEntry, entryDigest, firstPreviousDigest } from "../contract/reads/activity.ts"
import type { AnswerOf } from "../contract/reads/index.ts"
import { limits } from "../contract/limits.ts"
import { readRequest } from "../contract/definitions/requests.ts"
import { InstanceChanged, ChainBroken, type Transport } from "./transport.ts"
import { readOf } from "./requests.ts"

// Verifies a Room's activity while reading it: no entry is missing or changed, and each is chained to the one before.

/**
 * A position in a Room's activity, such as a receipt's `activity`. A kept mark proves that nothing before it was
 * rewritten.
 */
export interface ActivityMark {
  readonly sequence: number
  readonly digest: string
}

export class Chain {
  readonly #roomId: string
  /** The mark that the feed must still contain; null once it was verified. */
  #mark: ActivityMark | null = null
  #sequence: number
  /** The last entry's digest; null if unknown. */
  #digest: string | null

  /** @param after where to start: a sequence, taken on trust, or a mark, which is verified */
  constructor(roomId: string, after: number | ActivityMark) {
    const marked = typeof after === "object" && after.sequence > 0 ? after : null
    this.#roomId = roomId
    this.#mark = marked
    this.#sequence = typeof after === "number" ? after : Math.max(0, after.sequence - 1)
    this.#digest = this.#sequence === 0 ? firstPreviousDigest : null
  }

  /** The sequence to read after: one before the mark, so that the marked entry is read again. */
  get sequence(): number {
    return this.#sequence
  }

  get digest(): string | null {
    return this.#digest
  }

  /**
   * Verifies the next entry.
   * @returns whether the entry is new; the marked one is not
   * @throws ChainBroken
   */
  take(entry: ActivityEntry): boolean {
    const due = this.#sequence + 1
    if (entry.sequence !== due) throw this.#broken(due, `entry ${entry.sequence} is in its place`)
    const digest = entryDigest(entry)
    if (digest !== entry.digest) throw this.#broken(due, "its content does not have the digest it names")
    if (this.#digest !== null && entry.previousDigest !== this.#digest)
      throw this.#broken(due, "it is not chained to the entry before it")
    const mark = this.#mark
    if (mark !== null && mark.digest !== digest) throw this.#broken(due, "it is not the entry that was marked")
    this.#mark = null
    this.#sequence = due
    this.#digest = digest
    return mark === null
  }

  /** Checks at the end of the feed that the mark was found. @throws ChainBroken if the feed ends before it */
  mustHoldMark(): void {
    if (this.#mark !== null) throw this.#broken(this.#mark.sequence, "the feed ends before it")
  }

  #broken(sequence: number, why: string): ChainBroken {
    return new ChainBroken(this.#roomId, sequence, why)
  }
}

export interface FollowOptions {
  /** Where to start: a sequence such as the Room context's `activityWatermark`, or a mark. 0 if left out. */
  readonly after?: number | ActivityMark | undefined
  /** Only these kinds. The digests are then not verified, because entries are missing. */
  readonly kinds?: readonly string[] | undefined
  /** Seconds that the service may wait for a new entry, 0 to 60; 60 if left out. */
  readonly wait?: number | undefined
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined
}

/** Seconds between two polls when empty answers return at once: with `wait` 0, or while the service shuts down. */
const IDLE_PAUSE = 1

/** The id of the instance; null if it cannot be read now. */
async function instanceId(transport: Transport, signal: AbortSignal | undefined): Promise<string | null> {
  try {
    const ready = await transport.ask<{ instanceId?: unknown } | null>({
      ...readRequest(readOf("health_ready"), {}),
      retries: 0,
      signal,
    })
    return typeof ready?.instanceId === "string" ? ready.instanceId : null
  } catch {
    return null
  }
}

/** A poll is retried for as long as it takes. */
const patient = { retries: Number.POSITIVE_INFINITY, longestWait: Number.POSITIVE_INFINITY }

/**
 * Yields the entries of a Room's activity in order, and then each new one, until `signal` is aborted.
 * @throws ChainBroken, InstanceChanged, or RefusedError when the Room cannot be read
 */
export async function* follow(
  transport: Transport,
  roomId: string,
  { after = 0, kinds, wait = limits.activityWaitSeconds, signal }: FollowOptions,
): AsyncGenerator<ActivityEntry> {
  if (signal?.aborted) return
  const chain = kinds === undefined ? new Chain(roomId, after) : null
  let cursor = chain?.sequence ?? (typeof after === "number" ? after : after.sequence)
  let instance = await instanceId(transport, signal)

  while (!signal?.aborted) {
    const sentAt = performance.now()
    const request = readRequest(readOf("room_activity"), {
      roomId,
      after: cursor,
      kinds,
      ...(wait > 0 ? { wait } : {}),
    })
    const result = await transport.persist<AnswerOf<"room_activity">>({ ...request, ...patient, signal, wait })
    if (signal?.aborted) return
    if ("failure" in result) throw result.failure
    const { items } = result.value

    if (result.tries > 1 || items.length === 0) {
      const now = await instanceId(transport, signal)
      if (now !== null && instance !== null && now !== instance) throw new InstanceChanged(instance, now)
      instance ??= now
    }
    if (items.length === 0) {
      chain?.mustHoldMark()
      if (performance.now() - sentAt < IDLE_PAUSE * 1000) await transport.sleep(IDLE_PAUSE, signal)
    }
    for (const entry of items) {
      const isNew = chain?.take(entry) ?? true
      cursor = entry.sequence
      if (isNew) yield entry
      if (signal?.aborted) return
    }
  }
}
