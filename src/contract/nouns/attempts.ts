/** Attempts: what was executed, with its inputs and outputs, and the reads that list, compare and show attempts. */
import * as v from "valibot"
import { uuid, oneOf, shape, list, plain, text, time, oneOrSeveral, distinct, agentName } from "../schema/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { count } from "../answers/fields.ts"
import { operation } from "../definitions/operation.ts"
import {
  argv,
  expectedExperiment,
  repository,
  configuration,
  environment,
  expectedAttempt,
  metrics,
  table,
  corrects,
  outputs,
  pool,
  digest,
} from "../definitions/work.ts"
import { quoting } from "../definitions/sentence.ts"
import { subject, ref } from "../schema/parts.ts"
import { limits } from "../limits.ts"
import { states } from "../states.ts"
import { described } from "../schema/validation.ts"
import { pictured, log, session } from "../definitions/attachments.ts"
import { cost } from "../answers/costs.ts"
import { namedEffect } from "./records.ts"
import { digits, between, ids, wholeNumber, labelPattern } from "../definitions/parameters.ts"
import { read, files, markdown } from "../definitions/read.ts"
import { page } from "../answers/parts.ts"
import {
  attemptSummary,
  runRow,
  attempt,
  metricColumns,
  logPage,
  attemptTable,
  attemptCurves,
} from "./attempt-answers.ts"

const onAttempt = {
  permissions: ["manage_own_experiments"],
  target: "attempt",
  expected: ["expectedRevision", "expectedStatus"],
} as const
const result = { attemptId: uuid, label: v.string(), status: oneOf(enumerations.attemptStatus), revision: count }
const ownWork = { field: "intent", in: ["planned", "exploratory", "rerun"] }

const failed = { field: "event", in: ["preflight_failed", "failed"] }

/** What happened to an attempt, in words. */
export const happened = {
  preflight_failed: "could not start",
  started: "started",
  progress: "reported progress",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "was stopped",
} as const

const attemptId = "0198f3a0-7777-4abc-8def-000000000007"
const earlier = "0198f3a0-7777-4abc-8def-000000000008"
const experimentId = "0198f3a0-0000-7000-8000-000000000005"
const launched = {
  repository: { url: "https://github.com/example/warm-up", commit: "3f786850e387550fdab836ed7e6dc881de23001b" },
  argv: ["python", "train.py", "--warmup", "400"],
  configuration: { seed: 1, peakRate: 0.001 },
  inputs: [],
}
const reportedAt = "2026-11-20T09:30:00.000Z"

export const attemptOperations = [
  operation({
    name: "register_attempt",
    sentence: ({ intent, argv }, label) => `registered ${intent} attempt ${label}${quoting(argv.join(" "))}`,
    summary:
      "Registers one execution before its launch, pinned to a public commit. " +
      "A rerun is a new attempt with a new attemptId.",
    ...onAttempt,
    refusals: ["attempt_exists", "repository_unavailable"],
    requiredWhen: [
      { field: "expectedRevision", when: ownWork },
      { field: "expectedStatus", when: ownWork },
      { field: "planId", when: { field: "intent", in: ["planned"] } },
      { field: "rerunOf", when: { field: "intent", in: ["rerun"] } },
      { field: "reproduces", when: { field: "intent", in: ["reproduction"] } },
    ],
    fields: {
      attemptId: uuid,
      experimentId: subject("experiment"),
      intent: oneOf(enumerations.attemptIntent),
      expectedRevision: v.exactOptional(expectedExperiment.expectedRevision),
      expectedStatus: v.exactOptional(expectedExperiment.expectedStatus),
      planId: v.exactOptional(ref("plan", { of: "experimentId" })),
      rerunOf: v.exactOptional(ref("attempt", { of: "experimentId" })),
      reproduces: v.exactOptional(
        v.union(
          [shape({ attemptId: ref("attempt") }), shape({ findingVersionId: ref("finding") })],
          "must hold either attemptId or findingVersionId",
        ),
      ),
      repository,
      argv,
      configuration,
      environment: v.exactOptional(environment),
      inputs: list(shape({ materialId: ref("material"), name: plain(limits.name) }), limits.materials),
      intendedDeviation: v.exactOptional(text(limits.explanation)),
    },
    result,
    example: {
      attemptId,
      experimentId,
      intent: "planned",
      expectedRevision: 3,
      expectedStatus: "claimed",
      planId: "0198f3a0-0000-7000-8000-000000000006",
      ...launched,
      environment: { accelerator: "one A100", python: "3.14" },
    },
    otherExamples: [
      { attemptId, experimentId, intent: "exploratory", expectedRevision: 2, expectedStatus: "claimed", ...launched },
      {
        attemptId,
        experimentId,
        intent: "rerun",
        expectedRevision: 3,
        expectedStatus: "in_progress",
        rerunOf: earlier,
        ...launched,
      },
      { attemptId, experimentId, intent: "reproduction", reproduces: { attemptId: earlier }, ...launched },
    ],
  }),
  operation({
    name: "report_attempt_event",
    sentence: ({ event, failure, message }, label) =>
      `${label} ${happened[event]}` +
      `${quoting(failure === undefined ? message : `${failure.stage}: ${failure.explanation}`)}`,
    summary: "Reports an event of your own attempt, also after you released the experiment.",
    ...onAttempt,
    refusals: ["role_required", "unknown_attempt"],
    requiredWhen: [{ field: "failure", when: failed }],
    onlyWhen: [
      { field: "failure", when: failed },
      { field: "reproduction", when: { field: "event", in: states.attempt.terminal } },
      { field: "figures", when: { field: "event", in: states.attempt.terminal } },
    ],
    fields: {
      attemptId: subject("attempt"),
      ...expectedAttempt,
      event: oneOf(enumerations.attemptEvent),
      reportedAt: time,
      message: v.exactOptional(text(limits.explanation)),
      metrics: v.exactOptional(metrics),
      table: v.exactOptional(table),
      corrects: v.exactOptional(
        described(
          corrects,
          "Corrects a unit, or a value whose new one is in metrics; after the end too, in a progress event.",
        ),
      ),
      late: v.exactOptional(described(v.boolean("must be true or false"), "Adds metrics after the end.")),
      outputs: v.exactOptional(outputs),
      ...pictured,
      log,
      session,
      cost: v.exactOptional(
        described(
          cost,
          "The total cost of the attempt so far; it replaces the earlier one. After the end, in a late event.",
        ),
      ),
      exitCode: v.exactOptional(v.pipe(v.number("must be a number"), v.safeInteger("must be a whole number"))),
      failure: v.exactOptional(shape({ stage: plain(limits.name), explanation: text(limits.explanation) })),
      reproduction: v.exactOptional(
        described(
          shape({
            verdict: oneOf(enumerations.reproductionVerdict),
            explanation: text(limits.explanation),
            implementation: v.exactOptional(oneOf(enumerations.implementation)),
            repeats: v.exactOptional(
              described(
                oneOrSeveral(
                  shape({
                    ...namedEffect,
                    attemptIds: v.exactOptional(distinct(ref("attempt"), limits.executionAttempts)),
                    pool: v.exactOptional(pool),
                  }),
                  limits.effects,
                ),
                "The effects of a finding that it repeats. The same contrasts are computed from this attempt and " +
                  "attemptIds, and count.",
              ),
            ),
          }),
          "With the outcome of a reproduction: its verdict on what it reproduces.",
        ),
      ),
    },
    result,
    example: {
      attemptId,
      expectedRevision: 2,
      expectedStatus: "started",
      event: "succeeded",
      reportedAt,
      metrics: [
        { name: "loss", value: 3.41, unit: "nat", step: 1000, split: "train", dimensions: { arm: "warm-up", seed: 1 } },
      ],
      outputs: [
        {
          outputLabel: "metrics.json",
          digest: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        },
      ],
      exitCode: 0,
      cost: { gpuHours: 2.5 },
    },
    otherExamples: [
      { attemptId, expectedRevision: 1, expectedStatus: "registered", event: "started", reportedAt },
      {
        attemptId,
        expectedRevision: 2,
        expectedStatus: "started",
        event: "failed",
        reportedAt,
        exitCode: 1,
        failure: { stage: "training", explanation: "Infinite loss at step 212." },
      },
    ],
  }),
] as const

const logParameters = {
  from: v.exactOptional(digits(1, 999_999_999, { description: "The first line, counted from 1." })),
  lines: v.exactOptional(between(1, limits.logLines, 200, "The most lines.")),
  tail: v.exactOptional(digits(1, limits.logLines, { description: "So many of the last lines." })),
  grep: v.exactOptional(described(plain(limits.name), "Only lines that contain this text, in any case of letters.")),
  digest: v.exactOptional(digest),
}
const plainText = { text: { mediaType: "text/plain", answer: v.string() } } as const

const attemptIds = ids(limits.comparedAttempts)
/** As large as a cursor may be. */
const step = wholeNumber(999_999_999_999_999)

export const attemptReads = [
  read({
    name: "attempts",
    path: "/api/research/attempts",
    summary:
      "Attempts with their outcomes, by id; label needs roomId. With order=label, within a Room or an experiment, " +
      "they are in the order of registration, and after is a number. As csv and jsonl the list is whole, " +
      "unless limit is given. With findingVersionId each item says how that finding names it: " +
      "producing, baseline or evidence only.",
    parameters: {
      experimentId: v.exactOptional(subject("experiment")),
      roomId: v.exactOptional(subject("room")),
      findingVersionId: v.exactOptional(subject("finding")),
      status: v.exactOptional(oneOf(enumerations.attemptStatus)),
      intent: v.exactOptional(oneOf(enumerations.attemptIntent)),
      label: v.exactOptional(labelPattern("attempt")),
      agent: v.exactOptional(agentName),
      order: v.exactOptional(oneOf(["id", "label"])),
    },
    cursor: "uuid",
    answer: page(attemptSummary),
    formats: files,
  }),
  read({
    name: "room_ledger",
    path: "/api/research/rooms/{roomId}/ledger",
    summary:
      "Who ran what and what came of it, a line an attempt, in the order of registration: agent, command, settings, " +
      "seeds, findings that name it with their verdicts, what it reproduces and with which verdict.",
    parameters: {
      experimentId: v.exactOptional(subject("experiment")),
      findingVersionId: v.exactOptional(subject("finding")),
      status: v.exactOptional(oneOf(enumerations.attemptStatus)),
      intent: v.exactOptional(oneOf(enumerations.attemptIntent)),
      agent: v.exactOptional(agentName),
    },
    cursor: "sequence",
    pageItems: limits.ledgerRuns,
    answer: page(runRow),
  }),
  read({
    name: "attempt",
    path: "/api/research/attempts/{attemptId}",
    summary:
      "One attempt: its registration, how it compares with its plan, events with both clocks, inputs, " +
      "outputs and last metrics.",
    answer: attempt,
  }),
  read({
    name: "attempt_metrics",
    path: "/api/research/attempts/{attemptId}/metrics",
    summary:
      "Every point of an attempt's metrics in the order reported: as columns, or as a table in markdown; " +
      "as csv and jsonl all of them, unless limit is given.",
    parameters: { metric: v.exactOptional(plain(limits.name)) },
    cursor: "sequence",
    pageItems: limits.metricPoints,
    answer: metricColumns,
    formats: { ...files, ...markdown },
  }),
  read({
    name: "attempt_log",
    path: "/api/research/attempts/{attemptId}/log",
    summary:
      "What the program of an attempt printed, as text or as numbered lines, without escape sequences: " +
      "from a line on, its last lines (tail), or the lines that contain a text (grep). digest reads an earlier log.",
    parameters: logParameters,
    refusals: ["unknown_log"],
    costly: true,
    answer: logPage,
    formats: plainText,
  }),
  read({
    name: "attempt_session",
    path: "/api/research/attempts/{attemptId}/session",
    summary: "The session of the agent that ran an attempt, read as its log is.",
    parameters: logParameters,
    refusals: ["unknown_log"],
    costly: true,
    answer: logPage,
    formats: plainText,
  }),
  read({
    name: "attempt_table",
    costly: true,
    path: "/api/research/attempt-table",
    summary:
      "A comparison of attempts of a Room, of an experiment, or with given ids: " +
      "the last value of each metric, and the settings (arm, command, configuration, environment, inputs, " +
      "commit) in which they differ. sort is label, experiment, outcome, registered, metric:KEY or setting:KEY, " +
      "with a key of the answer's columns; values that are not finite come after finite ones, and missing values " +
      "last. With setting and metric (keys of two columns), rows contain only that pair.",
    parameters: {
      roomId: v.exactOptional(subject("room")),
      experimentId: v.exactOptional(subject("experiment")),
      attemptIds: v.exactOptional(attemptIds),
      status: v.exactOptional(oneOf(enumerations.attemptStatus)),
      intent: v.exactOptional(oneOf(enumerations.attemptIntent)),
      sort: v.exactOptional(plain(limits.explanation)),
      order: v.exactOptional(oneOf(["ascending", "descending"])),
      setting: v.exactOptional(plain(limits.explanation)),
      metric: v.exactOptional(plain(limits.explanation)),
      limit: v.exactOptional(
        between(
          1,
          limits.tableAttempts,
          limits.pageItems,
          `The maximum number of items on a page; more than ${limits.pageItems} only with setting and metric.`,
        ),
      ),
    },
    cursor: "offset",
    refusals: ["unknown_attempt"],
    answer: attemptTable,
    formats: { csv: files.csv },
  }),
  read({
    name: "attempt_curves",
    costly: true,
    path: "/api/research/attempt-curves",
    summary:
      "One metric of several attempts as curves, each thinned to the given number of points: " +
      "in every interval of steps, the ends, the extremes and values that are not finite are kept.",
    parameters: {
      attemptIds,
      metric: plain(limits.name),
      split: v.exactOptional(plain(limits.name)),
      from: v.exactOptional(step),
      to: v.exactOptional(step),
      points: v.exactOptional(
        between(
          limits.curvePointsMin,
          limits.curvePointsMax,
          limits.curvePoints,
          "The maximum number of points in each curve.",
        ),
      ),
    },
    refusals: ["unknown_attempt"],
    answer: attemptCurves,
    formats: { csv: files.csv },
  }),
] as const
