/**
 * The toy that the main Room studies: a policy over eight ways of solving a problem, trained by group-relative policy
 * gradients on whether the problem was solved. Small enough to compute pass@k exactly, and seeded, so that every number
 * in the story can be reproduced.
 */
import { present } from "../../src/contract/typed.ts"
import { measure, type Point, type Problem, policyAt, tasks } from "./problems.ts"
import { uniform } from "./uniform.ts"

/** The base policy almost never takes the eighth way. */
const NOVEL = 7
const BATCH = 4
/** The base policy's own preferences, before those that a problem suggests. */
const BASE = [2.4, 1.2, 0.7, 0.2, -0.3, -0.8, -1.3, -14]

export const defaults = {
  seed: 1,
  steps: 240,
  rate: 0.12,
  /** Samples of one problem that are compared with each other. */
  group: 8,
  /** Weight of the Kullback-Leibler penalty toward the reference policy. */
  kl: 0,
  /** After this many steps the reference becomes the current policy; 0 is never. */
  reset: 0,
  /** Updates on each batch; from the second on, the ratio to the sampling policy counts. */
  epochs: 1,
  /** Bound of that ratio, on both sides of one; 0 is none. */
  clip: 0.2,
  /** Demonstrations of the eighth way that are imitated first. */
  demonstrations: 0,
}
export type Settings = typeof defaults

export interface Run {
  readonly points: readonly Point[]
  /** The step at which the policy became NaN; null if it did not. */
  readonly diverged: number | null
}

interface Group {
  readonly problem: Problem
  readonly old: readonly number[]
  readonly ways: readonly number[]
  readonly advantages: readonly number[]
}

/** One problem's group: the ways taken, and how each did relative to the others. */
function sampleGroup(problem: Problem, old: readonly number[], size: number, random: () => number): Group {
  const ways: number[] = []
  const rewards: number[] = []
  for (let sample = 0; sample < size; sample += 1) {
    let left = random()
    let way = 0
    while (way < NOVEL && left >= (old[way] ?? 0)) left -= old[way++] ?? 0
    ways.push(way)
    rewards.push(random() < (problem.solves[way] ?? 0) ? 1 : 0)
  }
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / size
  const spread = Math.sqrt(mean * (1 - mean))
  return { problem, old, ways, advantages: rewards.map((reward) => (spread > 0 ? (reward - mean) / spread : 0)) }
}

/**
 * Adds a group's contribution to `gradient`: its advantages, and the penalty as r - log r - 1, with r the reference's
 * share divided by the policy's, sample by sample. If a sampled way has almost vanished from the policy, r has no
 * bound.
 */
function addGroup(
  gradient: number[],
  policy: readonly number[],
  reference: readonly number[],
  group: Group,
  { clip, kl }: Settings,
): void {
  const { old, ways, advantages } = group
  for (let sample = 0; sample < ways.length; sample += 1) {
    const advantage = advantages[sample] ?? 0
    const taken = ways[sample] ?? 0
    const share = policy[taken] ?? 0
    const ratio = share / (old[taken] ?? 0)
    const bounded = clip > 0 && (advantage > 0 ? ratio > 1 + clip : ratio < 1 - clip)
    const pull = kl === 0 ? 0 : kl * ((reference[taken] ?? 0) / share - 1)
    const push = ((bounded ? 0 : ratio * advantage) + pull) / ways.length / BATCH
    if (push === 0) continue
    for (let way = 0; way <= NOVEL; way += 1) gradient[way] = (gradient[way] ?? 0) - push * (policy[way] ?? 0)
    gradient[taken] = (gradient[taken] ?? 0) + push
  }
}

/** The base policy after it has imitated this many demonstrations of the eighth way. */
function taught(demonstrations: number, random: () => number): number[] {
  let weights = [...BASE]
  for (let shown = 0; shown < demonstrations; shown += 1) {
    const policy = policyAt(weights, pick(random))
    weights = weights.map((weight, way) => weight + 0.2 * ((way === NOVEL ? 1 : 0) - (policy[way] ?? 0)))
  }
  return weights
}

const pick = (random: () => number) => present(tasks.train[Math.floor(random() * tasks.train.length)])

/** Runs the toy. Both splits are measured at step 0 and after each eighth of the steps, or each 40 if that is more. */
export function simulate(chosen: Partial<Settings>): Run {
  const settings = { ...defaults, ...chosen }
  const { seed, steps, rate, group, reset, epochs, demonstrations } = settings
  const random = uniform(seed * 7_919)
  let weights = taught(demonstrations, random)
  let reference = weights
  const every = Math.max(40, steps / 8)
  const points = measure(weights, 0)
  for (let step = 1; step <= steps; step += 1) {
    const groups = Array.from({ length: BATCH }, () => {
      const problem = pick(random)
      return sampleGroup(problem, policyAt(weights, problem), group, random)
    })
    for (let epoch = 0; epoch < epochs; epoch += 1) {
      const gradient = weights.map(() => 0)
      for (const each of groups) {
        const policy = epoch === 0 ? each.old : policyAt(weights, each.problem)
        addGroup(gradient, policy, settings.kl === 0 ? policy : policyAt(reference, each.problem), each, settings)
      }
      weights = weights.map((weight, way) => weight + rate * (gradient[way] ?? 0))
    }
    if (Number.isNaN(policyAt(weights, pick(random))[0]))
      return { points: [...points, ...measure(weights, step)], diverged: step }
    if (reset > 0 && step % reset === 0) reference = weights
    if (step % every === 0) points.push(...measure(weights, step))
  }
  return { points, diverged: null }
}
