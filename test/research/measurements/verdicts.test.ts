/** A reproduction is judged on the difference of the two estimates: how often that errs, by simulation. */
import t from "tap"
import { paired, together } from "../../../src/research/measurements/statistics.ts"
import { differenceBetween, verdictOn } from "../../../src/research/measurements/working-out.ts"
import { chance, normal } from "./layouts.ts"

const next = chance(50)
/** An effect of `pairs` pairs whose differences have a standard deviation of one. */
const measured = (truth: number, pairs: number) =>
  paired(Float64Array.from({ length: pairs }, () => truth + normal(next)))

/** The share of each verdict among simulated reproductions. */
function shares(first: number, own: number, pairs: readonly [number, number], runs = 4_000) {
  const found = new Map<string, number>()
  for (let run = 0; run < runs; run += 1) {
    const verdict = verdictOn(measured(own, pairs[1]), measured(first, pairs[0]))
    found.set(verdict, (found.get(verdict) ?? 0) + 1 / runs)
  }
  return (verdict: string) => found.get(verdict) ?? 0
}

for (const pairs of [
  [5, 5],
  [10, 10],
  [10, 6],
  [20, 6],
] as const) {
  const seOf = Math.sqrt(1 / pairs[0] + 1 / pairs[1])
  t.test(`${pairs[0]} and ${pairs[1]} pairs`, (t) => {
    for (const truth of [0, 0.5, 1, 2, 4]) {
      const wrong = shares(truth, truth, pairs)("does_not_reproduce")
      t.ok(wrong <= 0.07, `with equal truths of ${truth}, ${(100 * wrong).toFixed(1)} % does not reproduce`)
    }
    for (const truth of [3, 6]) {
      const wrong = shares(truth, truth - 4 * seOf, pairs)("reproduces")
      t.ok(wrong <= 0.1, `with truths four standard errors apart, ${(100 * wrong).toFixed(1)} % reproduces`)
    }
    t.end()
  })
}

t.test("the rules, one by one", (t) => {
  const of = (estimate: number, se: number) => ({
    estimate,
    se,
    df: 200,
    low: estimate - 2 * se,
    high: estimate + 2 * se,
  })
  const first = of(-1, 0.17)
  t.equal(verdictOn(of(-1.3, 0.15), first), "reproduces", "its interval may miss the first estimate by a hair")
  t.equal(verdictOn(of(-0.3, 0.05), first), "partly_reproduces")
  t.equal(verdictOn(of(-0.8, 0.5), first), "inconclusive")
  t.equal(verdictOn(of(0.1, 0.1), first), "does_not_reproduce")
  t.equal(verdictOn(of(0.05, 0.1), of(0.02, 0.1)), "inconclusive", "both hold zero")
  t.equal(verdictOn(of(0.05, 0.1), of(0.02, 0.1), 0.5), "reproduces", "both are within the bounds")
  t.equal(verdictOn(of(0.05, 0.1), of(0.02, 0.1), 0.1), "inconclusive")
  t.equal(verdictOn({ ...of(1, 0), se: null, low: null, high: null }, first), "inconclusive")
  t.match(differenceBetween(of(-1.3, 0.15), first), { estimate: -1.3 - -1 })
  t.end()
})

t.test("two estimates together: a common effect with Satterthwaite's degrees of freedom", (t) => {
  const found = together([
    { estimate: -1, se: 0.2, df: 9 },
    { estimate: -1.4, se: 0.3, df: 9 },
  ])
  // Weights 1/se²; df 15.680412; the quantile of Student's t from its density, integrated by Simpson's rule.
  const known = { estimate: -1.123076923077, se: 0.166410058868, low: -1.476435742052, high: -0.769718104101 }
  for (const [name, value] of Object.entries(known))
    t.ok(Math.abs((found?.[name as keyof typeof known] ?? 0) - value) < 1e-10, `${name} is ${value}`)
  t.match(found, { k: 2, method: "common_effect" })
  t.end()
})
