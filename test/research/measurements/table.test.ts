/** Attempts report by arm, size and seed; anyone can read the table of means, intervals and differences. */
import { parse } from "csv-parse/sync"
import t from "tap"
import type { ParametersOf, WriteInput } from "research-room/client"
import { refusalOf, openLab } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>

const lab = await openLab(t)
const { reader } = lab
const work = await Work.begin(lab, await lab.room())
const { experimentId } = work

/** Makes one attempt that reports every value it measured, each at its place. */
async function measured(values: Metrics): Promise<string> {
  const attemptId = await work.attempt("started")
  await work.tell(attemptId, "progress", { metrics: values })
  await work.tell(attemptId, "succeeded")
  return attemptId
}
const error = (arm: string, labels: number, values: readonly number[]): Metrics =>
  values.map((value, seed) => ({ name: "error", split: "test", unit: "%", value, dimensions: { arm, labels, seed } }))

const one = await measured([
  ...error("baseline", 400, [5.1, 5.4, 4.9, 5.2]),
  ...error("baseline", 50, [9.8, 10.4, 9.9, 10.1]),
])
await measured([...error("shift", 400, [4.1, 4.2, 4.0, 4.4]), ...error("shift", 50, [9.9, 10.2, 10.0, 10.3])])
const unfinished = await work.attempt("started")
await work.tell(unfinished, "progress", { metrics: error("shift", 400, [99]) })

t.test("without a metric the table lists what was measured, and the dimensions to group by", async (t) => {
  const { metrics, groups } = await reader.read("experiment_measurements", { experimentId })
  t.same(groups, [])
  t.same(metrics, [
    {
      metric: "error",
      split: "test",
      units: ["%"],
      attempts: 2,
      values: 16,
      dimensions: [
        { dimension: "arm", values: ["baseline", "shift"], valuesTruncated: false },
        { dimension: "labels", values: ["50", "400"], valuesTruncated: false },
        { dimension: "seed", values: ["0", "1", "2", "3"], valuesTruncated: false },
      ],
    },
  ])
})

t.test("numbers come by size, before what is written with a letter", async (t) => {
  const named = ["10k", 50, 400, "5k"].map((size) => ({ name: "hours", value: 1, dimensions: { size } }))
  await measured(named)
  const { groups } = await reader.read("experiment_measurements", { experimentId, metric: "hours" })
  t.strictSame(
    groups.map(({ key }) => key.size),
    [50, 400, "10k", "5k"],
  )
})

const asked = { experimentId, metric: "error", split: "test" }

t.test("means are over seeds, in the order of sizes, with intervals and the people who measured", async (t) => {
  const table = await reader.read("experiment_measurements", asked)
  t.same([table.by, table.over, table.unit], [["arm", "labels"], "seed", "%"])
  t.same(
    table.groups.map(({ key, n }) => [key, n]),
    [
      [{ arm: "baseline", labels: 50 }, 4],
      [{ arm: "baseline", labels: 400 }, 4],
      [{ arm: "shift", labels: 50 }, 4],
      [{ arm: "shift", labels: 400 }, 4],
    ],
  )
  const [, baseline] = table.groups
  t.match(baseline, { n: 4, min: 4.9, max: 5.4, attempts: [{ attemptId: one, label: "A1" }], notes: [] })
  t.ok(Math.abs((baseline?.mean ?? 0) - 5.15) < 1e-12)
  t.equal(table.leftOut.unfinishedAttempts, 1, "an unfinished attempt is left out, and counted as such")
})

// shows: skill: measurements
t.test("a difference is paired over seeds, and corrected for the number of comparisons", async (t) => {
  const { groups, comparisons } = await reader.read("experiment_measurements", { ...asked, against: "arm:baseline" })
  const [, , few, many] = groups
  t.equal(comparisons, 2)
  t.match(many?.contrast, {
    method: "paired",
    pairs: 4,
    lower: 4,
    higher: 0,
    unpaired: 0,
    corrected: { level: 0.025, isDistinct: true },
  })
  t.ok(Math.abs((many?.contrast?.estimate ?? 0) + 0.975) < 1e-12)
  t.match(few?.contrast, { method: "paired", corrected: { isDistinct: false } })
  t.ok(
    (few?.contrast?.corrected?.low ?? 1) < 0 && (few?.contrast?.corrected?.high ?? -1) > 0,
    "an indistinct interval holds zero",
  )
})

t.test("a single value never has a spread", async (t) => {
  const where = ["seed:2"]
  const { groups } = await reader.read("experiment_measurements", { ...asked, where, against: "arm:baseline" })
  t.match(groups[3], {
    n: 1,
    sd: null,
    se: null,
    low: null,
    high: null,
    notes: ["one value: no spread known", "fewer than two pairs over seed: compared unpaired"],
  })
  t.match(groups[3]?.contrast, { se: null, p: null, corrected: null })
})

t.test("the table is served as CSV, and as Markdown to paste", async (t) => {
  const at =
    `${lab.house.baseUrl}/api/research/experiments/${experimentId}` +
    "/measurements?metric=error&split=test&against=arm:baseline"
  const rows = parse(await (await fetch(`${at}&format=csv`)).text(), { columns: true }) as Record<string, string>[]
  t.same(
    rows.map(({ arm, labels, n, distinct }) => [arm, labels, n, distinct]),
    [
      ["baseline", "50", "4", ""],
      ["baseline", "400", "4", ""],
      ["shift", "50", "4", "false"],
      ["shift", "400", "4", "true"],
    ],
  )
  const text = await (await fetch(`${at}&format=markdown`)).text()
  t.match(text, /^\*\*error \(test\) in %, over seed, against arm baseline\*\*$/m)
  t.match(text, /^\| shift \| 400 \| 4 \| 4\.175 \| .* \| −0\.9[78]\d? \| −1\.\d+ to −0\.\d+ \| 4 \| yes \|$/m)
})

t.test("a setting of the attempt replaces a dimension that its values lack", async (t) => {
  const room = await lab.room()
  const runs = await Work.begin(lab, room)
  for (const rate of [0.1, 0.1, 0.2, 0.2]) {
    const attemptId = crypto.randomUUID()
    const { affordances } = await reader.read("experiment", { experimentId: runs.experimentId })
    const { url, commit } = lab.house.repositories.public
    await room.ada.write("register_attempt", {
      ...{ attemptId, experimentId: runs.experimentId, intent: "exploratory" as const },
      ...(affordances.expected as { expectedRevision: number; expectedStatus: "claimed" }),
      ...{ repository: { url, commit }, argv: ["run"], configuration: { rate }, inputs: [] },
    })
    await runs.tell(attemptId, "started")
    await runs.tell(attemptId, "succeeded", { metrics: [{ name: "loss", value: rate * 10 + Math.random() }] })
  }
  const { groups } = await reader.read("room_measurements", { roomId: room.roomId, metric: "loss", by: ["rate"] })
  t.same(
    groups.map(({ key, n }) => [key, n]),
    [
      [{ rate: "0.1" }, 2],
      [{ rate: "0.2" }, 2],
    ],
  )
})

t.test("an unknown metric, dimension or group is refused, and the message lists the known ones", async (t) => {
  const wrong = async (more: Partial<ParametersOf<"experiment_measurements">>) =>
    (await refusalOf(reader.read("experiment_measurements", { ...asked, ...more }))).message
  t.match(await wrong({ metric: "accuracy" }), /metric is not reported here; the metrics are error with split=test/)
  t.match(await wrong({ against: "arm:none" }), /against names no group; arm is one of baseline, shift/)
  t.match(await wrong({ against: "seed:1" }), /against must name one of the dimensions of by: arm, labels/)
  t.match(await wrong({ by: ["Arm"] }), /by must be a comma-separated list of dimensions/)
})

t.test("names, values and number of dimensions are limited", async (t) => {
  const attemptId = await work.attempt("started")
  const paths = async (dimensions: Record<string, unknown>) => {
    const metrics = [{ name: "error", value: 1, dimensions }] as Metrics
    return ((await refusalOf(work.tell(attemptId, "progress", { metrics }))).issues ?? []).map(({ path }) => path)
  }
  t.same(await paths({ Arm: "x" }), ["/metrics/0/dimensions/Arm"])
  t.same(await paths({ arm: "x".repeat(65) }), ["/metrics/0/dimensions/arm"])
  t.same(await paths({ arm: null }), ["/metrics/0/dimensions/arm"])
  t.same(await paths(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`d${index}`, index]))), [
    "/metrics/0/dimensions",
  ])
})

t.test("a dimension named like a member of every object is treated like any other", async (t) => {
  const [numbers] = (await lab.reader.read("rooms", { query: "how sure" })).items
  const answer = await (
    await fetch(
      `${lab.house.baseUrl}/api/research/rooms/${numbers?.roomId}/measurements?metric=coverage&by=constructor`,
    )
  ).json()
  t.match(answer, { groups: [], leftOut: { withoutBy: 12 } })
})
