/** The story's experiment: proposed, amended, taken, planned with two arms, tried until it ran, reproduced, reported. */
import { digestOf } from "../contract/json.ts"
import type { Narrator } from "./narrator.ts"

interface Member {
  readonly userId: string
  readonly username: string
}

interface Scene {
  readonly owner: Member
  readonly member: Member
  readonly roomId: string
  readonly threadId: string
  /** The version id of the hypothesis under test. */
  readonly hypothesis: string
  readonly repository: { readonly url: string; readonly commit: string; readonly otherCommit: string }
}

const without = ["python", "train.py", "--warmup", "0", "--seeds", "5"]
const withWarmUp = ["python", "train.py", "--warmup", "400", "--seeds", "5"]

/** The mean loss of an arm at a step, as a toy of a learning curve: it falls from 10.8 nats, the faster for a warm-up. */
const lossAt = (step: number, warmUp: number, shift = 0) =>
  Number((3.36 - warmUp / 5_000 + 7.4 * Math.exp(-step / (190 - warmUp / 20)) + shift).toFixed(4))
const STEPS = [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]

const series = (warmUp: number, shift: number, steps: readonly number[] = STEPS) =>
  steps.map((step) => ({ name: "loss", value: lossAt(step, warmUp, shift), unit: "nat", step, split: "train" }))

/** One attempt from registration to its end, told by its registrant. */
function attemptOf(narrator: Narrator, registrant: Member, attemptId: string) {
  let expected = { expectedRevision: 1, expectedStatus: "registered" as "registered" | "started" }
  return async (event: "started" | "progress" | "succeeded" | "failed", said: object = {}, minutes = 20) => {
    const reportedAt = narrator.later(minutes - 1)
    const { result } = await narrator.does(
      registrant,
      "report_attempt_event",
      {},
      { attemptId, ...expected, event, reportedAt, ...said },
      minutes,
    )
    expected = { expectedRevision: result.revision, expectedStatus: "started" }
  }
}

/** Tells the experiment and returns what later parts of the story build on. */
export async function tellExperiment(narrator: Narrator, { owner, member, roomId, threadId, hypothesis, repository }: Scene) {
  const counts = await narrator.does(
    owner,
    "register_material",
    {},
    {
      roomId,
      threadId,
      reference: digestOf("token counts of the training split"),
      name: "Token counts of the training split",
      description: "How often each token occurs; what the batches are drawn from.",
      mediaType: "application/json",
      sizeBytes: 48_211,
      location: "https://data.example.org/warm-up/token-counts.json",
    },
  )
  const { materialId } = counts.result
  await narrator.does(
    member,
    "report_material_location",
    {},
    {
      materialId,
      uri: "https://mirror.example.net/token-counts.json",
      state: "available",
      observedDigest: digestOf("token counts of the training split"),
    },
  )

  const proposed = await narrator.does(
    member,
    "propose_experiment",
    {},
    {
      roomId,
      threadId,
      question: "Is the mean training loss at step 1,000 lower with a warm-up of 400 steps?",
      scope: "The 50-million-parameter model of the shared repository, three seeds an arm.",
      hypotheses: [hypothesis],
      suggestedProtocol: {
        summary: "Train both arms and compare their means.",
        steps: ["Train each arm.", "Average over seeds."],
        arms: [],
      },
    },
    60 * 5,
  )
  const { experimentId } = proposed.result
  await narrator.does(
    member,
    "amend_experiment",
    {},
    {
      experimentId,
      expectedRevision: 1,
      expectedStatus: "open",
      scope: "The 50-million-parameter model of the shared repository, five seeds an arm.",
      explanation: "Three seeds leave an interval as wide as the effect.",
    },
    40,
  )
  await narrator.does(owner, "take_experiment", {}, { experimentId, expectedRevision: 2, expectedStatus: "open" }, 60 * 3)
  const accepted = await narrator.does(
    owner,
    "accept_plan",
    {},
    {
      experimentId,
      expectedRevision: 3,
      expectedStatus: "claimed",
      repository: { url: repository.url, commit: repository.commit },
      hypotheses: [hypothesis],
      premises: [],
      intent: "confirmatory",
      requiredMaterials: [{ materialId, purpose: "The batches are drawn from it." }],
      protocol: {
        summary: "Two arms that differ in the length of the ramp only; five seeds each; compare the mean loss at step 1,000.",
        steps: ["Check out the commit.", "Run both arms with the same seeds.", "Average the loss at step 1,000 over seeds."],
        arms: [
          { name: "no warm-up", argv: without },
          { name: "warm-up of 400 steps", argv: withWarmUp, description: "The ramp the hypothesis speaks of." },
        ],
        configuration: { peakRate: 0.001, batchTokens: 524_288 },
        successCriteria: ["The difference of the means exceeds 0.05 nats and twice its standard error."],
      },
    },
    35,
  )
  const { planId } = accepted.result
  await narrator.does(
    owner,
    "report_experiment_status",
    {},
    { experimentId, expectedRevision: 4, expectedStatus: "claimed", status: "in_progress" },
  )

  const held = { expectedRevision: 5, expectedStatus: "in_progress" as const }
  const pinned = {
    experimentId,
    repository: { url: repository.url, commit: repository.commit },
    configuration: { peakRate: 0.001, batchTokens: 524_288 },
    inputs: [{ materialId, name: "counts" }],
  }
  const environment = { accelerator: "one A100", python: "3.14" }
  const register = async (who: Member, body: object) => {
    const attemptId = narrator.id()
    await narrator.does(who, "register_attempt", {}, { attemptId, ...pinned, environment, ...body } as never, 15)
    return { attemptId, tell: attemptOf(narrator, who, attemptId) }
  }

  const baseline = await register(owner, { intent: "planned", planId, argv: without, ...held })
  await baseline.tell("started")
  await baseline.tell("progress", { metrics: series(0, 0, STEPS.slice(0, 6)) }, 90)
  await baseline.tell(
    "succeeded",
    {
      metrics: series(0, 0, STEPS.slice(6)),
      outputs: [
        { outputLabel: "metrics.json", digest: digestOf("metrics without warm-up"), mediaType: "application/json", sizeBytes: 1_904 },
      ],
      exitCode: 0,
    },
    80,
  )

  const diverged = await register(owner, { intent: "planned", planId, argv: withWarmUp, ...held })
  await diverged.tell("started")
  await diverged.tell(
    "failed",
    {
      metrics: [...series(400, 0, [0, 100]), { name: "loss", value: "NaN", unit: "nat", step: 200, split: "train" }],
      failure: { stage: "training", explanation: "The loss became NaN at step 200: the node had a faulty accelerator." },
      exitCode: 1,
    },
    45,
  )

  const rerun = await register(owner, { intent: "rerun", rerunOf: diverged.attemptId, planId, argv: withWarmUp, ...held })
  await rerun.tell("started")
  await rerun.tell("progress", { metrics: series(400, 0, STEPS.slice(0, 6)) }, 90)
  const output = await narrator.does(
    owner,
    "register_material",
    {},
    {
      roomId,
      threadId,
      reference: digestOf("metrics with warm-up"),
      name: "Losses with a warm-up of 400 steps",
      mediaType: "application/json",
      sizeBytes: 1_911,
    },
  )
  await rerun.tell(
    "succeeded",
    {
      metrics: series(400, 0, STEPS.slice(6)),
      outputs: [
        {
          outputLabel: "metrics.json",
          digest: digestOf("metrics with warm-up"),
          mediaType: "application/json",
          sizeBytes: 1_911,
          materialId: output.result.materialId,
        },
      ],
      exitCode: 0,
    },
    85,
  )

  const reproduction = await register(member, {
    intent: "reproduction",
    reproduces: { attemptId: rerun.attemptId },
    argv: withWarmUp,
    repository: { url: repository.url, commit: repository.otherCommit },
    environment: { accelerator: "one H100", python: "3.14" },
    intendedDeviation: "The later commit, which averages over seeds by itself.",
  })
  await reproduction.tell("started", {}, 60 * 8)
  await reproduction.tell(
    "succeeded",
    {
      metrics: series(400, 0.004),
      outputs: [{ outputLabel: "metrics.json", digest: digestOf("metrics of the reproduction"), sizeBytes: 1_899 }],
      exitCode: 0,
    },
    100,
  )
  return {
    experimentId,
    planId,
    materialId,
    attempts: { baseline: baseline.attemptId, diverged: diverged.attemptId, rerun: rerun.attemptId, reproduction: reproduction.attemptId },
  }
}
