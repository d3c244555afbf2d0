/** Student's t distribution agrees with another implementation, @stdlib's, from one degree of freedom to millions. */
import tCdf from "@stdlib/stats-base-dists-t-cdf"
import tQuantile from "@stdlib/stats-base-dists-t-quantile"
import { test } from "tap"
import { beyondWith, bothTails } from "../../../src/research/measurements/statistics.ts"

const degrees = [1, 1.5, 2, 3, 4.7, 9, 18.31, 30, 99, 400.5, 5_000, 250_000, 3e6]
const isNear = (found: number, expected: number, share: number) => Math.abs(found - expected) <= share * expected

test("the probability of a larger value in either direction", async (t) => {
  for (const df of degrees)
    for (const value of [0.01, 0.3, 1, 1.7, 1.8, 2.1, 3, 5, 10, 30])
      t.ok(isNear(bothTails(value, df), 2 * tCdf(-value, df), df > 1e4 ? 1e-8 : 1e-11), `${value} with ${df}`)
  // With one degree of freedom it is an arctangent.
  t.ok(isNear(bothTails(1e-6, 1), 1 - (2 / Math.PI) * Math.atan(1e-6), 1e-15))
  t.equal(bothTails(0, 5), 1)
  t.equal(bothTails(Number.POSITIVE_INFINITY, 5), 0)
})

test(
  "the half width of an interval is the inverse, down to the levels of a " + "correction for a thousand comparisons",
  async (t) => {
    for (const df of degrees)
      for (const level of [0.5, 0.2, 0.1, 0.05, 0.01, 0.05 / 27, 0.05 / 1_000]) {
        const half = beyondWith(level, df)
        t.ok(isNear(bothTails(half, df), level, df > 1e4 ? 1e-9 : 1e-11), `${level} with ${df}, back again`)
        t.ok(isNear(half, tQuantile(1 - level / 2, df), df > 1e4 ? 1e-7 : 1e-9), `${level} with ${df}`)
      }
  },
)
