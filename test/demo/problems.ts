/** The problems that the toy's policy is trained and measured on, each with how often each of eight ways solves it. */
import { keysOf } from "../../src/contract/typed.ts"
import { uniform } from "./uniform.ts"

export const WAYS = 8
/** The problems of a split. */
export const PROBLEMS = 60
/** The number of samples for the larger pass@k. */
export const SAMPLES = 64

export interface Problem {
  /** How much the problem itself suggests each way: as exponentials, since the policy multiplies by them. */
  readonly suggests: readonly number[]
  /** How often each way solves it. */
  readonly solves: readonly number[]
}
export type Split = "train" | "held-out"
export const measures = ["pass@1", "pass@64", "entropy"] as const
export type Measure = (typeof measures)[number]
export interface Point {
  readonly step: number
  readonly split: Split
  readonly name: Measure
  readonly value: number
}

/**
 * Half of the problems yield to the common ways, three in ten to one rare way only, one in five to the eighth way only.
 */
function problems(random: () => number): Problem[] {
  return Array.from({ length: PROBLEMS }, (_, index) => {
    const kind = index % 10
    const suggests = Array.from({ length: WAYS }, () => Math.exp((random() + random() - 1) * 0.6))
    const only = kind < 5 ? null : kind < 8 ? 3 + Math.floor(random() * 4) : 7
    const solves = Array.from({ length: WAYS }, (_none, way) => {
      if (only !== null) return way === only ? 0.25 + 0.25 * random() : 0
      return way === 0 ? 0.5 + 0.3 * random() : (way < 3 ? 0.2 : 0.05) * random()
    })
    return { suggests, solves }
  })
}

const random = uniform(20_260_101)
export const tasks: Readonly<Record<Split, readonly Problem[]>> = {
  train: problems(random),
  "held-out": problems(random),
}

/**
 * The shares of the ways at a problem. Nothing keeps the exponentials small: weights beyond 709 overflow, as in a naive
 * program.
 */
export function policyAt(weights: readonly number[], { suggests }: Problem): number[] {
  const shares: number[] = []
  let total = 0
  for (let way = 0; way < WAYS; way += 1) {
    const share = Math.exp(weights[way] ?? 0) * (suggests[way] ?? 0)
    shares.push(share)
    total += share
  }
  for (let way = 0; way < WAYS; way += 1) shares[way] = (shares[way] ?? 0) / total
  return shares
}

/** Exact pass@1 and pass@64, and the mean entropy in nats, of both splits, to four decimals. */
export function measure(weights: readonly number[], step: number): Point[] {
  return keysOf(tasks).flatMap((split) => {
    const sums: Record<Measure, number> = { "pass@1": 0, "pass@64": 0, entropy: 0 }
    for (const problem of tasks[split]) {
      const policy = policyAt(weights, problem)
      const once = policy.reduce((sum, share, way) => sum + share * (problem.solves[way] ?? 0), 0)
      sums["pass@1"] += once
      sums["pass@64"] += 1 - (1 - once) ** SAMPLES
      sums.entropy -= policy.reduce((sum, share) => sum + (share === 0 ? 0 : share * Math.log(share)), 0)
    }
    return measures.map((name) => ({ step, split, name, value: Number((sums[name] / PROBLEMS).toFixed(4)) }))
  })
}
