/**
 * Values at places that are hard to tell apart: each is at its own place in a frame, groups are paired as by hand, and
 * sums are the same in any order.
 */
import fc from "fast-check"
import t from "tap"
import { OF_BLOCK } from "../../../src/research/attempts/reported.ts"
import { dimensionAt, type Dimensions, textOf } from "../../../src/research/measurements/cells.ts"
import { filled, filtered, isAt } from "../../../src/research/measurements/frame.ts"
import { summaryOf, sumOf } from "../../../src/research/measurements/statistics.ts"
import { compared, sideAt } from "../../../src/research/measurements/sides.ts"
import { tableOf } from "../../../src/research/measurements/table.ts"
import { seedWhenJudged } from "../../support/chance.ts"
import { type Cell, frameOf } from "./frame-of.ts"

const chosen = { numRuns: 60, ...(seedWhenJudged !== undefined && { seed: seedWhenJudged }) }
const attempts = ["one", "two", "three"].map((attemptId) => ({
  attemptId,
  experimentId: attemptId === "three" ? "f" : "e",
  label: `A${attemptId.length}`,
  commit: "c",
  inputs: "",
}))
const [attempt = { attemptId: "", experimentId: "", label: "", commit: "", inputs: "" }] = attempts

/** Scalars, some of which print alike or are equal numbers. */
const scalar = fc.oneof(
  fc.constantFrom<string | number | boolean>(3, "3", "3.0", true, "true", false, "", "constructor", -1, 0.5, "a"),
  fc.integer({ min: 0, max: 300 }),
)
const dimensions = fc.record(
  { arm: fc.constantFrom("a", "b"), seed: scalar, constructor: scalar },
  { requiredKeys: [] },
)
const sizes = fc.oneof(
  fc.constantFrom(1, OF_BLOCK - 1, OF_BLOCK, OF_BLOCK + 1, 3 * OF_BLOCK),
  fc.integer({ min: 1, max: 40 }),
)
const number = fc.oneof(
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 1e-300, -0),
)
const cells = sizes.chain((size) =>
  fc.array(fc.record({ attempt: fc.constantFrom(...attempts), dimensions, value: number }), {
    minLength: size,
    maxLength: size,
  }),
)

t.test("a frame has each value at its place, in any number of blocks", (t) => {
  const property = fc.property(cells, (told) => {
    const frame = frameOf(told)
    const sorted = [...Map.groupBy(told, (cell) => cell.attempt).values()].flat()
    t.strictSame(
      [...frame.values],
      sorted.map(({ value }) => value),
    )
    const found = sorted.map((_, index) =>
      Object.fromEntries(
        [...frame.columns].flatMap(([name, { codes, scalars }]) => {
          const own = scalars[codes[index] ?? -1]
          return own === undefined ? [] : [[name, textOf(own)]]
        }),
      ),
    )
    const texts = (own: Dimensions) =>
      Object.fromEntries(Object.entries(own).map(([name, value]) => [name, textOf(value)]))
    t.strictSame(
      found,
      sorted.map((cell) => texts(cell.dimensions)),
    )
  })
  fc.assert(property, chosen)
  t.end()
})

/** The mean of some values, as the service adds them. */
const mean = (some: readonly number[]): number => (some.length === 1 ? (some[0] ?? 0) : sumOf(some) / some.length)

t.test("groups are paired as by hand: within an attempt, then an experiment and commit, then at all", (t) => {
  const property = fc.property(cells, (told) => {
    const all = told.filter(({ value }) => Number.isFinite(value))
    const of = (some: typeof told, arm: string) =>
      some.filter((cell) => dimensionAt(cell.dimensions, "arm") === arm && Object.hasOwn(cell.dimensions, "seed"))
    const run = (cell: Cell) => `${cell.attempt.experimentId} ${cell.attempt.commit}`
    const isNear = of(all, "a").some((cell) => of(all, "b").some((other) => run(other) === run(cell)))
    const both = all.filter((cell) =>
      ["a", "b"].every((arm) => of(all, arm).some((other) => !isNear || run(other) === run(cell))),
    )
    const seedOf = (cell: Cell) => textOf(dimensionAt(cell.dimensions, "seed") ?? "")
    const bySeed = (arm: string) => Map.groupBy(of(both, arm), seedOf)
    const [mine, theirs] = [bySeed("a"), bySeed("b")]
    const differences = [...mine].flatMap(([seed, own]) => {
      const others = theirs.get(seed) ?? []
      if (others.length === 0) return []
      const apart = isNear ? [(cell: Cell) => cell.attempt.attemptId, run] : [() => ""]
      for (const near of apart) {
        const [one, other] = [Map.groupBy(own, near), Map.groupBy(others, near)]
        const shared = [...one].flatMap(([key, some]) => {
          const partners = other.get(key)
          return partners === undefined
            ? []
            : [mean(some.map(({ value }) => value)) - mean(partners.map(({ value }) => value))]
        })
        if (shared.length > 0) return [mean(shared)]
      }
      return []
    })
    const frame = frameOf(told)
    const numbers = filtered(frame, (index) => Number.isFinite(frame.values[index]))
    const within = compared(numbers, "seed")
    const found = sideAt(within, isAt(numbers, { arm: "a" })).less(sideAt(within, isAt(numbers, { arm: "b" })))
    const { groups } = tableOf(frame, { by: ["arm"], over: "seed", against: { dimension: "arm", value: "b" } })
    const { corrected, ...contrast } = groups.find(({ key }) => key.arm === "a")?.contrast ?? { corrected: null }
    if (found !== null) t.strictSame(contrast, found, "an effect equals the entry of its table")
    if (corrected?.isDistinct) t.ok(isNear, "what comes from further apart is never told apart")
    if (differences.length < 2) return
    t.equal(found?.pairedAcross === null, isNear)
    t.match(found, {
      method: "paired",
      estimate: summaryOf(differences).mean,
      pairs: differences.length,
      unpaired: mine.size + theirs.size - 2 * differences.length,
      lower: differences.filter((difference) => difference < 0).length,
    })
  })
  fc.assert(property, { ...chosen, numRuns: 200 })
  t.end()
})

t.test("the setting is looked up only for attempts with a value that lacks the dimension, once each", (t) => {
  const frame = frameOf([
    ...[1, 2].map((value) => ({ attempt, dimensions: { arm: "a" }, value })),
    ...attempts.slice(1).map((other) => ({ attempt: other, dimensions: { arm: "a", seed: 3 }, value: 3 })),
  ])
  const asked: string[] = []
  const whole = filled(frame, "seed", ({ attemptId }) => {
    asked.push(attemptId)
    return "3"
  })
  t.strictSame(asked, ["one"])
  t.strictSame(whole.columns.get("seed"), { codes: new Int32Array([0, 0, 0, 0]), scalars: [3] })
  t.end()
})

/** A number as an integer count of the smallest possible steps. */
function steps(value: number): bigint {
  const bits = new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n
  const [exponent, part] = [(bits >> 52n) & 2047n, bits & (2n ** 52n - 1n)]
  const size = exponent === 0n ? part : (part + 2n ** 52n) << (exponent - 1n)
  return value < 0 ? -size : size
}

t.test("a sum is the same in any order, and as close to the true sum as numbers allow", (t) => {
  const values = fc.array(
    fc.oneof(
      fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }),
    ),
    {
      maxLength: 200,
    },
  )
  const property = fc.property(values, fc.boolean(), (some, cancels) => {
    const told = cancels ? [...some, ...some.slice(1).map((value) => -value)] : some
    const sum = sumOf(told)
    t.ok(Object.is(sumOf(told.toSorted((one, other) => one - other)), sum) && Object.is(sumOf(told.toReversed()), sum))
    const largest = told.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    const off = steps(sum) - told.reduce((all, value) => all + steps(value), 0n)
    t.ok((off < 0n ? -off : off) <= steps(Math.abs(sum) * 2 ** -52) + steps(largest * 2 ** -80) + 1n, `${sum}`)
  })
  fc.assert(property, { ...chosen, numRuns: 500 })
  t.equal(sumOf([1e16, 1, -1e16, 1e-10]), 1 + 1e-10)
  t.equal(sumOf([1.5e308, -1e308, 1]), 5e307)
  t.equal(sumOf([]), 0)
  t.end()
})
