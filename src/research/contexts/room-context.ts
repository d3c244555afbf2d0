/** A Room read as a whole, and a Thread with its research. */
import { fitting, JsonText, type Served, stored, writeJson } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { type AnswerOf, pathTo } from "../../contract/reads/index.ts"
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
}

const listNames = ["experiments", "hypotheses", "findingLinks", "publications", "openQuestions"] as const
type ListName = (typeof listNames)[number]
type Named<T> = Record<ListName, T>
type Lists = { readonly [N in ListName]: AnswerOf<"room_context">[N] }

/** Where each list of a Room's context goes on, page by page; relations of findings have no list but the feed, and open questions stand in the checkpoints that the Threads select. */
const pagedInRoom = (roomId: string): Named<string> => ({
  experiments: pathTo("experiments", {}, { roomId }),
  hypotheses: pathTo("hypotheses", {}, { roomId }),
  findingLinks: pathTo("room_activity", { roomId }, { kinds: "link_experiment_finding" }),
  publications: pathTo("room_publications", { roomId }),
  openQuestions: pathTo("room_threads", { roomId }),
})

/** As above for a Thread: its own lists where it has some, else those of its Room. */
const pagedInThread = (roomId: string, threadId: string): Named<string> => ({
  ...pagedInRoom(roomId),
  findingLinks: pathTo("thread_timeline", { threadId }, { kinds: "link_experiment_finding" }),
  publications: pathTo("thread_records", { threadId }),
})

/**
 * The newest items of each list, oldest first, and where those that were cut go on. Each list is written before the next
 * one is read: hundreds of objects that nobody keeps cost least while they are young.
 */
function cut(basePath: string, paged: Named<string>, lists: { readonly [N in ListName]: () => readonly Served<Lists[N][number]>[] }) {
  const truncated: Record<string, string> = {}
  function written<N extends ListName>(name: N): JsonText<Lists[N]> {
    const items = lists[name]()
    const fit = fitting(items.slice(0, limits.contextItems), limits.innerListBytes)
    if (items.length > fit.length) truncated[name] = `${basePath}${paged[name]}`
    return new JsonText(stored<Lists[N]>(writeJson(fit.reverse())))
  }
  const experiments = written("experiments")
  const hypotheses = written("hypotheses")
  const findingLinks = written("findingLinks")
  const publications = written("publications")
  return { experiments, hypotheses, findingLinks, publications, openQuestions: written("openQuestions"), truncated }
}

/** One more than is shown tells whether there are more. */
const PROBE = limits.contextItems + 1

export function contextReads({ rooms, threads, records, experiments, findingLinks, checkpoints }: Parts) {
  function roomContext(roomId: string, basePath: string) {
    const room = rooms.summary(roomId)
    if (room === undefined) throw new Refusal("room_unavailable", "There is no such Room.")
    const conclusions = checkpoints.selectedOfRoom(roomId, "concluded")
    const conclusion = conclusions.find(({ threadId }) => threadId === room.openingThreadId) ?? null
    return {
      room,
      counts: room.counts,
      threads: threads.all(roomId),
      ...cut(basePath, pagedInRoom(roomId), {
        experiments: () => experiments.newestOf(roomId, PROBE),
        hypotheses: () => records.newestOfKind(roomId, "hypothesis", PROBE),
        findingLinks: () => findingLinks.newestOfRoom(roomId, PROBE),
        publications: () => records.newest(roomId, undefined, PROBE),
        openQuestions: () => checkpoints.openQuestions(roomId),
      }),
      concluded: conclusion !== null,
      conclusion,
      conclusions,
      syntheses: checkpoints.selectedOfRoom(roomId, "open"),
      activityWatermark: room.activityWatermark,
    }
  }

  function threadContext(threadId: string, basePath: string) {
    const thread = threads.summary(threadId)
    const room = thread && rooms.summary(thread.roomId)
    if (thread === undefined || room === undefined) throw new Refusal("room_unavailable", "There is no such Thread.")
    const { roomId, title, state, archive, activityWatermark } = room
    return {
      thread,
      room: { roomId, title, state, archive },
      checkpoint: checkpoints.selectedOfThread(threadId) ?? null,
      ...cut(basePath, pagedInThread(roomId, threadId), {
        experiments: () => experiments.newestOfThread(roomId, threadId, PROBE),
        hypotheses: () => records.newestOfThread(threadId, "hypothesis", PROBE),
        findingLinks: () => findingLinks.newestOfThread(roomId, threadId, PROBE),
        publications: () => records.newestOfThread(threadId, undefined, PROBE),
        openQuestions: () => checkpoints.openQuestionsOfThread(threadId),
      }),
      timelineWatermark: thread.timelineWatermark,
      activityWatermark,
    }
  }

  return {
    room_context: ({ params, basePath = "" }) => roomContext(params.roomId, basePath),
    thread_research_context: ({ params, basePath = "" }) => threadContext(params.threadId, basePath),
    checkpoint({ params }) {
      const found = checkpoints.read(params.checkpointId)
      if (found === undefined) throw new Refusal("room_unavailable", "There is no such checkpoint.")
      return { ...found.checkpoint, citations: records.resolve(found.citations) }
    },
  } satisfies Partial<Readers>
}
