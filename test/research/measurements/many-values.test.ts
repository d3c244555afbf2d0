/**
 * A table of values from many events, some of them corrected: it holds the last value of each place, in the last unit
 * reported.
 */
import fc from "fast-check"
import t from "tap"
import type { WriteInput } from "research-room/client"
import { seedWhenJudged } from "../../support/chance.ts"
import { openLab } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

type Metric = NonNullable<WriteInput<"report_attempt_event">["metrics"]>[number]

const lab = await openLab(t)
const work = await Work.begin(lab, await lab.room())
const { experimentId } = work

/** Events as lists of places: some lack a dimension, and most places are reported more than once. */
const events = fc.array(
  fc.uniqueArray(
    fc.record({
      arm: fc.constantFrom("a", "b", "c"),
      seed: fc.option(fc.integer({ min: 0, max: 99 }), { nil: undefined }),
    }),
    {
      maxLength: 90,
      selector: ({ arm, seed }) => `${arm} ${seed}`,
    },
  ),
  { minLength: 1, maxLength: 6 },
)

t.test("the table holds the last value of each place, however the values arrived", async (t) => {
  let step = 0
  const property = fc.asyncProperty(events, async (told) => {
    const attemptId = await work.attempt("started")
    const name = `error-${(step += 1)}`
    const last = new Map<string, number>()
    for (const [index, places] of told.entries()) {
      const metrics = places.map(({ arm, seed }): Metric => {
        const value = (step += 1)
        last.set(`${arm} ${seed ?? ""}`, value)
        return { name, value, step: index, unit: "%", dimensions: { arm, ...(seed !== undefined && { seed }) } }
      })
      await work.tell(attemptId, "progress", { metrics })
    }
    if (last.size > 0) await work.tell(attemptId, "progress", { corrects: [{ metric: name, unit: "points" }] })
    await work.tell(attemptId, "succeeded")
    if (last.size === 0) return
    const table = await lab.reader.read("experiment_measurements", {
      experimentId,
      metric: name,
      by: ["arm", "seed"],
      points: "1",
    })
    const [metric] = table.metrics
    const found = table.groups.map(({ key, points }) => [`${key.arm} ${key.seed ?? ""}`, points?.[0]?.value])
    t.match({ ...metric, unit: table.unit }, { values: last.size, attempts: 1, unit: "points" })
    const withSeed = [...last].filter(([place]) => !place.endsWith(" "))
    t.same(Object.fromEntries(found), Object.fromEntries(withSeed))
    t.equal(table.leftOut.withoutBy, last.size - withSeed.length, "places without a seed are left out")
  })
  await fc.assert(property, { numRuns: 8, ...(seedWhenJudged !== undefined && { seed: seedWhenJudged }) })
})
