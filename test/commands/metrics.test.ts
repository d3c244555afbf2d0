/** `research-room metrics` reports a CSV file to an attempt, and the page accepts the same table. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ResearchRoomClient } from "research-room/client"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run, start } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
interface Demo {
  readonly baseUrl: string
  readonly rooms: { readonly empty: { readonly roomId: string; readonly openingThreadId: string } }
  readonly credentials: { readonly member_all: { readonly token: string } }
  readonly repositories: { readonly public: { readonly url: string; readonly commit: string } }
}
const demo = JSON.parse(
  (await start(program, ["demo", "--json", "--port", "0"], place).printed(/^\{.*\}(?=\n)/))[0],
) as Demo
const { token } = demo.credentials.member_all
const client = new ResearchRoomClient({ baseUrl: demo.baseUrl, token })
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const { url, commit } = demo.repositories.public
const proposal = { roomId, threadId, question: "Does it?", scope: "Here.", hypotheses: [] }
const { experimentId } = (await client.write("propose_experiment", proposal)).result
await client.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
const attemptId = crypto.randomUUID()
await client.write("register_attempt", {
  ...{
    attemptId,
    experimentId,
    expectedRevision: 2,
    expectedStatus: "claimed" as const,
    intent: "exploratory" as const,
  },
  ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
})
const file = (name: string, text: string): string => {
  writeFileSync(join(place.folder, name), text)
  return name
}
const metrics = (...args: string[]) =>
  run(program, ["metrics", ...args, "--url", demo.baseUrl, "--token", token], place)
const reported = (...args: string[]) => metrics(...args, "--yes")
const event = async (name: "started" | "succeeded") => {
  const { affordances } = await client.read("attempt", { attemptId })
  await client.write("report_attempt_event", {
    attemptId,
    event: name,
    ...affordances.expected,
    reportedAt: new Date().toISOString(),
  })
}
const rows = (arm: string, from: number, count: number) =>
  Array.from({ length: count }, (_, seed) => `${arm},${seed},${from + seed / 100}`)
const table = ["arm,seed,error", ...rows("baseline", 5, 700), ...rows("shift", 4, 700)].join("\n")

test("before the attempt starts, metrics are refused with the reason", async (t) => {
  const { code, err } = await metrics(attemptId, file("table.csv", table))
  t.equal(code, 2)
  t.match(err, /A1 has not started: report its start first\./)
})

test("a table with more values than fit into one event is reported, and a second time changes nothing", async (t) => {
  await event("started")
  const asked = await metrics(attemptId, "table.csv")
  t.match(
    asked,
    { code: 1, out: "", err: /Nothing was reported\. Give --yes/ },
    "without a terminal it does not report",
  )
  t.match((await client.read("attempt", { attemptId })).events.at(-1), { event: "started" }, "nothing came after")
  const told = await reported(attemptId, "table.csv")
  t.strictSame([told.code, told.err], [0, "table.csv: error: metric, 1400 values; seed, arm: dimensions\n"])
  t.match(told.out, /^1,400 values of A1 are reported: http/)
  const measured = async () =>
    (await client.read("experiment_measurements", { experimentId, metric: "error" }).catch(() => undefined))?.groups ??
    []
  await reported(attemptId, "table.csv")
  await event("succeeded")
  t.same(
    (await measured()).map(({ key, n }) => [key.arm, n]),
    [
      ["baseline", 700],
      ["shift", 700],
    ],
  )
})

test("late values are accepted too, and a fault is reported with its line", async (t) => {
  const late = await reported(attemptId, file("late.csv", "size,arm,error\n50,late,1.5\n"), "--by", "size")
  t.equal(late.code, 0)
  const { events } = await client.read("attempt", { attemptId })
  t.match(events.at(-1), { event: "progress", late: true, metricPoints: 1 })
  const wrong = await metrics(attemptId, file("wrong.csv", "metric,value\nerror,1\nerror,x\n"))
  t.equal(wrong.code, 1)
  t.match(wrong.err, /wrong\.csv, line 3 x is not a number\n.*Nothing was reported\./s)
  const mixed = file("mixed.csv", "arm,error\nna-1,0.1\nna-2,NA\n")
  t.match((await reported(attemptId, mixed)).err, /mixed\.csv, line 3 has "NA" in the column error/)
  const read = await reported(attemptId, mixed, "--missing", "NA,-")
  t.match(read.err, /error: metric, 1 value, 1 missing; arm: dimension/)
  const board = file("board.csv", "Wall time,Step,Value\n1700000000.1,10,0.5\n")
  t.match((await reported(attemptId, board, "--metric", "val/loss")).err, /step from Step; Wall time: ignored/)
  t.equal((await metrics(attemptId, "missing.csv")).code, 2)
  t.match((await metrics("A1", "late.csv")).err, /A1 is not the id of an attempt/)
})
