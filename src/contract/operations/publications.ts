/** Hypotheses, findings and cited claims: what was predicted and concluded, and on what evidence. */
import * as v from "valibot"
import { fromOtherRoom } from "../answers/evidence.ts"
import { quoting, words } from "../definitions/sentence.ts"
import { enumerations } from "../schema/enumerations.ts"
import {
  arxivId,
  distinct,
  distinctBy,
  list,
  oneOf,
  plain,
  shape,
  text,
  uuid,
  variant,
  whole,
} from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { pictured, citedLines } from "../definitions/attachments.ts"
import { operation } from "../definitions/operation.ts"
import { described } from "../schema/validation.ts"
import { ref, subject } from "../schema/parts.ts"
import {
  assertion,
  concepts,
  references,
  scope,
  premises,
  digest,
  dimensionName,
  dimensions,
  pool,
} from "../definitions/work.ts"

const explanation = text(limits.explanation)
const bearing = oneOf(enumerations.evidenceBearing)
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

export const linkExperimentFinding = operation({
  name: "link_experiment_finding",
  refusals: ["link_exists"],
  sentence: ({ findingVersionId, experimentId, towardQuestion, towardHypothesis }, _label, named) =>
    `related ${named(findingVersionId)} to ${named(experimentId)}: it ${[
      ...towardHypothesis.map(
        ({ versionId, verdict, part }) =>
          `${words(verdict)} ${named(versionId)}${part === undefined ? "" : ` ${part}`}`,
      ),
      `${words(towardQuestion.verdict)} the question`,
    ].join(" and ")}${quoting(towardQuestion.explanation)}`,
  summary:
    "Relates a finding to an experiment with a split verdict: on each hypothesis, and on the question. " +
    "It changes no state.",
  permissions: ["post_thread"],
  target: "finding_link",
  entry: { kind: "link_experiment_finding", form: "card" },
  fields: {
    experimentId: subject("experiment"),
    findingVersionId: ref("finding"),
    attemptId: v.exactOptional(ref("attempt", { of: "experimentId" })),
    towardHypothesis: distinctBy(
      list(
        shape({
          versionId: ref("hypothesis"),
          verdict: oneOf(enumerations.hypothesisVerdict),
          explanation,
          part: v.exactOptional(
            described(text(200), 'The part of the hypothesis that the verdict is on, such as "at 400 labels".'),
          ),
        }),
        limits.verdicts,
      ),
      "versionId",
      "list",
    ),
    towardQuestion: shape({ verdict: oneOf(enumerations.questionVerdict), explanation }),
  },
  result: {
    linkId: uuid,
    label: v.null(),
    /**
     * The verdict of each hypothesis before and after, and how many people other than its author made counted
     * statements.
     */
    verdicts: v.array(
      shape({
        versionId: uuid,
        label: v.string(),
        ...fromOtherRoom,
        before: bearing,
        verdict: bearing,
        independent: whole(),
      }),
    ),
  },
  example: {
    experimentId: "0198f3a0-0000-7000-8000-000000000005",
    findingVersionId: "0198f3a0-0000-7000-8000-000000000009",
    attemptId: "0198f3a0-7777-4abc-8def-000000000007",
    towardHypothesis: [
      {
        versionId: "0198f3a0-0000-7000-8000-000000000004",
        verdict: "supports",
        explanation: "The predicted difference was seen.",
      },
    ],
    towardQuestion: { verdict: "answers", explanation: "For this model size, yes." },
  },
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
  linkExperimentFinding,
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
