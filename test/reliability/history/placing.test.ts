/**
 * Finding places: a history possible one at a time is placed, and an impossible one is reported. Compared with trying
 * every order.
 */
import assert from "node:assert/strict"
import fc from "fast-check"
import { test } from "tap"
import { Findings } from "./faults.ts"
import { type Placeable, placeAll } from "./placing.ts"

interface Span {
  readonly start: number
  readonly end: number
}
/** A read that saw this many writes, and when. */
interface Look extends Span {
  readonly saw: number
}

const writesOf = (spans: readonly Span[]): Placeable[] =>
  spans.map(({ start, end }, index) => ({
    start,
    end,
    sequence: index + 1,
    kind: "order",
    name: () => `write ${index + 1}`,
  }))
const looksOf = (looks: readonly Look[]): Placeable[] =>
  looks.map(({ start, end, saw }) => ({
    start,
    end,
    kind: "read",
    name: () => `look ${saw}`,
    faultAt: (at) => (at === saw ? null : `${at} stands`),
  }))

/** The definition, tried in the plainest way: nothing is placed before what ended before it began. */
function couldBe(writes: readonly Span[], looks: readonly Look[]): boolean {
  const all = [
    ...writes.map((span, index) => ({ ...span, place: index + 1, isWrite: true })),
    ...looks.map((look) => ({ ...look, place: look.saw, isWrite: false })),
  ]
  return all.every((one) =>
    all.every((other) => {
      if (one.end >= other.start) return true
      return other.isWrite ? one.place < other.place : one.place <= other.place
    }),
  )
}

const span = fc.tuple(fc.nat(20), fc.nat(6)).map(([start, length]) => ({ start, end: start + length }))

test("a history of writes and reads is found faulty exactly if no order explains it", async () => {
  fc.assert(
    fc.property(
      fc.array(span, { maxLength: 6 }),
      fc.array(fc.record({ at: span, saw: fc.nat(6) }), { maxLength: 5 }),
      (writes, seen) => {
        const looks = seen.map(({ at, saw }) => ({ ...at, saw: Math.min(saw, writes.length) }))
        const findings = new Findings()
        placeAll([...writesOf(writes), ...looksOf(looks)], writes.length, findings)
        assert.equal(
          findings.faults.length === 0,
          couldBe(writes, looks),
          JSON.stringify({ writes, looks, faults: findings.faults }),
        )
      },
    ),
    { numRuns: 3000 },
  )
})

test("a write that was never answered does not constrain later requests", async () => {
  const findings = new Findings()
  placeAll([...writesOf([{ start: 0, end: Infinity }]), ...looksOf([{ start: 5, end: 6, saw: 0 }])], 1, findings)
  assert.deepEqual(findings.faults, [])
})
