/**
 * Two hundred layouts of measurements, made from a fixed seed: unbalanced, with missing cells, with one run, with
 * constant and with diverged values.
 */
import type { Cell } from "./frame-of.ts"
import type { Question } from "../../../src/research/measurements/frame.ts"

export interface Layout {
  readonly cells: readonly Cell[]
  readonly question: Question
}

/** Numbers from 0 to 1 (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A normal random number (Box and Muller). */
export const normal = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

function layout(next: () => number): Layout {
  const pick = (most: number) => 1 + Math.floor(next() * most)
  const arms = ["baseline", "shift", "smoothing", "mixup"].slice(0, 1 + pick(3))
  const sizes = [400, 100, 50].slice(0, pick(3))
  const seeds = pick(10)
  const missing = next() < 0.5 ? 0 : next() * 0.4
  const diverging = next() < 0.7 ? 0 : 0.1
  const isConstant = next() < 0.08
  const scale = 10 ** (Math.floor(next() * 9) - 4)
  const offset = next() < 0.3 ? scale * 1_000 : scale
  const isPaired = next() < 0.7
  const cells: Cell[] = []
  for (const [a, arm] of arms.entries())
    for (const labels of sizes)
      for (let seed = 0; seed < seeds; seed += 1) {
        if (next() < missing) continue
        const noise = isConstant ? 0 : normal(next)
        const value = next() < diverging ? Number.NaN : offset + scale * (a * 0.3 + noise)
        const attempt = {
          experimentId: "one",
          attemptId: `${arm}-${labels}-${seed}`,
          label: `A${cells.length + 1}`,
          commit: "c",
          inputs: "",
        }
        cells.push({ attempt, dimensions: { arm, labels, seed }, value })
      }
  const against = { dimension: "arm", value: "baseline" }
  return {
    cells,
    question: isPaired ? { by: ["arm", "labels"], over: "seed", against } : { by: ["arm", "labels"], against },
  }
}

export const layouts: readonly Layout[] = (() => {
  const next = chance(20_261_123)
  return Array.from({ length: 200 }, () => layout(next))
})()

/** Estimates to pool: of three to nine studies, with and without variance between them. */
export const studies: readonly (readonly { readonly estimate: number; readonly se: number }[])[] = (() => {
  const next = chance(14)
  return Array.from({ length: 50 }, () =>
    Array.from({ length: 3 + Math.floor(next() * 7) }, () => ({
      estimate: normal(next) * (next() < 0.5 ? 1 : 0.05),
      se: 0.1 + next(),
    })),
  )
})()
