/** A Room with many attempts, and their values by hand: what statements about it are made from and judged by. */
import { finding } from "../../support/bodies.ts"
import type { Filler } from "../record/filler.ts"

const ARMS = ["baseline", "smoothing", "mixup", "cutout", "shift", "dropout", "warm restarts", "label noise"]
const commit = "a".repeat(40)
const reportedAt = "2026-11-20T09:30:00.000Z"

/** One attempt: an arm at a seed. */
export interface Run {
  readonly attemptId: string
  readonly label: string
  readonly arm: string
  readonly seed: number
  readonly values: Readonly<Record<string, number>>
}
export interface Trial {
  readonly experimentId: string
  readonly label: string
  readonly arms: readonly string[]
  readonly rate: number
  readonly runs: readonly Run[]
  /** The finding whose effect is the second arm less the first in `error`. */
  readonly finding: { readonly versionId: string; readonly label: string }
}
export interface MeasuredRoom {
  readonly roomId: string
  readonly trials: readonly Trial[]
}

/** Numbers from 0 to 1 that are the same each time (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
export const sdOf = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - meanOf(values)) ** 2, 0) / (values.length - 1))

/** How many attempts of each experiment: arms and seeds. */
function shapeOf(attempts: number): { trials: number; arms: number; seeds: number } {
  if (attempts <= 10) return { trials: 1, arms: 2, seeds: 5 }
  return attempts <= 500 ? { trials: 10, arms: 5, seeds: 10 } : { trials: 25, arms: 8, seeds: 10 }
}

/** Fills a Room with 10, 500 or 2,000 attempts. Call it within `fill`. */
export function measuredRoom(filler: Filler, owner: Parameters<Filler["does"]>[0], attempts: number): MeasuredRoom {
  const chance = chanceOf(attempts)
  const normal = () => Array.from({ length: 12 }, chance).reduce((sum, value) => sum + value, -6)
  const { roomId, openingThreadId: threadId } = filler.does(owner, "create_room", {
    title: `Numbers ${attempts}`,
    question: "How much?",
  }).result
  const { trials, arms: armCount, seeds } = shapeOf(attempts)
  const made = Array.from({ length: trials }, (_, trial): Trial => {
    const arms = ARMS.slice(0, armCount)
    const rate = [0.1, 0.03, 0.001, 0.25][trial % 4] ?? 0.1
    const { experimentId, label } = filler.does(owner, "propose_experiment", {
      ...{ roomId, threadId, question: "Which?", scope: "Here.", hypotheses: [] },
    }).result
    filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    const runs = arms.flatMap((arm, at) => {
      const level = {
        error: 0.1 + 0.02 * chance() + 0.013 * at,
        loss: 1.2 + 0.3 * chance(),
        latency: 40 + 30 * chance(),
      }
      return Array.from({ length: seeds }, (_, seed): Run => {
        const values = {
          error: Math.round((level.error + 0.004 * normal()) * 1e5) / 1e5,
          loss: Math.round((level.loss + 0.03 * normal()) * 1e5) / 1e5,
          latency: Math.round((level.latency + 1.3 * normal()) * 1e4) / 1e4,
        }
        const attemptId = filler.instance.world.id()
        const registered = filler.does(owner, "register_attempt", {
          ...{
            attemptId,
            experimentId,
            intent: "exploratory",
            expectedRevision: 2,
            expectedStatus: "claimed",
            inputs: [],
          },
          repository: { url: "https://github.com/example/mlp", commit },
          argv: ["python", "mlp.py", "--seed", String(seed)],
          configuration: { learning_rate: rate, width: 64 * (1 + (trial % 5)) },
        }).result
        const at = { attemptId, reportedAt }
        filler.does(owner, "report_attempt_event", {
          ...{ ...at, event: "started", expectedRevision: 1, expectedStatus: "registered" },
        })
        filler.does(owner, "report_attempt_event", {
          ...{ ...at, event: "succeeded", expectedRevision: 2, expectedStatus: "started" },
          metrics: [
            { name: "error", split: "test", value: values.error, dimensions: { arm, seed } },
            { name: "loss", value: values.loss, dimensions: { arm, seed } },
            { name: "latency", unit: "ms", value: values.latency, dimensions: { arm, seed } },
          ],
        })
        return { attemptId, label: registered.label, arm, seed, values }
      })
    })
    const [against = "", of = ""] = arms
    const ids = (arm: string) => runs.filter((run) => run.arm === arm).map(({ attemptId }) => attemptId)
    const effect = { experimentId, metric: "error", of: { arm: of }, against: { arm: against }, over: "seed" }
    const published = filler.does(owner, "publish_finding", {
      ...finding({ roomId, threadId }),
      provenance: {
        execution: { experimentId, attemptIds: ids(of), baselineAttemptIds: ids(against) },
        papers: [],
      },
      effects: [effect],
    }).result
    return { experimentId, label, arms, rate, runs, finding: published }
  })
  return { roomId, trials: made }
}
