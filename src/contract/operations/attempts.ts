/** Attempts: what was executed, with its inputs and outputs. */
import * as v from "valibot"
import { quoting } from "../definitions/sentence.ts"
import { count } from "../answers/fields.ts"
import { cost } from "../answers/costs.ts"
import { enumerations } from "../schema/enumerations.ts"
import { distinct, list, oneOf, oneOrSeveral, plain, shape, text, time, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { pictured } from "../definitions/attachments.ts"
import { log, session } from "../definitions/attachments.ts"
import { operation } from "../definitions/operation.ts"
import { ref, subject } from "../schema/parts.ts"
import { namedEffect } from "./publications.ts"
import { states } from "../states.ts"
import {
  argv,
  configuration,
  corrects,
  environment,
  expectedAttempt,
  expectedExperiment,
  metrics,
  outputs,
  repository,
  pool,
  table,
} from "../definitions/work.ts"
import { described } from "../schema/validation.ts"

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
