/** Fifth chapter: two lines of work that failed, and why: runs that diverged, and a computation that did not fit into memory. */
import { commandOf, type Attempt, type Lab } from "./lab.ts"
import { mean, named, shown } from "./numbers.ts"
import { SAMPLES, WAYS } from "./problems.ts"
import { about, finds, margin, predicts, role } from "./records.ts"
import type { Sharpening } from "./sharpening.ts"
import { defaults } from "./simulation.ts"

const FAST = { rate: 4, epochs: 8, clip: 0 }
const HELD = { ...FAST, kl: 0.1 }
const SOON = 80
const GIB = 2 ** 30
const MEMORY = 24

/** GiB for the chances of every group there can be, and their gradient: each sample takes one of the ways and solves or does not. */
const tableOf = (bytes: number) => (2 * (2 * WAYS) ** defaults.group * bytes) / GIB

async function tellUnclipped(lab: Lab, threadId: string, { rises, plain }: Sharpening): Promise<void> {
  const { owner, member } = lab
  const faster = await predicts(lab, member, {
    threadId,
    wording: `With a rate of ${FAST.rate}, ${FAST.epochs} updates a batch and no clipping, held-out pass@1 is at step ${SOON} where the default settings have it at step ${defaults.steps}.`,
    predicate: "keeps",
    roles: [
      role("cause", "What is changed.", commandOf(FAST).join(" ")),
      role("effect", "What is to be the same.", `held-out pass@1 at step ${SOON}, beside that of the defaults at step ${defaults.steps}`),
    ],
    references: [about(rises, "extends", "The same rise, sooner.")],
  })
  const arms = [
    { name: "unclipped, seed 1", settings: { ...FAST, seed: 1 } },
    ...[1, 2, 3].map((seed) => ({ name: `unclipped with a penalty, seed ${seed}`, settings: { ...HELD, seed } })),
  ]
  const experiment = await lab.experiment({
    threadId,
    proposer: member,
    assignee: member,
    question: "Can the same be learned in a third of the steps?",
    scope: "Large steps without clipping, and a penalty to hold them.",
    hypotheses: [faster.versionId],
    intent: "exploratory",
    summary: "One run without penalty to see whether it can be done at all; then three with it, for stability.",
    success: `At step ${SOON} a held-out pass@1 no lower than that of the defaults at step ${defaults.steps}.`,
    arms,
  })
  const lucky = await lab.runs(experiment, { ...FAST, seed: 1 })
  const goal = mean(plain, "pass@1")
  await lab.says(
    member,
    threadId,
    `${lucky.label} is at a held-out pass@1 of ${shown(lucky.value("pass@1", { step: SOON }))} at step ${SOON}! ${named(plain)} need all their ${defaults.steps} steps for ${shown(goal)}.`,
  )
  const broken: Attempt[] = []
  for (const seed of [1, 2, 3])
    broken.push(
      await lab.runs(experiment, { ...HELD, seed }, ({ diverged }) => ({
        failure: {
          stage: "training",
          explanation: `NaN at step ${diverged}. A way that was sampled had all but vanished from the policy after a few updates of the batch; the penalty's r is the base policy's share over the policy's, has no bound there, and threw the weights out of range.`,
        },
      })),
    )
  const again = await lab.attempt(experiment.experimentId, {
    by: owner,
    settings: { ...FAST, seed: 2 },
    more: { intent: "reproduction", reproduces: { attemptId: lucky.attemptId }, intendedDeviation: "Another seed, nothing else." },
    told: (attempt) => ({
      reproduction: {
        verdict: "does_not_reproduce",
        explanation: `With seed 2 the policy fell for a way that solves next to nothing: pass@1 is ${shown(attempt.value("pass@1", { step: SOON }))} at step ${SOON} and ${shown(attempt.value("pass@1"))} at the end, where ${lucky.label} has ${shown(lucky.value("pass@1"))}.`,
      },
    }),
  })
  const [first, second, third] = broken.map(({ diverged }) => String(diverged))
  await finds(lab, member, {
    threadId,
    experiment,
    wording: `Unclipped large steps are a gamble: ${lucky.label} reaches a held-out pass@1 of ${shown(lucky.value("pass@1"))}, ${again.label} ends at ${shown(again.value("pass@1"))}, and with a penalty ${named(broken)} become NaN at steps ${first}, ${second} and ${third}.`,
    predicate: "fails",
    roles: [
      role("cause", "What was done.", commandOf(FAST).join(" ")),
      margin("apart", "How far apart two seeds end, in pass@1.", shown(mean([lucky], "pass@1") - mean([again], "pass@1"))),
    ],
    outcome: "negative",
    attempts: [lucky, again, ...broken],
    baselines: plain,
    references: [about(faster, "contradicts", "One seed of five got there in one piece.")],
    limitations: "Smaller rates with a bound on r were not tried.",
    toward: [{ hypothesis: faster, verdict: "contradicts", explanation: "What one seed reaches, another loses." }],
    answers: { verdict: "answers", explanation: "Not like this." },
  })
  await lab.says(
    owner,
    threadId,
    `So the clipping is not there for politeness. ${again.label} never came back: once the other ways are gone, nothing samples them again.`,
  )
  await lab.completes(experiment, `Given up. ${named(broken)} diverged, and ${again.label} does not reproduce ${lucky.label}.`)
}

async function tellTooLarge(lab: Lab, threadId: string): Promise<void> {
  const { narrator, owner } = lab
  const exact = ["node", "exact.js", "--group", String(defaults.group)]
  const experiment = await lab.experiment({
    threadId,
    proposer: owner,
    assignee: owner,
    question: `Is the fall of pass@${SAMPLES} due to sampling noise in the groups?`,
    scope: "The expected update, over every group that can be drawn, in place of a drawn one.",
    hypotheses: [],
    intent: "exploratory",
    summary: "Enumerate the groups, weigh each by its chance, and train with the exact update.",
    success: "A curve of pass@1 and coverage that no seed has a part in.",
    arms: [],
  })
  const { experimentId, planId, held } = experiment
  const tries: string[] = []
  for (const bytes of [8, 4]) {
    const attemptId = narrator.id()
    const registered = await narrator.does(
      owner,
      "register_attempt",
      {},
      {
        attemptId,
        experimentId,
        intent: "exploratory",
        planId,
        ...held,
        repository: { url: lab.repository.url, commit: lab.repository.commit },
        argv: [...exact, "--bytes", String(bytes)],
        configuration: { ...lab.configuration, bytes },
        environment: { runtime: "Node 26", machine: "the group's server" },
        inputs: [{ materialId: lab.materialId, name: "problems" }],
      },
      10,
    )
    tries.push(registered.result.label)
    const needed = tableOf(bytes)
    const report = { attemptId, metrics: [measured("memory needed", needed), measured("memory there", MEMORY)] }
    const event = { expectedRevision: 1, expectedStatus: "registered" as const }
    const explanation = `Out of memory: the table of all groups of ${defaults.group} and its gradient take ${needed} GiB, and the machine has ${MEMORY}.`
    if (bytes === 8) {
      const failure = { stage: "allocation", explanation: `${explanation} Not launched.` }
      await narrator.does(
        owner,
        "report_attempt_event",
        {},
        { ...report, ...event, event: "preflight_failed", reportedAt: narrator.later(1), failure },
        5,
      )
    } else {
      await narrator.does(owner, "report_attempt_event", {}, { attemptId, ...event, event: "started", reportedAt: narrator.later(1) }, 5)
      const failure = { stage: "allocation", explanation: `${explanation} Single precision was not enough; the system ended it.` }
      const started = { expectedRevision: 2, expectedStatus: "started" as const }
      await narrator.does(
        owner,
        "report_attempt_event",
        {},
        { ...report, ...started, event: "failed", reportedAt: narrator.later(3), failure, exitCode: 137 },
        6,
      )
    }
  }
  const [double = "", single = ""] = tries
  await narrator.does(
    owner,
    "release_experiment",
    {},
    {
      experimentId,
      ...held,
      handoff: `${double} needs ${tableOf(8)} GiB and ${single} still ${tableOf(4)}, of the ${MEMORY} that are there. In which order a group was drawn makes no difference, so counting multisets instead would shrink the table to almost nothing. I have no time for it; the question is still a good one.`,
    },
    30,
  )
}

const measured = (name: string, value: number) => ({ name, value, unit: "GiB" })

/** Tells the chapter. */
export async function tellFailures(lab: Lab, sharpening: Sharpening): Promise<void> {
  const { result } = await lab.narrator.does(
    lab.member,
    "create_thread",
    {},
    {
      roomId: lab.roomId,
      title: "Can it be had faster, or without noise?",
      message: "A Thread for shortcuts. What does not work is told here too, so that nobody has to try it again.",
    },
    120,
  )
  await tellUnclipped(lab, result.threadId, sharpening)
  await tellTooLarge(lab, result.threadId)
}
