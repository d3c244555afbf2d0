/** Experiments and their accepted plans. */
import * as v from "valibot"
import { quoting, words } from "../definitions/sentence.ts"
import { at, count } from "../answers/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { cost } from "../answers/costs.ts"
import { oneOf, shape, text, time, uuid, whole, SALT } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { subject } from "../schema/parts.ts"
import {
  premises,
  scope,
  digest,
  expectedExperiment,
  hypotheses,
  protocol,
  repository,
  requiredMaterials,
} from "../definitions/work.ts"
import { described } from "../schema/validation.ts"
import { dateOf } from "../text.ts"

const question = text(limits.statement)
const statement = text(limits.statement)
const { leaseMinutesMin, leaseMinutesMax } = limits
const leaseMinutes = v.pipe(whole(leaseMinutesMin), v.maxValue(leaseMinutesMax, `must be at most ${leaseMinutesMax}`))
const ofAssignee = { permissions: ["manage_own_experiments"] } as const
const onExperiment = { ...ofAssignee, target: "experiment", expected: ["expectedRevision", "expectedStatus"] } as const

const result = { experimentId: uuid, label: v.string(), status: oneOf(enumerations.experimentStatus), revision: count }

const experimentId = "0198f3a0-0000-7000-8000-000000000005"
const steps = {
  summary: "Train five seeds with and without warm-up; compare the mean loss at step 1,000.",
  steps: ["Check out the commit.", "Run both arms.", "Average over seeds."],
}
const arms = [
  { name: "no_warm_up", argv: ["python", "train.py", "--warmup", "0"] },
  {
    name: "warm_up",
    argv: ["python", "train.py", "--warmup", "400"],
    description: "The ramp that the hypothesis is about.",
  },
]

/** What somebody did to an experiment by reporting its status: "started", "completed". */
export const becoming = (status: string): string => (status === "in_progress" ? "started" : words(status))

export const experimentOperations = [
  operation({
    name: "propose_experiment",
    sentence: ({ question }, label) => `proposed ${label}${quoting(question)}`,
    summary:
      "Proposes a scoped question as an experiment that any member may take; it may address no hypothesis, one, " +
      "or several.",
    ...ofAssignee,
    target: "experiment",
    fields: {
      roomId: subject("room"),
      threadId: subject("thread"),
      question,
      scope,
      hypotheses,
      suggestedProtocol: v.exactOptional(protocol),
    },
    result,
    example: {
      roomId: "0198f3a0-0000-7000-8000-000000000001",
      threadId: "0198f3a0-0000-7000-8000-000000000002",
      question: "Is the mean loss at step 1,000 lower with a warm-up of 400 steps?",
      scope: "The 50-million-parameter model of the shared repository, five seeds an arm.",
      hypotheses: ["0198f3a0-0000-7000-8000-000000000004"],
      suggestedProtocol: { ...steps, arms },
    },
  }),
  operation({
    name: "amend_experiment",
    sentence: ({ explanation }, label) => `amended ${label}${quoting(explanation)}`,
    summary: "Changes the question of an open experiment; only by its proposer.",
    ...onExperiment,
    atLeastOneOf: ["question", "scope", "hypotheses", "suggestedProtocol"],
    fields: {
      experimentId: subject("experiment"),
      ...expectedExperiment,
      question: v.exactOptional(question),
      scope: v.exactOptional(scope),
      hypotheses: v.exactOptional(hypotheses),
      suggestedProtocol: v.exactOptional(protocol),
      explanation: text(limits.explanation),
    },
    result,
    example: {
      experimentId,
      expectedRevision: 1,
      expectedStatus: "open",
      scope: "The same model, eight seeds an arm.",
      explanation: "Five seeds leave the interval too wide.",
    },
  }),
  operation({
    name: "cancel_experiment",
    sentence: ({ reason }, label) => `cancelled ${label}${quoting(reason)}`,
    summary: "Cancels an open experiment for good; only by its proposer.",
    ...onExperiment,
    fields: { experimentId: subject("experiment"), ...expectedExperiment, reason: text(limits.explanation) },
    result,
    example: {
      experimentId,
      expectedRevision: 2,
      expectedStatus: "open",
      reason: "Answered by the runs of another Room.",
    },
  }),
  operation({
    name: "take_experiment",
    sentence: ({ leaseMinutes }, label) =>
      `took ${label}${leaseMinutes === undefined ? "" : ` with a lease of ${leaseMinutes} minutes`}`,
    summary:
      "Takes an open experiment; if several take it at once, exactly one succeeds. Taking starts no computation. " +
      "With leaseMinutes, others may take it over after you have written nothing about it for that long; " +
      "each write of yours about it restarts the lease.",
    ...onExperiment,
    fields: { experimentId: subject("experiment"), ...expectedExperiment, leaseMinutes: v.exactOptional(leaseMinutes) },
    result: { ...result, assigneeId: uuid, leaseUntil: v.exactOptional(at) },
    example: { experimentId, expectedRevision: 1, expectedStatus: "open" },
  }),
  operation({
    name: "release_experiment",
    sentence: ({ handoff }, label) => `gave back ${label}${quoting(handoff)}`,
    summary: "Releases an experiment to others, with a handoff; plans, attempts and findings stay.",
    ...onExperiment,
    fields: { experimentId: subject("experiment"), ...expectedExperiment, handoff: statement },
    result,
    example: {
      experimentId,
      expectedRevision: 4,
      expectedStatus: "in_progress",
      handoff: "Both arms ran for seeds 1 to 3; seeds 4 and 5 are left. The data is in M1.",
    },
  }),
  operation({
    name: "report_experiment_status",
    sentence: ({ status, summary }, label) => `${becoming(status)} ${label}${quoting(summary)}`,
    summary: "Reports your own experiment as in progress, completed or cancelled.",
    ...onExperiment,
    requiredWhen: [{ field: "summary", when: { field: "status", in: ["completed", "cancelled"] } }],
    fields: {
      experimentId: subject("experiment"),
      ...expectedExperiment,
      status: oneOf(enumerations.reportedStatus),
      summary: v.exactOptional(statement),
    },
    result,
    example: {
      experimentId,
      expectedRevision: 3,
      expectedStatus: "claimed",
      status: "completed",
      summary: "Warm-up lowered the mean loss by 0.07 nats.",
    },
  }),
  operation({
    name: "accept_plan",
    sentence: ({ protocol, sealed, intent }, label) =>
      `pinned ${intent} plan ${label}${sealed === undefined ? "" : `, sealed until ${dateOf(sealed.opensAt)}`}` +
      `${quoting(protocol?.summary)}`,
    summary:
      "Accepts an immutable plan for your own experiment, pinned to a public repository and a full commit. " +
      "Give either protocol or sealed: a sealed plan commits to a protocol that open_plan shows later.",
    ...ofAssignee,
    target: "plan",
    refusals: ["repository_unavailable"],
    expected: onExperiment.expected,
    atLeastOneOf: ["protocol", "sealed"],
    fields: {
      experimentId: subject("experiment"),
      ...expectedExperiment,
      repository,
      hypotheses,
      premises,
      protocol: v.exactOptional(protocol),
      sealed: v.exactOptional(
        described(
          shape({ digest, opensAt: time }),
          "digest is sha256: and the SHA-256 of the canonical JSON (RFC 8785) of {protocol, salt}; " +
            "opensAt is within a year.",
        ),
      ),
      intent: oneOf(enumerations.planIntent),
      requiredMaterials,
      budget: v.exactOptional(described(cost, "The most that its attempts may cost in total.")),
    },
    result: { ...result, planId: uuid },
    example: {
      experimentId,
      expectedRevision: 2,
      expectedStatus: "claimed",
      repository: { url: "https://github.com/example/warm-up", commit: "3f786850e387550fdab836ed7e6dc881de23001b" },
      hypotheses: ["0198f3a0-0000-7000-8000-000000000004"],
      premises: [],
      protocol: { ...steps, arms, successCriteria: ["The difference of the means exceeds twice its standard error."] },
      intent: "confirmatory",
      requiredMaterials: [],
      budget: { gpuHours: 40 },
    },
    otherExamples: [
      {
        experimentId,
        expectedRevision: 2,
        expectedStatus: "claimed",
        hypotheses: [],
        premises: [],
        intent: "confirmatory",
        requiredMaterials: [],
        repository: { url: "https://github.com/example/warm-up", commit: "3f786850e387550fdab836ed7e6dc881de23001b" },
        sealed: {
          digest: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          opensAt: "2027-03-01T00:00:00.000Z",
        },
      },
    ],
  }),
  operation({
    name: "open_plan",
    sentence: ({ protocol }, label) => `opened ${label}${quoting(protocol.summary)}`,
    summary: "Shows the protocol of your own sealed plan, at any time. It must have the digest that was sealed.",
    ...ofAssignee,
    target: "plan",
    refusals: ["role_required", "state_conflict"],
    fields: {
      planId: subject("plan"),
      protocol,
      salt: v.pipe(
        v.string("must be a string"),
        v.title("salt"),
        v.regex(SALT, "must be 32 to 128 lower-case hex digits"),
      ),
    },
    result: { planId: uuid, label: v.string(), openedAt: at },
    example: {
      planId: "0198f3a0-0000-7000-8000-000000000006",
      protocol: { ...steps, arms },
      salt: "5f0c6b1d3e9a47288d1b90c4a7e2f316",
    },
  }),
] as const
