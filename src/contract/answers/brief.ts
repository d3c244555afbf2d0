/** The answer of a brief: a Room or Thread in one small read. */
import * as v from "valibot"
import { changedRecord } from "./changed.ts"
import { terms } from "./experiments.ts"
import { at, count, id, optionalFreeText, optionalText as text, freeText } from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { evidenceTally, knownThen, staleReason } from "./evidence.ts"
import { numbersCheck } from "./numbers.ts"
import { verdict, schemaVersion } from "./parts.ts"
import { shape } from "../schema/fields.ts"

const object = shape({ kind: v.string(), id, label: text })

/** The lists of a brief, in their order. */
export const briefLists = [
  "stands",
  "disputes",
  "findings",
  "changed",
  "failures",
  "work",
  "claims",
  "next",
  "hypotheses",
  "openQuestions",
  "messages",
] as const
export type BriefList = (typeof briefLists)[number]

const nextItem = shape({
  what: v.picklist(enumerations.nextStep),
  object,
  why: freeText,
  operation: v.string(),
  permission: v.string(),
  /** The body of the operation, filled in as far as possible. */
  body: v.record(v.string(), v.unknown()),
})

const claim = shape({
  claimId: id,
  what: v.picklist(enumerations.claimedWork),
  object,
  by: v.string(),
  agent: text,
  until: at,
  note: optionalFreeText,
})

const failureFields = {
  kind: v.picklist(enumerations.failureKind),
  id,
  label: text,
  why: freeText,
  at: v.string(),
  /** Who registered the failed attempt, or retracted the record. */
  by: v.string(),
  agent: text,
}
/** A failure in a list of its own, with its place among all failures in its Room. */
export const failure = shape({ ...failureFields, sequence: count, threadId: id })

/** Whether it rests on something that has fallen. */
const inDoubt = v.boolean()

const lists = {
  /** Each Thread's conclusion, or its newest synthesis, and what makes it stale. */
  stands: v.array(
    shape({
      threadId: id,
      title: freeText,
      checkpointId: id,
      state: v.picklist(enumerations.checkpointState),
      /** The answer or, without one, the first whole paragraph of the conclusion or the synthesis. */
      says: freeText,
      /** The table that it rests on, in Markdown: each difference with half of its 95 % interval. */
      table: v.exactOptional(freeText),
      by: v.string(),
      agent: text,
      at: v.string(),
      stale: v.boolean(),
      staleReasons: v.array(staleReason),
      /** Left out of the smallest briefs, as are those members of findings that say nothing there. */
      knownThen: v.exactOptional(v.array(knownThen)),
      /** The reviews in a sentence, or "not reviewed". */
      reviewed: v.string(),
      /** How many of its numbers are in the record, and which are not, in a sentence; null without numbers. */
      numbers: text,
      /** The same as counts. Left out of the smallest briefs. */
      numbersCheck: v.exactOptional(numbersCheck),
    }),
  ),
  /** Contested ones first, then those with evidence, then those with no counted evidence. */
  hypotheses: v.array(
    shape({
      versionId: id,
      label: v.string(),
      says: freeText,
      verdict: verdict.verdict,
      /** The basis of the verdict and the newest counted statement, in a sentence; null if none counts. */
      verdictBy: text,
      status: v.picklist(enumerations.recordStatus),
      evidence: evidenceTally,
      inDoubt,
    }),
  ),
  /**
   * Findings that have not fallen, whatever their outcome, the newest first. Failed reproductions show in the evidence.
   */
  findings: v.array(
    shape({
      versionId: id,
      label: v.string(),
      outcome: v.picklist(enumerations.findingOutcome),
      says: freeText,
      /**
       * Its present effects, in a sentence each; if there is little room, the first ones and how many more there are.
       */
      effects: v.exactOptional(v.array(v.string())),
      omittedEffects: v.exactOptional(count),
      status: v.exactOptional(v.picklist(enumerations.recordStatus)),
      evidence: v.exactOptional(evidenceTally),
      /** The evidence in words, in its place in the smallest briefs. */
      tally: v.exactOptional(v.string()),
      inDoubt: v.exactOptional(inDoubt),
      /** The reviews in a sentence; null if nobody else has reviewed it. */
      reviewed: v.exactOptional(text),
      /** What to know about the runs behind it, in a sentence; null if there is nothing. */
      blemishes: v.exactOptional(text),
      by: v.string(),
      agent: text,
    }),
  ),
  /** What happened to records since: corrected, replaced, doubted; the newest first. */
  changed: v.array(changedRecord),
  failures: v.array(shape(failureFields)),
  /** Disputes, and objections in reviews, that nothing has answered. */
  disputes: v.array(
    shape({
      source: v.picklist(["dispute", "review"]),
      kind: v.string(),
      id,
      label: text,
      says: optionalFreeText,
      why: freeText,
      linkId: id,
      by: v.string(),
      agent: text,
      part: v.exactOptional(freeText),
    }),
  ),
  work: v.array(
    shape({
      experimentId: id,
      label: v.string(),
      question: freeText,
      status: v.picklist(enumerations.experimentStatus),
      assignee: text,
      agent: text,
      /** The terms on which it is held. After they have lapsed, others may take the experiment over. */
      ...terms,
      /** The time of the last activity on an assigned experiment that has gone silent. */
      silentSince: text,
    }),
  ),
  /** The current claims of agents; the one that lasts longest is first. */
  claims: v.array(claim),
  /** Steps that nobody has claimed, holds or is taking. */
  next: v.array(nextItem),
  openQuestions: v.array(shape({ question: freeText, threadId: id })),
  /** The newest messages. Older ones are not counted. */
  messages: v.array(shape({ entryId: id, threadId: id, says: freeText, by: v.string(), agent: text, at })),
}
/** How many items of each list are left out, and where all of them are listed. */
const omitted = v.record(v.string(), shape({ count, link: v.exactOptional(v.string()) }))

export const roomBrief = shape({
  schemaVersion,
  room: shape({
    roomId: id,
    title: freeText,
    question: optionalFreeText,
    openingThreadId: id,
    state: v.picklist(enumerations.roomState),
    concluded: v.boolean(),
  }),
  /** Where no checkpoint has a table: that of the newest finding's metric and baseline over the Room, in Markdown. */
  table: v.exactOptional(freeText),
  /** The reproductions of its newest findings, by code and by who ran them. */
  reproductions: v.exactOptional(v.string()),
  ...lists,
  omitted,
  activityWatermark: count,
})
export const threadBrief = shape({
  schemaVersion,
  thread: shape({ threadId: id, roomId: id, title: freeText, timelineWatermark: count }),
  /** Where no checkpoint has a table: that of the newest finding's metric and baseline over the Room, in Markdown. */
  table: v.exactOptional(freeText),
  /** The reproductions of its newest findings, by code and by who ran them. */
  reproductions: v.exactOptional(v.string()),
  ...lists,
  omitted,
  activityWatermark: count,
})
export const nextSteps = shape({
  schemaVersion,
  roomId: id,
  items: v.array(nextItem),
  claims: v.array(claim),
  /** How many more steps of each kind there are. */
  leftOut: v.array(shape({ what: v.picklist(enumerations.nextStep), count })),
})
