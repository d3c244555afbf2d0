/** The reads of briefs, failures and next steps. */
import { JsonText, parse, stored } from "../../contract/json.ts"
import { kindsInWords, changedInWords } from "../../contract/answers/changed.ts"
import { limits } from "../../contract/limits.ts"
import { type AnswerOf, type ParametersOf, pathTo } from "../../contract/reads/index.ts"
import { noSuch } from "../../ledger/write/references.ts"
import { shortened, oneLine as line } from "../../contract/text.ts"
import { keysetPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { Kept } from "../../ledger/storage/caches.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Threads } from "../../threads/threads.ts"
import { briefText, type Head, asJson, type BriefFormat, type Brief } from "./brief.ts"
import type { Effects } from "../measurements/effects.ts"
import type { Changed } from "../judging/changed.ts"
import type { Numbers } from "../numbers/numbers.ts"
import type { Claims } from "../claims/claims.ts"
import { keptTableWriter, type KeptTables } from "../measurements/kept-tables.ts"
import { type Candidates, type Gathered, type Leads, candidates, type Place } from "./candidates.ts"
import { nextSteps } from "./next.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { partInWords, words } from "../../contract/definitions/sentence.ts"
import { type KnownThen, knownThenSentence, staleSentence, tallyInWords } from "../../contract/answers/evidence.ts"
import { termsInWords } from "../../contract/answers/experiments.ts"
import { writerName } from "../../contract/answers/index.ts"
import { type BriefList, briefLists } from "../../contract/answers/overview.ts"

// A brief as Markdown.

/** The title of each list, and an item of it in one line. */
const sections: { readonly [L in BriefList]: readonly [title: string, line: (item: Brief[L][number]) => string] } = {
  stands: [
    "Where it stands",
    ({ threadId, title, state, says, by, agent, at, stale, staleReasons, knownThen = [], reviewed, numbers, table }) =>
      `${line(title)} (${state}, ${reviewed}${numbers === null ? "" : `, ${numbers}`}` +
      `${stale ? `, stale: ${staleReasons.map(staleSentence).join(" ")}` : ""}` +
      `${known(knownThen)}): ${line(says)} (${writerName({ username: by, agent })}, ${at.slice(0, 10)}) ` +
      `Thread ${threadId}${inset(table)}`,
  ],
  hypotheses: [
    "Hypotheses",
    ({ label, versionId, says, verdict, verdictBy, status, evidence, inDoubt }) =>
      `${label}, ${verdict}${verdictBy === null ? "" : ` ${verdictBy}`}${standing(status, inDoubt)}: ` +
      `${line(says)} [${tallyInWords(evidence) ?? "not yet checked by anyone"}] ${versionId}`,
  ],
  findings: [
    "Findings",
    ({
      label,
      versionId,
      outcome,
      says,
      effects,
      omittedEffects,
      status = "current",
      evidence,
      inDoubt = false,
      reviewed = null,
      blemishes = null,
      by,
      agent,
    }) =>
      `${label}, ${outcome}${standing(status, inDoubt)}: ${line(says)}${effectsInWords(effects, omittedEffects)} ` +
      `[${(evidence && tallyInWords(evidence)) ?? "not reproduced yet"}${reviewed === null ? "" : `; ${reviewed}`}` +
      `${blemishes === null ? "" : `; ${blemishes}`}] (${writerName({ username: by, agent })}) ${versionId}`,
  ],
  changed: ["What changed", changedInWords],
  failures: [
    "What failed, and why",
    ({ kind, label, id, why, at, by, agent }) =>
      `${label ?? id} (${words(kind)}, ${writerName({ username: by, agent })}, ${at.slice(0, 10)}): ${line(why)}`,
  ],
  disputes: [
    "Unanswered disputes and objections",
    ({ source, kind, label, says, why, by, agent, part }) =>
      `${label ?? words(kind)}: ` +
      `${says === null ? "" : `${line(says)} `}${source === "dispute" ? "Disputed" : "Objected to"} by ` +
      `${writerName({ username: by, agent })}` +
      `${part === undefined ? "" : ` in ${line(partInWords(part))}`}: ${line(why)}`,
  ],
  work: [
    "Work",
    ({ label, question, status, assignee, agent, silentSince, experimentId, ...terms }) =>
      `${label} (${status.replaceAll("_", " ")}` +
      `${assignee === null ? "" : `, ${writerName({ username: assignee, agent })}`}${termsInWords(terms)}` +
      `${silentSince === null ? "" : `, silent since ${silentSince.slice(0, 10)}`}): ${line(question)} ${experimentId}`,
  ],
  claims: [
    "Claimed by agents at work",
    ({ what, object, by, agent, until, note, claimId }) =>
      `${words(what)} ${object.label ?? `${words(object.kind)} ${object.id}`} (${writerName({ username: by, agent })}` +
      `, until ${until})${note === null ? "" : `: ${line(note)}`} ${claimId}`,
  ],
  next: [
    "What to do next",
    ({ what, object, why, operation }) =>
      `${what.replaceAll("_", " ")} ${object.label ?? object.id}: ${line(why)} (${operation})`,
  ],
  openQuestions: ["Open questions", ({ question }) => line(question)],
  messages: [
    "Recent messages",
    ({ says, by, agent, at, entryId }) =>
      `${writerName({ username: by, agent })}, ${at.slice(0, 10)}: ${line(says)} ${entryId}`,
  ],
}
/** A table below an item of a list. */
const inset = (table: string | undefined): string =>
  table === undefined ? "" : `\n\n${table.replace(/^(?=.)/gm, "  ")}\n`
const effectsInWords = (effects: readonly string[] = [], omitted = 0): string =>
  effects.length === 0
    ? ""
    : ` Measured: ${[...effects.map(line), ...(omitted > 0 ? [`${omitted} more`] : [])].join("; ")}.`
/** What was fallen or doubted when a checkpoint was written, in words. */
const known = (then: readonly KnownThen[]): string =>
  then.length === 0 ? "" : `, known when it was written: ${then.map(knownThenSentence).join(" ")}`

const standing = (status: string, inDoubt: boolean): string =>
  `${status === "current" ? "" : ` (${status})`}${inDoubt ? " (rests on what has fallen)" : ""}`
const lineOf = <L extends BriefList>(list: L, item: Brief[L][number]): string => `- ${sections[list][1](item)}\n`

function section<L extends BriefList>(brief: Brief, list: L): string {
  const items: readonly Brief[L][number][] = brief[list]
  const omitted = brief.omitted[list]
  const left =
    omitted === undefined ? "" : `- and ${omitted.count} more${omitted.link === undefined ? "" : `: ${omitted.link}`}\n`
  return items.length === 0 && left === ""
    ? ""
    : `\n## ${sections[list][0]}\n${items.map((item) => lineOf(list, item)).join("")}${left}`
}

function briefMarkdown(brief: Brief): string {
  const head =
    "room" in brief
      ? `# ${line(brief.room.title)}\n\n${brief.room.question === null ? "" : `${line(brief.room.question)}\n\n`}` +
        `Room ${brief.room.roomId}, opening Thread ${brief.room.openingThreadId}, ` +
        `${brief.room.state}${brief.room.concluded ? ", concluded" : ""}, at activity ${brief.activityWatermark}.\n`
      : `# ${line(brief.thread.title)}\n\nThread ${brief.thread.threadId} of Room ${brief.thread.roomId}, ` +
        `at entry ${brief.thread.timelineWatermark}.\n`
  const table = brief.table === undefined ? "" : `\n${brief.table}\n`
  const reproductions = brief.reproductions === undefined ? "" : `\n${brief.reproductions}\n`
  const isShort = Object.values(brief.omitted).some(({ link }) => link === undefined)
  const more = isShort ? "\nA larger budget tells what is left out.\n" : ""
  return [head, table, reproductions, ...briefLists.map((list) => section(brief, list)), more].join("")
}

/** Writes the lists as sections, in their order. */
const asMarkdown: BriefFormat = {
  write: briefMarkdown,
  cost: (list, item) => Buffer.byteLength(lineOf(list, item)),
  first: (lists) => lists,
}

export interface Tables {
  readonly db: Db
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

/** Rooms and Threads whose candidates are kept. */
const KEPT = 8

function briefReads({ db, rooms, threads, brief, claims, effects, keptTables, numbers, changed, now }: Tables) {
  const kept = new Kept<ReturnType<typeof candidatesOf>>(db, KEPT)
  /** What a brief is written from, but for what depends on the time. */
  function candidatesOf(place: Place) {
    const { roomId, threadId } = place
    const since = threadId === undefined ? changed.ofRoom(roomId) : changed.ofThread(threadId, roomId)
    // Disputes that are not answered are a list of their own.
    const changes = since.changed.filter(({ isAnswered }) => isAnswered !== false)
    const gathered = { ...brief.gather(place), changed: changes }
    const tables = tablesOf(place, gathered)
    const derived = {
      tellingOf: effects.tellingOf(
        gathered.hypotheses.flatMap(({ verdictBy }) => (verdictBy === null ? [] : parse(verdictBy).newest.by.id)),
      ),
      tableOf: tables.ofCheckpoint,
      effects: effects.briefSentencesOf(gathered.findings.map(({ versionId }) => versionId)),
      numbers: numbers.ofCheckpoint,
    }
    const head = {
      totals: { ...brief.counts(place), changed: changes.length + since.moreChanged },
      reproductions: kindsInWords(since.reproductionKinds),
      table: tables.ofRoom,
    }
    return { gathered, derived, head }
  }

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
    const known = new Map<string, (bytes: number) => string>()
    for (const { checkpointId, keptTable } of stands)
      if (keptTable !== null && known.size < limits.briefTables)
        known.set(checkpointId, keptTableWriter(keptTables.shown(roomId, keptTable)))
    const newest = threadId === undefined && known.size === 0 ? keptTables.ofNewestFinding(roomId)?.table : undefined
    return {
      ofCheckpoint: (checkpointId: string, bytes: number) => known.get(checkpointId)?.(bytes),
      ofRoom: newest === undefined ? () => undefined : keptTableWriter(newest),
    }
  }

  function write<N extends "room_brief" | "thread_brief">(
    place: Place,
    { about, activityWatermark }: Pick<Head, "about" | "activityWatermark">,
    query: ParametersOf<N>,
    basePath: string,
  ): JsonText<AnswerOf<N>> | string {
    const { gathered, derived, head } = kept.of(JSON.stringify(place), () => candidatesOf(place))
    const frame = { ...head, about, activityWatermark, links: linksOf(place, basePath) }
    const lists = { ...derived, ...next(place, gathered) }
    const written = (format: BriefFormat) =>
      briefText(frame, gathered, lists, query.budget ?? limits.brief, now(), format)
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

export const domain = {
  tables: [({ db }: Ground) => ({ brief: candidates(db) })],
  reads: [briefReads],
} satisfies Domain
