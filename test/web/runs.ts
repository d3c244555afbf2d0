/** A Room of runs to compare: loss curves that differ by a tenth of a nat, one that diverged, one that failed. */
import type { ResearchRoom } from "research-room/testing"

export interface Runs {
  readonly roomId: string
  readonly experimentId: string
  readonly attemptIds: readonly string[]
}

const reportedAt = "2026-11-20T09:30:00.000Z"
const POINTS = 1_000
/** Points of one report: as many as fit in its content. */
const TOLD = 500

/** The loss of a run at a step: from about 12 down to about 2, with noise that is always the same. */
export const lossAt = (run: number, step: number): number =>
  2 + 0.1 * (run % 4) + 10 * Math.exp(-step / (90 + 15 * (run % 5))) + 0.04 * Math.sin(step * 12.9898 + run * 78.233)

const rounded = (value: number | string) => (typeof value === "number" ? Number(value.toFixed(6)) : value)

/** @param points of each metric */
export async function makeRuns(house: ResearchRoom, count: number, points = POINTS): Promise<Runs> {
  const ada = await house.browser(house.people.owner)
  const { url, commit } = house.repositories.public
  const repository = { url, commit }
  const { roomId, openingThreadId: threadId } = (
    await ada.write("create_room", { title: "Warm-up", question: "How long should the warm-up be?" })
  ).result
  const { experimentId } = (
    await ada.write("propose_experiment", {
      roomId,
      threadId,
      question: "Does a longer warm-up lower the loss?",
      scope: "One model.",
      hypotheses: [],
    })
  ).result
  await ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const attemptIds: string[] = []
  for (let run = 0; run < count; run += 1) {
    const attemptId = crypto.randomUUID()
    attemptIds.push(attemptId)
    await ada.write("register_attempt", {
      attemptId,
      experimentId,
      intent: "exploratory",
      expectedRevision: 2,
      expectedStatus: "claimed",
      repository,
      argv: ["python", "train.py", "--warmup", String(100 * (run % 4)), "--seed", String(run)],
      configuration: {
        optimizer: { name: run % 2 === 0 ? "adamw" : "lion", rate: 0.001 * 2 ** (run % 5) },
        batch: 256,
      },
      inputs: [],
    })
    let revision = 1
    const tell = async (event: "started" | "progress" | "succeeded" | "failed", more: object = {}) => {
      await ada.write("report_attempt_event", {
        ...{
          attemptId,
          event,
          expectedRevision: revision,
          expectedStatus: revision === 1 ? "registered" : "started",
          reportedAt,
        },
        ...more,
      } as never)
      revision += 1
    }
    await tell("started")
    const diverges = run === 2
    for (const [name, split, unit, of] of [
      ["loss", "train", "nat", (step: number) => (diverges && step > points / 2 ? "NaN" : lossAt(run, step))],
      [
        "loss",
        "valid",
        "nat",
        (step: number) => (diverges && step > points / 2 ? "Infinity" : lossAt(run, step) + 0.15),
      ],
      [
        "gradient norm",
        undefined,
        undefined,
        (step: number) => 1 + 5 * Math.exp(-step / 200) + Math.abs(Math.sin(step * (run + 1))),
      ],
    ] as const)
      for (let from = 0; from < points; from += TOLD)
        await tell("progress", {
          metrics: Array.from({ length: Math.min(TOLD, points - from) }, (_, index) => ({
            name,
            split,
            unit,
            step: from + index,
            value: rounded(of(from + index)),
          })),
        })
    if (run === 3)
      await tell("failed", { failure: { stage: "training", explanation: "The node was taken away at night." } })
    else if (run !== count - 1) await tell("succeeded")
  }
  return { roomId, experimentId, attemptIds }
}
