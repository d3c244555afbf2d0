/**
 * What the Room of three agents costs others: a reader who was not there and has twelve questions, an agent that comes
 * in through each door, is addressed without `@`, wants a table and concludes while others write, and one that looks
 * for a read.
 */
import t from "tap"
import { arriveByEveryDoor, isCheap } from "./arriving.ts"
import { findParameters, parametersAim } from "./parameters.ts"
import { openStudyRoom } from "./room.ts"
import { askTwelve, twelveAim } from "./twelve.ts"

const study = await openStudyRoom()
t.teardown(() => study.close())

t.test("twelve questions about who did what, what holds and what was picked cost 60,000 bytes at most", async (t) => {
  const { questions, bytes } = await askTwelve(study)
  t.equal(questions.length, 12)
  for (const { asks, answer, truth } of questions) t.equal(answer, truth, asks)
  t.ok(bytes <= twelveAim, `${bytes} bytes at the wire`)
})

t.test("an answer that the record does not bear out is found", async (t) => {
  const { questions } = await askTwelve(study, (text) => text.replaceAll("implementation own; ", ""))
  t.match(
    questions.filter(({ isRight }) => !isRight).map(({ asks }) => asks),
    [/whose code was their own/],
  )
})

t.test("an agent's first right write costs 30,000 bytes at most, and it cannot conclude over others", async (t) => {
  const arrived = await arriveByEveryDoor(study)
  t.match(
    arrived.map(({ door }) => door),
    ["HTTP", "MCP"],
  )
  for (const each of arrived) {
    t.same(each.faults, [], each.door)
    t.ok(isCheap(each), `${each.door}: ${JSON.stringify(each.firstWrite)}`)
  }
})

t.test("any read's parameters cost 12,000 bytes at most: the index, and the read", async (t) => {
  for (const { door, name, bytes, missing } of await findParameters(study)) {
    t.same(missing, [], `${door} tells each read with its parameters`)
    t.ok(bytes <= parametersAim, `${door}: ${bytes} bytes for ${name}`)
  }
})
