/**
 * How the lists of work find their rows: every statement of a list is checked in SQLite's own query plan, with every
 * set of filters. None may scan a table or sort its results.
 */
import type { ListName, ReadInput } from "research-room/client"
import t, { type Test } from "tap"
import type { Db, Statement } from "../../../src/ledger/storage/database.ts"
import { limits } from "../../../src/contract/limits.ts"
import { launch, sha256, told } from "../../support/bodies.ts"
import { openInside } from "../../support/lab.ts"
import { experimentIn, exploration, leadTo, planFor } from "./situations.ts"

/** The statements that read many rows since this was last cleared. */
const asked: { readonly sql: string; readonly values: number }[] = []

const watched = (db: Db): Db => ({
  prepare<Row>(sql: string): Statement<Row> {
    const statement = db.prepare<Row>(sql)
    const all: Statement<Row>["all"] = (...values) => {
      asked.push({ sql, values: values.length })
      return statement.all(...values)
    }
    return { ...statement, all }
  },
  exec: (sql) => db.exec(sql),
  get inTransaction() {
    return db.inTransaction
  },
  snapshot: (work) => db.snapshot(work),
  close: () => db.close(),
})

let raw: Db | undefined
const lab = await openInside(t, { around: (db) => watched((raw = db)) })
const room = await lab.room()
const { ada: proposer, grace: holder } = room
const client = holder
const { made } = await planFor(await experimentIn("in_progress", room, proposer, holder), client)
const { experimentId } = made
const attemptId = await exploration(made, client)
const guard = await leadTo("started", attemptId, client)
await client.write("report_attempt_event", {
  attemptId,
  ...guard,
  ...told("progress"),
  metrics: [
    { name: "loss", value: 1 },
    { name: "loss", value: 2 },
  ],
})
await client.write("register_attempt", {
  attemptId: crypto.randomUUID(),
  experimentId,
  intent: "rerun",
  rerunOf: attemptId,
  ...made.expected,
  ...launch,
})
const { result: material } = await client.write("register_material", {
  roomId: room.roomId,
  reference: sha256("1"),
  name: "Counts",
  valuesDigest: sha256("2"),
  location: "https://example.org/1",
})
const reader = lab.reader

interface Step {
  readonly detail: string
}
/** Returns the steps of SQLite's plan for a statement. */
const steps = ({ sql, values }: (typeof asked)[number]): string[] =>
  (raw as Db)
    .prepare<Step>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...Array.from({ length: values }, () => null))
    .map(({ detail }) => detail)

/** A scan of a whole table, or a sort. Subqueries of a few rows and lists of values in memory do not count. */
const isSlow = (detail: string) =>
  /\bSCAN\b(?! CONSTANT ROW| \(subquery)/.test(detail)
    ? !/VIRTUAL TABLE|CONSTANT ROW/.test(detail)
    : /USE TEMP B-TREE/.test(detail)

async function mustBeQuick<N extends ListName>(t: Test, name: N, input: ReadInput<N>, told: string): Promise<void> {
  asked.length = 0
  const page = await reader.read(name as "attempts", input as ReadInput<"attempts">)
  t.ok(asked.length > 0 && page !== undefined, `${told}: statements ran`)
  // One statement reads the whole page with its contents; each id in a filter is looked up once, by its key.
  const lookUps = asked.filter(({ sql }) => /^SELECT '?[\w.]+'? AS kind FROM \w+ WHERE \w+ = \?$/.test(sql)).length
  t.ok(asked.length - lookUps === 1, `${told}: one statement a page, not ${asked.length - lookUps}`)
  t.ok(lookUps <= Object.keys(input).filter((filter) => filter.endsWith("Id")).length, `${told}: ${lookUps} look-ups`)
  for (const statement of asked) t.same(steps(statement).filter(isSlow), [], `${told}: ${steps(statement).join(" | ")}`)
}

/** The step that finds the attempts, with the columns it uses. */
const driver = (details: readonly string[]): string => details.find((detail) => /^SEARCH [at] /.test(detail)) ?? ""

const subsets = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((sets, item) => sets.concat(sets.map((set) => set.concat([item]))), [[]])
const { label } = await reader.read("attempt", { attemptId })
const filters = { experimentId, roomId: room.roomId, status: "started", intent: "exploratory", label } as const

const filterNames = Object.keys(filters) as (keyof typeof filters)[]
const sets = subsets(filterNames).filter((set) => !set.includes("label") || set.includes("roomId"))

/** The most selective index search for a set of filters. */
function narrowest(set: readonly string[]): RegExp {
  if (set.includes("label")) return /\(room_id=\? AND label=\?\)$/
  if (set.includes("experimentId")) return /\(experiment_id=\?(?: AND (?:status|intent)=\?)? AND attempt_id>\?\)$/
  const own = ["status", "intent"].filter((name) => set.includes(name))
  const columns = [
    ...(set.includes("roomId") ? ["room_id"] : []),
    ...(own.length === 0 ? [] : [`(${own.join("|")})`]),
  ].map((column) => `${column}=\\?`)
  return new RegExp(`\\(${[...columns, "attempt_id>\\?"].join(" AND ")}\\)$`)
}

t.test("attempts, with every set of filters, at the start and further on", async (t) => {
  t.equal(sets.length, 24)
  for (const set of sets) {
    const input = Object.fromEntries(set.map((name) => [name, filters[name]]))
    for (const after of [{}, { after: attemptId }]) {
      await mustBeQuick(t, "attempts", { ...input, ...after }, `attempts by ${set.join(", ") || "nothing"}`)
      t.match(
        driver(asked.flatMap(steps)),
        narrowest(set),
        `attempts by ${set.join(", ") || "nothing"} use the most selective index`,
      )
    }
  }
})

t.test("the ledger of runs, with every set of filters", async (t) => {
  const { label: _label, roomId, ...narrowed } = { ...filters, agent: "runner" }
  for (const set of subsets(Object.keys(narrowed) as (keyof typeof narrowed)[])) {
    const input = Object.fromEntries(set.map((name) => [name, narrowed[name]]))
    for (const after of [{}, { after: 1 }])
      await mustBeQuick(t, "room_ledger", { roomId, ...input, ...after }, `runs by ${set.join(", ") || "nothing"}`)
  }
})

t.test("the attempts of a finding, with every other filter", async (t) => {
  const { result } = await client.write("publish_finding", {
    kind: "finding",
    roomId: room.roomId,
    threadId: room.threadId,
    scope: "Here.",
    outcome: "inconclusive",
    retrospective: false,
    provenance: { papers: [] },
    materials: [],
    references: [],
    assertion: {
      wording: "It may hold.",
      predicate: { type: "concept", key: "holds" },
      roles: [1, 2].map((n) => ({
        role: `r${n}`,
        definition: "A part.",
        value: { type: "boolean" as const, value: true },
      })),
    },
    concepts: { holds: { label: "holds", definition: "Is so." } },
    evidence: [{ kind: "attempt_outcome", attemptId, explanation: "It ran." }],
  })
  for (const set of sets) {
    const input = {
      ...Object.fromEntries(set.map((name) => [name, filters[name]])),
      findingVersionId: result.versionId,
    }
    await mustBeQuick(t, "attempts", input, `attempts of a finding by ${set.join(", ") || "nothing"}`)
    t.match(
      driver(asked.flatMap(steps)),
      /^SEARCH t .*\(version_id=\? AND attempt_id>\?\)$/,
      "the finding's few attempts are read first",
    )
  }
  t.match(
    (await reader.read("attempts", { findingVersionId: result.versionId, experimentId, status: "started" })).items,
    [{ attemptId, role: "evidence" }],
  )
})

t.test("experiments, their history, metrics and materials", async (t) => {
  const { roomId } = room
  await mustBeQuick(t, "experiments", {}, "experiments")
  await mustBeQuick(t, "experiments", { roomId }, "experiments of a Room")
  await mustBeQuick(t, "experiments", { roomId, label: "E1" }, "an experiment by its label")
  await mustBeQuick(t, "experiment_history", { experimentId }, "history")
  await mustBeQuick(t, "materials", {}, "materials")
  await mustBeQuick(t, "materials", { valuesDigest: sha256("2") }, "materials by their values")
  await mustBeQuick(t, "room_materials", { roomId, after: material.materialId }, "materials of a Room")
  for (const name of [undefined, "loss"]) {
    asked.length = 0
    await reader.read("attempt_metrics", { attemptId, ...(name && { metric: name }), limit: limits.metricPoints })
    t.equal(asked.length, 1)
    t.same(asked.flatMap(steps).filter(isSlow), [], `metrics ${name ?? ""}: ${asked.flatMap(steps).join(" | ")}`)
  }
})

t.test("one material, however often it is used", async (t) => {
  asked.length = 0
  await reader.read("material", { materialId: material.materialId })
  t.equal(asked.length, 4, "its reports, and three kinds of use")
  for (const statement of asked) t.same(steps(statement).filter(isSlow), [], steps(statement).join(" | "))
})

t.test("the test would notice a scan and a sort", async (t) => {
  const planOf = (sql: string) => steps({ sql, values: 0 }).filter(isSlow)
  t.equal(planOf("SELECT * FROM attempts").length, 1)
  t.equal(planOf("SELECT * FROM attempts WHERE plan_match = 'x'").length, 1)
  t.equal(planOf("SELECT * FROM attempts WHERE room_id = 'x' ORDER BY registered_at").length, 1)
  t.equal(planOf("SELECT * FROM attempts ORDER BY attempt_id").length, 1, "also a scan of a whole index")
  t.same(planOf("SELECT * FROM attempts WHERE attempt_id > 'x' ORDER BY attempt_id"), [])
})
