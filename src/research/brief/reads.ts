/** The reads of briefs, failures and next steps. */
import type { KeptTable } from "../../contract/answers/measurements.ts"
import { JsonText, parse, stored } from "../../contract/json.ts"
import { kindsInWords } from "../../contract/answers/changed.ts"
import { limits } from "../../contract/limits.ts"
import { type AnswerOf, type ParametersOf, pathTo } from "../../contract/reads/index.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { shortened } from "../../contract/text.ts"
import { keysetPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Threads } from "../../threads/threads.ts"
import { briefText, type Head, asJson, type BriefFormat } from "./brief.ts"
import type { Effects } from "../measurements/effects.ts"
import type { Changed } from "../judging/changed.ts"
import type { Numbers } from "../numbers/numbers.ts"
import type { Claims } from "../claims/claims.ts"
import { keptTableInWords } from "../measurements/kept-in-words.ts"
import type { KeptTables } from "../measurements/kept-tables.ts"
import type { Candidates, Gathered, Leads } from "./candidates.ts"
import type { Place } from "./rows.ts"
import { asMarkdown } from "./markdown.ts"
import { nextSteps } from "./next.ts"

interface Tables {
  readonly rooms: Rooms
  readonly threads: Threads
  readonly brief: Candidates
  readonly claims: Claims
  readonly effects: Effects
  readonly keptTables: KeptTables
  readonly numbers: Numbers
  readonly changed: Changed
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function briefReads({ rooms, threads, brief, claims, effects, keptTables, numbers, changed, now }: Tables) {
  function next(place: Place, known: Leads) {
    const moment = now()
    const at = isoTime(moment)
    const lasting = claims.lasting(place, at)
    return {
      ...nextSteps(brief, place, known, moment, (ids) => claims.among(ids, at)),
      claims: lasting.map(({ claimId, what, kind, objectId, label, by, agent, until, note }) => {
        const object = { kind, id: objectId, label }
        return { claimId, what, object, by, agent, until, note }
      }),
    }
  }

  const linksOf = ({ roomId, threadId }: Place, basePath: string): Head["links"] => {
    const to = (path: string) => `${basePath}${path}`
    const context =
      threadId === undefined ? pathTo("room_context", { roomId }) : pathTo("thread_research_context", { threadId })
    return {
      stands: to(pathTo("room_threads", { roomId })),
      hypotheses: to(pathTo("hypotheses", {}, { roomId })),
      findings: to(pathTo("room_publications", { roomId }, { kinds: "finding" })),
      changed: to(pathTo("room", { roomId })),
      failures: to(pathTo("room_failures", { roomId })),
      disputes: to(pathTo("room_links", { roomId }, { kind: "disputes" })),
      work: to(pathTo("experiments", {}, { roomId })),
      claims: to(pathTo("room_next", { roomId })),
      next: to(pathTo("room_next", { roomId })),
      openQuestions: to(context),
      messages: to(
        threadId === undefined ? pathTo("room_threads", { roomId }) : pathTo("thread_timeline", { threadId }),
      ),
    }
  }

  /** The tables of the first checkpoints or, if none has one, that of the Room's newest finding. */
  function tablesOf({ roomId, threadId }: Place, { stands }: Pick<Gathered, "stands">) {
    const known = new Map<string, KeptTable>()
    for (const { checkpointId, keptTable } of stands)
      if (keptTable !== null && known.size < limits.briefTables)
        known.set(checkpointId, keptTables.shown(roomId, keptTable))
    const newest = threadId === undefined && known.size === 0 ? keptTables.ofNewestFinding(roomId)?.table : undefined
    return {
      ofCheckpoint(checkpointId: string, bytes: number) {
        const table = known.get(checkpointId)
        return table && keptTableInWords(table, bytes)
      },
      ofRoom: (bytes: number) => newest && keptTableInWords(newest, bytes),
    }
  }

  function write<N extends "room_brief" | "thread_brief">(
    place: Place,
    { about, activityWatermark }: Pick<Head, "about" | "activityWatermark">,
    query: ParametersOf<N>,
    basePath: string,
  ): JsonText<AnswerOf<N>> | string {
    const { roomId, threadId } = place
    const since = threadId === undefined ? changed.ofRoom(roomId) : changed.ofThread(threadId, roomId)
    // Disputes that are not answered are a list of their own.
    const told = since.changed.filter(({ isAnswered }) => isAnswered !== false)
    const gathered = { ...brief.gather(place), changed: told }
    const tables = tablesOf(place, gathered)
    const derived = {
      ...next(place, gathered),
      tellingOf: effects.tellingOf(
        gathered.hypotheses.flatMap(({ verdictBy }) => (verdictBy === null ? [] : parse(verdictBy).newest.by.id)),
      ),
      tableOf: tables.ofCheckpoint,
      effects: effects.toldOf(gathered.findings.map(({ versionId }) => versionId)),
      numbers: numbers.ofCheckpoint,
    }
    const head = {
      about,
      activityWatermark,
      totals: { ...brief.counts(place), changed: told.length + since.moreChanged },
      reproductions: kindsInWords(since.reproductionKinds),
      links: linksOf(place, basePath),
      table: tables.ofRoom,
    }
    const written = (format: BriefFormat) =>
      briefText(head, gathered, derived, query.budget ?? limits.brief, now(), format)
    return query.format === "markdown" ? written(asMarkdown) : new JsonText(stored<AnswerOf<N>>(written(asJson)))
  }

  return {
    room_brief({ params, query, basePath = "" }) {
      const { roomId } = params
      const room = rooms.summary(roomId)
      if (room === undefined) throw noSuch("room")
      const { title, question, openingThreadId, state, concluded, activityWatermark } = room
      const about = (characters: number) => {
        const asked = question === null ? null : shortened(question, characters * 2)
        return {
          room: { roomId, title: shortened(title, characters), question: asked, openingThreadId, state, concluded },
        }
      }
      return write<"room_brief">({ roomId }, { about, activityWatermark }, query, basePath)
    },

    thread_brief({ params, query, basePath = "" }) {
      const { threadId } = params
      const thread = threads.summary(threadId)
      const room = thread && rooms.summary(thread.roomId)
      if (thread === undefined || room === undefined) throw noSuch("thread")
      const { roomId, title, timelineWatermark } = thread
      const about = (characters: number) => ({
        thread: { threadId, roomId, title: shortened(title, characters), timelineWatermark },
      })
      return write<"thread_brief">(
        { roomId, threadId },
        { about, activityWatermark: room.activityWatermark },
        query,
        basePath,
      )
    },

    room_failures({ params, query }) {
      const { roomId } = params
      rooms.mustExist(roomId)
      const found = brief.failuresBefore(roomId, query.after, pageSize(query) + 1)
      return keysetPage(
        found.map((failure) => ({ ...failure, why: failure.why ?? "It gave no reason." })),
        query,
        ({ sequence }) => sequence,
      )
    },

    room_next({ params }) {
      const { roomId } = params
      rooms.mustExist(roomId)
      return { roomId, ...next({ roomId }, brief.gatherLeads({ roomId })) }
    },
  } satisfies Partial<Readers>
}
