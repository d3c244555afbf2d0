/** Attempts side by side, over HTTP: the table, its sorting, and the curves. */
import { parse } from "csv-parse/sync"
import t from "tap"
import type { WriteInput } from "research-room/client"
import { limits } from "../../../src/contract/limits.ts"
import { openLab } from "../../support/lab.ts"
import { refusalOf } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { roomId, ada } = room
const work = await Work.begin(lab, room)

const run = async (rate: number, argv: string[], ...told: Metrics[]) => {
  const attemptId = crypto.randomUUID()
  const { affordances } = await ada.read("experiment", { experimentId: work.experimentId })
  const { url, commit } = lab.house.repositories.public
  await ada.write("register_attempt", {
    attemptId,
    experimentId: work.experimentId,
    intent: "exploratory",
    ...(affordances.expected as { expectedRevision: number; expectedStatus: "claimed" }),
    repository: { url, commit },
    argv,
    configuration: { optimizer: { rate }, batch: 32 },
    inputs: [],
  })
  await work.tell(attemptId, "started")
  for (const metrics of told) await work.tell(attemptId, "progress", { metrics })
  return attemptId
}
const losses = (values: Metrics[number]["value"][], from = 0): Metrics =>
  values.map((value, index) => ({ name: "loss", split: "train", unit: "nat", value, step: from + index }))

const slow = await run(0.001, ["train", "--seed", "2"], losses([4, 3, 2]), [{ name: "memory", value: 12 }])
const quick = await run(0.01, ["train", "--seed", "10"], losses([4, 2, 1]))
const wild = await run(0.1, ["train", "--seed=10"], losses([4, 9, "Infinity", "NaN"]))
const silent = await run(0.1, ["train", "--seed", "1"])

t.test("settings that differ and last values are columns, in the order of labels", async (t) => {
  const table = await reader.read("attempt_table", { roomId })
  t.same(
    table.items.map(({ attemptId }) => attemptId),
    [slow, quick, wild, silent],
  )
  t.match(table.columns, {
    metrics: [
      { key: "loss (train)", name: "loss", split: "train", unit: "nat", attempts: 3 },
      { key: "memory", attempts: 1 },
    ],
    settings: [
      { key: "optimizer.rate", attempts: 4, values: 3 },
      { key: "--seed", attempts: 4, values: 3 },
    ],
    sameSettings: 3,
  })
  t.same(
    table.items.map(({ settings, metrics }) => [settings, metrics.map((last) => last?.value ?? null)]),
    [
      [
        ["0.001", "2"],
        [2, 12],
      ],
      [
        ["0.01", "10"],
        [1, null],
      ],
      [
        ["0.1", "10"],
        ["NaN", null],
      ],
      [
        ["0.1", "1"],
        [null, null],
      ],
    ],
  )
  t.match(table, { compared: 4, comparedAll: true, settingsCompared: 4, hasMore: false })
})

t.test(
  "sorted by a metric or a setting: by size, with NaN after numbers, and attempts without a value last in both " +
    "directions",
  async (t) => {
    const order = async (sort: string, order: "ascending" | "descending") =>
      (await reader.read("attempt_table", { roomId, sort, order })).items.map(({ attemptId }) => attemptId)
    t.same(await order("metric:loss (train)", "ascending"), [quick, slow, wild, silent])
    t.same(await order("metric:loss (train)", "descending"), [slow, quick, wild, silent])
    t.same(await order("setting:--seed", "ascending"), [silent, slow, quick, wild])
    t.same(await order("label", "descending"), [silent, wild, quick, slow])
    for (const sort of ["beauty", "__proto__", "constructor", "toString"])
      t.match(await refusalOf(reader.read("attempt_table", { roomId, sort })), { refusal: "invalid_parameter" }, sort)
    t.match(await refusalOf(reader.read("attempt_table", {})), { refusal: "invalid_parameter" })
  },
)

t.test("a page at a time, of named attempts, and of one status", async (t) => {
  const first = await reader.read("attempt_table", { roomId, limit: 3, sort: "metric:loss (train)" })
  t.same([first.items.length, first.hasMore, first.nextCursor], [3, true, 3])
  const rest = await reader.read("attempt_table", { roomId, limit: 3, after: 3, sort: "metric:loss (train)" })
  t.same(
    rest.items.map(({ attemptId }) => attemptId),
    [silent],
  )
  const two = await reader.read("attempt_table", { attemptIds: `${wild},${slow}` as never })
  t.same(
    two.items.map(({ attemptId }) => attemptId),
    [wild, slow],
  )
  t.same((await reader.read("attempt_table", { roomId, status: "failed" })).items, [])
  t.match(await refusalOf(reader.read("attempt_table", { attemptIds: crypto.randomUUID() as never })), {
    refusal: "unknown_attempt",
  })
})

t.test("the table as csv", async (t) => {
  const response = await fetch(
    `${lab.house.baseUrl}/api/research/attempt-table?roomId=${roomId}&format=csv&sort=setting:--seed`,
  )
  t.equal(response.headers.get("content-type"), "text/csv; charset=utf-8")
  const rows: Record<string, string>[] = parse(await response.text(), { columns: true, record_delimiter: "\r\n" })
  t.match(rows[0], { attemptId: silent, "loss (train)": "", "optimizer.rate": "0.1" })
  t.match(rows[3], { attemptId: wild, "loss (train)": "NaN" })
})

t.test("short curves have every point, including values that are not numbers", async (t) => {
  const asked = { attemptIds: `${slow},${wild},${silent}` as never, metric: "loss", split: "train" }
  const { curves } = await reader.read("attempt_curves", asked)
  t.match(curves, [
    { attemptId: slow, points: 3, fromStep: 0, toStep: 2, stretch: 1, columns: { step: [0, 1, 2], value: [4, 3, 2] } },
    { attemptId: wild, columns: { step: [0, 1, 2, 3], value: [4, 9, "Infinity", "NaN"] } },
    { attemptId: silent, points: 0, fromStep: null, columns: { step: [], value: [] } },
  ])
  const part = await reader.read("attempt_curves", { ...asked, from: 1, to: 1 })
  t.same(part.curves[1]?.columns.step, [0, 1, 2], "and the neighbours of a part")
})

t.test("a long run is thinned as it arrives, without losing outliers", async (t) => {
  const size = limits.metricsOfEvent
  const events = 12
  const value = (step: number) =>
    step === 7_777 ? "NaN" : step === 4_321 ? -50 : Math.sin(step / 900) + (step % 7) / 10
  const told = Array.from({ length: events }, (_, event) =>
    losses(
      Array.from({ length: size }, (_, index) => value(event * size + index)),
      event * size,
    ).map(({ split: _, unit: _unit, ...point }) => ({ ...point, name: "long" })),
  )
  // The second thousand is reported last.
  const [first = [], second = [], ...others] = told
  const attemptId = await run(0.5, ["train"], first, ...others, second)
  for (const points of [20, 300, limits.curvePointsMax]) {
    const { curves } = await reader.read("attempt_curves", { attemptIds: attemptId as never, metric: "long", points })
    const [curve] = curves
    if (curve === undefined) throw new Error("no curve was returned")
    const { columns } = curve
    t.match(curve, { points: events * size, fromStep: 0, toStep: events * size - 1 })
    t.ok(
      columns.step.length <= points && columns.step.length > points / 8,
      `${columns.step.length} points of at most ${points}`,
    )
    t.same(
      columns.step,
      columns.step.toSorted((one, other) => one - other),
    )
    t.ok(columns.value.includes(-50) && columns.value.includes("NaN"))
    columns.step.forEach((step, index) => {
      if (columns.value[index] !== value(step)) t.fail(`step ${step} was never reported with this value`)
    })
  }
  const { metrics } = await reader.read("attempt", { attemptId })
  t.match(metrics, [{ name: "long", step: 1_999 }], "the last value is the one reported last")
})
