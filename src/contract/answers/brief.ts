/** The answer of a brief: a Room or Thread in one small read. */
import * as v from "valibot"
import { lease } from "./experiments.ts"
import { at, count, dated, id, optionalSaid, optionalText as text, said } from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { evidenceTally, staleReason } from "./evidence.ts"
import { verdict } from "./verdict.ts"
import { shape } from "../schema/fields.ts"
import { schemaVersions } from "../versions.ts"

const schemaVersion = v.literal(schemaVersions.research)
const object = shape({ kind: v.string(), id, label: text })

/** The lists of a brief, in the order in which they stand in it. */
export const briefLists = ["stands", "hypotheses", "findings", "failures", "disputes", "work", "claims", "next", "openQuestions"] as const
export type BriefList = (typeof briefLists)[number]

const nextItem = shape({
  what: v.picklist(enumerations.nextStep),
  object,
  why: said,
  operation: v.string(),
  permission: v.string(),
  /** The body of the operation, as far as it can be begun. */
  body: v.record(v.string(), v.unknown()),
})

/** What an agent says it is working on. */
const claim = shape({
  claimId: id,
  what: v.picklist(enumerations.claimedWork),
  object,
  by: v.string(),
  agent: text,
  until: at,
  note: optionalSaid,
})

const failureFields = {
  kind: v.picklist(enumerations.failureKind),
  id,
  label: text,
  why: said,
  at: v.string(),
  /** Who registered what failed, or retracted it. */
  by: v.string(),
  agent: text,
}
/** What failed, in a list of its own: with its place among all that failed in its Room. */
export const failure = shape({ ...failureFields, sequence: count, threadId: id })

/** It rests on something that has fallen. */
const inDoubt = v.boolean()

const lists = {
  /** Each Thread's conclusion, or its newest synthesis, with what makes it stale. */
  stands: v.array(
    shape({
      threadId: id,
      title: said,
      checkpointId: id,
      state: v.picklist(enumerations.checkpointState),
      says: said,
      by: v.string(),
      agent: text,
      at: v.string(),
      stale: v.boolean(),
      staleReasons: v.array(staleReason),
      /** Who reviewed it and how, in a sentence; "not reviewed". */
      reviewed: v.string(),
    }),
  ),
  /** Contested ones first, then those with evidence, then those that nothing counts for or against. */
  hypotheses: v.array(
    shape({
      versionId: id,
      label: v.string(),
      says: said,
      verdict: verdict.verdict,
      /** Whether effects or words decide it, and the newest word, in a sentence; null where no word counts. */
      verdictBy: text,
      status: v.picklist(enumerations.recordStatus),
      evidence: evidenceTally,
      inDoubt,
    }),
  ),
  /** Those that have not fallen, whatever their outcome, the newest first; a failed reproduction shows in the evidence. */
  findings: v.array(
    shape({
      versionId: id,
      label: v.string(),
      outcome: v.picklist(enumerations.findingOutcome),
      says: said,
      /** What it measured, as that stands now, in a sentence each; where there is little room the first ones, and how many more. */
      effects: v.exactOptional(v.array(v.string())),
      omittedEffects: v.exactOptional(count),
      status: v.picklist(enumerations.recordStatus),
      evidence: evidenceTally,
      inDoubt,
      /** Who reviewed it and how, in a sentence; null while nobody else has. */
      reviewed: text,
      /** What to know of the runs behind it, in a sentence; null where there is nothing. */
      blemishes: text,
      by: v.string(),
      agent: text,
    }),
  ),
  failures: v.array(shape(failureFields)),
  /** What is disputed, or objected to in a review, where nothing has answered that. */
  disputes: v.array(
    shape({
      /** A dispute, or a review that objects. */
      source: v.picklist(["dispute", "review"]),
      kind: v.string(),
      id,
      label: text,
      says: optionalSaid,
      why: said,
      linkId: id,
      by: v.string(),
      agent: text,
      part: v.exactOptional(said),
    }),
  ),
  work: v.array(
    shape({
      experimentId: id,
      label: v.string(),
      question: said,
      status: v.picklist(enumerations.experimentStatus),
      assignee: text,
      agent: text,
      /** Of one that is held on a lease: lapsed, others may take it over. */
      lease: v.exactOptional(lease),
      /** Since when an assigned experiment has had no news. */
      silentSince: text,
    }),
  ),
  /** What agents say they are working on, as long as they claim it; what lasts longest first. */
  claims: v.array(claim),
  /** Nothing that is claimed, held or under way. */
  next: v.array(nextItem),
  openQuestions: v.array(shape({ question: said, threadId: id })),
}
/** How many of each list are left out, and where all of them are listed. */
const omitted = v.record(v.string(), shape({ count, link: v.exactOptional(v.string()) }))

export const roomBrief = shape({
  schemaVersion,
  room: shape({
    roomId: id,
    title: said,
    question: optionalSaid,
    openingThreadId: id,
    state: v.picklist(enumerations.roomState),
    concluded: v.boolean(),
  }),
  ...lists,
  omitted,
  activityWatermark: count,
  ...dated,
})
export const threadBrief = shape({
  schemaVersion,
  thread: shape({ threadId: id, roomId: id, title: said, timelineWatermark: count }),
  ...lists,
  omitted,
  activityWatermark: count,
  ...dated,
})
export const nextSteps = shape({ schemaVersion, roomId: id, items: v.array(nextItem), claims: v.array(claim), ...dated })
