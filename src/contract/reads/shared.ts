/** Parameters and a form of answer that the reads of several domains share. */
import * as v from "valibot"
import type { Operation } from "../definitions/operation.ts"
import { everyOperation, operations, type BodyOf } from "../operations/index.ts"
import type { MaterialSummary } from "../answers/experiments.ts"
import type { Protocol } from "../definitions/work.ts"
import { words } from "../definitions/parameters.ts"
import { limits } from "../limits.ts"
import { enumerations } from "../schema/enumerations.ts"
import { agentName, oneOf, plain } from "../schema/fields.ts"

// The kinds of entries, one set of words for the feed of a Room and the timelines of its Threads: the names of
// operations, the feed's names for acts of people, and older names of timeline entries, each of which stands for
// several operations.

const distinct = <T>(found: readonly (T | null | undefined)[]): T[] => [
  ...new Set(found.filter((each) => each != null)),
]

/** The kinds of timeline entries: a message, a card, or the name of the operation for a receipt. */
export const entryKinds: string[] = distinct(operations.map(({ entry }) => entry?.kind))
/** The kinds of feed entries. */
export const activityKinds: string[] = distinct(everyOperation.map(({ activity }) => activity))
/** Every word that `kinds` accepts for either. */
export const kinds: string[] = distinct([...activityKinds, ...entryKinds])

const meantBy = (word: string): readonly Operation[] =>
  everyOperation.filter(({ activity, entry }) => activity === word || entry?.kind === word)

/** The kinds of feed entries that some words stand for. */
export const activityKindsOf = (words: readonly string[]): string[] =>
  distinct(words.flatMap((word) => meantBy(word).map(({ activity }) => activity)))

/** Selects timeline entries: all of a kind, or those of one operation among several with that kind. */
export interface EntryFilter {
  readonly kind: string
  /** What the operation makes; absent if all entries of the kind are selected. */
  readonly target?: Operation["target"]
}

/** The operations that leave entries of each kind. */
const sharing = Map.groupBy(operations, ({ entry }) => entry?.kind)

/** The timeline entries that some words stand for, without duplicates. Acts that leave no entry are ignored. */
export function entryFiltersOf(words: readonly string[]): EntryFilter[] {
  const whole = words.filter((word) => entryKinds.includes(word))
  const found = words.flatMap((word) =>
    meantBy(word).flatMap(({ entry, target }): EntryFilter[] => {
      if (entry === null) return []
      const alone = whole.includes(entry.kind) || sharing.get(entry.kind)?.length === 1
      return [alone ? { kind: entry.kind } : { kind: entry.kind, target }]
    }),
  )
  return [...new Map(found.map((filter) => [`${filter.kind} ${filter.target ?? ""}`, filter])).values()]
}

// The parts of answers that are copied from accepted content, with their exact types: the schemas of answers describe
// them more loosely.

/** What the contents of all kinds of records have in common, and what some kinds add. */
export type RecordContent = Pick<BodyOf<"publish_hypothesis">, "assertion" | "concepts" | "scope"> &
  Partial<Own<"publish_finding"> & Own<"publish_cited_claim">>
type Own<N extends "publish_finding" | "publish_cited_claim"> = Omit<BodyOf<N>, keyof BodyOf<"publish_hypothesis">>

interface Verdict {
  readonly versionId?: string
  readonly verdict: string
  readonly explanation: string
  readonly part?: string
}

interface Contents {
  record: RecordContent
  plan: Omit<BodyOf<"accept_plan">, "protocol" | "sealed">
  link: { readonly correction?: string; readonly part?: string; readonly evidence?: readonly string[] }
  materials: readonly {
    readonly material: Pick<
      MaterialSummary,
      "materialId" | "label" | "labelFromOtherRoom" | "name" | "obtainability"
    > | null
    readonly purpose: string
  }[]
  verdict: Verdict
  verdicts: readonly Verdict[]
  protocol: Protocol
}

/** Narrows a part of an answer to the type in which this service wrote it. */
export const accepted = <P extends keyof Contents>(_part: P, value: unknown): Contents[P] => value as Contents[P]

/** The words that a list is searched for. */
export const query = v.exactOptional(plain(limits.searchQuery))

export const recordFilters = {
  kinds: v.exactOptional(words(enumerations.recordKind)),
  status: v.exactOptional(oneOf(enumerations.recordStatus)),
  author: v.exactOptional(plain(limits.name)),
  agent: v.exactOptional(agentName),
}

export const markdown = { markdown: { mediaType: "text/markdown", answer: v.string() } } as const
/** A feed's form for agents: one line per entry. */
export const lines = { lines: { mediaType: "text/markdown", answer: v.string() } } as const

/**
 * The forms of a list for other programs, with all its items unless limit is given. CSV escapes texts that a
 * spreadsheet would execute.
 */
export const files = {
  csv: { mediaType: "text/csv", answer: v.string() },
  jsonl: { mediaType: "application/x-ndjson", answer: v.string() },
} as const
