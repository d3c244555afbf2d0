/** What lands in a Room, told to whoever listens: server-sent events, without texts. */
import type { ActivityEntry } from "../contract/answers/index.ts"
import type { RoomEvent } from "../contract/answers/room-event.ts"
import { parse } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import { activityPage } from "../contract/objects/objects.ts"
import type { Activity } from "../ledger/journal/activity.ts"
import type { Watch } from "../ledger/write/feed-waiters.ts"

/** Entries that are told at once. */
const AT_ONCE = 100
/** Milliseconds after which a browser whose connection broke connects again. */
const RETRY = 2_000

/** An entry as it is told to listeners. @param baseUrl the address of the service, without a slash at the end */
export function roomEvent(roomId: string, entry: ActivityEntry, baseUrl: string): RoomEvent {
  const { sequence, kind, target } = entry
  return { roomId, sequence, kind, label: target.label, url: `${baseUrl}${activityPage(roomId, entry)}` }
}

interface Sources {
  readonly activity: Activity
  readonly watch: Watch
  readonly snapshot: <T>(work: () => T) => T
  /** Whether the Room is still here. */
  readonly isHere: (roomId: string) => boolean
}

/**
 * Every entry after a sequence as it lands, as the text of an event stream. While nothing lands, a comment every
 * so many seconds keeps proxies from closing the connection.
 * @param signal aborted when the listener has gone
 */
export async function* eventLines(
  { activity, watch, snapshot, isHere }: Sources,
  roomId: string,
  after: number,
  baseUrl: string,
  signal?: AbortSignal,
  seconds: number = limits.eventCommentSeconds,
): AsyncGenerator<string> {
  yield `retry: ${RETRY}\n\n`
  for (let last = after; ; ) {
    const rows = snapshot(() => (isHere(roomId) ? activity.after(roomId, last, undefined, AT_ONCE) : null))
    if (rows === null) return
    last = rows.at(-1)?.sequence ?? last
    if (rows.length > 0)
      yield rows
        .map(({ sequence, body }) => `id: ${sequence}\ndata: ${JSON.stringify(roomEvent(roomId, parse(body), baseUrl))}\n\n`)
        .join("")
    else {
      const began = performance.now()
      const until = began + seconds * 1000
      if (!(await watch.next(roomId, until, signal))) return
      if (performance.now() >= until - 1) yield ": nothing new\n\n"
    }
  }
}

/** The same as bytes. Whoever reads on is waited for, and nobody else. */
export function eventStream(...asked: Parameters<typeof eventLines>): ReadableStream<Uint8Array> {
  const lines = eventLines(...asked)
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await lines.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
    },
    { highWaterMark: 0 },
  )
}
