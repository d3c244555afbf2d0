/** The reads of records, of the concepts that they define, and of links, checkpoints and contexts. */
import * as v from "valibot"
import * as allAnswers from "../answers/index.ts"
import { page, recordSummary } from "../answers/index.ts"
import { enumerations } from "../schema/enumerations.ts"
import { evidenceItem, recordUse } from "../answers/evidence.ts"
import { agentName, oneOf } from "../schema/fields.ts"
import { checkpointCase, recordCase } from "../answers/judging.ts"
import { read } from "../definitions/read.ts"
import { labelPattern, words } from "../definitions/parameters.ts"
import { subject } from "../schema/parts.ts"
import { review } from "../answers/reviews.ts"
import * as answers from "../answers/records.ts"
import { query, recordFilters } from "./shared.ts"

const choosing = (parts: readonly string[]) => ({
  parts: v.exactOptional(words(parts)),
  affordances: v.exactOptional(oneOf(["0", "1"])),
})

export const recordReads = [
  read({
    name: "room_context",
    costly: true,
    path: "/api/research/rooms/{roomId}/research-context",
    summary:
      "A whole Room in one snapshot: its state, every Thread, and the newest experiments, hypotheses, " +
      "findings and publications. Keep its activityWatermark. parts selects some members; " +
      "affordances=0 leaves the affordances out.",
    parameters: choosing(answers.contextParts.room),
    answer: answers.roomContext,
  }),
  read({
    name: "thread_research_context",
    costly: true,
    path: "/api/research/threads/{threadId}/research-context",
    summary: "A Thread with its research, in one snapshot; parts and affordances as for a Room.",
    parameters: choosing(answers.contextParts.thread),
    answer: answers.threadResearchContext,
  }),
  read({
    name: "checkpoint",
    // Its numbers are looked up in the record.
    costly: true,
    path: "/api/research/checkpoints/{checkpointId}",
    summary:
      "One checkpoint, whether it is selected, and whether it is stale. include=content adds what was accepted, " +
      "which the digest covers.",
    parameters: { include: v.exactOptional(oneOf(["content"])) },
    answer: answers.checkpoint,
  }),
  read({
    name: "room_links",
    path: "/api/research/rooms/{roomId}/links",
    summary: "Corrections, supersessions, disputes and retractions of a Room's records.",
    parameters: {
      kind: v.exactOptional(oneOf(enumerations.linkKind)),
      targetVersionId: v.exactOptional(subject("record")),
      targetAuthorId: v.exactOptional(subject("person")),
      agent: v.exactOptional(agentName),
    },
    cursor: "uuid",
    answer: page(answers.researchLink),
  }),
  read({
    name: "room_reviews",
    path: "/api/research/rooms/{roomId}/reviews",
    summary: "Reviews of a Room's findings, checkpoints and plans: who agrees or objects, what they checked, and why.",
    parameters: {
      target: v.exactOptional(subject("finding", "checkpoint", "plan")),
      verdict: v.exactOptional(oneOf(enumerations.reviewVerdict)),
      agent: v.exactOptional(agentName),
    },
    cursor: "uuid",
    answer: page(review),
  }),
  read({
    name: "link",
    path: "/api/research/links/{linkId}",
    summary: "One link: a research link, one that relates a finding to an experiment, or a review.",
    answer: answers.link,
  }),
  read({
    name: "record_evidence",
    path: "/api/research/records/{versionId}/evidence",
    summary:
      "The evidence on a record, newest first: verdicts of finding links, references for or against it, " +
      "reproductions, disputes, corrections and retractions.",
    cursor: "sequence",
    answer: page(evidenceItem),
  }),
  read({
    name: "record_case",
    path: "/api/research/records/{versionId}/case",
    summary:
      "Whether to believe a record, in one read: how many people and commits the evidence for and against it comes " +
      "from, what failed on the way, what is doubted and why, and what would fall with it.",
    answer: recordCase,
  }),
  read({
    name: "checkpoint_case",
    path: "/api/research/checkpoints/{checkpointId}/case",
    summary:
      "Whether to believe a conclusion or synthesis: the records that it cites with the evidence for and against " +
      "each, what failed on the way to them, and what is doubted and why.",
    answer: checkpointCase,
  }),
  read({
    name: "record_uses",
    path: "/api/research/records/{versionId}/uses",
    summary: "Who uses a record and how, newest first.",
    cursor: "sequence",
    answer: page(recordUse),
  }),
  read({
    name: "experiment_findings",
    path: "/api/research/experiments/{experimentId}/findings",
    summary: "The findings related to an experiment, with their verdicts, replies and reviewers.",
    cursor: "uuid",
    answer: page(answers.findingLink),
  }),
  read({
    name: "paper_publications",
    path: "/api/research/papers/{arxivId}/publications",
    summary: "The records of this instance that quote a paper, newest first.",
    cursor: "offset",
    answer: page(recordSummary),
  }),
] as const

export const publicationReads = [
  read({
    name: "hypotheses",
    path: "/api/research/hypotheses",
    summary: "Hypotheses in the order in which they were published; label needs roomId.",
    parameters: {
      roomId: v.exactOptional(subject("room")),
      label: v.exactOptional(labelPattern("hypothesis")),
      agent: recordFilters.agent,
    },
    cursor: "uuid",
    answer: allAnswers.page(allAnswers.recordSummary),
  }),
  read({
    name: "hypothesis",
    path: "/api/research/hypotheses/{versionId}",
    summary: "One hypothesis as it was accepted, with its standing and what it rests on.",
    answer: allAnswers.record,
  }),
  read({
    name: "publications",
    path: "/api/research/publications",
    summary: "Records of every Room, newest first. Filters: kinds, status, author (user id or name) and agent.",
    parameters: { roomId: v.exactOptional(subject("room")), ...recordFilters },
    cursor: "opaque",
    answer: allAnswers.page(allAnswers.recordSummary),
  }),
  read({
    name: "record",
    // The effects of a finding stand beside the table of its Room.
    costly: true,
    path: "/api/research/records/{versionId}",
    summary:
      "One record of any kind as it was accepted, with its standing and what it rests on; " +
      "or its citation, as BibTeX or CSL-JSON.",
    answer: allAnswers.record,
    formats: {
      bibtex: { mediaType: "application/x-bibtex", answer: v.string() },
      csl: { mediaType: "application/vnd.citationstyles.csl+json", answer: allAnswers.cslItems },
    },
  }),
  read({
    name: "record_concept",
    path: "/api/research/records/{versionId}/concepts/{key}",
    summary: "One concept that a record defines.",
    answer: allAnswers.concept,
  }),
  read({
    name: "concepts",
    path: "/api/research/concepts",
    summary: "Concepts that records define, newest first; query searches keys, labels and definitions.",
    parameters: { query },
    cursor: "opaque",
    answer: allAnswers.page(allAnswers.conceptSummary),
  }),
] as const
