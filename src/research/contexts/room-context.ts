/** A Room read as a whole, and a Thread with its research: one snapshot each. */
import type { Writable } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Readers } from "../../ledger/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Threads } from "../../threads/threads.ts"
import type { Checkpoints } from "../checkpoints/checkpoints.ts"
import type { Experiments } from "../experiments/experiments.ts"
import type { FindingLinks } from "../findings/finding-links.ts"
import type { Records } from "../records/records.ts"

interface Parts {
  readonly rooms: Rooms
  readonly threads: Threads
  readonly records: Records
  readonly experiments: Experiments
  readonly findingLinks: FindingLinks
  readonly checkpoints: Checkpoints
  /** Reads several things as of one moment. */
  readonly snapshot: <T>(work: () => T) => T
}

/** Where each list of a context goes on, page by page. */
const pagedAt = (roomId: string) => ({
  experiments: `/api/research/experiments?roomId=${roomId}`,
  hypotheses: `/api/research/hypotheses?roomId=${roomId}`,
  findingLinks: `/api/research/rooms/${roomId}/activity?kinds=link_experiment_finding`,
  publications: `/api/research/rooms/${roomId}/publications`,
})
type ListName = keyof ReturnType<typeof pagedAt>

/** The newest items of each list, oldest first, and where those that were cut go on. */
function cut(roomId: string, lists: Record<ListName, readonly Writable[]>) {
  const names = Object.keys(lists) as ListName[]
  const shown = Object.fromEntries(names.map((name) => [name, lists[name].slice(0, limits.contextItems).reverse()]))
  const longer = names.filter((name) => lists[name].length > limits.contextItems)
  return { ...shown, truncated: Object.fromEntries(longer.map((name) => [name, pagedAt(roomId)[name]])) }
}

/** One more than is shown tells whether there are more. */
const PROBE = limits.contextItems + 1

export function contextReads({ rooms, threads, records, experiments, findingLinks, checkpoints, snapshot }: Parts) {
  /** The questions that the selected checkpoints leave open, with where they were asked. */
  const questionsOf = (selected: ReturnType<Checkpoints["selectedOf"]>) =>
    selected.flatMap(({ openQuestions, checkpoint: { checkpointId, threadId } }) => openQuestions.map((question) => ({ question, checkpointId, threadId })))

  function roomContext(roomId: string) {
    const room = rooms.summary(roomId)
    if (room === undefined) throw new Refusal("room_unavailable", "There is no such Room.")
    const selected = checkpoints.selectedOf(roomId)
    const concluding = selected.find(({ opening, checkpoint }) => opening && checkpoint.state === "concluded")
    return {
      room,
      counts: room.counts,
      threads: threads.all(roomId),
      ...cut(roomId, {
        experiments: experiments.newestOf(roomId, PROBE),
        hypotheses: records.newestOfKind(roomId, "hypothesis", PROBE),
        findingLinks: findingLinks.newestOfRoom(roomId, PROBE),
        publications: records.newest(roomId, undefined, PROBE),
      }),
      openQuestions: questionsOf(selected),
      concluded: concluding !== undefined,
      conclusion: concluding?.checkpoint ?? null,
      activityWatermark: room.activityWatermark,
    }
  }

  function threadContext(threadId: string) {
    const thread = threads.summary(threadId)
    const room = thread && rooms.summary(thread.roomId)
    if (thread === undefined || room === undefined) throw new Refusal("room_unavailable", "There is no such Thread.")
    const { roomId, title, state, archive, activityWatermark } = room
    const selected = checkpoints.selectedOf(roomId).filter(({ checkpoint }) => checkpoint.threadId === threadId)
    return {
      thread,
      room: { roomId, title, state, archive },
      checkpoint: selected[0]?.checkpoint ?? null,
      openQuestions: questionsOf(selected),
      ...cut(roomId, {
        experiments: experiments.newestOfThread(roomId, threadId, PROBE),
        hypotheses: records.ofThread(threadId, PROBE).filter(({ kind }) => kind === "hypothesis"),
        findingLinks: findingLinks.newestOfThread(roomId, threadId, PROBE),
        publications: records.ofThread(threadId, PROBE),
      }),
      timelineWatermark: thread.timelineWatermark,
      activityWatermark,
    }
  }

  return {
    room_context: ({ params }) => snapshot(() => roomContext(params.roomId as string)),
    thread_research_context: ({ params }) => snapshot(() => threadContext(params.threadId as string)),
    checkpoint({ params }) {
      const checkpoint = checkpoints.read(params.checkpointId as string)
      if (checkpoint === undefined) throw new Refusal("room_unavailable", "There is no such checkpoint.")
      const { citationIds, ...shown } = checkpoint
      return { ...shown, citations: records.resolve(citationIds) }
    },
  } satisfies Partial<Readers>
}
