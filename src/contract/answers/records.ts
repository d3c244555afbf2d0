/** The answers of the reads of links, checkpoints and contexts. */
import * as v from "valibot"
import { changedFields } from "./changed.ts"
import { recordNumbers } from "./numbers.ts"
import {
  answered,
  at,
  count,
  id,
  optionalFreeText,
  optionalText as text,
  pictured,
  freeText,
  recordStatus,
  withdrawn,
} from "./fields.ts"
import { archive, roomSummary, roomOfThread } from "./rooms.ts"
import { notice, recordSummary, relatedFields } from "./publications.ts"
import { author, schemaVersion } from "./parts.ts"
import { keptTable } from "./measurements.ts"
import { review, reviewAnswer, reviewed } from "./reviews.ts"
import { thread } from "./timeline.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom, knownThen, staleReason } from "./evidence.ts"
import { shape } from "../schema/fields.ts"
import { warning } from "./advice.ts"
import { experimentSummary } from "./experiments.ts"

const related = shape(relatedFields)
const { notices: _notices, ...namedFields } = relatedFields

const researchLinkFields = {
  linkId: id,
  kind: v.picklist(enumerations.linkKind),
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  author,
  at,
  explanation: freeText,
  /** Without its notices, which are below. */
  target: shape(namedFields),
  replacement: v.nullable(related),
  /** The present status of the target. */
  status: recordStatus,
  notices: v.array(notice),
  /** If its author withdrew it: it stays readable but no longer counts. */
  withdrawn: v.nullable(withdrawn),
  /** For a dispute: what the record's author answered it with. */
  answered: v.nullable(answered),
  content: v.record(v.string(), v.unknown()),
  contentDigest: v.string(),
}
export const researchLink = shape(researchLinkFields)
export type ResearchLink = v.InferOutput<typeof researchLink>

const findingLinkFields = {
  linkId: id,
  kind: v.literal("finding_link"),
  roomId: id,
  experimentId: id,
  experimentLabel: v.string(),
  finding: shape({ ...relatedFields, outcome: text }),
  attemptId: v.nullable(id),
  attemptLabel: text,
  author,
  at,
  towardQuestion: shape({ verdict: v.picklist(enumerations.questionVerdict), explanation: freeText }),
  towardHypothesis: v.array(
    shape({
      versionId: id,
      label: v.string(),
      status: recordStatus,
      verdict: v.picklist(enumerations.hypothesisVerdict),
      explanation: freeText,
      /** The part of the hypothesis that the verdict is on; left out for all of it. */
      part: v.exactOptional(freeText),
      ...fromOtherRoom,
    }),
  ),
  card: shape({ entryId: id, threadId: id }),
  replies: count,
  /** Everybody except the author who replied to its card. */
  reviewedBy: v.array(v.string()),
  withdrawn: v.nullable(withdrawn),
}
export const findingLink = shape(findingLinkFields)
export type FindingLink = v.InferOutput<typeof findingLink>

/** A link of any kind. */
export const link = v.variant("kind", [
  shape({ schemaVersion, ...researchLinkFields, warnings: v.array(warning) }),
  shape({ schemaVersion, ...findingLinkFields }),
  reviewAnswer,
])

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
const checkpointSummary = shape(checkpointFields)
export type CheckpointSummary = v.InferOutput<typeof checkpointSummary>
export const checkpoint = shape({
  schemaVersion,
  ...checkpointFields,
  /** Its entry in the Room's activity: a read as of that entry shows the Room as the checkpoint found it. */
  activitySequence: count,
  numbersCheck: recordNumbers,
  citations: v.array(related),
  /** The measurement table that it rests on; null if it names none. */
  table: v.nullable(keptTable),
  /** What happened to the records that it cites. */
  ...changedFields,
  ...pictured,
  /** With include=content: what was accepted, which the digest covers. It repeats the members above. */
  content: v.exactOptional(v.record(v.string(), v.unknown())),
  /** Its newest reviews, including withdrawn ones. */
  reviews: v.array(review),
})

/**
 * An answer of which a reader may ask for some members. All members are there if none are chosen, so its type has all
 * of them; the tests validate answers against both forms.
 */
const inParts = <E extends v.ObjectEntries>(entries: E, always: readonly (keyof E)[], more: v.ObjectEntries) => {
  const parts = Object.fromEntries(
    Object.entries(entries).map(([name, schema]) => [
      name,
      always.includes(name) ? schema : v.exactOptional(more[name] ?? schema),
    ]),
  )
  return v.union([shape(entries), shape(parts)]) as v.GenericSchema as ReturnType<typeof shape<E>>
}
const { affordances: _affordances, ...bareExperiment } = experimentSummary.entries
/** With affordances=0. */
const withoutAffordances = { experiments: v.array(v.union([experimentSummary, shape(bareExperiment)])) }

const openQuestion = shape({ question: freeText, checkpointId: id, threadId: id })
export type OpenQuestion = v.InferOutput<typeof openQuestion>
const lists = {
  experiments: v.array(experimentSummary),
  hypotheses: v.array(recordSummary),
  findingLinks: v.array(findingLink),
  publications: v.array(recordSummary),
  /** For each list that was cut to its newest items, where it continues. */
  truncated: v.record(v.string(), v.string()),
  openQuestions: v.array(openQuestion),
}

const roomContextFields = {
  schemaVersion,
  room: roomSummary,
  counts: roomSummary.entries.counts,
  threads: v.array(thread),
  ...lists,
  concluded: v.boolean(),
  conclusion: v.nullable(checkpointSummary),
  /** The selected checkpoint of every Thread in which it is concluded. */
  conclusions: v.array(checkpointSummary),
  /** The selected checkpoint of every Thread in which it is open. */
  syntheses: v.array(checkpointSummary),
  activityWatermark: count,
}
const always = ["schemaVersion", "truncated", "activityWatermark"] as const
export const roomContext = inParts(roomContextFields, always, withoutAffordances)

const threadContextFields = {
  schemaVersion,
  thread,
  room: shape(roomOfThread),
  checkpoint: v.nullable(checkpointSummary),
  ...lists,
  timelineWatermark: count,
  activityWatermark: count,
}
export const threadResearchContext = inParts(threadContextFields, [...always, "timelineWatermark"], withoutAffordances)

const partsOf = (fields: object, beyond: readonly string[]) =>
  Object.keys(fields).filter((name) => !beyond.includes(name))
/** The blocks that `parts` can select: every member that is not always there. */
export const contextParts = {
  room: partsOf(roomContextFields, always),
  thread: partsOf(threadContextFields, [...always, "timelineWatermark"]),
}
