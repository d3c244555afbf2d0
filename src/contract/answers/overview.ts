/** The answers of the reads that span everything: search, provenance, the citation of a Room, and briefs. */
import * as v from "valibot"
import { count, id, optionalText as text, freeText, at, optionalFreeText } from "./fields.ts"
import { cslItemsOf, described } from "./description.ts"
import { author, schemaVersion, verdict } from "./parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { keysOf } from "../typed.ts"
import { fromOtherRoom, evidenceTally, knownThen, staleReason } from "./evidence.ts"
import { shape } from "../schema/fields.ts"
import { changedRecord } from "./changed.ts"
import { terms } from "./experiments.ts"
import { numbersCheck } from "./numbers.ts"

export const searchHit = shape({
  kind: v.picklist(enumerations.searchKind),
  id,
  label: text,
  /**
   * A one-line title: the wording of a record, the question of an experiment (and of its attempts), the summary of a
   * plan, the title of a Thread (and of its messages), a conclusion, the title of a Room, the name of a person.
   */
  title: freeText,
  /** Where it was written; null for a person. A Room has no Thread. */
  roomId: text,
  threadId: text,
  /** Its entry in the timeline; null for a Thread, a Room and a person. */
  entryId: text,
  /** Who wrote it; for a person, the person. */
  author,
  at: v.string(),
  /** The present status of a record; null for everything else. */
  status: v.nullable(v.picklist(enumerations.recordStatus)),
  /** HTML: the matching passage, escaped except for `<mark>` and `</mark>` around the words. */
  snippet: v.string(),
  /**
   * Its present state: the status of a record, experiment or attempt, the verdict of a finding link, the kind of a
   * link, the state of a checkpoint.
   */
  standing: text,
  /** For a finding: its present effects, in a sentence each. */
  effects: v.exactOptional(v.array(freeText)),
  replacedBy: v.nullable(shape({ versionId: id, label: v.string(), ...fromOtherRoom })),
})

const provenanceNode = shape({
  id,
  kind: v.picklist(enumerations.provenanceNode),
  label: text,
  title: freeText,
  /** The Room in which it was made. Nodes of other Rooms are in the graph if this Room names them. */
  roomId: id,
  ...fromOtherRoom,
  /**
   * The standing of a record, the status of an experiment or attempt, the obtainability of a material; `withdrawn` for
   * a link whose author withdrew it: its edges no longer count.
   */
  status: text,
  /** The outcome of a finding or attempt, the verdict of a finding link on the question. */
  outcome: text,
})
const provenanceEdge = shape({ from: id, to: id, kind: v.picklist(enumerations.provenanceEdge) })

export const provenance = shape({
  schemaVersion,
  roomId: id,
  focus: v.nullable(id),
  nodes: v.array(provenanceNode),
  /** Each edge points from what was made later to what it is about, rests on or was made with. */
  edges: v.array(provenanceEdge),
  /** For each kind of node that was cut to its newest, the list with all of them. */
  truncated: v.record(v.string(), v.string()),
  activityWatermark: count,
})

export const roomCitation = shape({
  schemaVersion,
  key: v.string(),
  title: freeText,
  /** Its owner first, then the members in the order in which they joined. */
  authors: v.array(v.string()),
  /** The same people, with everything about how they want to be cited. */
  people: v.array(shape({ userId: id, username: v.string(), ...described })),
  /** An SPDX id; null if no licence is stated. */
  license: text,
  createdAt: v.string(),
  /** The last entry of the activity that the citation covers. */
  throughSequence: count,
  url: v.string(),
})
export const roomCslItems = cslItemsOf("collection", {})

// A brief: a Room or Thread in one small read.

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
/** The lists in the order in which a brief has them that leaves nothing out. */
export const wholeLists = keysOf(lists)
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
