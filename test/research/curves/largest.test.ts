/**
 * The largest answers that one agent's reports can cause: each stays within the manifest's limits, and says what it
 * left out.
 */
import t from "tap"
import type { WriteInput } from "research-room/client"
import { limits } from "../../../src/contract/limits.ts"
import { openLab, refusalOf } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const work = await Work.begin(lab, room)
const { experimentId } = work

/** A text whose JSON is as long as possible for its length: a control character is written as six characters. */
const wide = (index: number, length: number): string => index.toString(36).padEnd(4, "_").padEnd(length, "\u0007")
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Makes a successful attempt that reported all of these metrics in as few events as possible. */
async function reporting(metrics: Metrics): Promise<string> {
  const attemptId = await work.attempt("started")
  const expected = { expectedRevision: 2, expectedStatus: "started" as const }
  const most = Math.min(limits.metricsOfEvent, Math.floor((limits.contentBytes - 1_000) / (sizeOf(metrics[0]) + 1)))
  for (let start = 0; start < metrics.length; start += most, expected.expectedRevision += 1)
    await room.ada.write("report_attempt_event", {
      ...{ attemptId, event: "progress", reportedAt: "2026-11-20T09:30:00.000Z", ...expected },
      metrics: metrics.slice(start, start + most),
    })
  await work.tell(attemptId, "succeeded")
  return attemptId
}

/** Reads an answer as text, with its size in bytes. */
async function asked(path: string): Promise<{ readonly bytes: number; readonly text: string }> {
  const answer = await fetch(`${lab.house.baseUrl}/api/research/${path}`)
  const text = await answer.text()
  t.equal(answer.status, 200, path)
  return { bytes: Buffer.byteLength(text), text }
}

t.test("outputs beyond the limit of one answer are left out, and the answer says so", async (t) => {
  const attemptId = await work.attempt("started")
  const expected = { expectedRevision: 2, expectedStatus: "started" as const }
  const digest = `sha256:${"0".repeat(64)}`
  const told = 3 * Math.ceil(limits.innerListBytes / (limits.contentBytes - 4_000))
  const most = Math.min(limits.outputsOfEvent, Math.floor((limits.contentBytes - 4_000) / 1_200))
  let count = 0
  for (let event = 0; event < told; event += 1, expected.expectedRevision += 1)
    await room.ada.write("report_attempt_event", {
      ...{ attemptId, event: "progress", reportedAt: "2026-11-20T09:30:00.000Z", ...expected },
      outputs: Array.from({ length: most }, () => ({
        outputLabel: `output ${(count += 1)}`,
        digest,
        description: "x".repeat(1_000),
      })),
    })
  t.ok((await asked(`attempts/${attemptId}`)).bytes < 2 * limits.innerListBytes + 2 * limits.contentBytes)
  const { outputs, outputsTruncated } = await reader.read("attempt", { attemptId })
  t.ok(outputs.length > 50 && outputs.length < count)
  t.equal(outputs.at(-1)?.outputLabel, `output ${count}`, "the newest are shown")
  t.equal(outputsTruncated, true)
})

t.test("last values and points with the longest names and dimensions", async (t) => {
  const dimensionsAt = (index: number) =>
    Object.fromEntries(
      Array.from({ length: limits.dimensions }, (_, place) => [
        `d${place}`.padEnd(32, "x"),
        wide(index, limits.dimensionText),
      ]),
    )
  const [split, unit] = [wide(0, limits.name), wide(0, limits.unit)]
  const metrics = Array.from({ length: 700 }, (_, index) => ({
    ...{ name: wide(index, limits.name), split, unit, value: 2 / 3e300, step: Number.MAX_SAFE_INTEGER - index },
    dimensions: dimensionsAt(index),
  }))
  t.ok(sizeOf(metrics) > limits.listBytes, "they do not fit in one answer")
  const attemptId = await reporting(metrics)
  const path = `attempts/${attemptId}`
  t.ok((await asked(path)).bytes < limits.innerListBytes + 2 * limits.contentBytes)
  const shown = await reader.read("attempt", { attemptId })
  t.ok(shown.metrics.length > 50)
  t.equal(shown.metricsTruncated, true)

  t.ok((await asked(`${path}/metrics`)).bytes < 1.02 * limits.listBytes)
  const names: unknown[] = []
  for (let after = 0, more = true; more; ) {
    const page = await reader.read("attempt_metrics", { attemptId, after })
    names.push(...page.columns.metric)
    ;[after, more] = [page.nextCursor, page.hasMore]
  }
  t.strictSame(
    names,
    metrics.map(({ name }) => name),
    "the pages have every point exactly once",
  )
  const { metrics: few, metricsTruncated } = await reader.read("experiment_measurements", { experimentId })
  t.equal(metricsTruncated, true)
  t.ok(few.length > 50 && sizeOf(few) <= limits.listBytes, `${few.length} metrics in ${sizeOf(few)} bytes`)
  t.ok((await asked(`rooms/${room.roomId}/measurements?format=markdown`)).bytes < limits.listBytes)
})

t.test("more metrics than a measurement table can list", async (t) => {
  const attemptId = await reporting(
    Array.from({ length: limits.measuredMetrics + 50 }, (_, value) => ({ name: `many ${value}`, value })),
  )
  const { metrics, metricsTruncated } = await reader.read("experiment_measurements", {
    experimentId,
    attempts: [attemptId],
  })
  t.same([metrics.length, metricsTruncated], [limits.measuredMetrics, true])
  const page = await (await fetch(`${lab.house.baseUrl}/attempts/${attemptId}`)).text()
  const [drawn = "", listed = ""] = page.split("Last values</caption>")
  t.equal(listed.match(/<th scope="row">many /g)?.length, 500, "its page lists the first ones")
  t.equal(drawn.match(/<th scope="row">many /g)?.length, 20, "and draws fewer")
  t.match(drawn, "These are the first 20 values without a step.")
  t.match(page, /These are the first ones by name\.<\/span><span><a href="[^"]*metrics\?format=csv">All points as CSV/)
  const found = await reader.read("experiment_measurements", {
    experimentId,
    metric: `many ${limits.measuredMetrics + 49}`,
  })
  t.same(
    [found.groups[0]?.mean, found.metricsTruncated],
    [limits.measuredMetrics + 49, false],
    "a metric that is not listed can still be requested",
  )
})

t.test("a metric with different dimensions for each value", async (t) => {
  const own = (value: number) =>
    Object.fromEntries(Array.from({ length: limits.dimensions }, (_, place) => [`d${value}_${place}`, 1]))
  await reporting(Array.from({ length: 100 }, (_, value) => ({ name: "scattered", value, dimensions: own(value) })))
  const named = { experimentId, metric: "scattered" }
  t.match(await refusalOf(reader.read("experiment_measurements", named)), {
    refusal: "invalid_parameter",
    message: /by must be given: the metric has 800 dimensions, such as d0_0, d0_1/,
  })
  const { groups, metrics } = await reader.read("experiment_measurements", { ...named, by: ["d7_1"] })
  t.same([groups.length, metrics[0]?.dimensions.length], [1, limits.tableColumns])
})

t.test("a table whose groups have more points than fit in an answer", async (t) => {
  const texts = Array.from({ length: limits.groupPoints }, (_, index) => wide(index, limits.dimensionText))
  const groups = Math.ceil(limits.listBytes / sizeOf(texts)) + 1
  await reporting(
    Array.from({ length: groups }, (_, group) =>
      texts.map((at, value) => ({ name: "grid", value, dimensions: { group, at } })),
    ).flat(),
  )
  const table = { experimentId, metric: "grid", by: ["group"], over: "at" }
  t.match(await refusalOf(reader.read("experiment_measurements", { ...table, points: "1" })), {
    refusal: "invalid_parameter",
    message: /points makes an answer of more than 3,500,000 bytes/,
  })
  t.equal((await reader.read("experiment_measurements", table)).groups.length, groups)
  const { groups: few } = await reader.read("experiment_measurements", { ...table, points: "1", where: ["group:3"] })
  t.equal(few[0]?.points?.length, limits.groupPoints)
})
