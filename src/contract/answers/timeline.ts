/** What is answered of Threads, of their timelines and of the activity of Rooms. */
import * as v from "valibot"
import { shownFigures } from "./figures.ts"
import { at, count, id, optionalSaid, said, client, recordKind, recordStatus, roomState, withdrawn } from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { evidenceTally, fromOtherRoom } from "./evidence.ts"
import { oneOf, shape } from "../schema/fields.ts"
import { author, person, target, schemaVersion } from "./parts.ts"
import { notice } from "./publications.ts"
import { reviewed } from "./reviews.ts"
import { archive, roomOrigin, roomAdopted } from "./rooms.ts"

const threadFields = {
  threadId: id,
  roomId: id,
  /** Its place among the Threads of its Room; the cursor of the list. */
  sequence: count,
  title: said,
  author: person,
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

const message = shape({ text: said, clientMessageId: id, figures: shownFigures, client })

const recordCard = shape({
  versionId: id,
  kind: recordKind,
  label: v.string(),
  roomId: id,
  wording: said,
  contentDigest: v.string(),
  ...fromOtherRoom,
  reused: v.boolean(),
  note: optionalSaid,
  client,
  status: recordStatus,
  notices: v.array(notice),
  evidenceTally,
  /** Of a finding. */
  reviewed: v.exactOptional(reviewed),
})

const findingLinkCard = shape({
  linkId: id,
  experimentId: id,
  experimentLabel: v.string(),
  versionId: id,
  kind: v.literal("finding"),
  label: v.string(),
  ...fromOtherRoom,
  wording: said,
  attemptId: v.nullable(id),
  towardHypothesis: v.array(v.unknown()),
  towardQuestion: v.unknown(),
  client,
  status: recordStatus,
  notices: v.array(notice),
  /** Its author took the link back: it no longer counts. */
  withdrawn: v.exactOptional(withdrawn),
})

const checkpointCard = shape({
  checkpointId: id,
  state: v.picklist(enumerations.checkpointState),
  coversThrough: count,
  synthesis: said,
  openQuestions: v.array(said),
  conclusion: optionalSaid,
  client,
  reviewed,
})

/** What each kind of card in a timeline shows. */
export const cards = { publication: recordCard, link_experiment_finding: findingLinkCard, post_research_checkpoint: checkpointCard }

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
  room: shape({
    roomId: id,
    title: said,
    state: roomState,
    archive: v.nullable(archive),
    origin: v.nullable(roomOrigin),
    adopted: roomAdopted,
  }),
  /** The card or message it follows up, where it follows one. */
  follows: v.nullable(entry),
  /** The newest entries, oldest first. */
  recent: v.array(entry),
  generatedAt: at,
})

export const activityEntry = shape({
  sequence: count,
  kind: v.string(),
  at,
  /** With `agent` of entries from since agents have names: the digest seals it. */
  actor: shape({ ...person.entries, agent: v.exactOptional(v.nullable(v.string())) }),
  operation: v.string(),
  target,
  threadId: v.nullable(id),
  entryId: v.nullable(id),
  contentDigest: v.string(),
  digest: v.string(),
  previousDigest: v.string(),
  /** With include, and outside of the digest: what happened in one sentence, and what was accepted; null where that is not kept. */
  summary: v.exactOptional(v.string()),
  content: v.exactOptional(v.nullable(v.record(v.string(), v.unknown()))),
  /** As a crate holds it, with whom it names besides its actor, and the Rooms of which it names something, through which entry. */
  write: v.exactOptional(v.nullable(v.record(v.string(), v.unknown()))),
})

export type ActivityEntry = v.InferOutput<typeof activityEntry>

/** An entry that concerns an agent, with why. */
export const inboxEntry = shape({
  ...activityEntry.entries,
  summary: v.string(),
  /** Each with what is its own, null for its name. At most five. */
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
