/** Reads of records and concepts, and of the research of a Room, a Thread and one checkpoint. */
import { fitting, JsonText, type Served, stored, writeJson } from "../../contract/json.ts"
import { recordKinds } from "../../contract/objects/objects.ts"
import { limits } from "../../contract/limits.ts"
import { type AnswerOf, pathTo, type ParametersOf } from "../../contract/reads/index.ts"
import { noSuch } from "../../ledger/write/references.ts"
import type { ExperimentSummary } from "../../contract/nouns/experiments.ts"
import { type Readers, NamedText } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Threads } from "../../threads/threads.ts"
import { type Checkpoints, questionsOf } from "../checkpoints/checkpoints.ts"
import type { Experiments } from "../experiments/experiments.ts"
import type { FindingLinks } from "../findings/finding-links.ts"
import type { Changed } from "../judging/changed.ts"
import type { KeptTables } from "../measurements/kept-tables.ts"
import type { Reviews } from "../reviews/reviews.ts"
import type { Numbers } from "../numbers/numbers.ts"
import type { Records } from "../records/records.ts"
import type { Domain } from "../../ledger/domains/domain.ts"
import type { RecordKind } from "../../contract/schema/enumerations.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { Refusal } from "../../contract/refusals.ts"
import {
  keysetPage,
  type ListOf,
  offsetPage,
  opaqueCursor,
  pageSize,
  readOpaqueCursor,
  uuidCursor,
} from "../../ledger/lists/paging.ts"
import type { People } from "../../people/people.ts"
import type { Doubts, Findings } from "../findings/findings.ts"
import type { Evidence } from "../evidence/evidence.ts"
import { type Citations, type CitationTables, citations } from "../citations/citations.ts"
import type { Effects } from "../measurements/effects.ts"
import { type ConceptIndex, arxivIdOf } from "../records/publish.ts"

// Records and concepts.

export interface RecordTables {
  readonly people: Pick<People, "idOf">
  readonly evidence: Evidence
  readonly doubts: Doubts
  readonly records: Records
  readonly concepts: ConceptIndex
  readonly findings: Findings
  readonly rooms: Rooms
  readonly citations: Citations
  readonly effects: Effects
  readonly reviews: Reviews
  readonly numbers: Numbers
}

export function publicationReads({
  records,
  concepts: index,
  findings,
  rooms,
  citations,
  people,
  ...tables
}: RecordTables) {
  /** @throws Refusal 404 if there is no such record, or it is of another kind */
  function mustRead(versionId: string, kind?: RecordKind) {
    const record = isUuid(versionId) ? records.read(versionId) : undefined
    if (record === undefined || (kind !== undefined && record.kind !== kind)) throw noSuch(kind ?? "record")
    const found =
      record.kind === "finding"
        ? findings.read(versionId, record.roomId)
        : { execution: null, blemishes: null, materials: [], warnings: [] }
    return {
      ...record,
      execution: found.execution,
      blemishes: found.blemishes,
      reviews: record.kind === "finding" ? tables.reviews.of(versionId) : [],
      effects: record.kind === "finding" ? tables.effects.of(versionId) : [],
      numbersCheck: record.kind === "finding" ? tables.numbers.ofFinding(versionId) : null,
      materials: found.materials,
      usedBy: tables.evidence.usedBy(versionId),
      warnings: [...tables.doubts.ofRecord(versionId, record.roomId), ...found.warnings],
    }
  }

  /** Lists records of one Room or of all, newest first. @throws Refusal 404 for an unknown author */
  function newest(roomId: string | undefined, query: ParametersOf<"room_publications">) {
    const { kinds, status, author, agent } = query
    const filters = [kinds?.join(), status?.toString(), author?.toLowerCase(), ...(agent === undefined ? [] : [agent])]
    const list: ListOf = roomId === undefined ? ["publications", ...filters] : ["room_publications", roomId, ...filters]
    const [before] = readOpaqueCursor(query.after, 1, list) ?? []
    const authorId = author === undefined ? undefined : people.idOf(author)
    if (author !== undefined && authorId === undefined) throw noSuch("person")
    return keysetPage(
      records.newest({ roomId, kinds, status, authorId, agent }, before, pageSize(query) + 1),
      query,
      ({ versionId }) => opaqueCursor([versionId], list),
    )
  }

  return {
    hypotheses({ query }) {
      rooms.mustFitLabel(query)
      return keysetPage(
        records.ofKind("hypothesis", query, uuidCursor(query.after), pageSize(query) + 1),
        query,
        ({ versionId }) => versionId,
      )
    },
    hypothesis: ({ params }) => mustRead(params.versionId, "hypothesis"),
    record({ params, query, baseUrl = "" }) {
      const versionId = params.versionId
      if (query.format === "bibtex") return new NamedText(`${versionId}.bib`, citations.bibtex(versionId, baseUrl))
      if (query.format === "csl") return new NamedText(`${versionId}.json`, citations.csl(versionId, baseUrl))
      return mustRead(versionId)
    },

    publications({ query }) {
      if (query.roomId !== undefined) rooms.mustExist(query.roomId)
      return newest(query.roomId, query)
    },
    room_publications({ params, query }) {
      rooms.mustExist(params.roomId)
      return newest(params.roomId, query)
    },

    paper_publications({ params, query }) {
      const offset = query.after ?? 0
      const arxivId = arxivIdOf(params.arxivId)
      if (arxivId === undefined) {
        throw new Refusal("invalid_parameter", "The path does not name a paper: send an arXiv id.", {
          issues: [{ path: "/arxivId", message: "must be an arXiv id such as 2401.01234 or hep-th/9901001" }],
        })
      }
      const found = records.ofPaper(arxivId, offset, pageSize(query) + 1)
      return offsetPage(found, offset, query)
    },

    record_concept({ params }) {
      mustRead(params.versionId)
      const concept = index.find(params.versionId, params.key)
      if (concept === undefined) throw new Refusal("room_unavailable", "This record defines no such concept.")
      return concept
    },
    concepts({ query }) {
      const list: ListOf = ["concepts", query.query]
      const { found, stopped } = index.page(query.query, readOpaqueCursor(query.after, 2, list), pageSize(query) + 1)
      const next = stopped === undefined ? undefined : opaqueCursor([stopped, ""], list)
      return keysetPage(found, query, ({ versionId, key }) => opaqueCursor([versionId, key], list), next)
    },
  } satisfies Partial<Readers>
}

type Given = CitationTables & Omit<Parameters<typeof publicationReads>[0], "citations">

const recordReads = (given: Given) => publicationReads({ ...given, citations: citations(given) })

interface Tables {
  readonly numbers: Numbers
  readonly rooms: Rooms
  readonly threads: Threads
  readonly records: Records
  readonly experiments: Experiments
  readonly findingLinks: FindingLinks
  readonly checkpoints: Checkpoints
  readonly reviews: Reviews
  readonly keptTables: KeptTables
  readonly changed: Changed
}

// The research of a Room, of a Thread, and of one checkpoint.

const listNames = ["experiments", "hypotheses", "findingLinks", "publications", "openQuestions"] as const
type ListName = (typeof listNames)[number]
type Lists = { readonly [N in ListName]: AnswerOf<"room_context">[N] }

/** The list of publications leaves out hypotheses, which have a list of their own. */
const PUBLISHED = recordKinds.filter((kind) => kind !== "hypothesis")

/**
 * The paged read that continues each list of a Room's context. Finding links are listed only in the activity; open
 * questions are in the Threads' checkpoints.
 */
const pagedInRoom = (roomId: string): Record<ListName, string> => ({
  experiments: pathTo("experiments", {}, { roomId }),
  hypotheses: pathTo("hypotheses", {}, { roomId }),
  findingLinks: pathTo("room_activity", { roomId }, { kinds: "link_experiment_finding" }),
  publications: pathTo("room_publications", { roomId }, { kinds: PUBLISHED.join() }),
  openQuestions: pathTo("room_threads", { roomId }),
})

/** The same for a Thread: its own reads if there are any, else those of its Room. */
const pagedInThread = (roomId: string, threadId: string): Record<ListName, string> => ({
  ...pagedInRoom(roomId),
  findingLinks: pathTo("thread_timeline", { threadId }, { kinds: "link_experiment_finding" }),
  publications: pathTo("thread_records", { threadId }),
})

/**
 * Serialises the newest items of each requested list, oldest first, with the path that continues each list that was
 * cut. Each list is serialised before the next is read, so that its objects are garbage collected early.
 */
function cut(
  basePath: string,
  paged: (name: ListName) => string,
  lists: { readonly [N in ListName]: () => readonly Served<Lists[N][number]>[] },
  isRequested: (name: string) => boolean,
) {
  const truncated: Record<string, string> = {}
  const written: { [N in ListName]?: JsonText<Lists[N]> } = {}
  function write<N extends ListName>(name: N): void {
    const items = lists[name]()
    const fit = fitting(items.slice(0, limits.contextItems), limits.innerListBytes)
    if (items.length > fit.length) truncated[name] = `${basePath}${paged(name)}`
    Object.assign(written, { [name]: new JsonText(stored<Lists[N]>(writeJson(fit.reverse()))) })
  }
  for (const name of listNames) if (isRequested(name)) write(name)
  return { ...written, truncated }
}

/** The type of an answer with all parts. */
type Whole<N extends "room_context" | "thread_research_context"> = Served<Omit<AnswerOf<N>, "schemaVersion">>

interface Choice {
  readonly parts?: readonly string[]
  readonly affordances?: "0" | "1"
}
const requestedBy =
  ({ parts }: Choice) =>
  (name: string): boolean =>
    parts === undefined || parts.includes(name)

function blocks<B extends object>(
  isRequested: (name: string) => boolean,
  all: { readonly [K in keyof B]: () => B[K] },
): Partial<B> {
  const read: Partial<B> = {}
  for (const name in all) if (isRequested(name)) read[name] = all[name]()
  return read
}

const withAffordances = (experiments: ExperimentSummary[], { affordances }: Choice): ExperimentSummary[] =>
  affordances === "0" ? experiments.map(({ affordances: _left, ...bare }) => bare as ExperimentSummary) : experiments

/** One more than is shown, to learn whether there are more. */
const PROBE = limits.contextItems + 1

export function contextReads(tables: Tables) {
  const { rooms, threads, records, experiments, findingLinks, checkpoints, reviews, keptTables, numbers, changed } =
    tables
  function roomContext(roomId: string, basePath: string, choice: Choice) {
    const isRequested = requestedBy(choice)
    const room = rooms.summary(roomId)
    if (room === undefined) throw noSuch("room")
    const readsSelected = ["concluded", "conclusion", "conclusions", "syntheses"].some(isRequested)
    const selected = readsSelected ? checkpoints.selectedOfRoom(roomId, room.archive) : []
    const concluding = selected.filter(({ state }) => state === "concluded")
    const conclusion = concluding.find(({ threadId }) => threadId === room.openingThreadId) ?? null
    let found: ReturnType<Records["newestOfKinds"]> | undefined
    const published = () => (found ??= records.newestOfKinds(roomId, PROBE))
    const lists = {
      experiments: () => withAffordances(experiments.newestOf(roomId, PROBE), choice),
      hypotheses: () => published()(["hypothesis"]),
      findingLinks: () => findingLinks.newestOfRoom(roomId, PROBE),
      publications: () => published()(PUBLISHED),
      // `selected` is cut at `limits.contextItems`.
      openQuestions: () =>
        readsSelected && selected.length < limits.contextItems
          ? questionsOf(selected)
          : checkpoints.openQuestions(roomId),
    }
    return {
      ...blocks(isRequested, { room: () => room, counts: () => room.counts, threads: () => threads.all(roomId) }),
      ...cut(basePath, (name) => pagedInRoom(roomId)[name], lists, isRequested),
      ...blocks(isRequested, {
        concluded: () => conclusion !== null,
        conclusion: () => conclusion,
        conclusions: () => concluding,
        syntheses: () => selected.filter(({ state }) => state === "open"),
      }),
      activityWatermark: room.activityWatermark,
    }
  }

  function threadContext(threadId: string, basePath: string, choice: Choice) {
    const isRequested = requestedBy(choice)
    const thread = threads.summary(threadId)
    const room = thread && rooms.summary(thread.roomId)
    if (thread === undefined || room === undefined) throw noSuch("thread")
    const { roomId, title, state, archive, origin, adopted, activityWatermark } = room
    const lists = {
      experiments: () => withAffordances(experiments.newestOfThread(roomId, threadId, PROBE), choice),
      hypotheses: () => records.newestOfThread(threadId, ["hypothesis"], PROBE),
      findingLinks: () => findingLinks.newestOfThread(roomId, threadId, PROBE),
      publications: () => records.newestOfThread(threadId, PUBLISHED, PROBE),
      openQuestions: () => checkpoints.openQuestionsOfThread(threadId),
    }
    return {
      ...blocks(isRequested, {
        thread: () => thread,
        room: () => ({ roomId, title, state, archive, origin, adopted }),
        checkpoint: () => checkpoints.selectedOfThread(threadId) ?? null,
      }),
      ...cut(basePath, (name) => pagedInThread(roomId, threadId)[name], lists, isRequested),
      timelineWatermark: thread.timelineWatermark,
      activityWatermark,
    }
  }

  return {
    room_context: ({ params, query, basePath = "" }) =>
      roomContext(params.roomId, basePath, query) as Whole<"room_context">,
    thread_research_context: ({ params, query, basePath = "" }) =>
      threadContext(params.threadId, basePath, query) as Whole<"thread_research_context">,
    checkpoint({ params, query }) {
      const found = checkpoints.read(params.checkpointId)
      if (found === undefined) throw noSuch("checkpoint")
      const { keptTable, checkpoint, content } = found
      return {
        ...checkpoint,
        ...(query.include !== undefined && { content }),
        table: keptTable && keptTables.shown(checkpoint.roomId, keptTable),
        numbersCheck: numbers.ofCheckpoint(params.checkpointId),
        citations: records.resolve(found.citations, checkpoint.roomId),
        reviews: reviews.of(params.checkpointId),
        ...changed.of(found.citations, checkpoint.roomId),
      }
    },
  } satisfies Partial<Readers>
}

export const domain = {
  reads: [recordReads, contextReads],
} satisfies Domain
