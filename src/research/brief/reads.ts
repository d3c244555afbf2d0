/** The brief of a Room and of a Thread, and what would move a Room. */
import { JsonText } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { type AnswerOf, pathTo } from "../../contract/reads/index.ts"
import { noSuch } from "../../contract/refusals.ts"
import { shortened } from "../../contract/text.ts"
import { PlainText } from "../../ledger/paging.ts"
import type { Readers } from "../../ledger/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Threads } from "../../threads/threads.ts"
import { briefText, type Head } from "./brief.ts"
import type { Candidates, Place } from "./candidates.ts"
import { briefMarkdown } from "./markdown.ts"
import { nextSteps } from "./next.ts"

interface Parts {
  readonly rooms: Rooms
  readonly threads: Threads
  readonly brief: Candidates
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function briefReads({ rooms, threads, brief, now }: Parts) {
  /** Where each list of a brief goes on. */
  const linksOf = ({ roomId, threadId }: Place, basePath: string): Head["links"] => {
    const to = (path: string) => `${basePath}${path}`
    const context = threadId === undefined ? pathTo("room_context", { roomId }) : pathTo("thread_research_context", { threadId })
    return {
      stands: to(pathTo("room_threads", { roomId })),
      hypotheses: to(pathTo("hypotheses", {}, { roomId })),
      failures: to(pathTo("attempts", {}, { roomId, status: "failed" })),
      disputes: to(pathTo("room_links", { roomId }, { kind: "disputes" })),
      work: to(pathTo("experiments", {}, { roomId })),
      next: to(pathTo("room_next", { roomId })),
      openQuestions: to(context),
    }
  }

  function write(place: Place, head: Head, query: { budget?: number; format?: string }): JsonText | PlainText {
    const gathered = brief.gather(place)
    const next = nextSteps(brief, place, gathered)
    const budget = query.budget ?? limits.brief
    const written = (bytes: number) => briefText(head, gathered, next, bytes, now())
    if (query.format !== "markdown") return new JsonText(written(budget))
    // Mostly shorter than the JSON it is made of; where it is not, less is told.
    for (let bytes = budget; ; bytes = Math.floor(bytes * 0.85)) {
      const text = briefMarkdown(JSON.parse(written(bytes)) as AnswerOf<"room_brief">)
      if (Buffer.byteLength(text) <= budget) return new PlainText(text)
    }
  }

  return {
    room_brief({ params, query, basePath = "" }) {
      const roomId = params.roomId as string
      const room = rooms.summary(roomId)
      if (room === undefined) throw noSuch("room")
      const { title, question, state, concluded, activityWatermark } = room
      const counts: Readonly<Record<string, number>> = room.counts
      return write(
        { roomId },
        {
          about: (characters) => ({
            room: {
              roomId,
              title: shortened(title, characters),
              question: question === null ? null : shortened(question, characters * 2),
              state,
              concluded,
            },
          }),
          activityWatermark,
          totals: { hypotheses: counts.hypothesis ?? 0, ...brief.counts(roomId) },
          links: linksOf({ roomId }, basePath),
        },
        query,
      )
    },

    thread_brief({ params, query, basePath = "" }) {
      const threadId = params.threadId as string
      const thread = threads.summary(threadId)
      const room = thread && rooms.summary(thread.roomId)
      if (thread === undefined || room === undefined) throw noSuch("thread")
      const place = { roomId: thread.roomId, threadId }
      return write(
        place,
        {
          about: (characters) => ({
            thread: {
              threadId,
              roomId: thread.roomId,
              title: shortened(thread.title, characters),
              timelineWatermark: thread.timelineWatermark,
            },
          }),
          activityWatermark: room.activityWatermark,
          totals: {},
          links: linksOf(place, basePath),
        },
        query,
      )
    },

    room_next({ params }) {
      const roomId = params.roomId as string
      rooms.mustExist(roomId)
      return { roomId, items: nextSteps(brief, { roomId }, brief.gather({ roomId })) as never }
    },
  } satisfies Partial<Readers>
}
