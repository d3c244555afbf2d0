/**
 * Boards on simulated data: without an effect hardly any names a winner, and a true best group is named as often as the
 * power of the test predicts.
 */
import t from "tap"
import { ranked } from "../../../src/research/boards/boards.ts"
import type { Cell } from "../measurements/frame-of.ts"
import { tableOf } from "../../../src/research/measurements/table.ts"
import { seedWhenJudged } from "../../support/chance.ts"
import { frameOf } from "../measurements/frame-of.ts"

/** Mulberry32: the same seed gives the same data. */
function random(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
const seed = seedWhenJudged ?? Date.now()
const next = random(seed)
t.comment(`seed ${seed}`)
const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

interface Field {
  readonly groups: number
  readonly seeds: number
  /** The number of standard deviations by which the first group is lower than the others. */
  readonly ahead?: number
  /** The standard deviation of the component that the values of one seed share. */
  readonly shared?: number
}

/** Returns a value for every group and seed. */
function field({ groups, seeds, ahead = 0, shared = 0 }: Field): number[][] {
  const common = Array.from({ length: seeds }, () => shared * normal())
  return Array.from({ length: groups }, (_, group) =>
    common.map((value) => value + normal() - (group === 0 ? ahead : 0)),
  )
}

function board(values: readonly (readonly number[])[], over: "seed" | undefined) {
  const cells = values.flatMap((own, group): Cell[] => {
    const attempt = { attemptId: `a${group}`, experimentId: "e", label: `A${group + 1}`, commit: "c", inputs: "" }
    return own.map((value, place) => ({ attempt, dimensions: { arm: `arm${group}`, seed: place }, value }))
  })
  return ranked(tableOf(frameOf(cells), { by: ["arm"], ...(over && { over }) }).groups, "lower")
}

const BOARDS = 1_000
const share = (is: () => boolean): number => Array.from({ length: BOARDS }, is).filter(Boolean).length / BOARDS

t.test("of 1,000 boards without effect at most 5 % name a winner", async (t) => {
  for (const over of ["seed", undefined] as const)
    for (const shared of [0, 2]) {
      const named = share(() => board(field({ groups: 20, seeds: 5, shared }), over).best !== null)
      t.ok(named <= 0.05, `${over === undefined ? "unpaired" : "paired"}, ${shared} sd in common: ${named * 100} %`)
    }
  const two = share(() => board(field({ groups: 2, seeds: 5 }), "seed").best !== null)
  // With two groups the correction leaves no margin: the bound is three standard errors above 5 %.
  t.ok(two <= 0.05 + 3 * Math.sqrt((0.05 * 0.95) / BOARDS), `two groups: ${two * 100} %`)
})

/** The two-sided 0.05/6 quantile of Student's t with 19 degrees of freedom, from a printed table. */
const CRITICAL = 2.9435

t.test("a group that is better by 1 sd is named as often as the power of the test predicts", async (t) => {
  const [groups, seeds] = [4, 20]
  const values = Array.from({ length: BOARDS }, () => field({ groups, seeds, ahead: 1 }))
  const named = values.filter((each) => String(board(each, "seed").best?.arm) === "arm0").length / BOARDS
  const wrong = values.filter((each) => {
    const { best } = board(each, "seed")
    return best !== null && best.arm !== "arm0"
  }).length
  /** The same test in textbook arithmetic, on data of its own. */
  const mean = (some: readonly number[]) => some.reduce((sum, value) => sum + value, 0) / some.length
  const power = share(() => {
    const [first = [], ...others] = field({ groups, seeds, ahead: 1 })
    const rival = others.toSorted((one, other) => mean(one) - mean(other))[0] ?? []
    const differences = first.map((value, place) => value - (rival[place] ?? 0))
    const middle = mean(differences)
    const sd = Math.sqrt(differences.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (seeds - 1))
    return middle / (sd / Math.sqrt(seeds)) < -CRITICAL
  })
  const slack = 4 * Math.sqrt((2 * power * (1 - power)) / BOARDS)
  t.ok(Math.abs(named - power) <= slack, `named in ${named * 100} %, power ${power * 100} % ± ${slack * 100}`)
  t.ok(power > 0.2 && power < 0.9, "the simulated case is neither hopeless nor trivial")
  t.ok(wrong <= 10, `a wrong group was named ${wrong} times`)
})
