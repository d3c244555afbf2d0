/**
 * What happened, by one set of words for the feed of a Room and the timelines of its Threads: the names of operations, what
 * the feed calls acts of people, and the older names that entries of a timeline have, each of which stands for several operations.
 */
import type { Operation } from "../definitions/operation.ts"
import { everyOperation, operations } from "../operations/index.ts"

const distinct = <T>(found: readonly (T | null | undefined)[]): T[] => [...new Set(found.filter((each) => each != null))]

/** The kinds an entry of a timeline may have: a message, a card, or the name of the operation whose receipt it is. */
export const entryKinds: string[] = distinct(operations.map(({ entry }) => entry?.kind))
/** The kinds an entry of the feed may have. */
export const activityKinds: string[] = distinct(everyOperation.map(({ activity }) => activity))
/** Every word by which either can be narrowed. */
export const kinds: string[] = distinct([...activityKinds, ...entryKinds])

const meantBy = (word: string): readonly Operation[] =>
  everyOperation.filter(({ activity, entry }) => activity === word || entry?.kind === word)

/** The kinds of the feed that some words stand for. */
export const activityKindsOf = (words: readonly string[]): string[] =>
  distinct(words.flatMap((word) => meantBy(word).map(({ activity }) => activity)))

/** Entries of a timeline: all of a kind, or those of one operation among several whose entries have that kind. */
export interface EntryFilter {
  readonly kind: string
  /** What the operation makes; left out, whatever has the kind. */
  readonly target?: Operation["target"]
}

/** How many operations leave entries of each kind. */
const sharing = Map.groupBy(operations, ({ entry }) => entry?.kind)

/** The entries of a timeline that some words stand for, each named once; none for acts that leave no entry. */
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
