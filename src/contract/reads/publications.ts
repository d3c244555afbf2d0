/** The reads of accepted records and of the concepts that they define. */
import * as v from "valibot"
import * as answers from "../answers/index.ts"
import { labelPattern } from "../objects/labels.ts"
import { read } from "../definitions/read.ts"
import { subject } from "../schema/ref.ts"
import { query, recordFilters } from "./shared.ts"

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
    answer: answers.page(answers.recordSummary),
  }),
  read({
    name: "hypothesis",
    path: "/api/research/hypotheses/{versionId}",
    summary: "One hypothesis as it was accepted, with its standing and what it rests on.",
    answer: answers.record,
  }),
  read({
    name: "publications",
    path: "/api/research/publications",
    summary: "Records of every Room, newest first. Filters: kinds, status, author (user id or name) and agent.",
    parameters: { roomId: v.exactOptional(subject("room")), ...recordFilters },
    cursor: "opaque",
    answer: answers.page(answers.recordSummary),
  }),
  read({
    name: "record",
    // The effects of a finding stand beside the table of its Room.
    costly: true,
    path: "/api/research/records/{versionId}",
    summary:
      "One record of any kind as it was accepted, with its standing and what it rests on; " +
      "or its citation, as BibTeX or CSL-JSON.",
    answer: answers.record,
    formats: {
      bibtex: { mediaType: "application/x-bibtex", answer: v.string() },
      csl: { mediaType: "application/vnd.citationstyles.csl+json", answer: answers.cslItems },
    },
  }),
  read({
    name: "record_concept",
    path: "/api/research/records/{versionId}/concepts/{key}",
    summary: "One concept that a record defines.",
    answer: answers.concept,
  }),
  read({
    name: "concepts",
    path: "/api/research/concepts",
    summary: "Concepts that records define, newest first; query searches keys, labels and definitions.",
    parameters: { query },
    cursor: "opaque",
    answer: answers.page(answers.conceptSummary),
  }),
] as const
