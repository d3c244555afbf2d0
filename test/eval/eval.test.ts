/**
 * What `npm run eval` checks: a newcomer's questions about a Room are answered correctly with few and small reads, and
 * an agent does a whole piece of research through each interface within a limit of calls and bytes, in an empty Room
 * and in one of 5,000 records. `npm run eval` itself fills one of 50,000, which takes minutes.
 */
import t from "tap"
import { openEval } from "./house.ts"
import { measuredQuestions } from "./measured-questions.ts"
import { questions } from "./questions.ts"
import { askEverything } from "./reader.ts"
import { Context } from "./walk/context.ts"
import { isWithin, walkEveryDoor } from "./walk/walk.ts"

// Most of the time goes into filling the large Room.
t.setTimeout(900_000)
const house = await openEval()
t.teardown(() => house.close())

for (const records of [10, 1_000])
  t.test(`eighteen questions of a Room of ${records} records`, async (t) => {
    const known = await house.room(records)
    t.same(Object.keys(known.answers).sort(), Object.keys(questions).sort())
    const asked = await askEverything(house.baseUrl, known)
    t.equal(asked.length, 18)
    for (const { name, asks, answer, calls, bytes } of asked) {
      t.equal(answer, known.answers[name], asks)
      t.ok(calls <= 2 && bytes <= 10_000, `${name}: ${calls} calls, ${bytes} bytes`)
      if (name in measuredQuestions) t.ok(bytes <= 8_000, `${name}: ${bytes} bytes`)
    }
  })

t.test("a wrong answer is detected", async (t) => {
  const known = await house.room(10)
  const asked = await askEverything(house.baseUrl, {
    ...known,
    answers: { ...known.answers, stands: "It does not help." },
  })
  t.same(
    asked.filter(({ isRight }) => !isRight).map(({ name }) => name),
    ["stands"],
  )
})

for (const records of [0, 5_000])
  t.test(
    `a whole piece of research through each interface, in a Room of ${records} records`,
    { timeout: 900_000 },
    async (t) => {
      const roomId = records === 0 ? house.emptyRoom : (await house.room(records)).roomId
      const walked = await walkEveryDoor((door) => house.agent(roomId, `${door} of ${records}`))
      t.match(
        walked.map(({ door }) => door),
        ["HTTP", "MCP"],
      )
      for (const each of walked) t.ok(isWithin(each), `${each.door}: ${JSON.stringify(each)}`)
      const { items } = (await (
        await fetch(`${house.baseUrl}/api/research/attempts?roomId=${roomId}&limit=50&order=label`)
      ).json()) as {
        items: { status: string }[]
      }
      t.ok(items.some(({ status }) => status === "succeeded"))
    },
  )

t.test("an agent that uses a name it has not read is detected", (t) => {
  const context = new Context()
  context.exchanged("GET /", "roomId, title: a text. intent: planned or rerun.")
  const body = { roomId: context.freshId(), title: "Made up as it goes.", intent: "planned" }
  context.mustKnowBody(body, "a write")
  for (const strange of [
    { ...body, threadId: "x" },
    { ...body, intent: "reproduction" },
    { ...body, roomId: crypto.randomUUID() },
  ])
    t.throws(() => context.mustKnowBody(strange, "a write"), /nothing that was read tells of/)
  t.end()
})
