/**
 * Time, ids and chance: ids sort in the order they were made whatever the clock does, and a seed gives the same world
 * again.
 */
import fc from "fast-check"
import { test } from "tap"
import { momentOf, realWorld, seededWorld } from "../../src/ledger/world.ts"

test("ids increase even if the clock stands still or is set back", (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 50 }), (steps) => {
      let clock = 1_800_000_000_000
      const world = realWorld(() => clock)
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
            /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id) &&
            (n === 0 || id > (made[n - 1] as string)),
        ) && moments.every((at, n) => n === 0 || at >= (moments[n - 1] as number))
      )
    }),
  )
  t.pass("whatever the clock does")
  t.end()
})

test("after ids of the future the next ids follow them, and time stays the clock's", (t) => {
  let clock = 1_000
  const ahead = realWorld(() => 2_000_000_000_000)
  const earlier = [ahead.id(), ahead.id()]
  const world = realWorld(() => clock)
  world.idsAfter(momentOf(earlier[1] as string))
  const later = [world.id(), world.id(), world.id()]
  t.equal(world.now(), 1_000)
  t.strictSame([...earlier, ...later], [...earlier, ...later].sort())
  clock = 2_000_000_005_000
  t.equal(momentOf(world.id()), clock, "once the clock has caught up, ids follow it again")
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
