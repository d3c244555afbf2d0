/** Follows a Room's activity: long polls one after the other, through restarts and lost connections. */
import type { ActivityEntry } from "../contract/answers/index.ts"
import { limits } from "../contract/limits.ts"
import { readRequest } from "../contract/definitions/requests.ts"
import { type ActivityMark, Chain } from "./chain.ts"
import { InstanceChanged } from "./errors.ts"
import { readOf } from "./requests.ts"
import type { Request, Transport } from "./transport.ts"

export interface FollowOptions {
  /** Where to start: a sequence such as the Room context's `activityWatermark`, or a mark kept from before. 0 when left out. */
  readonly after?: number | ActivityMark | undefined
  /** Only these kinds; the digests can then not be verified, for entries are missing on purpose. */
  readonly kinds?: readonly string[] | undefined
  /** Seconds for which the service holds an empty answer back, 0 to 25; 25 when left out. */
  readonly wait?: number | undefined
  /** Ends the iteration, quietly. */
  readonly signal?: AbortSignal | undefined
}

/** Seconds between two polls when empty answers come back at once: with `wait` 0, or while the service is closing. */
const IDLE_PAUSE = 1

/** The id of the instance that answers, or null where that cannot be told now. */
async function instanceId(transport: Transport, signal: AbortSignal | undefined): Promise<string | null> {
  try {
    const ready = await transport.ask<{ instanceId?: unknown } | null>({ ...readRequest(readOf("health_ready"), {}), retries: 0, signal })
    return typeof ready?.instanceId === "string" ? ready.instanceId : null
  } catch {
    return null
  }
}

interface Page {
  readonly items: readonly ActivityEntry[]
}

/** One poll; a lost connection is tried again for as long as it takes. */
async function poll(transport: Transport, request: Request): Promise<{ page: Page; troubled: boolean } | null> {
  const result = await transport.persist<Page>({ ...request, retries: Number.POSITIVE_INFINITY, longestWait: Number.POSITIVE_INFINITY })
  if (request.signal?.aborted) return null
  if ("failure" in result) throw result.failure
  return { page: result.value, troubled: result.tries > 1 }
}

/**
 * Yields the entries of a Room's activity in order, and goes on as they land, until `signal` is aborted.
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
    const asked = performance.now()
    const request = readRequest(readOf("room_activity"), { roomId, after: cursor, kinds, ...(wait > 0 ? { wait } : {}) })
    const polled = await poll(transport, { ...request, signal, wait })
    if (polled === null) return
    const { items } = polled.page

    if (polled.troubled || items.length === 0) {
      const now = await instanceId(transport, signal)
      if (now !== null && instance !== null && now !== instance) throw new InstanceChanged(instance, now)
      instance ??= now
    }
    if (items.length === 0) {
      chain?.mustHoldMark()
      if (performance.now() - asked < IDLE_PAUSE * 1000) await transport.sleep(IDLE_PAUSE, signal)
    }
    for (const entry of items) {
      const isNew = chain?.take(entry) ?? true
      cursor = entry.sequence
      if (isNew) yield entry
      if (signal?.aborted) return
    }
  }
}
