/** Reports that test limits: long series, many events, and numbers that JSON cannot express. */
import type { WriteInput } from "research-room/client"
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { told } from "../../support/bodies.ts"
import { openInside, refusalOf } from "../../support/lab.ts"
import { experimentIn, exploration, leadTo } from "./situations.ts"

const lab = await openInside(t)
const room = await lab.room()
const { ada: proposer, grace: holder } = room
const client = holder
const made = await experimentIn("claimed", room, proposer, holder)

type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>
/** Makes a started attempt, with a function to report its progress. */
async function running() {
  const attemptId = await exploration(made, client)
  let { expectedRevision } = await leadTo("started", attemptId, client)
  const progress = async (more: Partial<WriteInput<"report_attempt_event">>) => {
    const { result } = await client.write("report_attempt_event", {
      attemptId,
      expectedRevision,
      expectedStatus: "started",
      ...told("progress"),
      ...more,
    })
    expectedRevision = result.revision
  }
  return { attemptId, progress }
}
const line = (count: number, from: number): Metrics =>
  Array.from({ length: count }, (_, index) => ({
    name: index % 2 === 0 ? "a" : "b",
    value: from + index,
    step: from + index,
  }))

t.test("a series longer than a page", async (t) => {
  const { attemptId, progress } = await running()
  await progress({ metrics: line(800, 0) })
  await progress({ metrics: line(500, 800) })
  const first = await client.read("attempt_metrics", { attemptId })
  t.same([first.columns.step.length, first.hasMore, first.nextCursor], [limits.metricPoints, true, limits.metricPoints])
  const steps: (number | null)[] = []
  for (let after = 0, more = true; more; ) {
    const page = await client.read("attempt_metrics", { attemptId, after, limit: 333 })
    steps.push(...page.columns.step)
    const lengths = new Set(Object.values(page.columns).map((column) => column.length))
    t.equal(lengths.size, 1, "all columns have the same length")
    ;[after, more] = [page.nextCursor as number, page.hasMore]
  }
  t.same(
    steps,
    Array.from({ length: 1_300 }, (_, step) => step),
    "every point once, in the order reported",
  )
  const one = await client.read("attempt_metrics", { attemptId, metric: "b" })
  t.same([one.columns.step.length, one.hasMore, new Set(one.columns.metric).size], [650, false, 1])
  const exact = await client.read("attempt_metrics", { attemptId, metric: "b", limit: 650 })
  t.same([exact.columns.step.length, exact.hasMore], [650, false], "a page that is exactly full is the last one")
  const second = await client.read("attempt_metrics", { attemptId, metric: "b", limit: 3, after: 6 })
  t.same(
    [second.columns.ordinal, second.hasMore, second.nextCursor],
    [[8, 10, 12], true, 12],
    "a single metric is paged too",
  )
  const none = await client.read("attempt_metrics", { attemptId, metric: "c" })
  t.same([none.columns.metric, none.hasMore, none.nextCursor], [[], false, 0])
  const beyond = await client.read("attempt_metrics", { attemptId, after: 1_300 })
  t.same([beyond.columns.metric, beyond.hasMore, beyond.nextCursor], [[], false, 1_300])
  t.match(await refusalOf(client.read("attempt_metrics", { attemptId, limit: limits.metricPoints + 1 })), {
    status: 422,
    refusal: "invalid_parameter",
  })
})

t.test("the last value of each metric and split is the most recently reported one", async (t) => {
  const { attemptId, progress } = await running()
  await progress({
    metrics: [
      { name: "loss", value: 3, step: 10 },
      { name: "loss", value: 2, step: 20, split: "test" },
      { name: "loss", value: 4, step: 5 },
      { name: "acc", value: 0.5, unit: "1" },
    ],
  })
  await progress({
    metrics: [
      { name: "loss", value: 1, step: 30, split: "test" },
      { name: "loss", value: 9, split: "train" },
    ],
  })
  const { metrics } = await client.read("attempt", { attemptId })
  t.match(
    metrics.map(({ name, split, step, value }) => [name, split, step, value]),
    [
      ["acc", null, null, 0.5],
      ["loss", null, 5, 4],
      ["loss", "test", 30, 1],
      ["loss", "train", null, 9],
    ],
  )
})

t.test("a wrong unit is corrected by a later event, even after the end, and both stay readable", async (t) => {
  const { attemptId, progress } = await running()
  await progress({
    metrics: [
      { name: "loss", value: 3, unit: "bit", split: "test" },
      { name: "time", value: 2 },
    ],
  })
  for (const metric of ["losses", "loss"])
    t.match(
      await refusalOf(progress({ corrects: [{ metric, unit: "nat" }] })),
      { status: 422, refusal: "invalid_schema", issues: [{ path: "/corrects/0/metric", message: /names no metric/ }] },
      "a metric that was not reported cannot be corrected",
    )
  await progress({ corrects: [{ metric: "time", unit: "s" }], metrics: [{ name: "time", value: 4 }] })
  const report = async (event: "succeeded" | "progress", more: Partial<WriteInput<"report_attempt_event">>) => {
    const { affordances } = await client.read("attempt", { attemptId })
    return client.write("report_attempt_event", { attemptId, ...affordances.expected, ...told(event), ...more })
  }
  await report("succeeded", {})
  t.match(
    await refusalOf(report("progress", { message: "Only words." })),
    { refusal: "state_conflict" },
    "no other event follows the end",
  )
  const corrected = await report("progress", { corrects: [{ metric: "loss", split: "test", unit: "nat" }] })
  t.match(corrected.result, { status: "succeeded" }, "but a correction is accepted")
  const { metrics, events, affordances } = await client.read("attempt", { attemptId })
  t.strictSame(
    metrics.map(({ name, unit, value }) => [name, unit, value]),
    [
      ["loss", "nat", 3],
      ["time", "s", 4],
    ],
  )
  t.match(events.at(-1), { event: "progress", corrects: [{ metric: "loss", split: "test", unit: "nat" }] })
  t.strictSame(affordances.operations, [], "a correction is not offered as a next step")
  const { columns } = await client.read("attempt_metrics", { attemptId })
  t.strictSame(columns.unit, ["bit", null, null], "the points stay as they were reported")
})

t.test("numbers come back as they were sent", async (t) => {
  const { attemptId, progress } = await running()
  const values = [
    0,
    -1.5,
    5e-324,
    1.7976931348623157e308,
    0.1,
    // biome-ignore lint/correctness/noPrecisionLoss: the number beyond 2^53 is the point
    9007199254740993,
    "NaN",
    "Infinity",
    "-Infinity",
  ] as const
  await progress({ metrics: values.map((value) => ({ name: "x", value })) })
  t.same((await client.read("attempt_metrics", { attemptId })).columns.value, values)
  t.equal((await client.read("attempt", { attemptId })).metrics[0]?.value, "-Infinity")
  for (const value of ["nan", "inf", "1", null, true]) {
    t.match(
      await refusalOf(progress({ metrics: [{ name: "x", value: value as never }] })),
      { status: 422, refusal: "invalid_schema", issues: [{ path: "/metrics/0/value" }] },
      String(value),
    )
  }
})

t.test("of very many events the newest are shown, and the answer says that there are more", async (t) => {
  const { attemptId, progress } = await running()
  const count = limits.attemptEvents + 3
  for (let index = 2; index < count; index++) await progress({ message: `Event ${index + 1}.` })
  const { events, eventsTruncated, revision } = await client.read("attempt", { attemptId })
  t.same([revision, events.length, eventsTruncated], [count, limits.attemptEvents, true])
  t.same(
    events.map((event) => event.revision),
    Array.from({ length: limits.attemptEvents }, (_, index) => index + 4),
    "in order",
  )
  t.equal(events.at(-1)?.message, `Event ${count}.`)
})

// shows: Attempt events carry the registrant's time beside the server's.
t.test("an event gives the time it happened, sent in any time zone, beside the time it was received", async (t) => {
  const { attemptId, progress } = await running()
  await progress({
    reportedAt: "1999-12-31T23:59:59.1239+05:30",
    client: { name: "reporter", model: "a small one" },
    exitCode: -9,
  })
  const event = (await client.read("attempt", { attemptId })).events.at(-1)
  t.match(event, {
    reportedAt: "1999-12-31T18:29:59.123Z",
    client: { name: "reporter", model: "a small one" },
    exitCode: -9,
    metricPoints: 0,
    outputLabels: [],
  })
  t.match(event?.receivedAt, /^20\d\d-.*Z$/)
})
