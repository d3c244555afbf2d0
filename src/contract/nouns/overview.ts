/** What spans everything: search, briefs, similar work, provenance, citation, and a Room as a file. */
import * as v from "valibot"
import { shape, text, oneOf, plain, agentName, time, uuid } from "../schema/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { id, optionalText, freeText, count, at, optionalFreeText } from "../answers/fields.ts"
import { author, schemaVersion, verdict, page } from "../answers/parts.ts"
import { fromOtherRoom, evidenceTally } from "../answers/evidence.ts"
import { howCited, cslItemsOf } from "./people.ts"
import { staleReason, knownThen } from "./checkpoints.ts"
import { numbersCheck } from "../answers/numbers.ts"
import { changedRecord } from "../answers/changed.ts"
import { terms } from "./experiments.ts"
import { keysOf } from "../typed.ts"
import { between, words, wholeNumber } from "../definitions/parameters.ts"
import { limits } from "../limits.ts"
import { read, markdown } from "../definitions/read.ts"
import { described } from "../schema/validation.ts"
import { subject } from "../schema/parts.ts"
import { connectPaths } from "../service.ts"
import { similarAnswer } from "../answers/receipts.ts"

const searchHit = shape({
  kind: v.picklist(enumerations.searchKind),
  id,
  label: optionalText,
  /**
   * A one-line title: the wording of a record, the question of an experiment (and of its attempts), the summary of a
   * plan, the title of a Thread (and of its messages), a conclusion, the title of a Room, the name of a person.
   */
  title: freeText,
  /** Where it was written; null for a person. A Room has no Thread. */
  roomId: optionalText,
  threadId: optionalText,
  /** Its entry in the timeline; null for a Thread, a Room and a person. */
  entryId: optionalText,
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
  standing: optionalText,
  /** For a finding: its present effects, in a sentence each. */
  effects: v.exactOptional(v.array(freeText)),
  replacedBy: v.nullable(shape({ versionId: id, label: v.string(), ...fromOtherRoom })),
})

const provenanceNode = shape({
  id,
  kind: v.picklist(enumerations.provenanceNode),
  label: optionalText,
  title: freeText,
  /** The Room in which it was made. Nodes of other Rooms are in the graph if this Room names them. */
  roomId: id,
  ...fromOtherRoom,
  /**
   * The standing of a record, the status of an experiment or attempt, the obtainability of a material; `withdrawn` for
   * a link whose author withdrew it: its edges no longer count.
   */
  status: optionalText,
  /** The outcome of a finding or attempt, the verdict of a finding link on the question. */
  outcome: optionalText,
})
const provenanceEdge = shape({ from: id, to: id, kind: v.picklist(enumerations.provenanceEdge) })

const provenance = shape({
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

const roomCitation = shape({
  schemaVersion,
  key: v.string(),
  title: freeText,
  /** Its owner first, then the members in the order in which they joined. */
  authors: v.array(v.string()),
  /** The same people, with everything about how they want to be cited. */
  people: v.array(shape({ userId: id, username: v.string(), ...howCited })),
  /** An SPDX id; null if no licence is stated. */
  license: optionalText,
  createdAt: v.string(),
  /** The last entry of the activity that the citation covers. */
  throughSequence: count,
  url: v.string(),
})
const roomCslItems = cslItemsOf("collection", {})

// A brief: a Room or Thread in one small read.

const object = shape({ kind: v.string(), id, label: optionalText })

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
  agent: optionalText,
  until: at,
  note: optionalFreeText,
})

const failureFields = {
  kind: v.picklist(enumerations.failureKind),
  id,
  label: optionalText,
  why: freeText,
  at: v.string(),
  /** Who registered the failed attempt, or retracted the record. */
  by: v.string(),
  agent: optionalText,
}
/** A failure in a list of its own, with its place among all failures in its Room. */
const failure = shape({ ...failureFields, sequence: count, threadId: id })

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
      agent: optionalText,
      at: v.string(),
      stale: v.boolean(),
      staleReasons: v.array(staleReason),
      /** Left out of the smallest briefs, as are those members of findings that say nothing there. */
      knownThen: v.exactOptional(v.array(knownThen)),
      /** The reviews in a sentence, or "not reviewed". */
      reviewed: v.string(),
      /** How many of its numbers are in the record, and which are not, in a sentence; null without numbers. */
      numbers: optionalText,
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
      verdictBy: optionalText,
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
      reviewed: v.exactOptional(optionalText),
      /** What to know about the runs behind it, in a sentence; null if there is nothing. */
      blemishes: v.exactOptional(optionalText),
      by: v.string(),
      agent: optionalText,
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
      label: optionalText,
      says: optionalFreeText,
      why: freeText,
      linkId: id,
      by: v.string(),
      agent: optionalText,
      part: v.exactOptional(freeText),
    }),
  ),
  work: v.array(
    shape({
      experimentId: id,
      label: v.string(),
      question: freeText,
      status: v.picklist(enumerations.experimentStatus),
      assignee: optionalText,
      agent: optionalText,
      /** The terms on which it is held. After they have lapsed, others may take the experiment over. */
      ...terms,
      /** The time of the last activity on an assigned experiment that has gone silent. */
      silentSince: optionalText,
    }),
  ),
  /** The current claims of agents; the one that lasts longest is first. */
  claims: v.array(claim),
  /** Steps that nobody has claimed, holds or is taking. */
  next: v.array(nextItem),
  openQuestions: v.array(shape({ question: freeText, threadId: id })),
  /** The newest messages. Older ones are not counted. */
  messages: v.array(shape({ entryId: id, threadId: id, says: freeText, by: v.string(), agent: optionalText, at })),
}
/** The lists in the order in which a brief has them that leaves nothing out. */
export const wholeLists = keysOf(lists)
/** How many items of each list are left out, and where all of them are listed. */
const omitted = v.record(v.string(), shape({ count, link: v.exactOptional(v.string()) }))

const roomBrief = shape({
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
const threadBrief = shape({
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
const nextSteps = shape({
  schemaVersion,
  roomId: id,
  items: v.array(nextItem),
  claims: v.array(claim),
  /** How many more steps of each kind there are. */
  leftOut: v.array(shape({ what: v.picklist(enumerations.nextStep), count })),
})

const budget = v.exactOptional(
  between(limits.briefMin, limits.briefMax, limits.brief, "The maximum size of the answer in bytes."),
)

/** The states of the objects that search finds. */
const standings = [
  ...new Set([
    ...enumerations.recordStatus,
    ...enumerations.experimentStatus,
    ...enumerations.attemptStatus,
    ...enumerations.questionVerdict,
    ...enumerations.linkKind,
    ...enumerations.checkpointState,
  ]),
]

export const overviewReads = [
  read({
    name: "search",
    costly: true,
    path: "/api/research/search",
    summary:
      "Full-text search over all content, best match first; if very many texts match, the newest are ranked. " +
      "Fallen records come after all others. Every word must occur, words in quotes as a phrase, and the last word " +
      "may be incomplete. A label or an id finds its object, a name its person (with roomId, a member of that " +
      "Room), a commit or an arXiv id what names it, newest first. status, agent and since filter the best " +
      "matches. Snippets are HTML with mark elements only.",
    parameters: {
      query: described(text(limits.searchQuery), "The words to search for; punctuation is ignored."),
      roomId: v.exactOptional(subject("room")),
      kinds: v.exactOptional(words(enumerations.searchKind)),
      status: v.exactOptional(oneOf(standings)),
      author: v.exactOptional(described(plain(limits.name), "A person's id or username.")),
      agent: v.exactOptional(agentName),
      since: v.exactOptional(time),
    },
    cursor: "offset",
    answer: page(searchHit, {
      /** If nothing was found: the query with each unknown word corrected by one letter, if that finds something. */
      didYouMean: optionalText,
    }),
  }),
  read({
    name: "room_brief",
    costly: true,
    path: connectPaths.room_brief,
    summary:
      "A Room in one small read, never longer than its budget: the state of each question, hypotheses with their " +
      "evidence, findings, what failed and why, disputes, work, what to do next, open questions. " +
      "Items that are left out are counted, with a link to the whole list.",
    parameters: { budget },
    formats: markdown,
    answer: roomBrief,
  }),
  read({
    name: "thread_brief",
    costly: true,
    path: "/api/research/threads/{threadId}/brief",
    summary: "A Thread in one small read, in the form of a Room's brief.",
    parameters: { budget },
    formats: markdown,
    answer: threadBrief,
  }),
  read({
    name: "room_failures",
    path: "/api/research/rooms/{roomId}/failures",
    summary: "What failed in a Room and why, newest first: failed and diverged attempts, retractions.",
    cursor: "sequence",
    answer: page(failure),
  }),
  read({
    name: "room_next",
    path: "/api/research/rooms/{roomId}/next",
    summary:
      "What would advance a Room: each step with the reason, the operation for it, the permission it needs, " +
      "and the start of its body.",
    answer: nextSteps,
  }),
  read({
    name: "room_similar",
    path: "/api/research/rooms/{roomId}/similar",
    summary:
      "Similar work among a Room's hypotheses, experiments, findings and attempts, with its outcomes: " +
      "similar to a text or to one of these objects. For an attempt, also attempts with the same commit, " +
      "argv and configuration. Words are compared, with rare ones weighted most; " +
      "other forms of a word and other words for the same thing are not found.",
    parameters: {
      text: v.exactOptional(
        described(text(limits.explanation), "What you plan to propose, in a sentence or more. Required without like."),
      ),
      like: v.exactOptional(described(uuid, "The id of an object in this Room, instead of a text.")),
    },
    answer: similarAnswer,
  }),
  read({
    name: "room_provenance",
    costly: true,
    path: "/api/research/rooms/{roomId}/provenance",
    summary:
      "What rests on what in a Room, as nodes and edges: hypotheses, experiments, plans, attempts, findings, " +
      "claims, materials and links. With focus, only what is within depth steps (default 1) of one of them. " +
      "Edges are those that this Room states; objects of other Rooms that it names are included as end points.",
    parameters: { focus: v.exactOptional(uuid), depth: v.exactOptional(wholeNumber(limits.provenanceDepth)) },
    answer: provenance,
  }),
  read({
    name: "room_citation",
    path: "/api/research/rooms/{roomId}/citation",
    summary:
      "The citation of a Room in its present state: its owner and members, and the last entry of its activity. " +
      "As BibTeX, RIS, CSL-JSON or CITATION.cff.",
    answer: roomCitation,
    formats: {
      bibtex: { mediaType: "application/x-bibtex", answer: v.string() },
      ris: { mediaType: "application/x-research-info-systems", answer: v.string() },
      csl: { mediaType: "application/vnd.citationstyles.csl+json", answer: roomCslItems },
      cff: { mediaType: "application/yaml", answer: v.string() },
    },
  }),
  read({
    name: "room_export",
    path: "/api/research/rooms/{roomId}/export",
    summary:
      "The whole Room as an RO-Crate 1.2 in a zip: everything accepted, the feed with its digests, and a program " +
      "that verifies them offline. The same state of a Room gives the same bytes.",
    refusals: ["too_many_requests"],
    mediaType: "application/zip",
    answer: v.unknown(),
  }),
  read({
    name: "room_sqlite",
    path: "/api/research/rooms/{roomId}/room.sqlite",
    summary:
      "The Room as one SQLite file for Datasette, DuckDB, pandas and similar programs: " +
      "views of entries, experiments, plans, attempts, measurements, effects, findings, evidence and hypotheses, " +
      "with each column described in the view columns. Its name contains the head of the chain; " +
      "the same state of a Room gives the same bytes.",
    refusals: ["too_many_requests"],
    mediaType: "application/vnd.sqlite3",
    answer: v.unknown(),
  }),
] as const
