/** What the Room of numbers compares: ways to train the toy, and what is solved at the end of each at some seeds. */
import { present } from "../contract/present.ts"
import { type Settings, simulate } from "./simulation.ts"

export const METRIC = "coverage"
/** Two ways to learn less, and larger groups, beside the default. */
export const ARMS = {
  plain: {},
  penalty: { kl: 0.2 },
  early: { steps: 120 },
  "groups of 10": { group: 10 },
} as const satisfies Readonly<Record<string, Partial<Settings>>>
export type Arm = keyof typeof ARMS
export const FIRST = [12, 13, 14]
/** The seeds of those who try again. */
export const AGAIN = Array.from({ length: 10 }, (_, index) => 15 + index)

/** What is solved within 64 tries at the end of a run. */
const coverage = (arm: Arm, seed: number): number =>
  present(simulate({ ...ARMS[arm], seed }).points.findLast(({ name, split }) => name === "pass@64" && split === "held-out")).value
/** The values of some arms, as an attempt reports them. */
export const cells = (arms: readonly Arm[], seeds: readonly number[]) =>
  arms.flatMap((arm) =>
    seeds.map((seed) => ({ name: METRIC, value: coverage(arm, seed), unit: "share of problems", dimensions: { arm, seed } })),
  )
export const meanOf = (arm: Arm, seeds: readonly number[]): number =>
  seeds.reduce((sum, seed) => sum + coverage(arm, seed), 0) / seeds.length
/** By how much more is solved than with plain training. */
export const apart = (arm: Arm, seeds: readonly number[]): number => meanOf(arm, seeds) - meanOf("plain", seeds)
export const program = (seeds: readonly number[]): string[] => ["node", "evaluate.js", "--seeds", seeds.join(",")]
