/**
 * The kinds of entries, one set of words for the feed of a Room and the timelines of its Threads: the names of
 * operations, the feed's names for acts of people, and older names of timeline entries, each of which stands for
 * several operations.
 */
import type { Operation } from "../definitions/operation.ts"
import { everyOperation, operations } from "../operations/index.ts"

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
