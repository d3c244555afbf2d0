/** Token buckets behave like a tank with a tap and a hole: compared with one, in simulated time. */
import fc from "fast-check"
import { test } from "tap"
import { Buckets } from "../../src/edge/limits/budgets.ts"

/** Whole milliseconds per token, so that the tank and the buckets agree to the last digit. */
const sizes = fc.record({
  perMinute: fc.constantFrom(1, 6, 30, 60, 600, 6_000),
  atOnce: fc.integer({ min: 1, max: 20 }),
})
const start = 1_000_000

/** The model of a bucket: a tank with a capacity, filled by a millisecond's worth each millisecond. */
class Tank {
  readonly #step: number
  readonly #most: number
  #level: number
  #at = start

  constructor({ perMinute, atOnce }: { perMinute: number; atOnce: number }) {
    this.#step = 60_000 / perMinute
    this.#most = this.#level = this.#step * atOnce
  }

  take(now: number): number {
    this.#level = Math.min(this.#most, this.#level + now - this.#at)
    this.#at = now
    if (this.#level < this.#step) return this.#step - this.#level
    this.#level -= this.#step
    return 0
  }
}

test("each bucket behaves like its own tank, whatever the others use", (t) => {
  const moves = fc.array(
    fc.record({ key: fc.constantFrom("a", "b", "c"), after: fc.oneof(fc.nat(20), fc.nat(3_000), fc.nat(100_000)) }),
    {
      maxLength: 200,
    },
  )
  fc.assert(
    fc.property(sizes, moves, (size, taken) => {
      const buckets = new Buckets(size)
      const tanks = new Map<string, Tank>()
      let now = start
      for (const { key, after } of taken) {
        now += after
        const tank = tanks.get(key) ?? new Tank(size)
        tanks.set(key, tank)
        const expected = buckets.wait(key, now)
        const wait = buckets.take(key, now)
        if (wait !== tank.take(now) || wait !== expected) return false
      }
      return true
    }),
    { numRuns: 500 },
  )
  t.end()
})

test("a caller who waits as long as told gets a token, and not a millisecond sooner", (t) => {
  fc.assert(
    fc.property(sizes, fc.nat(50_000), (size, later) => {
      const buckets = new Buckets(size)
      for (let n = 0; n < size.atOnce; n += 1) if (buckets.take("a", start) !== 0) return false
      const now = start + (later % (60_000 / size.perMinute))
      const wait = buckets.take("a", now)
      return wait > 0 && buckets.take("a", now + wait - 1) === 1 && buckets.take("a", now + wait) === 0
    }),
  )
  t.end()
})

test("fractions of time and of tokens never refuse a caller who is within the limit", (t) => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.integer({ min: 1, max: 7_000 }),
      fc.integer({ min: 1, max: 50 }),
      (now, perMinute, atOnce) => {
        const buckets = new Buckets({ perMinute, atOnce })
        const taken = Array.from({ length: atOnce }, () => buckets.take("a", now))
        const wait = buckets.take("a", now)
        return taken.every((each) => each === 0) && wait > 0 && buckets.take("a", now + wait) === 0
      },
    ),
    { numRuns: 1_000 },
  )
  t.end()
})

test("the table is bounded, and forgets nobody in its most recent half", (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 40 }), fc.array(fc.nat(200), { maxLength: 400 }), (most, keys) => {
      const buckets = new Buckets({ perMinute: 1, atOnce: 1_000 }, most)
      const half = Math.floor(most / 2)
      const latest: number[] = []
      for (const key of keys) {
        buckets.take(String(key), start)
        const known = latest.indexOf(key)
        if (known >= 0) latest.splice(known, 1)
        latest.unshift(key)
        if (buckets.size > most + 1) return false
        if (!latest.slice(0, half).every((each) => buckets.knows(String(each)))) return false
      }
      return true
    }),
  )
  t.end()
})

test("a forgotten bucket starts full: nobody is refused for having been away", (t) => {
  const buckets = new Buckets({ perMinute: 1, atOnce: 1 }, 4)
  t.equal(buckets.take("a", start), 0)
  t.ok(buckets.take("a", start) > 0)
  for (let n = 0; n < 10; n += 1) buckets.take(`other ${n}`, start)
  t.notOk(buckets.knows("a"))
  t.equal(buckets.take("a", start), 0)
  t.end()
})
