/**
 * A Room with measured results: what a shift and a smoothing do to the error of a small model at three numbers of
 * labels, over five seeds, reported by two people who pin different code. One effect is reproduced, one is not, and one
 * cannot be told from noise.
 */
import type { WriteInput } from "research-room/client"
import type { Browser, Cast } from "research-room/testing"
import { finding, hypothesis } from "../support/bodies.ts"

type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>
type Effect = NonNullable<WriteInput<"publish_finding">["effects"]>[number]
type Arm = "baseline" | "shift" | "smoothing"

export interface Measured {
  readonly roomId: string
  readonly threadId: string
  readonly experimentId: string
  /** The first person's attempts: one of each arm. */
  readonly attemptIds: readonly string[]
  /** The second person's attempts, with code of their own. */
  readonly reproductionIds: readonly string[]
  readonly hypotheses: { readonly shift: string; readonly smoothing: string; readonly untested: string }
  /** Findings by label, in the order of publication. */
  readonly findings: readonly string[]
}

export const LABELS = [50, 100, 400] as const
const SEEDS = [1, 2, 3, 4, 5] as const
const STEPS = [0, 100, 200, 300, 400, 500] as const
const arms: readonly Arm[] = ["baseline", "shift", "smoothing"]

/** By how many percent an arm changes the error at a number of labels. */
const change: { readonly [A in Arm]: (labels: number) => number } = {
  baseline: () => 0,
  shift: (labels) => -0.4 - 3 / Math.sqrt(labels / 50),
  smoothing: () => -0.05,
}
/** Noise from −1 to 1, always the same. */
function noise(...parts: readonly number[]): number {
  const rolled = Math.sin(parts.reduce((sum, part, at) => sum + part * (12.9898 + 65.2 * at), 0)) * 43_758.5453
  return 2 * (rolled - Math.floor(rolled)) - 1
}
const places = (value: number): number => Number(value.toFixed(4))

function error(arm: Arm, labels: number, seed: number, lab: number): number {
  const level = 4 + 12 * Math.sqrt(50 / labels)
  return places(
    level +
      change[arm](labels) +
      0.5 * noise(labels, seed, lab) +
      0.6 * noise(arms.indexOf(arm) + 1, labels, seed, lab),
  )
}
const loss = (arm: Arm, seed: number, step: number, lab: number): number =>
  places(0.4 + 2 * Math.exp(-step / (150 + 40 * arms.indexOf(arm))) + 0.05 * noise(seed, step, arms.indexOf(arm), lab))

/** What an attempt of an arm reports: its error for each number of labels and seed, and its loss at each step. */
const told = (arm: Arm, lab: number): Metrics => [
  ...LABELS.flatMap((labels) =>
    SEEDS.map((seed) => ({
      name: "error",
      unit: "%",
      value: error(arm, labels, seed, lab),
      dimensions: { arm, labels, seed },
    })),
  ),
  ...SEEDS.flatMap((seed) =>
    STEPS.map((step) => ({
      name: "loss",
      unit: "nat",
      step,
      value: loss(arm, seed, step, lab),
      dimensions: { arm, seed },
    })),
  ),
]

const reportedAt = "2026-11-20T09:30:00.000Z"

/** @param house a demo, whose owner and member write the story */
export async function makeMeasured(
  house: Pick<Cast, "people" | "repositories">,
  ada: Browser,
  grace: Browser,
): Promise<Measured> {
  const { url, commit, otherCommit } = house.repositories.public
  const { roomId, openingThreadId: threadId } = (
    await ada.write("create_room", {
      title: "Does shifting help with few labels?",
      question: "At which number of labels $n$ does a shift lower the error by more than $1\\,\\%$?",
    })
  ).result
  await ada.write("add_member", { roomId, username: house.people.member.username })
  const place = { roomId, threadId }
  const say = async (wording: string) =>
    (await ada.write("publish_hypothesis", hypothesis(place, {}, wording))).result.versionId
  const hypotheses = {
    shift: await say("A shift lowers the error with 50 labels by more than one percent."),
    smoothing: await say("Smoothing lowers the error with 400 labels."),
    untested: await say("A shift and smoothing together lower the error further than either."),
  }
  const { experimentId } = (
    await ada.write("propose_experiment", {
      ...place,
      question: "What do a shift and smoothing do to the error at 50, 100 and 400 labels?",
      scope: "One small model, five seeds.",
      hypotheses: [hypotheses.shift, hypotheses.smoothing],
    })
  ).result
  await ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })

  async function run(by: Browser, arm: Arm, lab: number, reproduces?: string): Promise<string> {
    const attemptId = crypto.randomUUID()
    await by.write("register_attempt", {
      ...{ attemptId, experimentId, expectedRevision: 2, expectedStatus: "claimed" },
      intent: reproduces === undefined ? "exploratory" : "reproduction",
      ...(reproduces !== undefined && { reproduces: { attemptId: reproduces } }),
      repository: { url, commit: lab === 0 ? commit : otherCommit },
      argv: ["python", "train.py", "--arm", arm],
      configuration: { model: "small", arm },
      inputs: [],
    })
    const tell = (event: "started" | "progress" | "succeeded", revisionOf: number, more: object = {}) =>
      by.write("report_attempt_event", {
        ...{
          attemptId,
          event,
          reportedAt,
          expectedRevision: revisionOf,
          expectedStatus: revisionOf === 1 ? "registered" : "started",
        },
        ...more,
      } as never)
    await tell("started", 1)
    await tell("progress", 2, { metrics: told(arm, lab) })
    const reproduction = { verdict: "reproduces", explanation: "The same difference, with code of our own." }
    await tell("succeeded", 3, reproduces === undefined ? {} : { reproduction })
    return attemptId
  }
  const attemptIds: string[] = []
  for (const arm of arms) attemptIds.push(await run(ada, arm, 0))
  const reproductionIds: string[] = []
  for (const [index, arm] of arms.entries()) reproductionIds.push(await run(grace, arm, 1, attemptIds[index]))

  const effect = (of: Arm, labels: number): Effect => ({
    ...{ experimentId, metric: "error", over: "seed" },
    ...{ of: { arm: of }, against: { arm: "baseline" }, where: { labels } },
  })
  async function publish(
    by: Browser,
    wording: string,
    attempts: readonly string[],
    effects: Effect[],
    more: object = {},
  ): Promise<string> {
    const provenance = { execution: { experimentId, attemptIds: [...attempts], baselineAttemptIds: [] }, papers: [] }
    return (await by.write("publish_finding", finding(place, { effects, provenance, ...more }, wording))).result
      .versionId
  }
  const link = (
    by: Browser,
    findingVersionId: string,
    versionId: string,
    verdict: "supports" | "contradicts" | "inconclusive",
  ) =>
    by.write("link_experiment_finding", {
      ...{ experimentId, findingVersionId },
      towardQuestion: { verdict: "answers", explanation: "It is the difference that was asked for." },
      towardHypothesis: [{ versionId, verdict, explanation: "By the effect." }],
    })
  const findings = [
    await publish(ada, "With 50 labels the shift lowers the error by three percent.", attemptIds, [
      effect("shift", 50),
    ]),
    await publish(grace, "With code of our own the shift lowers the error with 50 labels too.", reproductionIds, [
      effect("shift", 50),
    ]),
    await publish(ada, "Smoothing tells nothing apart with 400 labels.", attemptIds, [effect("smoothing", 400)], {
      outcome: "inconclusive",
    }),
    await publish(grace, "Neither does it with code of our own.", reproductionIds, [effect("smoothing", 400)], {
      outcome: "negative",
    }),
  ]
  const [first = "", second = "", third = "", fourth = ""] = findings
  await link(ada, first, hypotheses.shift, "supports")
  await link(grace, second, hypotheses.shift, "supports")
  await link(ada, third, hypotheses.smoothing, "inconclusive")
  await link(grace, fourth, hypotheses.smoothing, "contradicts")
  return { roomId, threadId, experimentId, attemptIds, reproductionIds, hypotheses, findings }
}
