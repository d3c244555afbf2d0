/** Checkpoints: what a Thread came to, how far that covers it, and whether it still holds. */
import * as v from "valibot"
import { whole, oneOf, text, list, distinct, uuid, shape } from "../schema/fields.ts"
import { isObject } from "../json.ts"
import { operation } from "../definitions/operation.ts"
import { quoting } from "../definitions/sentence.ts"
import { firstParagraph } from "../text.ts"
import { limits } from "../limits.ts"
import { subject, ref } from "../schema/parts.ts"
import { described } from "../schema/validation.ts"
import { enumerations } from "../schema/enumerations.ts"
import { tableQuestion } from "../definitions/work.ts"
import { pictured } from "../definitions/attachments.ts"
import { id, optionalText, count, at, freeText, optionalFreeText, withPictures } from "../answers/fields.ts"
import { fromOtherRoom } from "../answers/evidence.ts"
import { author, schemaVersion } from "../answers/parts.ts"
import { reviewed, review } from "./reviews.ts"
import { archive } from "./rooms.ts"
import { recordNumbers } from "../answers/numbers.ts"
import { relatedFields } from "./record-answers.ts"
import { keptTable } from "../answers/measurements.ts"
import { changedFields } from "../answers/changed.ts"
import { read } from "../definitions/read.ts"

/** A sequence as it was read. `{"$after": 57}` becomes a number only in one request with several writes. */
const readSequence = whole(0, ({ input }) =>
  isObject(input) && "$after" in input
    ? 'must be a number: {"$after": 57} works only in one request with several writes, and takes a whole number'
    : "must be a number",
)

export const postResearchCheckpoint = operation({
  name: "post_research_checkpoint",
  sentence: ({ state, answer, synthesis, conclusion = synthesis }) =>
    (state === "concluded" ? "concluded" : "summed up") +
    quoting(answer ?? firstParagraph(state === "concluded" ? conclusion : synthesis), limits.answer),
  summary:
    "Posts a synthesis that covers a Thread up to a timeline sequence, open or concluded; " +
    "refused if the Thread has changed since you read it.",
  permissions: ["post_thread"],
  target: "checkpoint",
  entry: { kind: "post_research_checkpoint", form: "card" },
  expected: ["expectedWatermark"],
  requiredWhen: [{ field: "conclusion", when: { field: "state", in: ["concluded"] } }],
  onlyWhen: [{ field: "conclusion", when: { field: "state", in: ["concluded"] } }],
  fields: {
    threadId: subject("thread"),
    expectedWatermark: described(readSequence, "The Thread's timelineWatermark: the sequence of its newest entry."),
    coversThrough: readSequence,
    state: oneOf(enumerations.checkpointState),
    synthesis: text(limits.message),
    answer: v.exactOptional(
      described(text(limits.answer), "The answer in two sentences, for whoever reads only that."),
    ),
    table: v.exactOptional(described(tableQuestion, "The measurement table that it rests on, kept as it is now.")),
    openQuestions: list(text(limits.statement), limits.openQuestions),
    conclusion: v.exactOptional(text(limits.statement)),
    citations: distinct(ref("record"), limits.citations),
    ...pictured,
  },
  result: {
    checkpointId: uuid,
    state: oneOf(enumerations.checkpointState),
    /** The previous checkpoint, if this one covers less or reopens its conclusion. */
    supersedesCheckpointId: v.nullable(uuid),
    label: v.null(),
  },
  example: {
    threadId: "0198f3a0-0000-7000-8000-000000000002",
    expectedWatermark: 12,
    coversThrough: 12,
    state: "open",
    synthesis: "Both arms ran; the difference is larger than predicted. The cause is not settled.",
    openQuestions: ["Does the difference remain with gradient clipping?"],
    citations: ["0198f3a0-0000-7000-8000-000000000009"],
  },
  otherExamples: [
    {
      threadId: "0198f3a0-0000-7000-8000-000000000002",
      expectedWatermark: 20,
      coversThrough: 20,
      state: "concluded",
      synthesis: "Three seeds an arm agree, also with gradient clipping.",
      answer: "Warm-up lowers the loss by 0.07 nats at this size. Larger sizes are open.",
      table: { metric: "loss", by: ["arm"], over: "seed", against: "arm:baseline" },
      conclusion: "At this size warm-up lowers the loss by 0.07 nats.",
      openQuestions: [],
      citations: ["0198f3a0-0000-7000-8000-000000000009"],
    },
  ],
})

export const staleReason = shape({
  code: v.picklist(enumerations.staleReason),
  versionId: v.exactOptional(id),
  label: v.exactOptional(v.string()),
  status: v.exactOptional(v.picklist(enumerations.recordStatus)),
  ...fromOtherRoom,
})
export type StaleReason = v.InferOutput<typeof staleReason>

/** A cited record that was fallen or doubted when the checkpoint was written, and still is. */
export const knownThen = shape({
  versionId: id,
  label: v.string(),
  status: v.picklist(enumerations.recordStatus),
  /** The link that made it so, or the fallen record on which it rests. */
  by: shape({
    kind: v.string(),
    id,
    label: v.string(),
    author: v.exactOptional(shape({ userId: id, username: v.string(), agent: optionalText })),
    ...fromOtherRoom,
  }),
  ...fromOtherRoom,
})
export type KnownThen = v.InferOutput<typeof knownThen>
/** "F4 was already corrected then (L2)": what the author of a checkpoint knew of a record that it cites. */
export const knownThenSentence = ({ label, status, by }: KnownThen): string =>
  by.kind === "link"
    ? `${label} was already ${status} then (${by.label}).`
    : `${label} already rested on ${by.label} then, which had fallen.`

/** The sentence for each reason, without the label of the record at its start. */
const stale: { readonly [C in StaleReason["code"]]: (reason: StaleReason) => string } = {
  published_since: () => " was published since.",
  not_covered: () => " was published before it, but is beyond what it covers.",
  citation_fallen: ({ status = "no longer current" }) => `, which it cites, is ${status}.`,
  citation_in_doubt: () => ", which it cites, rests on a record that no longer holds.",
}
export const staleBecause = (reason: StaleReason): string => stale[reason.code](reason)

/** The whole sentence, with the label. */
export const staleSentence = (reason: StaleReason): string => `${reason.label ?? "A record"}${staleBecause(reason)}`

const checkpointFields = {
  checkpointId: id,
  roomId: id,
  threadId: id,
  entryId: id,
  sequence: count,
  author,
  at,
  state: v.picklist(enumerations.checkpointState),
  coversThrough: count,
  synthesis: freeText,
  openQuestions: v.array(freeText),
  conclusion: optionalFreeText,
  /** What its author would say in two sentences. */
  answer: optionalFreeText,
  /** The previous checkpoint, if this one covers less or reopens its conclusion. */
  supersedesCheckpointId: v.nullable(id),
  /** Whether it is the newest of its Thread. */
  selected: v.boolean(),
  /** Whether it is concluded and something in staleReasons has happened since. */
  stale: v.boolean(),
  staleReasons: v.array(staleReason),
  /** What was fallen or doubted when it was written: a note, and no reason to renew it. */
  knownThen: v.array(knownThen),
  reviewed,
  archive: v.nullable(archive),
  contentDigest: v.string(),
}
export const checkpointSummary = shape(checkpointFields)
export type CheckpointSummary = v.InferOutput<typeof checkpointSummary>
const checkpoint = shape({
  schemaVersion,
  ...checkpointFields,
  /** Its entry in the Room's activity: a read as of that entry shows the Room as the checkpoint found it. */
  activitySequence: count,
  numbersCheck: recordNumbers,
  citations: v.array(shape(relatedFields)),
  /** The measurement table that it rests on; null if it names none. */
  table: v.nullable(keptTable),
  /** What happened to the records that it cites. */
  ...changedFields,
  ...withPictures,
  /** With include=content: what was accepted, which the digest covers. It repeats the members above. */
  content: v.exactOptional(v.record(v.string(), v.unknown())),
  /** Its newest reviews, including withdrawn ones. */
  reviews: v.array(review),
})

export const checkpointReads = [
  read({
    name: "checkpoint",
    // Its numbers are looked up in the record.
    costly: true,
    path: "/api/research/checkpoints/{checkpointId}",
    summary:
      "One checkpoint, whether it is selected, and whether it is stale. include=content adds what was accepted, " +
      "which the digest covers.",
    parameters: { include: v.exactOptional(oneOf(["content"])) },
    answer: checkpoint,
  }),
] as const
