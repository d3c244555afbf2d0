/** The reads of briefs and next steps, and the domain. Each list comes from the domain whose objects it has. */
import { JsonText, stored } from "../../contract/json.ts"
import { type BriefList, briefLists } from "../../contract/nouns/overview.ts"
import type { RoomSummary } from "../../contract/nouns/rooms.ts"
import type { ThreadSummary } from "../../contract/nouns/threads.ts"
import { limits } from "../../contract/limits.ts"
import type { AnswerOf, ParametersOf } from "../../contract/reads/index.ts"
import { each } from "../../contract/typed.ts"
import { noSuch } from "../../ledger/write/references.ts"
import { shortened } from "../../contract/text.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { Kept } from "../../ledger/storage/caches.ts"
import { isoTime } from "../../ledger/world.ts"
import { briefText, type Head, asJson, asMarkdown, type BriefFormat } from "./brief.ts"
import { type ClaimedObject, nextInBrief, nextSteps } from "./next.ts"
import type { Domain } from "../../ledger/domains/domain.ts"
import { type BriefSources, type Place, stepSources, type WithSteps } from "../../ledger/domains/brief.ts"

type Steps = { readonly [S in (typeof stepSources)[number]]: Partial<WithSteps> }

/** The total number of items of each list that is counted at each write. */
type Counts = Record<Exclude<BriefList, "changed" | "claims" | "messages" | "next">, number>

export interface Tables {
  readonly db: Db
  readonly sources: BriefSources
  readonly rooms: { summary(roomId: string): RoomSummary | undefined; mustExist(roomId: string): void }
  readonly threads: { summary(threadId: string): ThreadSummary | undefined }
  readonly claims: { among(ids: readonly string[], at: string): readonly ClaimedObject[] }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Rooms and Threads whose candidates are kept. */
const KEPT = 8

const readLists = briefLists.filter((list) => list !== "next")

function briefReads({ db, sources, rooms, threads, claims, now }: Tables) {
  const texts = { ...sources, next: nextInBrief }
  const formats = { json: asJson(texts), markdown: asMarkdown(texts) }
  const counts = db.prepare<Counts>(
    `SELECT stands, hypotheses, findings, failures, disputes, work, open_questions AS openQuestions
      FROM brief_counts
      WHERE place_id = +?`,
  )
  const kept = new Kept<ReturnType<typeof candidatesOf>>(db, KEPT)
  /** What a brief is written from, but for what depends on the time. */
  function candidatesOf(place: Place) {
    const { attempts, experiments } = sources
    const found = each(readLists, (list) => sources[list].read(place))
    const items = each(readLists, (list) => found[list].items())
    const counted: Partial<Counts> = counts.get(place.threadId ?? place.roomId) ?? {}
    return {
      steps: { ...found, attempts: attempts.read(place), experiments: experiments.read(place) },
      items,
      head: {
        totals: { ...counted, changed: items.changed.total },
        table: items.stands.table,
        reproductions: items.changed.reproductions,
      },
    }
  }

  const next = (found: Steps, moment: number) =>
    nextSteps(
      stepSources.flatMap((source) => found[source].steps?.(moment) ?? []),
      (ids) => claims.among(ids, isoTime(moment)),
    )

  function write<N extends "room_brief" | "thread_brief">(
    place: Place,
    { about, activityWatermark }: Pick<Head, "about" | "activityWatermark">,
    query: ParametersOf<N>,
    basePath: string,
  ): JsonText<AnswerOf<N>> | string {
    const { steps, items, head } = kept.of(JSON.stringify(place), () => candidatesOf(place))
    const moment = now()
    const links = each(briefLists, (list) => `${basePath}${texts[list].link(place)}`)
    const made = {
      ...each(readLists, (list) => items[list].at(moment)),
      next: nextInBrief.items(next(steps, moment).items),
    }
    const written = (format: BriefFormat) =>
      briefText({ ...head, about, activityWatermark, links }, texts, made, query.budget ?? limits.brief, format)
    return query.format === "markdown"
      ? written(formats.markdown)
      : new JsonText(stored<AnswerOf<N>>(written(formats.json)))
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

    room_next({ params: { roomId } }) {
      rooms.mustExist(roomId)
      const place = { roomId }
      const moment = now()
      const found = each(stepSources, (source) => sources[source].read(place))
      const lasting = sources.claims.read(place).items().at(moment)
      return { roomId, ...next(found, moment), claims: lasting(Number.POSITIVE_INFINITY) }
    },
  } satisfies Partial<Readers>
}

export const domain = { reads: [briefReads] } satisfies Domain
