/** Time, ids and chance: ids sort as they were made whatever the clock does, and a seed brings back the same world. */
import fc from "fast-check"
import { test } from "tap"
import { realWorld, seededWorld } from "../../src/ledger/world.ts"

test("ids follow one another also when the clock stands still, or is set back", (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 50 }), (steps) => {
      let clock = 1_800_000_000_000
      const world = realWorld(0, () => clock)
      const made: string[] = []
      const moments: number[] = []
      for (const step of steps) {
        clock += step
        made.push(world.id(), world.id())
        moments.push(world.now())
      }
      return (
        made.every(
          (id, n) =>
            /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id) && (n === 0 || id > (made[n - 1] as string)),
        ) && moments.every((at, n) => n === 0 || at >= (moments[n - 1] as number))
      )
    }),
  )
  t.pass("whatever the clock does")
  t.end()
})

test("a world begins no earlier than the newest moment in the data", (t) => {
  const world = realWorld(2_000_000_000_000, () => 1_000)
  t.equal(world.now(), 2_000_000_000_000)
  t.ok(world.id() > realWorld(0, () => 1_999_999_999_999).id())
  t.end()
})

test("one seed makes one world, another seed another", (t) => {
  const tell = (seed: string) => {
    const world = seededWorld(seed, () => 1_800_000_000_000)
    return [world.id(), world.bytes(40).toString("hex"), world.id()]
  }
  t.strictSame(tell("a story"), tell("a story"))
  t.notSame(tell("a story"), tell("another"))
  t.end()
})
