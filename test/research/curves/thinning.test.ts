/** Thinning of any curve: it keeps the points that must be seen, and no more than requested. */
import { deepStrictEqual, ok } from "node:assert/strict"
import fc from "fast-check"
import t from "tap"
import {
  type Curve,
  curveOf,
  fitted,
  KEPT_OF_STRETCH,
  merged,
  partOf,
  pointsOf,
  thinned,
  widthFor,
} from "../../../src/research/attempts/curves.ts"

type Point = readonly [step: number, value: number]
const value = fc.oneof(
  { weight: 8, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 2, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0) },
)
const step = fc.oneof(fc.nat(40), fc.nat(5_000), fc.nat(Number.MAX_SAFE_INTEGER))
const points = fc.array(fc.tuple(step, value), { maxLength: 300 }) as fc.Arbitrary<Point[]>
const width = fc.nat(20).map((power) => 2 ** power)

const listed = (curve: Curve): Point[] =>
  Array.from({ length: pointsOf(curve) }, (_, n) => [curve[2 * n] ?? 0, curve[2 * n + 1] ?? 0])
const finite = (of: readonly Point[]) => of.map(([, told]) => told).filter(Number.isFinite)
const kinds = (of: readonly Point[]) => new Set(of.map(([, told]) => (Number.isFinite(told) ? "finite" : String(told))))
const sorted = (of: readonly Point[]) => of.toSorted(([one], [other]) => one - other)
/** What every thinning of a non-empty set of points must keep. */
const mustKeep = (of: readonly Point[]) => ({
  first: sorted(of)[0],
  last: sorted(of).at(-1),
  least: Math.min(...finite(of)),
  greatest: Math.max(...finite(of)),
  kinds: kinds(of),
})

t.test("each stretch keeps its ends, its extremes and each kind of non-number, and at most seven points", async () => {
  fc.assert(
    fc.property(points, width, (given, steps) => {
      const kept = listed(thinned(curveOf(given), steps))
      const stretch = ([at]: Point) => Math.floor(at / steps)
      const [before, after] = [Map.groupBy(given, stretch), Map.groupBy(kept, stretch)]
      deepStrictEqual([...after.keys()], [...new Set(sorted(given).map(stretch))])
      for (const [at, whole] of before) {
        const some = after.get(at) ?? []
        if (some.length > KEPT_OF_STRETCH) throw new Error(`${some.length} points of a stretch`)
        deepStrictEqual(mustKeep(some), mustKeep(whole))
        for (const point of some)
          if (!whole.includes(point) && !whole.some((each) => each.every((part, n) => Object.is(part, point[n]))))
            throw new Error("a point was never reported")
      }
    }),
  )
})

t.test("points that arrive in parts, in any order of steps, give the same curve as all at once", async () => {
  fc.assert(
    fc.property(fc.array(points, { maxLength: 6 }), width, (parts, steps) => {
      const inParts = parts.reduce<Curve>(
        (curve, part) => thinned(merged(curve, curveOf(part)), steps),
        new Float64Array(),
      )
      deepStrictEqual(listed(inParts), listed(thinned(curveOf(parts.flat()), steps)))
      deepStrictEqual(
        listed(thinned(inParts, steps * 4)),
        listed(thinned(curveOf(parts.flat()), steps * 4)),
        "and so does a wider one later",
      )
    }),
  )
})

t.test(
  "there are never more points than requested, and they include the extremes and every kind of non-number",
  async () => {
    fc.assert(
      fc.property(points, fc.integer({ min: 2 * KEPT_OF_STRETCH, max: 400 }), (given, most) => {
        const { curve } = fitted(curveOf(given), most)
        if (pointsOf(curve) > most) throw new Error(`${pointsOf(curve)} of ${most}`)
        if (given.length > 0) deepStrictEqual(mustKeep(listed(curve)), mustKeep(given))
        if (given.length <= most) deepStrictEqual(listed(curve), sorted(given), "nothing is thinned without need")
      }),
    )
  },
)

t.test("a part has all points between two steps, and at most one neighbour on either side", async () => {
  fc.assert(
    fc.property(points, step, step, (given, one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const part = listed(partOf(curveOf(given), from, to))
      const within = ([at]: Point) => at >= from && at <= to
      deepStrictEqual(part.filter(within), sorted(given).filter(within))
      if (part.filter((point) => !within(point)).length > 2) throw new Error("too many neighbours")
    }),
  )
})

t.test("stretches are as narrow as the number of points allows", async () => {
  fc.assert(
    fc.property(step, step, fc.integer({ min: 2, max: 4_000 }), (one, other, most) => {
      const [first, last] = [Math.min(one, other), Math.max(one, other)]
      const steps = widthFor(first, last, most)
      const count = (each: number) => Math.floor(last / each) - Math.floor(first / each) + 1
      ok(count(steps) <= most && (steps === 1 || count(steps / 2) > most))
    }),
  )
})
