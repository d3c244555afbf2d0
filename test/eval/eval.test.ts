/** The short form of `npm run eval`: what a newcomer asks of a Room is answered right, in few and small reads, also in a large one. */
import t from "tap"
import { openEval } from "./house.ts"
import { questions } from "./questions.ts"
import { askEverything } from "./reader.ts"

const house = await openEval()
t.teardown(() => house.close())

for (const records of [10, 1_000])
  t.test(`twelve questions of a Room of ${records} records`, async (t) => {
    const known = await house.room(records)
    t.same(Object.keys(known.answers).sort(), Object.keys(questions).sort())
    const asked = await askEverything(house.baseUrl, known)
    t.equal(asked.length, 12)
    for (const { name, asks, answer, calls, bytes } of asked) {
      t.equal(answer, known.answers[name], asks)
      t.ok(calls <= 2 && bytes <= 10_000, `${calls} calls, ${bytes} bytes`)
    }
  })

t.test("a wrong answer is found", async (t) => {
  const known = await house.room(10)
  const asked = await askEverything(house.baseUrl, { ...known, answers: { ...known.answers, stands: "It does not help." } })
  t.same(
    asked.filter(({ isRight }) => !isRight).map(({ name }) => name),
    ["stands"],
  )
})
