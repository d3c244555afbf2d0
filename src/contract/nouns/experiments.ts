/** Experiments, their proposals and their accepted plans: what is done with them, and what is answered. */
import * as v from "valibot"
import { text, whole, uuid, oneOf, shape, time, SALT, agentName } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { enumerations } from "../schema/enumerations.ts"
import { count, at, freeText, id } from "../answers/fields.ts"
import { words, quoting } from "../definitions/sentence.ts"
import { operation } from "../definitions/operation.ts"
import { subject } from "../schema/parts.ts"
import {
  scope,
  hypotheses,
  protocol,
  expectedExperiment,
  repository,
  premises,
  digest,
  requiredMaterials,
} from "../definitions/work.ts"
import { dateOf } from "../text.ts"
import { described } from "../schema/validation.ts"
import { cost, costs } from "../answers/costs.ts"
import { relatedFields } from "./record-answers.ts"
import { author, affordances, schemaVersion, page } from "../answers/parts.ts"
import { each } from "../typed.ts"
import { reviewed, review } from "./reviews.ts"
import { materialSummary } from "./materials.ts"
import { warning } from "../answers/receipts.ts"
import { read } from "../definitions/read.ts"
import { labelPattern } from "../definitions/parameters.ts"

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

const json = v.unknown()
const related = shape(relatedFields)
const said = v.nullable(shape({ text: freeText, by: author, at }))

const experimentStatus = v.picklist(enumerations.experimentStatus)
const experimentIdentity = {
  experimentId: id,
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  proposer: author,
}
/**
 * It lapses at `until` unless the assignee writes about the experiment before; then others may take the experiment
 * over.
 */
const lease = shape({ minutes: count, until: at, lapsed: v.boolean() })
/** The terms of a holder, in lists that leave them out where there are none. */
export const terms = { lease: v.exactOptional(lease) }
interface Terms {
  readonly lease?: v.InferOutput<typeof lease> | null | undefined
}

/** Whether the holder of an experiment lost it. */
export const mayTakeOver = ({ lease }: Terms): boolean => lease?.lapsed === true

/** The terms of a holder in words, after the name. */
export const termsInWords = ({ lease }: Terms): string =>
  lease == null
    ? ""
    : lease.lapsed
      ? ` until ${lease.until}, when the lease lapsed: another member can take it over`
      : ` until ${lease.until}`
const experimentFields = {
  ...experimentIdentity,
  assigneeId: v.nullable(id),
  assignee: v.nullable(author),
  lease: v.nullable(lease),
  status: experimentStatus,
  revision: count,
  question: freeText,
  scope: freeText,
  plans: count,
  attempts: shape({
    total: count,
    ...each(enumerations.attemptStatus, () => count),
  }),
  createdAt: at,
  updatedAt: at,
  affordances: affordances(experimentStatus),
}
export const experimentSummary = shape({ ...experimentFields, hypotheses: v.array(id) })
export type ExperimentSummary = v.InferOutput<typeof experimentSummary>

const planFields = {
  planId: id,
  label: v.string(),
  experimentId: id,
  experimentLabel: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  acceptedBy: author,
  acceptedAt: at,
  contentDigest: v.string(),
  /**
   * For a plan that commits to a protocol without showing it: when it was opened, or whether that is overdue. Null for
   * a plan that was never sealed.
   */
  sealed: v.nullable(shape({ digest: v.string(), opensAt: at, openedAt: v.nullable(at), overdue: v.boolean() })),
  /** The most that all its attempts together may cost. */
  budget: v.nullable(cost),
  reviewed,
}
export const experiment = shape({
  schemaVersion,
  ...experimentFields,
  hypotheses: v.array(related),
  suggestedProtocol: v.nullable(json),
  /** What the last assignee who released it wrote for the next. */
  handoff: said,
  /** The statement with which it was completed or cancelled. */
  conclusion: said,
  acceptedPlans: v.array(shape(planFields)),
  costs,
})
export type ExperimentAnswer = v.InferOutput<typeof experiment>
export const revision = shape({
  revision: count,
  operation: v.string(),
  at,
  author,
  status: experimentStatus,
  assigneeId: v.nullable(id),
  planId: v.nullable(id),
  /** The accepted body. */
  content: v.record(v.string(), json),
})
export type Revision = v.InferOutput<typeof revision>
export const proposal = shape({
  schemaVersion,
  proposalId: id,
  ...experimentIdentity,
  createdAt: at,
  updatedAt: at,
  revision: count,
  status: experimentStatus,
  question: freeText,
  scope: freeText,
  hypotheses: v.array(related),
  suggestedProtocol: v.nullable(json),
})

export const plan = shape({
  schemaVersion,
  ...planFields,
  content: v.record(v.string(), json),
  /** Null while it is sealed. */
  protocol: v.nullable(json),
  /**
   * Whether the protocol of an opened plan matches the sealed digest; null if it was not sealed, or parts of it were
   * withheld.
   */
  protocolMatchesSeal: v.nullable(v.boolean()),
  hypotheses: v.array(related),
  premises: v.array(shape({ ...related.entries, explanation: freeText })),
  /** The costs of the attempts that follow it, and its budget. */
  costs,
  requiredMaterials: v.array(shape({ material: v.nullable(materialSummary), purpose: freeText })),
  warnings: v.array(warning),
  /** Its newest reviews, including withdrawn ones. */
  reviews: v.array(review),
})

export const experimentReads = [
  read({
    name: "experiments",
    path: "/api/research/experiments",
    summary: "Experiments in the order in which they were proposed; label needs roomId; agent is the proposer's.",
    parameters: {
      roomId: v.exactOptional(subject("room")),
      label: v.exactOptional(labelPattern("experiment")),
      status: v.exactOptional(oneOf(enumerations.experimentStatus)),
      assigneeId: v.exactOptional(subject("person")),
      agent: v.exactOptional(agentName),
      hypothesisVersionId: v.exactOptional(subject("hypothesis")),
    },
    cursor: "uuid",
    answer: page(experimentSummary),
  }),
  read({
    name: "experiment",
    path: "/api/research/experiments/{experimentId}",
    summary:
      "One experiment: its question, its assignee, its plans and attempts, and what may be done next and by whom.",
    answer: experiment,
  }),
  read({
    name: "experiment_history",
    path: "/api/research/experiments/{experimentId}/history",
    summary: "Every revision of an experiment: the operation, its author, its body, and the resulting state.",
    cursor: "sequence",
    answer: page(revision),
  }),
  read({
    name: "proposal",
    path: "/api/research/proposals/{proposalId}",
    summary: "The present question of an experiment; the id of a proposal is that of its experiment.",
    refusals: ["unknown_experiment"],
    answer: proposal,
  }),
  read({
    name: "plan",
    path: "/api/research/plans/{planId}",
    summary: "One plan as it was accepted, with its hypotheses, premises and materials resolved.",
    answer: plan,
  }),
] as const
