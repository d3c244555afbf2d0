/** Reads of Threads and their timelines. */
import type { ThreadSummary } from "../contract/answers/index.ts"
import { type EntryFilter, entryFiltersOf } from "../contract/reads/shared.ts"
import { noSuch } from "../contract/objects/no-such.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { feedOf, feedPage, mustNotBeAhead, pageSize } from "../ledger/lists/paging.ts"
import type { Readers } from "../ledger/reads/reading.ts"
import type { Timeline } from "../ledger/journal/timeline.ts"
import { isoTime, type World } from "../ledger/world.ts"
import type { Rooms } from "../rooms/rooms.ts"
import type { Threads } from "./threads.ts"

const RECENT = 10

interface EntryQuery {
  after?: number
  limit?: number
}

interface Tables {
  readonly threads: Threads
  readonly rooms: Rooms
  readonly timeline: Timeline
  readonly world: Pick<World, "now">
}

export function threadReads({ threads, rooms, timeline, world }: Tables) {
  /** @throws Refusal 404 */
  function mustFind(threadId: string): ThreadSummary {
    const thread = threads.summary(threadId)
    if (thread === undefined) throw noSuch("thread")
    return thread
  }

  /** Returns a page of a Thread's entries. @param kinds undefined for entries of every kind */
  function entries(threadId: string, query: EntryQuery, kinds: readonly EntryFilter[] | undefined) {
    const thread = mustFind(threadId)
    mustNotBeAhead(query.after, thread.timelineWatermark)
    return feedOf(
      timeline.after(thread.threadId, query.after ?? 0, kinds, pageSize(query) + 1),
      query,
      ({ entry }) => entry,
      thread.timelineWatermark,
    )
  }

  return {
    room_threads({ params, query }) {
      const roomId = params.roomId
      rooms.mustExist(roomId)
      return feedPage(threads.page(roomId, query.after ?? 0, pageSize(query) + 1), query)
    },

    thread_context({ params }) {
      const thread = mustFind(params.threadId)
      const room = rooms.summary(thread.roomId)
      if (room === undefined) throw new Error("a Thread without its Room")
      const { roomId, title, state, archive, origin, adopted } = room
      const follows = thread.followsEntryId === null ? undefined : timeline.find(thread.followsEntryId)
      return {
        thread,
        room: { roomId, title, state, archive, origin, adopted },
        follows: follows?.entry ?? null,
        recent: timeline.newest(thread.threadId, RECENT),
        generatedAt: isoTime(world.now()),
      }
    },

    thread_messages: ({ params, query }) => entries(params.threadId, query, [{ kind: "message" }]),
    thread_timeline: ({ params, query }) => entries(params.threadId, query, query.kinds && entryFiltersOf(query.kinds)),
    thread_records: ({ params, query }) => entries(params.threadId, query, [{ kind: "publication" }]),

    thread_replies({ params, query }) {
      const { threadId, timelineWatermark } = mustFind(params.threadId)
      mustNotBeAhead(query.after, timelineWatermark)
      if (timeline.find(query.targetEntryId)?.threadId !== threadId)
        throw new Refusal("room_unavailable", "There is no such entry in this Thread.")
      return feedOf(
        timeline.replies(threadId, query.targetEntryId, query.after ?? 0, pageSize(query) + 1),
        query,
        ({ entry }) => entry,
      )
    },
  } satisfies Partial<Readers>
}
