/** `npm run eval`: twelve questions asked of Rooms of 10, 1,000 and 50,000 records; a table, and exit 1 where an aim is missed. */
import { openEval } from "./house.ts"
import { type Asked, askEverything } from "./reader.ts"

export const aims = { calls: 2, bytes: 10_000 }

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 1_000, 50_000]
const most = (asked: readonly Asked[], what: "calls" | "bytes" | "milliseconds") => Math.max(...asked.map((each) => each[what]))
const sum = (asked: readonly Asked[], what: "calls" | "bytes") => asked.reduce((total, each) => total + each[what], 0)

const house = await openEval()
console.log("| records | right of 12 | calls, most for one | bytes, most for one | slowest |\n|---|---|---|---|---|")
for (const records of sizes) {
  const known = await house.room(records)
  const asked = await askEverything(house.baseUrl, known)
  console.log(
    `| ${records.toLocaleString("en")} | ${asked.filter(({ isRight }) => isRight).length} | ${sum(asked, "calls")}, ${most(asked, "calls")} | ${sum(asked, "bytes").toLocaleString("en")}, ${most(asked, "bytes").toLocaleString("en")} | ${most(asked, "milliseconds").toFixed(0)} ms |`,
  )
  for (const { asks, answer, isRight, name, calls, bytes } of asked) {
    if (!isRight) console.error(`${asks} It answered "${answer}" for "${known.answers[name]}".`)
    if (calls > aims.calls || bytes > aims.bytes) console.error(`${asks} It took ${calls} calls and ${bytes} bytes.`)
    if (!isRight || calls > aims.calls || bytes > aims.bytes) process.exitCode = 1
  }
}
await house.close()
process.exit()
