/**
 * Settings are never merged in silence: attempts that state other settings make other rows, and everything that rests
 * on measurements names the settings that it merges.
 */
import { parse } from "csv-parse/sync"
import fc from "fast-check"
import t from "tap"
import type { WriteInput } from "research-room/client"
import { launchOf, type LaunchText } from "../../../src/research/measurements/stated.ts"
import { tableOf } from "../../../src/research/measurements/table.ts"
import { finding } from "../../support/bodies.ts"
import { openLab, refusalOf } from "../../support/lab.ts"
import { Work } from "../record/work.ts"
import { seedWhenJudged } from "../../support/chance.ts"
import { type Cell, frameOf } from "./frame-of.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>
type Registration = Partial<Pick<WriteInput<"register_attempt">, "argv" | "configuration">>

/** Makes a successful attempt of its own experiment or of a given one. */
async function ran(work: Work, metrics: Metrics, { argv = ["run"], configuration = {} }: Registration = {}) {
  const attemptId = crypto.randomUUID()
  const { affordances } = await reader.read("experiment", { experimentId: work.experimentId })
  const { url, commit } = lab.house.repositories.public
  await room.ada.write("register_attempt", {
    ...{ attemptId, experimentId: work.experimentId, intent: "exploratory" as const, inputs: [] },
    ...(affordances.expected as { expectedRevision: number; expectedStatus: "claimed" }),
    ...{ repository: { url, commit }, argv, configuration },
  })
  await work.tell(attemptId, "started")
  await work.tell(attemptId, "succeeded", { metrics })
  return attemptId
}
const error = (arm: string, values: readonly number[], more: Record<string, string | number> = {}): Metrics =>
  values.map((value, seed) => ({ name: "error", value, dimensions: { arm, seed, ...more } }))

const work = await Work.begin(lab, room)
const { experimentId } = work
const short = await ran(work, [...error("baseline", [9, 9.2, 9.1]), ...error("shift", [8, 8.3, 8])], {
  argv: ["python", "mlp.py", "--updates", "1000", "--seeds", "0-2", "--out", "runs/a.json"],
})
const long = await ran(work, [...error("baseline", [5, 5.2, 5.1]), ...error("shift", [1, 1.4, 1])], {
  argv: ["python", "mlp.py", "--updates=5000", "--seeds", "0-2", "--out", "runs/b.json"],
})
const asked = { experimentId, metric: "error", against: "arm:baseline" }

t.test("a table parts its groups by the flags in which attempts differ", async (t) => {
  const { groups, partedBy, family } = await reader.read("experiment_measurements", asked)
  t.same(partedBy, ["updates"])
  t.same(
    groups.map(({ key, settings, n }) => [key.arm, settings, n]),
    [
      ["baseline", { updates: 1000 }, 3],
      ["baseline", { updates: 5000 }, 3],
      ["shift", { updates: 1000 }, 3],
      ["shift", { updates: 5000 }, 3],
    ],
  )
  t.equal(Math.round((groups[2]?.contrast?.estimate ?? 0) * 100), -100)
  t.equal(Math.round((groups[3]?.contrast?.estimate ?? 0) * 100), -397)
  t.same(
    groups.slice(2).map(({ contrast }) => [contrast?.pairs, contrast?.pairedAcross, contrast?.corrected?.comparisons]),
    [
      [3, null, 2],
      [3, null, 2],
    ],
  )
  t.equal(family, "of 2 comparisons in this table")
})

t.test("pool merges a setting, and the answer says so", async (t) => {
  const { groups, pooled, partedBy } = await reader.read("experiment_measurements", { ...asked, pool: ["Updates"] })
  t.same([pooled, partedBy], [["updates"], []])
  t.match(groups[1], { key: { arm: "shift" }, settings: {}, n: 3, merged: { updates: [1000, 5000] } })
  t.match(groups[1]?.notes.join(), /merges out runs\/a\.json and runs\/b\.json; updates 1000 and 5000/)
})

t.test("where names a setting, its absence, or what it is not", async (t) => {
  const rows = async (where: string) =>
    (await reader.read("experiment_measurements", { ...asked, where: [where] })).groups.map(({ n, mean }) => [n, mean])
  t.equal((await rows("updates:5000")).length, 2)
  t.same(await rows("updates:!5000"), await rows("updates:1000"))
  t.same(
    await rows("steps:none"),
    (await reader.read("experiment_measurements", asked)).groups.map(({ n, mean }) => [n, mean]),
  )
  t.equal((await refusalOf(rows("steps:!none"))).status, 422, "no value has the dimension")
})

t.test("CSV and Markdown have a column for each setting", async (t) => {
  const experiment = `${lab.house.baseUrl}/api/research/experiments/${experimentId}`
  const at = `${experiment}/measurements?metric=error&against=arm:baseline`
  const rows = parse(await (await fetch(`${at}&format=csv`)).text(), { columns: true }) as Record<string, string>[]
  t.same(
    rows.map(({ arm, setting_updates }) => [arm, setting_updates]),
    [
      ["baseline", "1000"],
      ["baseline", "5000"],
      ["shift", "1000"],
      ["shift", "5000"],
    ],
  )
  const text = await (await fetch(`${at}&format=markdown`)).text()
  t.match(text, /^\| arm \| updates \| n \|/m)
  t.match(text, /"Told apart" allows for the number of 2 comparisons in this table\./)
})

const effect = { experimentId, metric: "error", of: { arm: "shift" }, against: { arm: "baseline" }, over: "seed" }
const publish = (effects: NonNullable<WriteInput<"publish_finding">["effects"]>, attemptIds = [short, long]) =>
  room.ada.write("publish_finding", {
    ...finding(room),
    provenance: { execution: work.execution(attemptIds), papers: [] },
    effects,
  })

t.test("an effect names the setting that it is at or merges, or is refused with the values", async (t) => {
  const refusal = await refusalOf(publish([effect]))
  t.equal(refusal.status, 422)
  t.equal(refusal.issues?.[0]?.path, "/effects/0")
  t.match(refusal.issues?.[0]?.message, /differ in updates \(1000 in A1; 5000 in A2\): name it in where, or in pool/)
  const { result } = await publish([
    { ...effect, where: { updates: 5000 } },
    { ...effect, pool: ["updates"] },
  ])
  const { effects } = await lab.record(result)
  t.match(effects[0], {
    estimate: effects[0]?.estimate,
    merged: {},
    pool: [],
    sentence: /at updates 5000: −3\.967, 95 % /,
  })
  t.match(effects[1], {
    merged: { updates: [1000, 5000] },
    pool: ["updates"],
    sentence: /updates 1000 and 5000 merged/,
  })
})

t.test("an own implementation is compared with its own baseline, not with the mean of all", async (t) => {
  const own = await Work.begin(lab, room)
  const { url } = lab.house.repositories.public
  await ran(own, [...error("baseline", [7, 7.2, 7.1]), ...error("mixup", [6.2, 6.5, 6.3])], {
    argv: ["python", "own.py", "--updates", "1000"],
  })
  const { groups } = await reader.read("room_measurements", {
    roomId: room.roomId,
    metric: "error",
    against: "arm:baseline",
  })
  const mixup = groups.find(({ key }) => key.arm === "mixup")
  t.match(mixup, { settings: {}, contrast: { pairs: 3, pairedAcross: null } })
  t.equal(Math.round((mixup?.contrast?.estimate ?? 0) * 100), -77, url)
})

t.test("a difference from further apart says from what, and is never told apart", async (t) => {
  const far = await lab.room()
  const [one, other] = [await Work.begin(lab, far), await Work.begin(lab, far)]
  for (const [own, metrics] of [
    [one, error("baseline", [9, 9.1, 9.2, 9.15])],
    [other, error("shift", [1, 1.1, 1.2, 1.15])],
  ] as const) {
    const attemptId = await own.attempt("started")
    await own.tell(attemptId, "succeeded", { metrics })
  }
  const query = { roomId: far.roomId, metric: "error", against: "arm:baseline" }
  const { groups } = await reader.read("room_measurements", query)
  t.match(groups[1]?.contrast, {
    pairs: 4,
    pairedAcross: { experiments: ["E1", "E2"], settings: [] },
    corrected: { isDistinct: false },
  })
  t.match(groups[1]?.notes.join(), /compared across experiments E1, E2: never told apart/)
})

t.test("a board over attempts that differ in a setting names it, or is refused; later ones make rows", async (t) => {
  const { url, commit } = lab.house.repositories.public
  const board = {
    ...{ roomId: room.roomId, threadId: room.threadId, title: "Error", metric: "error", direction: "lower" as const },
    ...{ over: "seed", evaluator: { repository: { url, commit } }, data: [] },
  }
  const refusal = await refusalOf(room.ada.write("declare_board", board))
  t.match(refusal.issues?.[0], { path: "/pool", message: /updates 1000 in A1/ })
  const { result } = await room.ada.write("declare_board", { ...board, pool: ["updates"] })
  t.match(await reader.read("board", { boardId: result.boardId }), { pooled: ["updates"], partedBy: [] })
})

const launched = (settings: Record<string, number | string>) =>
  launchOf(JSON.stringify([["run"], settings, null]) as unknown as LaunchText)

interface Told {
  readonly settings: Record<string, number | string>
  readonly values: readonly { readonly arm: string; readonly seed: number; readonly value: number }[]
}
const values = fc.array(
  fc.record({
    arm: fc.constantFrom("baseline", "shift"),
    seed: fc.nat({ max: 3 }),
    value: fc.integer({ min: -9, max: 9 }),
  }),
  { minLength: 1, maxLength: 8 },
)
const settings = fc.record(
  {
    updates: fc.constantFrom(1000, 5000),
    rate: fc.constantFrom(0.1, 0.2, "cosine"),
    out: fc.constantFrom("a.json", "b.json"),
  },
  { requiredKeys: ["updates"] },
)
const attempts = fc.array(fc.record({ settings, values }), { minLength: 1, maxLength: 5 })
const judged = { numRuns: 300, ...(seedWhenJudged !== undefined && { seed: seedWhenJudged }) }

/** The groups of a table of attempts A1, A2 and so on. */
function groupsOf(told: readonly Told[]) {
  const cells = told.flatMap(({ settings, values }, index): Cell[] => {
    const attempt = {
      attemptId: `${index}`,
      experimentId: "e",
      label: `A${index + 1}`,
      commit: "c",
      inputs: "",
      launch: launched(settings),
    }
    return values.map(({ arm, seed, value }) => ({ attempt, dimensions: { arm, seed }, value }))
  })
  const against = { dimension: "arm", value: "baseline" }
  return tableOf(frameOf(cells), { by: ["arm"], over: "seed", against }).groups.map(({ attempts, ...group }) => ({
    ...group,
    labels: attempts.map(({ label }) => label),
  }))
}

t.test("a table never changes when an attempt with another setting is added, but gains rows", (t) => {
  const property = fc.property(attempts, values, (told, added) => {
    const rows = (told: readonly Told[]) =>
      groupsOf(told).map(({ key, summary, labels, contrast }) =>
        JSON.stringify([key, summary, labels, contrast && { ...contrast, corrected: null }]),
      )
    const paired = told.map(({ settings, values }) => ({
      settings,
      values: [...values, { arm: "baseline", seed: 0, value: 1 }],
    }))
    const [before, after] = [rows(paired), rows([...paired, { settings: { updates: 7 }, values: added }])]
    const gone = before.filter((row) => !after.includes(row))
    if (gone.length > 0) throw new Error(`${gone.join("\n")} is not in\n${after.join("\n")}`)
    if (after.length <= before.length) throw new Error("no row was added")
  })
  fc.assert(property, judged)
  t.end()
})

t.test("a command that is run again parts no others: it writes where it wrote before", (t) => {
  const at = (seed: number, arm: string, more: Told["settings"]): Told => ({
    settings: { seed, ...more },
    values: [{ arm, seed, value: seed }],
  })
  const parts = (told: readonly Told[]) => groupsOf(told).map(({ labels }) => labels.join(" "))
  const runs = [1, 2, 3, 4].map((seed) => at(seed, "shift", { out: `runs/${seed}` }))
  t.same(parts(runs), ["A1 A2 A3 A4"])
  t.same(parts([...runs, ...runs.slice(0, 2)]), ["A1 A2 A3 A4 A5 A6"], "two of four were run again")
  const elsewhere = runs.map((run, index) => ({ ...run, settings: { ...run.settings, log: `${index}.log` } }))
  t.same(parts([...elsewhere, at(1, "shift", { out: "runs/1", log: "again.log" })]), ["A1 A2 A3 A4 A5"])
  t.same(
    parts([...runs, at(5, "shift", { out: "runs/1" })]),
    ["A1 A5", "A2", "A3", "A4"],
    "a folder of several commands is a setting, as one of a study is",
  )
  const read = ["a.csv", "b.csv"].flatMap((data) => [at(1, "shift", { data }), at(1, "shift", { data })])
  t.same(parts(read), ["A1 A2", "A3 A4"], "and so is a file that is read")

  const property = fc.property(attempts, fc.nat(), (told, which) => {
    const known = new Set(told.map((_, index) => `A${index + 1}`))
    const again = told[which % told.length] as Told
    const [before, after] = [told, [...told, again]].map((all) =>
      groupsOf(all).map(({ key, labels }) => JSON.stringify([key, labels.filter((label) => known.has(label))])),
    )
    if (String(after) !== String(before)) throw new Error(`${String(before)} is not ${String(after)}`)
  })
  fc.assert(property, judged)
  t.end()
})
