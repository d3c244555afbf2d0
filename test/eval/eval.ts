/**
 * `npm run eval`: asks eighteen questions of Rooms of 10, 1,000 and 50,000 records, checks 400 statements whose numbers
 * are known in Rooms of 10, 500 and 2,000 attempts, and does an agent's whole piece of research through each interface
 * in an empty Room and in the largest. In the Room that three agents filled, a reader who was not there has twelve
 * questions, and an agent arrives through each interface. Prints a table of each, and exits with 1 if a target is
 * missed.
 */
import { openEval } from "./house.ts"
import { type Asked, askEverything } from "./reader.ts"
import { askNumbers } from "./numbers.ts"
import { arriveByEveryDoor, arrivingAim, isCheap } from "./study/arriving.ts"
import { findParameters, parametersAim } from "./study/parameters.ts"
import { openStudyRoom } from "./study/room.ts"
import { askTwelve, twelveAim } from "./study/twelve.ts"
import type { Spent } from "./walk/context.ts"
import { isWithin, type Walked, walkAims, walkEveryDoor } from "./walk/walk.ts"

export const aims = { calls: 2, bytes: 10_000 }

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 1_000, 50_000]
const most = (asked: readonly Asked[], what: "calls" | "bytes" | "milliseconds") =>
  Math.max(...asked.map((each) => each[what]))
const sum = (asked: readonly Asked[], what: "calls" | "bytes") => asked.reduce((total, each) => total + each[what], 0)
const digits = (value: number): string => value.toLocaleString("en")

const house = await openEval()
console.log("| records | right | calls, most for one | bytes, most for one | slowest |\n|---|---|---|---|---|")
let largest = { records: 0, roomId: house.emptyRoom }
for (const records of sizes) {
  const known = await house.room(records)
  if (records > largest.records) largest = { records, roomId: known.roomId }
  const asked = await askEverything(house.baseUrl, known)
  console.log(
    `| ${digits(records)} | ${asked.filter(({ isRight }) => isRight).length} of ${asked.length} | ` +
      `${sum(asked, "calls")}, ${most(asked, "calls")} | ${digits(sum(asked, "bytes"))}, ` +
      `${digits(most(asked, "bytes"))} | ${most(asked, "milliseconds").toFixed(0)} ms |`,
  )
  for (const { asks, answer, isRight, name, calls, bytes } of asked) {
    if (!isRight) console.error(`${asks} It answered "${answer}" for "${known.answers[name]}".`)
    if (calls > aims.calls || bytes > aims.bytes) console.error(`${asks} It took ${calls} calls and ${bytes} bytes.`)
    if (!isRight || calls > aims.calls || bytes > aims.bytes) process.exitCode = 1
  }
}

console.log(
  "\n| attempts | right statements that resolve | altered ones that do not | 60,000 characters |\n|---|---|---|---|",
)
for (const attempts of [10, 500, 2_000]) {
  const room = await house.measured(attempts)
  const { right, altered, faults, milliseconds } = await askNumbers(house.baseUrl, room)
  console.log(
    `| ${digits(attempts)} | ${right.resolved} of ${right.all} | ${altered.unresolved} of ${altered.all} | ` +
      `${milliseconds.toFixed(0)} ms |`,
  )
  if (right.resolved < 0.95 * right.all || altered.unresolved < 0.9 * altered.all) {
    for (const fault of faults) console.error(fault)
    process.exitCode = 1
  }
}

console.log("\n| door | Room of | to the first write: calls, bytes | whole path: calls, bytes |\n|---|---|---|---|")
const told = ({ calls, bytes }: Walked["whole"]) => `${calls}, ${digits(bytes)}`
for (const { records, roomId } of [{ records: 0, roomId: house.emptyRoom }, largest]) {
  const walked = await walkEveryDoor((door) => house.agent(roomId, door))
  for (const each of walked) {
    console.log(`| ${each.door} | ${digits(records)} | ${told(each.firstWrite)} | ${told(each.whole)} |`)
    if (!isWithin(each)) process.exitCode = 1
  }
}
console.log(`| wanted | | ${told(walkAims.firstWrite)} | ${told(walkAims.whole)} |`)
await house.close()

const study = await openStudyRoom()
const twelve = await askTwelve(study)
console.log("\n| twelve questions about the Room of three agents | right | requests | bytes |\n|---|---|---|---|")
const right = twelve.questions.filter(({ isRight }) => isRight)
console.log(`| a reader who was not there | ${right.length} of 12 | ${twelve.requests} | ${digits(twelve.bytes)} |`)
console.log(`| wanted | 12 of 12 | | ${digits(twelveAim)} |`)
for (const { asks, answer, truth, isRight } of twelve.questions)
  if (!isRight) console.error(`${asks} It answered "${answer}" for "${truth}".`)
if (right.length < 12 || twelve.bytes > twelveAim) process.exitCode = 1

console.log(
  "\n| door | addressed without @, answers from a table: calls, read, at the wire | and concludes while others write " +
    "|\n|---|---|---|",
)
const spent = ({ calls, bytes, wire }: Spent) => `${calls}, ${digits(bytes)}, ${digits(wire)}`
for (const each of await arriveByEveryDoor(study)) {
  console.log(`| ${each.door} | ${spent(each.firstWrite)} | ${spent(each.whole)} |`)
  for (const fault of each.faults) console.error(`${each.door}: ${fault}`)
  if (each.faults.length > 0 || !isCheap(each)) process.exitCode = 1
}
console.log(`| wanted | , ${digits(arrivingAim.bytes)}, ${digits(arrivingAim.wire)} | |`)

console.log("\n| door | index of reads | the dearest read | index and that read |\n|---|---|---|---|")
for (const { door, index, name, bytes, missing } of await findParameters(study)) {
  console.log(`| ${door} | ${digits(index)} | ${name} | ${digits(bytes)} |`)
  if (missing.length > 0) console.error(`${door} does not tell ${missing.join(", ")}`)
  if (missing.length > 0 || bytes > parametersAim) process.exitCode = 1
}
console.log(`| wanted | | | ${digits(parametersAim)} |`)
await study.close()
process.exit()
