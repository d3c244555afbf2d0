/**
 * A complete story of work over HTTP: proposed, amended, taken, planned, attempted in every way, handed over,
 * completed. Grace proposes it; Ada holds the work first, and Grace after her.
 */
import type { ReceiptOf, ResearchRoomClient, WriteInput } from "research-room/client"
import { proposal, reportedAt, sha256 } from "../../support/bodies.ts"

export interface Scene {
  readonly ada: ResearchRoomClient
  readonly grace: ResearchRoomClient
  readonly roomId: string
  readonly threadId: string
  readonly repository: { readonly url: string; readonly commit: string; readonly otherCommit: string }
}

export const without = ["python", "train.py", "--warmup", "0"]
export const ramp = ["python", "train.py", "--warmup", "400"]
export const configuration = { peakRate: 0.001, note: "Ἀρχή 𝔞" }

/** Reports the events of one attempt, in order. */
export class Reporter {
  readonly #client: ResearchRoomClient
  readonly attemptId: string
  last: ReceiptOf<"report_attempt_event"> | undefined

  constructor(client: ResearchRoomClient, attemptId: string) {
    this.#client = client
    this.attemptId = attemptId
  }

  async tell(
    event: WriteInput<"report_attempt_event">["event"],
    said: Partial<WriteInput<"report_attempt_event">> = {},
  ): Promise<ReceiptOf<"report_attempt_event">> {
    const { affordances } = await this.#client.read("attempt", { attemptId: this.attemptId })
    this.last = await this.#client.write("report_attempt_event", {
      attemptId: this.attemptId,
      ...(affordances.expected as { expectedRevision: number; expectedStatus: "started" }),
      event,
      reportedAt,
      ...said,
    })
    return this.last
  }
}

const prediction = {
  kind: "hypothesis",
  assertion: {
    wording: "A ramp lowers the loss.",
    predicate: { type: "concept", key: "lowers" },
    roles: [
      { role: "cause", definition: "What is done.", value: { type: "text", value: "a ramp" } },
      { role: "effect", definition: "What is measured.", value: { type: "text", value: "the loss" } },
    ],
  },
  concepts: { lowers: { label: "lowers", definition: "Makes smaller." } },
  scope: "Here.",
  premises: [],
  references: [],
} as const satisfies Partial<WriteInput<"publish_hypothesis">>

const points = (name: string, values: readonly (number | "NaN" | "Infinity" | "-Infinity")[], from = 0) =>
  values.map((value, index) => ({ name, value, step: from + index, split: "train", unit: "nat" }))

/** Registers the input and output materials, and proposes and plans the experiment. */
async function prepare({ ada, grace, roomId, threadId, repository }: Scene) {
  const { result: hypothesis } = await ada.write("publish_hypothesis", { ...prediction, roomId, threadId })
  const { versionId } = hypothesis
  const counts = await ada.write("register_material", {
    roomId,
    reference: sha256("1"),
    name: "Token counts",
    location: "https://data.example.org/counts.json",
  })
  const losses = await grace.write("register_material", {
    roomId,
    threadId,
    reference: sha256("2"),
    name: "Losses with a ramp",
  })
  const proposed = await grace.write("propose_experiment", {
    ...proposal({ roomId, threadId }),
    question: "Is the loss lower with a ramp?",
    hypotheses: [versionId],
    suggestedProtocol: { summary: "Train both arms.", steps: ["Train."], arms: [] },
  })
  const { experimentId } = proposed.result
  await grace.write("amend_experiment", {
    experimentId,
    expectedRevision: 1,
    expectedStatus: "open",
    scope: "Five seeds an arm.",
    explanation: "Three are too few.",
  })
  await ada.write("take_experiment", { experimentId, expectedRevision: 2, expectedStatus: "open" })
  const materialId = counts.result.materialId
  const planned = await ada.write("accept_plan", {
    experimentId,
    expectedRevision: 3,
    expectedStatus: "claimed",
    repository: { url: repository.url, commit: repository.commit },
    hypotheses: [versionId],
    premises: [{ versionId, explanation: "It is what is tested." }],
    intent: "confirmatory",
    requiredMaterials: [{ materialId, purpose: "The batches are drawn from it." }],
    protocol: {
      summary: "Two arms that differ in the ramp only.",
      steps: ["Run both.", "Compare."],
      configuration,
      arms: [
        { name: "no warm-up", argv: without },
        { name: "warm-up", argv: ramp, description: "The ramp." },
      ],
      successCriteria: ["A gap of 0.05 nats."],
    },
  })
  await ada.write("report_experiment_status", {
    experimentId,
    expectedRevision: 4,
    expectedStatus: "claimed",
    status: "in_progress",
    summary: "Both arms are queued.",
  })
  return { versionId, experimentId, planId: planned.result.planId, materialId, producedId: losses.result.materialId }
}

/** Runs the story and returns the objects it made. */
export async function tellWork(scene: Scene) {
  const { ada, grace, repository } = scene
  const made = await prepare(scene)
  const { experimentId, planId, materialId, producedId } = made
  const held = { expectedRevision: 5, expectedStatus: "in_progress" as const }
  const pinned = {
    experimentId,
    repository: { url: repository.url, commit: repository.commit },
    configuration,
    inputs: [{ materialId, name: "counts" }],
  }
  const register = async (who: ResearchRoomClient, body: Partial<WriteInput<"register_attempt">>) => {
    const attemptId = crypto.randomUUID()
    const receipt = await who.write("register_attempt", {
      attemptId,
      intent: "planned",
      argv: ramp,
      ...pinned,
      ...body,
    })
    return { receipt, reporter: new Reporter(who, attemptId) }
  }

  const baseline = await register(ada, { planId, argv: without, ...held, environment: { accelerator: "one A100" } })
  await baseline.reporter.tell("preflight_failed", {
    failure: { stage: "checkout", explanation: "The disk was full." },
  })

  const diverged = await register(ada, {
    planId,
    ...held,
    configuration: { ...configuration, peakRate: 1 },
    intendedDeviation: "To see where it breaks.",
  })
  await diverged.reporter.tell("started", { client: { name: "story-agent", version: "1" } })
  await diverged.reporter.tell("progress", {
    metrics: points("loss", [10.8, "Infinity", "-Infinity"]),
    message: "It grows.",
  })
  await diverged.reporter.tell("failed", {
    metrics: points("loss", ["NaN"], 3),
    failure: { stage: "training", explanation: "NaN." },
    exitCode: 1,
  })

  const rerun = await register(ada, { intent: "rerun", rerunOf: diverged.reporter.attemptId, planId, ...held })
  await rerun.reporter.tell("started")
  await rerun.reporter.tell("progress", { metrics: [...points("loss", [10.8, 4.1]), { name: "memory", value: 71 }] })

  const explored = await register(ada, { intent: "exploratory", argv: ["python", "look.py"], inputs: [], ...held })
  await explored.reporter.tell("cancelled", { message: "Not worth it." })

  await ada.write("release_experiment", {
    experimentId,
    ...held,
    handoff: "The rerun is under way; the rest is yours.",
  })
  // The registrant reports a late outcome after releasing the work.
  await rerun.reporter.tell("succeeded", {
    metrics: points("loss", [3.4], 2),
    exitCode: 0,
    outputs: [
      {
        outputLabel: "losses.json",
        digest: sha256("2"),
        mediaType: "application/json",
        sizeBytes: 412,
        materialId: producedId,
        description: "Every tenth step.",
      },
      { outputLabel: "weights", digest: sha256("3") },
    ],
  })
  const reproduced = await register(grace, {
    intent: "reproduction",
    reproduces: { attemptId: rerun.reporter.attemptId },
    repository: { url: repository.url, commit: repository.otherCommit },
  })
  await reproduced.reporter.tell("started")

  await grace.write("take_experiment", { experimentId, expectedRevision: 6, expectedStatus: "open" })
  await grace.write("report_experiment_status", {
    experimentId,
    expectedRevision: 7,
    expectedStatus: "claimed",
    status: "completed",
    summary: "The gap is 0.07 nats.",
  })
  return { ...made, attempts: { baseline, diverged, rerun, explored, reproduced } }
}
