/** Server-sent events about new entries in a Room. They contain no text of the entries. */
import type { ActivityEntry } from "../contract/answers/index.ts"
import type { RoomEvent } from "../contract/answers/room-event.ts"
import { parse } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import { activityPage } from "../contract/objects/objects.ts"
import type { Activity } from "../ledger/journal/activity.ts"
import type { Watch } from "../ledger/write/feed-waiters.ts"

/** Entries to read and send at a time. */
const BATCH = 100
/** Milliseconds after which a browser reconnects. */
const RETRY = 2_000

/** Returns the event for an entry. @param baseUrl the address of the service, without a slash at the end */
export function roomEvent(roomId: string, entry: ActivityEntry, baseUrl: string): RoomEvent {
  const { sequence, kind, target } = entry
  return { roomId, sequence, kind, label: target.label, url: `${baseUrl}${activityPage(roomId, entry)}` }
}

interface Sources {
  readonly activity: Activity
  readonly watch: Watch
  readonly snapshot: <T>(work: () => T) => T
  readonly isHere: (roomId: string) => boolean
}

/**
 * Yields the text of an event stream, with each entry after a sequence as it is accepted. In quiet times a regular
 * comment keeps proxies from closing the connection.
 * @param signal aborted when the listener has disconnected
 * @param seconds the interval of the comments
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
    const rows = snapshot(() => (isHere(roomId) ? activity.after(roomId, last, undefined, BATCH) : null))
    if (rows === null) return
    last = rows.at(-1)?.sequence ?? last
    if (rows.length > 0)
      yield rows
        .map(
          ({ sequence, body }) =>
            `id: ${sequence}\ndata: ${JSON.stringify(roomEvent(roomId, parse(body), baseUrl))}\n\n`,
        )
        .join("")
    else {
      const until = performance.now() + seconds * 1000
      if (!(await watch.next(roomId, until, signal))) return
      if (performance.now() >= until - 1) yield ": nothing new\n\n"
    }
  }
}

/** Returns the event stream as bytes. It reads entries only as fast as the listener takes them. */
export function eventStream(...parameters: Parameters<typeof eventLines>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  async function* bytes() {
    for await (const line of eventLines(...parameters)) yield encoder.encode(line)
  }
  return ReadableStream.from(bytes())
}
