/** The measured pages of each list of the registry and of each summary; together they must cover it. */
import { limits } from "../../../src/contract/limits.ts"
import type { ReadName } from "../../../src/contract/reads/index.ts"
import { reads } from "../../../src/contract/reads/index.ts"
import { opaqueCursor } from "../../../src/ledger/lists/paging.ts"
import { idOf, scatteredIdOf } from "./fill/clone.ts"
import { spoken } from "./fill/first.ts"
import type { Large } from "./fill/large.ts"
import { OFFSET } from "./fill/talk.ts"

export interface Case {
  /**
   * What the request adds to the plain list; empty for the list itself, from its middle if it has a cursor to there.
   */
  readonly title: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The number of items on the page, if it is not full; null if it is not a page. */
  readonly items?: number | null
  /**
   * The number of rows above which the work no longer grows, if that is more than the shortest list has: the longest
   * list is then compared with the first one of at least this length, if there is one in between.
   */
  readonly from?: number
}

type Named = { readonly [N in ReadName]?: (large: Large) => Case[] }

const page = (params: Case["params"], query: Case["query"], more: Partial<Case> = {}): Case => ({
  title: "",
  params,
  query,
  ...more,
})
const but = (title: string, params: Case["params"], query: Case["query"], more: Partial<Case> = {}): Case => ({
  title,
  params,
  query,
  ...more,
})

/** Kinds, status and author of lists of publications. */
const noFilters = [undefined, undefined, undefined] as const

const half = (count: number): number => Math.floor(count / 2)
const sequence = (count: number) => String(half(count) + OFFSET)

/** Lists that are short in this data. */
const SHORT = [
  "admin_people",
  "admin_credentials",
  "admin_keys",
  "admin_invitations",
  "admin_audit",
] as const satisfies readonly ReadName[]

const cases: Named = {
  rooms: ({ fewer }) => {
    const after = opaqueCursor([idOf("room", half(fewer))], ["rooms", undefined])
    return [page({}, { after }), but("query", {}, { query: spoken.rare })]
  },
  room_threads: ({ crowdedRoomId, fewer }) => [page({ roomId: crowdedRoomId }, { after: String(half(fewer)) })],
  room_activity: ({ roomId, size }) => [
    page({ roomId }, { after: sequence(size) }),
    but("a seldom kind", { roomId }, { after: "0", kinds: "assert_dispute" }),
  ],
  room_publications: ({ roomId, size }) => [
    page(
      { roomId },
      { after: opaqueCursor([idOf("record", half(size))], ["room_publications", roomId, ...noFilters]) },
    ),
  ],
  thread_messages: ({ threadId, size }) => [page({ threadId }, { after: sequence(size) })],
  thread_timeline: ({ threadId, size }) => [
    page({ threadId }, { after: sequence(size) }),
    but("one kind", { threadId }, { after: sequence(size), kinds: "publication" }),
    but("two kinds", { threadId }, { after: sequence(size), kinds: "publication,link_experiment_finding" }),
    but(
      "two seldom kinds",
      { threadId },
      { after: "0", kinds: "assert_dispute,link_experiment_finding" },
      { items: null },
    ),
  ],
  thread_replies: ({ threadId, askedEntryId, size }) => [
    page({ threadId }, { targetEntryId: askedEntryId, after: sequence(size) }),
  ],
  thread_records: ({ threadId, size }) => [page({ threadId }, { after: sequence(size) })],
  hypotheses: ({ roomId, size }) => {
    const after = idOf("record", half(size))
    return [page({}, { after }), but("roomId", {}, { after, roomId })]
  },
  publications: ({ size }) => [
    page({}, { after: opaqueCursor([idOf("record", half(size))], ["publications", ...noFilters]) }),
  ],
  concepts: ({ size }) => [
    page({}, { after: opaqueCursor([idOf("record", half(size)), "lowers"], ["concepts", undefined]) }),
    but("query", {}, { query: spoken.rare }),
  ],
  room_links: ({ roomId, size }) => [
    page({ roomId }, { after: idOf("link", half(size)) }),
    but("a seldom kind", { roomId }, { kind: "retracts", after: idOf("link", 1) }),
  ],
  experiment_findings: ({ experimentId, size }) => [page({ experimentId }, { after: idOf("relation", half(size)) })],
  paper_publications: ({ paper, size }) => [
    page({ arxivId: paper }, {}),
    but("from the middle", { arxivId: paper }, { after: String(half(size)) }),
  ],
  experiments: ({ roomId, size }) => {
    const after = idOf("experiment", half(size))
    return [page({}, { after }), but("roomId", {}, { after, roomId })]
  },
  experiment_history: ({ amendedId, fewer }) => [page({ experimentId: amendedId }, { after: String(half(fewer)) })],
  attempts: ({ roomId, experimentId }) => {
    const start = "00000000-0000-0000-0000-000000000000"
    return [
      page({}, { after: middleAttempt }),
      but("roomId", {}, { after: middleAttempt, roomId }),
      but("experimentId", {}, { after: middleAttempt, experimentId }),
      but("roomId, status, intent", {}, { after: middleAttempt, roomId, status: "failed", intent: "planned" }),
      but("a seldom status", {}, { after: start, status: "cancelled" }),
    ]
  },
  attempt_table: ({ roomId, experimentId }) => [
    page({}, { roomId }, { from: limits.tableAttempts }),
    but("experimentId", {}, { experimentId }, { from: limits.tableAttempts }),
    // As many in short data as in long.
    but("a seldom status", {}, { roomId, status: "cancelled" }),
  ],
  attempt_metrics: ({ attemptId, fewer }) => [
    page({ attemptId }, { after: String(Math.max(0, half(fewer) - limits.metricPoints)) }, { items: null }),
  ],
  room_materials: ({ roomId, size }) => [page({ roomId }, { after: idOf("material", half(size)) })],
  materials: ({ valuesDigest, size }) => {
    const after = idOf("material", half(size))
    return [page({}, { after }), but("valuesDigest", {}, { after, valuesDigest })]
  },
  search: ({ roomId, saidEntryId }) => [
    but("a label", {}, { query: "H1" }, { items: null }),
    but("an id", {}, { query: saidEntryId }, { items: null }),
    but("a phrase of common words", {}, { query: '"first thousand steps"' }, { from: limits.searchWeighed }),
    but(
      "words that stand nowhere so",
      {},
      { query: '"steps thousand first"' },
      { items: null, from: limits.searchWeighed },
    ),
    but("a seldom word", {}, { query: spoken.rare }),
    but("a seldom word in a Room", {}, { query: spoken.rare, roomId }),
    but("a word of every message", {}, { query: spoken.common }),
    but("a word of every message and a seldom one", {}, { query: `${spoken.common} ${spoken.rare}` }),
    // One in five thousand: up to a page, more data gives more.
    but("two words", {}, { query: `${spoken.common} ${spoken.other}` }, { items: null }),
  ],
  // Of the operators' lists only that of Rooms is long here.
  admin_rooms: ({ fewer }) => [page({}, { after: idOf("room", half(fewer)) })],
  ...Object.fromEntries(SHORT.map((name) => [name, () => [page({}, {}, { items: null })]])),
  library_collections: () => [page({}, {})],
  library_collection: ({ collectionId, collectionPapers }) => [
    page({ collectionId }, { offset: String(half(collectionPapers)) }),
  ],
  library_papers: ({ saved }) => [
    page({}, {}),
    but("from the middle", {}, { offset: String(half(saved)) }),
    but("by title", {}, { sort: "title" }),
  ],
  collection_notes: ({ collectionId, noted, notes }) => [
    page({ collectionId }, { arxivId: noted, offset: String(half(notes)) }),
  ],
  room_failures: ({ roomId, size }) => [page({ roomId }, { after: String(half(Math.floor(size / 3)) + OFFSET) })],
  record_evidence: ({ hypothesisId, size }) => [page({ versionId: hypothesisId }, { after: sequence(size) })],
  record_case: ({ hypothesisId }) => [page({ versionId: hypothesisId }, {}, { items: null })],
  record_uses: ({ hypothesisId, size }) => [page({ versionId: hypothesisId }, { after: sequence(size) })],
  room_brief: ({ roomId }) => [page({ roomId }, {}, { items: null })],
  thread_brief: ({ threadId }) => [page({ threadId }, {}, { items: null })],
  room_next: ({ roomId }) => [page({ roomId }, {}, { items: null })],
  room_similar: ({ roomId, size }) => [
    but("to a text", { roomId }, { text: `${spoken.text} ${spoken.other}` }, { items: null }),
    but("to an attempt", { roomId }, { like: scatteredIdOf("attempt", size) }, { items: null }),
  ],
  room_context: ({ roomId }) => [page({ roomId }, {}, { items: null })],
  thread_research_context: ({ threadId }) => [page({ threadId }, {}, { items: null })],
}

/** Ids of attempts have no order: this one is in the middle of them all. */
const middleAttempt = "80000000-0000-4000-8000-000000000000"

/** These are not lists, and are bounded by what they show, but they are measured too. */
const OVERVIEWS: readonly string[] = [
  "room_context",
  "thread_research_context",
  "room_brief",
  "thread_brief",
  "room_next",
  "room_similar",
]

/** The measured reads. @throws Error for a list without a case */
export function measured(): string[] {
  const names = reads.filter(({ name, cursor }) => cursor !== null || OVERVIEWS.includes(name)).map(({ name }) => name)
  const lacking = names.filter((name) => !Object.hasOwn(cases, name))
  if (lacking.length > 0)
    throw new Error(
      `The bench does not know how to ask for ${lacking.join(", ")}: say so in test/bench/reads/cases.ts.`,
    )
  return names
}

/** A page of this read in data of some size. */
export const casesOf = (name: string, large: Large): Case[] => cases[name as ReadName]?.(large) ?? []

export const fullPage = limits.pageItems
