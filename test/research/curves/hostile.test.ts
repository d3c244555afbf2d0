/**
 * Metrics reported with hostile intent: names that contain markup, and values and steps at both ends of their range.
 */
import t from "tap"
import type { WriteInput } from "research-room/client"
import { limits } from "../../../src/contract/limits.ts"
import { axis } from "../../../src/web/charts/axis.ts"
import { openLab } from "../../support/lab.ts"
import { losses, Work } from "../record/work.ts"

type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>

const lab = await openLab(t)
const room = await lab.room()
const work = await Work.begin(lab, room)
/** Makes an attempt that reported these metrics and ran at a given rate. */
async function reporting(metrics: Metrics, rate: number): Promise<string> {
  const attemptId = crypto.randomUUID()
  const { affordances } = await room.ada.read("experiment", { experimentId: work.experimentId })
  const { url, commit } = lab.house.repositories.public
  await room.ada.write("register_attempt", {
    attemptId,
    experimentId: work.experimentId,
    intent: "exploratory",
    ...(affordances.expected as { expectedRevision: number; expectedStatus: "claimed" }),
    repository: { url, commit },
    argv: ["train"],
    configuration: { rate },
    inputs: [],
  })
  await work.tell(attemptId, "started")
  for (let start = 0; start < metrics.length; start += 200)
    await work.tell(attemptId, "progress", { metrics: metrics.slice(start, start + 200) })
  await work.tell(attemptId, "succeeded", { outputs: [losses] })
  return attemptId
}

const series: Record<string, readonly number[]> = {
  "both ends": [-1.7976931348623157e308, 1.7976931348623157e308],
  huge: [1e308, 1.5e308, 1e308],
  "all huge": [1e308, 1e308],
  subnormal: [5e-324, 1e-323, 5e-324],
  "all subnormal": [5e-324],
  "every size": [5e-324, 1, 1.7976931348623157e308],
  neighbours: [9007199254740991, 9007199254740990],
  "one point": [3],
  equal: [7, 7, 7],
}
const far: Metrics = Object.entries(series).flatMap(([name, values]) =>
  values.map((value, step) => ({ name, value, step })),
)
const steps: Metrics = [0, 0, 0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER].map((step, value) => ({
  name: "steps",
  value,
  step,
}))
const ids = [await reporting([...far, ...steps], 1e308), await reporting([...far, ...steps], 5e-324)]

let slowest = 0
let largest = 0
async function page(path: string): Promise<string> {
  const start = performance.now()
  const answer = await fetch(`${lab.house.baseUrl}${path}`)
  const text = await answer.text()
  slowest = Math.max(slowest, performance.now() - start)
  largest = Math.max(largest, Buffer.byteLength(text))
  t.equal(answer.status, 200, path.slice(0, 100))
  return text
}
const drawing = /<svg class="chart[\s\S]*<\/svg>/

t.test("an axis has a position for every number between any two", (t) => {
  const numbers = [
    0,
    1,
    5e-324,
    1e-323,
    1e-310,
    1e-290,
    0.3,
    1 + 2 ** -52,
    2 ** 53 - 1,
    2 ** 53,
    1e290,
    1e308,
    Number.MAX_VALUE,
  ]
  const all = [...numbers, ...numbers.map((number) => -number)]
  for (const isLog of [true, false])
    for (const low of all)
      for (const high of all) {
        if (isLog && (low <= 0 || high <= 0)) continue
        const { ticks, at, ...ends } = axis(low, high, [292, 20], { isLog, margin: isLog ? 0 : 0.04 })
        const places = [ends.low, ends.high, ...ticks, ...ticks.map(at), ...all.map(at)]
        if (!places.every(Number.isFinite) || ticks.length > 2_500) t.fail(`${isLog} ${low} ${high}: ${places}`)
        if (low < high && at(low) < at(high)) t.fail(`${isLog} ${low} ${high} are upside down`)
      }
  t.end()
})

t.test("pictures of numbers of every size contain only numbers", async (t) => {
  for (const metric of [...Object.keys(series), "steps"])
    for (const more of [
      "",
      "&log=1",
      "&low=-1e308&high=1e308",
      "&low=1e308",
      "&log=1&low=1e-320",
      "&from=0&to=999999999999999",
    ]) {
      const asked = `ids=${ids.join(",")}&metric=${encodeURIComponent(metric)}&baseline=${ids[0]}${more}`
      const [svg = ""] = drawing.exec(await page(`/attempts/curves?${asked}`)) ?? []
      t.ok(svg.length > 500)
      t.notMatch(svg, /="[^"]*(?:NaN|Infinity|undefined)/, `${metric}${more}`)
    }
  for (const metric of Object.keys(series))
    for (const log of ["", "&log=1"]) {
      const asked = `view=picture&setting=rate&metric=${encodeURIComponent(metric)}${log}`
      const [svg = ""] = drawing.exec(await page(`/rooms/${room.roomId}/attempts?${asked}`)) ?? []
      t.match(svg, /class="at [^]*class="at /, "both attempts have a mark")
      t.notMatch(svg, /[xy][12]?="[^"]*(?:NaN|Infinity)/, `${metric}${log}`)
    }
  for (const form of ["json", "csv", "markdown"])
    for (const metric of Object.keys(series))
      t.notMatch(
        await page(
          `/api/research/rooms/${room.roomId}/measurements?metric=${encodeURIComponent(metric)}&format=${form}`,
        ),
        /NaN/,
        `${metric} as ${form}`,
      )
})

t.test("1,000 names with markup and control characters are shown as text, and their pages stay small", async (t) => {
  const hostile = (index: number) =>
    `</td><script>alert(${index})</script>" onload='x' \u0007\u202e{{${index}}} ${"=".repeat(40)}`
  const many: Metrics = Array.from({ length: 1_000 }, (_, index) => ({
    name: hostile(index),
    value: index,
    step: index,
    unit: "<b>",
  }))
  const named = [await reporting(many, 1), await reporting(many, 2)]
  slowest = 0
  const compared = named.join(",")
  const pages = [
    `/attempts/${named[0]}`,
    `/attempts/compare?ids=${compared}`,
    `/attempts/curves?ids=${compared}&metric=${encodeURIComponent(hostile(10))}`,
    `/rooms/${room.roomId}/attempts`,
    `/rooms/${room.roomId}/attempts?view=picture`,
    `/api/research/attempt-table?attemptIds=${compared}`,
    `/api/research/attempt-table?attemptIds=${compared}&format=csv`,
    `/api/research/rooms/${room.roomId}/measurements`,
    `/attempts/${named[0]}.md`,
  ]
  for (const path of pages) {
    const text = await page(path)
    if (!path.startsWith("/api/") && !path.endsWith(".md"))
      t.notMatch(text, /<script>alert|" onload='x'|<b>/, path.slice(0, 60))
  }
  t.comment(`the slowest took ${Math.round(slowest)} ms, the largest has ${largest} bytes`)
  t.ok(largest < limits.pageBytes * 0.9, `${largest} bytes`)
})
