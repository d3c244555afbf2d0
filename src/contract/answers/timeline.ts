/** The answers about Threads, their timelines, and the activity of Rooms. */
import * as v from "valibot"
import {
  pictured,
  at,
  count,
  id,
  optionalFreeText,
  freeText,
  client,
  recordKind,
  recordStatus,
  withdrawn,
} from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { evidenceTally, fromOtherRoom } from "./evidence.ts"
import { oneOf, shape } from "../schema/fields.ts"
import { author, person, target, schemaVersion } from "./parts.ts"
import { notice } from "./publications.ts"
import { reviewed } from "./reviews.ts"
import { roomOfThread } from "./rooms.ts"

const threadFields = {
  threadId: id,
  roomId: id,
  /** Its place among the Threads of its Room; the cursor of the list. */
  sequence: count,
  title: freeText,
  author,
  createdAt: at,
  opening: v.boolean(),
  followsEntryId: v.nullable(id),
  timelineWatermark: count,
  lastActivityAt: at,
  selectedCheckpointId: v.nullable(id),
  stale: v.boolean(),
}

export const thread = shape(threadFields)

export type ThreadSummary = v.InferOutput<typeof thread>

const message = shape({ text: freeText, clientMessageId: id, ...pictured, client })

const recordCard = shape({
  versionId: id,
  kind: recordKind,
  label: v.string(),
  roomId: id,
  wording: freeText,
  contentDigest: v.string(),
  ...fromOtherRoom,
  reused: v.boolean(),
  note: optionalFreeText,
  client,
  status: recordStatus,
  notices: v.array(notice),
  evidenceTally,
  /** For a finding. */
  reviewed: v.exactOptional(reviewed),
  /** For a finding: its present effects, in a sentence each. */
  effects: v.exactOptional(v.array(freeText)),
})

const findingLinkCard = shape({
  linkId: id,
  experimentId: id,
  experimentLabel: v.string(),
  versionId: id,
  kind: v.literal("finding"),
  label: v.string(),
  ...fromOtherRoom,
  wording: freeText,
  attemptId: v.nullable(id),
  towardHypothesis: v.array(v.unknown()),
  towardQuestion: v.unknown(),
  client,
  status: recordStatus,
  notices: v.array(notice),
  /** The finding's present effects, in a sentence each. */
  effects: v.exactOptional(v.array(freeText)),
  /** If its author withdrew the link: it no longer counts. */
  withdrawn: v.exactOptional(withdrawn),
})

const checkpointCard = shape({
  checkpointId: id,
  state: v.picklist(enumerations.checkpointState),
  coversThrough: count,
  synthesis: freeText,
  openQuestions: v.array(freeText),
  conclusion: optionalFreeText,
  /** What its author would say in two sentences. */
  answer: v.exactOptional(optionalFreeText),
  client,
  reviewed,
})

/** The contents of each kind of card in a timeline. */
export const cards = {
  publication: recordCard,
  link_experiment_finding: findingLinkCard,
  post_research_checkpoint: checkpointCard,
}

export type CardKind = keyof typeof cards

export type CardOf<K extends CardKind> = v.InferOutput<(typeof cards)[K]>

const card = v.union(Object.values(cards))

const entryReceipt = shape({ operation: v.string(), target, result: v.record(v.string(), v.unknown()), client })

export const entry = shape({
  entryId: id,
  threadId: id,
  sequence: count,
  kind: v.string(),
  at,
  author,
  replyToEntryId: v.nullable(id),
  replyCount: count,
  message: v.exactOptional(message),
  card: v.exactOptional(card),
  receipt: v.exactOptional(entryReceipt),
})

export type Entry = v.InferOutput<typeof entry>

export const threadContext = shape({
  schemaVersion,
  thread,
  room: shape(roomOfThread),
  /** The card or message that it follows up, if any. */
  follows: v.nullable(entry),
  /** The newest entries, oldest first. */
  recent: v.array(entry),
  generatedAt: at,
})

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
