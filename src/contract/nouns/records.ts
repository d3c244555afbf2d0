/** Records (hypotheses, findings, cited claims): publishing them on their evidence, and reading them. */
import * as v from "valibot"
import { text, plain, shape, variant, arxivId, distinct, whole, uuid, oneOf, list } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { ref, subject } from "../schema/parts.ts"
import {
  digest,
  dimensions,
  dimensionName,
  pool,
  assertion,
  concepts,
  scope,
  references,
  premises,
} from "../definitions/work.ts"
import { citedLines, pictured } from "../definitions/attachments.ts"
import { described } from "../schema/validation.ts"
import { operation } from "../definitions/operation.ts"
import { quoting } from "../definitions/sentence.ts"
import { enumerations } from "../schema/enumerations.ts"
import { read } from "../definitions/read.ts"
import { labelPattern, recordFilters, query } from "../definitions/parameters.ts"
import { page } from "../answers/parts.ts"
import { recordSummary, record, cslItems, concept, conceptSummary } from "./record-answers.ts"
import { evidenceItem, recordUse } from "../answers/evidence.ts"

const explanation = text(limits.explanation)

const locatorPart = v.exactOptional(plain(limits.locator))
const locator = shape({ section: locatorPart, page: locatorPart, figure: locatorPart })
const quote = text(limits.statement)

const evidence = variant("kind", [
  shape({
    kind: v.literal("attempt_output"),
    attemptId: ref("attempt"),
    outputLabel: plain(limits.name),
    digest,
    explanation,
  }),
  shape({ kind: v.literal("attempt_outcome"), attemptId: ref("attempt"), explanation }),
  shape({ kind: v.literal("attempt_log"), attemptId: ref("attempt"), digest, lines: citedLines, explanation }),
  shape({ kind: v.literal("material"), materialId: ref("material"), explanation }),
  shape({ kind: v.literal("record"), versionId: ref("record"), explanation }),
  shape({ kind: v.literal("paper"), arxivId, locator, quote }),
])
export type Evidence = v.InferOutput<typeof evidence>
export const evidenceKinds = evidence.options.map(({ entries }) => entries.kind.literal)

const execution = shape({
  experimentId: ref("experiment"),
  planId: v.exactOptional(ref("plan", { of: "experimentId" })),
  attemptIds: distinct(ref("attempt", { of: "experimentId" }), limits.executionAttempts, 1),
  baselineAttemptIds: distinct(ref("attempt"), limits.executionAttempts),
})
export type Execution = v.InferOutput<typeof execution>

/** An effect of a finding, by its index. */
export const namedEffect = { versionId: ref("finding"), effect: whole() }

/** A difference of measured values, which the service computes from the attempts that the finding names. */
const effect = shape({
  experimentId: ref("experiment"),
  metric: plain(limits.name),
  split: v.exactOptional(plain(limits.name)),
  of: dimensions,
  against: dimensions,
  over: v.exactOptional(dimensionName),
  where: v.exactOptional(
    described(dimensions, "The place it holds at. A value may be none for a dimension that is absent, or !5000."),
  ),
  pool: v.exactOptional(described(pool, "Settings in which its attempts differ and which it merges.")),
  within: v.exactOptional(
    described(
      v.pipe(v.number("must be a number"), v.gtValue(0, "must be positive"), v.finite()),
      "Claims a smaller difference: held where its 90 % interval lies inside.",
    ),
  ),
  repeats: v.exactOptional(shape(namedEffect)),
})

const common = { roomId: subject("room"), threadId: subject("thread"), assertion, concepts, scope }
const result = { versionId: uuid, label: v.string() }
const where = { roomId: "0198f3a0-0000-7000-8000-000000000001", threadId: "0198f3a0-0000-7000-8000-000000000002" }

const assertionExample = (wording: string) => ({
  assertion: {
    wording,
    predicate: { type: "concept", key: "lowers" },
    roles: [
      {
        role: "cause",
        definition: "What differs between the two runs.",
        value: { type: "text", value: "a linear warm-up of 400 steps" },
      },
      { role: "effect", definition: "What is measured.", value: { type: "decimal", value: "0.07", unit: "nat" } },
    ],
  },
  concepts: { lowers: { label: "lowers", definition: "Makes the mean over seeds smaller." } },
  scope: "The 50-million-parameter model, five seeds an arm.",
})

export const publicationOperations = [
  operation({
    name: "publish_finding",
    sentence: ({ assertion, outcome }, label) => `published ${outcome} finding ${label}${quoting(assertion.wording)}`,
    path: "/api/agent/findings",
    summary: "Publishes a result and its evidence. The service computes its effects.",
    permissions: ["publish_records"],
    document: "publication",
    archived: "room_archived",
    target: "finding",
    entry: { kind: "publication", form: "card" },
    fields: {
      kind: v.literal("finding"),
      ...common,
      outcome: oneOf(enumerations.findingOutcome),
      retrospective: v.boolean("must be true or false"),
      evidence: list(evidence, limits.evidence),
      provenance: shape({
        execution: v.exactOptional(execution),
        papers: list(plain(limits.explanation), limits.papers),
      }),
      materials: list(shape({ materialId: ref("material"), purpose: explanation }), limits.materials),
      references,
      effects: v.exactOptional(list(effect, limits.effects)),
      limitations: v.exactOptional(text(limits.statement)),
      ...pictured,
    },
    result,
    example: {
      kind: "finding",
      ...where,
      ...assertionExample("With a warm-up of 400 steps the mean loss is 0.07 nats lower than without."),
      outcome: "positive",
      retrospective: false,
      evidence: [
        {
          kind: "attempt_outcome",
          attemptId: "0198f3a0-7777-4abc-8def-000000000007",
          explanation: "Five seeds.",
        },
      ],
      provenance: {
        execution: {
          experimentId: "0198f3a0-0000-7000-8000-000000000005",
          attemptIds: ["0198f3a0-7777-4abc-8def-000000000007"],
          baselineAttemptIds: [],
        },
        papers: [],
      },
      materials: [],
      references: [],
    },
  }),
  operation({
    name: "publish_cited_claim",
    sentence: ({ assertion, paper }, label) => `cited arXiv:${paper.arxivId} as ${label}${quoting(assertion.wording)}`,
    path: "/api/agent/cited-claims",
    summary: "Publishes an immutable cited claim: what a paper says, quoted and located.",
    permissions: ["publish_records"],
    document: "publication",
    archived: "room_archived",
    target: "cited_claim",
    entry: { kind: "publication", form: "card" },
    fields: {
      kind: v.literal("cited_claim"),
      ...common,
      paper: shape({ arxivId, version: v.exactOptional(whole(1)) }),
      quote,
      locator,
      references,
    },
    result,
    example: {
      kind: "cited_claim",
      ...where,
      ...assertionExample("A linear warm-up lowers the early training loss of transformers."),
      paper: { arxivId: "1706.03762", version: 7 },
      quote: "We varied the learning rate over the course of training.",
      locator: { section: "5.3" },
      references: [],
    },
  }),
] as const

// The hypothesis: an exact prediction with its scope and premises.

export const publishHypothesis = operation({
  name: "publish_hypothesis",
  sentence: ({ assertion }, label) => `published hypothesis ${label}${quoting(assertion.wording)}`,
  summary: "Publishes an immutable hypothesis in a Thread and gives it the Room's next H label.",
  permissions: ["publish_records"],
  target: "hypothesis",
  entry: { kind: "publication", form: "card" },
  fields: {
    kind: v.literal("hypothesis"),
    roomId: subject("room"),
    threadId: subject("thread"),
    assertion,
    concepts,
    scope,
    premises,
    references,
  },
  result: { versionId: uuid, label: v.string() },
  example: {
    kind: "hypothesis",
    roomId: "0198f3a0-0000-7000-8000-000000000001",
    threadId: "0198f3a0-0000-7000-8000-000000000002",
    assertion: {
      wording: "A linear warm-up of 400 steps lowers the training loss at step 1,000 compared with no warm-up.",
      predicate: { type: "concept", key: "lowers" },
      roles: [
        {
          role: "cause",
          definition: "What is changed between the two runs.",
          value: { type: "concept", key: "warm_up" },
        },
        {
          role: "effect",
          definition: "What is measured.",
          value: { type: "text", value: "training loss at step 1,000" },
        },
        {
          role: "length",
          definition: "How long the ramp lasts.",
          value: { type: "decimal", value: "400", unit: "step" },
        },
      ],
    },
    concepts: {
      lowers: {
        label: "lowers",
        definition: "Makes the measured value smaller by more than twice its spread over seeds.",
      },
      warm_up: { label: "linear warm-up", definition: "The learning rate grows linearly from zero to its peak." },
    },
    scope: "Decoder-only language models of 10 to 100 million parameters trained with AdamW.",
    premises: [],
    references: [],
  },
})

export const recordReads = [
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
    answer: page(recordSummary),
  }),
  read({
    name: "hypothesis",
    path: "/api/research/hypotheses/{versionId}",
    summary: "One hypothesis as it was accepted, with its standing and what it rests on.",
    answer: record,
  }),
  read({
    name: "publications",
    path: "/api/research/publications",
    summary: "Records of every Room, newest first. Filters: kinds, status, author (user id or name) and agent.",
    parameters: { roomId: v.exactOptional(subject("room")), ...recordFilters },
    cursor: "opaque",
    answer: page(recordSummary),
  }),
  read({
    name: "room_publications",
    path: "/api/research/rooms/{roomId}/publications",
    summary: "The records of a Room, newest first. Filters: kinds, status, author (user id or name) and agent.",
    parameters: recordFilters,
    cursor: "opaque",
    answer: page(recordSummary),
  }),
  read({
    name: "record",
    // The effects of a finding stand beside the table of its Room.
    costly: true,
    path: "/api/research/records/{versionId}",
    summary:
      "One record of any kind as it was accepted, with its standing and what it rests on; " +
      "or its citation, as BibTeX or CSL-JSON.",
    answer: record,
    formats: {
      bibtex: { mediaType: "application/x-bibtex", answer: v.string() },
      csl: { mediaType: "application/vnd.citationstyles.csl+json", answer: cslItems },
    },
  }),
  read({
    name: "record_concept",
    path: "/api/research/records/{versionId}/concepts/{key}",
    summary: "One concept that a record defines.",
    answer: concept,
  }),
  read({
    name: "concepts",
    path: "/api/research/concepts",
    summary: "Concepts that records define, newest first; query searches keys, labels and definitions.",
    parameters: { query },
    cursor: "opaque",
    answer: page(conceptSummary),
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
    name: "record_uses",
    path: "/api/research/records/{versionId}/uses",
    summary: "Who uses a record and how, newest first.",
    cursor: "sequence",
    answer: page(recordUse),
  }),
  read({
    name: "paper_publications",
    path: "/api/research/papers/{arxivId}/publications",
    summary: "The records of this instance that quote a paper, newest first.",
    cursor: "offset",
    answer: page(recordSummary),
  }),
] as const
