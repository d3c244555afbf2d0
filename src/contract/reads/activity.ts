/**
 * What was written, of any kind: the feed of a Room with its chain, the timelines of its Threads, an agent's inbox, and
 * receipts. The kinds that filter them are those of the list of operations.
 */
import * as v from "valibot"
import { operations, everyOperation, receiptedOperations } from "../operations/index.ts"
import type { Operation } from "../definitions/operation.ts"
import { words, wholeNumber, sequence } from "../definitions/parameters.ts"
import { shape, oneOf, uuid } from "../schema/fields.ts"
import { count, at, id } from "../answers/fields.ts"
import { person, target, page } from "../answers/parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { digestOf, canonicalJson } from "../json.ts"
import { read, lines } from "../definitions/read.ts"
import { limits } from "../limits.ts"
import { described } from "../schema/validation.ts"
import { entry } from "../nouns/threads.ts"
import { receipt } from "../answers/receipts.ts"

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

export const activityEntry = shape({
  sequence: count,
  kind: v.string(),
  at,
  /** `agent` is absent in entries from before agents had names, because the digest covers it. */
  actor: shape({ ...person.entries, agent: v.exactOptional(v.nullable(v.string())) }),
  operation: v.string(),
  target,
  threadId: v.nullable(id),
  entryId: v.nullable(id),
  contentDigest: v.string(),
  digest: v.string(),
  previousDigest: v.string(),
  /**
   * With include, and not covered by the digest: what happened in one sentence, and the accepted content; null if that
   * is not kept.
   */
  summary: v.exactOptional(v.string()),
  content: v.exactOptional(v.nullable(v.record(v.string(), v.unknown()))),
  /**
   * The write in the form of a crate, with the people it names besides its actor, and each Room it refers to, with the
   * last entry needed from there.
   */
  write: v.exactOptional(v.nullable(v.record(v.string(), v.unknown()))),
})

export type ActivityEntry = v.InferOutput<typeof activityEntry>

/** An entry that concerns an agent, with the reasons. */
export const inboxEntry = shape({
  ...activityEntry.entries,
  summary: v.string(),
  /** At most five, each with the agent's object; null if it is about the agent's name. */
  concerns: v.array(
    shape({
      because: oneOf(enumerations.concern),
      kind: v.nullable(v.string()),
      id: v.nullable(id),
      label: v.nullable(v.string()),
      sentence: v.string(),
    }),
  ),
})

export type InboxEntry = v.InferOutput<typeof inboxEntry>

// The event that listeners of a Room get for an entry: what happened, and where to read it.

export const roomEvent = shape({
  roomId: id,
  sequence: count,
  kind: activityEntry.entries.kind,
  label: activityEntry.entries.target.entries.label,
  /** The page that shows the entry. */
  url: v.string(),
})
export type RoomEvent = v.InferOutput<typeof roomEvent>

// The chain of the entries in a feed: the ledger writes it, `check` proves it, and every client can recompute it.

/** The previous digest of a Room's first entry. */
export const firstPreviousDigest = `sha256:${"0".repeat(64)}`

/**
 * The digest of an entry: `sha256:` over the canonical JSON of its members, without `digest` and what `include` adds.
 */
export function entryDigest(entry: Omit<ActivityEntry, "digest"> & { readonly digest?: string }): string {
  const { digest: _own, summary: _summary, content: _content, ...rest } = entry
  return digestOf(canonicalJson(rest))
}

export const activityReads = [
  read({
    name: "room_activity",
    path: "/api/research/rooms/{roomId}/activity",
    summary:
      "The change feed of a Room: every accepted write after a sequence, each chained to the previous one by " +
      "digest. With wait, an empty answer is delayed until there is an entry. " +
      "include adds to each entry, outside of its digest, a sentence on what happened, the accepted content, " +
      "or everything that another instance needs to repeat the write.",
    parameters: {
      kinds: v.exactOptional(words(kinds)),
      include: v.exactOptional(words(enumerations.activityInclude)),
      wait: v.exactOptional(wholeNumber(limits.activityWaitSeconds)),
      exclude: v.exactOptional(described(oneOf(["me"]), "Leaves out what the calling Room credential wrote.")),
    },
    refusals: ["not_authenticated", "browser_origin"],
    cursor: "sequence",
    answer: page(activityEntry),
    formats: lines,
  }),
  read({
    name: "room_events",
    path: "/api/research/rooms/{roomId}/events",
    summary:
      "New entries of a Room, as server-sent events without texts: each has the entry's sequence as its id, " +
      "and roomId, sequence, kind, label and url. The stream continues after Last-Event-ID, or after `after`, " +
      `or begins with the next entry. Without entries, a comment is sent every ${limits.eventCommentSeconds} seconds.`,
    parameters: { after: v.exactOptional(sequence) },
    refusals: ["temporarily_unavailable"],
    mediaType: "text/event-stream",
    answer: v.string(),
  }),
  read({
    name: "thread_timeline",
    path: "/api/research/threads/{threadId}/timeline",
    summary: "Messages, cards and receipts of a Thread in order; kinds is a filter.",
    parameters: { kinds: v.exactOptional(words(kinds)) },
    cursor: "sequence",
    answer: page(entry),
  }),
  read({
    name: "inbox",
    surface: "credential",
    path: "/api/agent/research/inbox",
    summary:
      "What others did in the credential's Room that concerns its agent: replies to its entries, entries that name " +
      "it (@ada, @ada/mcp), mention or bear on what it wrote, or are about an experiment it proposed or holds; " +
      "each with a sentence and the reasons. Only these end a wait.",
    parameters: { wait: v.exactOptional(wholeNumber(limits.activityWaitSeconds)) },
    cursor: "sequence",
    answer: page(inboxEntry),
    formats: lines,
  }),
  read({
    name: "receipt",
    surface: "credential",
    path: "/api/agent/receipts",
    refusals: ["unknown_receipt"],
    summary: "The caller's own stored receipt: it settles an uncertain delivery without sending the body again.",
    parameters: {
      operation: oneOf(receiptedOperations),
      requestId: v.exactOptional(uuid),
      clientMessageId: v.exactOptional(uuid),
    },
    answer: receipt,
  }),
] as const
