/** Attempts and their metrics as CSV and JSON lines, parsed by a third-party program. */
import { parse } from "csv-parse/sync"
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { openLab } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { roomId, grace } = room
const work = await Work.begin(lab, room, { holder: grace })
const attemptId = await work.attempt("started")

type Value = number | "NaN" | "Infinity" | "-Infinity"
async function report(
  metrics: { name: string; value: Value; split?: string; unit?: string; step?: number }[],
): Promise<void> {
  const { revision } = await reader.read("attempt", { attemptId })
  const about = { attemptId, event: "progress", expectedRevision: revision, expectedStatus: "started" } as const
  await grace.write("report_attempt_event", { ...about, reportedAt: "2026-11-20T09:30:00.000Z", metrics })
}

const file = async (path: string) => {
  const response = await fetch(`${lab.house.baseUrl}/api/research/${path}`)
  t.equal(response.status, 200, path)
  return {
    type: response.headers.get("content-type"),
    name: response.headers.get("content-disposition"),
    text: await response.text(),
  }
}
const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: "\r\n" })
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

const told = [
  { name: "loss", value: 2.5, step: 1, unit: "nats" },
  { name: "loss", value: "NaN", step: 2 },
  { name: "drift", value: "-Infinity", split: "test" },
  { name: "drift", value: -1e-30 },
  { name: '=HYPERLINK("https://evil.example","x")', value: 1 },
  { name: "+1, 2", value: 1, split: "@SUM(A1)", unit: '"quoted"\nand broken' },
  { name: "-2+3+cmd|' /C calc'!A0", value: 1, split: "--seed", unit: "-1.5e-3" },
  {
    name: "x;=cmd|' /C calc'!A0;y",
    value: -1,
    split: "list:\n\t@SUM(A1)\r\n+1+1",
    unit: 'a;"=1+1"; \u200b=2;--seed;-0.5',
  },
] as const

t.test("every point of an attempt, however many, as CSV and as JSON lines", async (t) => {
  await report([...told])
  const many = Array.from({ length: limits.metricPoints }, (_, step) => ({ name: "many", value: step / 7, step }))
  await report(many)
  const csv = await file(`attempts/${attemptId}/metrics?format=csv`)
  t.equal(csv.type, "text/csv; charset=utf-8")
  const rows = rowsOf(csv.text)
  t.equal(rows.length, told.length + many.length)
  t.match(rows.slice(0, 4), [
    {
      ordinal: "1",
      metric: "loss",
      split: "",
      unit: "nats",
      step: "1",
      value: "2.5",
      reportedAt: "2026-11-20T09:30:00.000Z",
    },
    { value: "NaN", step: "2" },
    { value: "-Infinity", split: "test" },
    { value: "-1e-30" },
  ])
  t.strictSame(
    rows.slice(told.length).map(({ value }) => Number(value)),
    many.map(({ value }) => value),
    "to the last digit",
  )
  const jsonl = await file(`attempts/${attemptId}/metrics?format=jsonl`)
  t.equal(jsonl.type, "application/x-ndjson; charset=utf-8")
  t.strictSame(
    linesOf(jsonl.text)
      .slice(0, told.length)
      .map(({ metric: name, value, split, unit, step }) => ({ name, value, split, unit, step })),
    told.map((point) => ({ split: null, unit: null, step: null, ...point })),
    "as they were reported",
  )
  t.equal(linesOf(jsonl.text).length, rows.length)
})

t.test("text that a spreadsheet would run as a formula is escaped", async (t) => {
  const rows = rowsOf((await file(`attempts/${attemptId}/metrics?format=csv&limit=${told.length}`)).text)
  t.equal(rows.length, told.length, "limit restricts the rows")
  t.equal(rows[4]?.metric, '\'=HYPERLINK("https://evil.example","x")')
  t.match(rows[5], { metric: "'+1, 2", split: "'@SUM(A1)", unit: '"quoted"\nand broken' })
  t.match(
    rows[6],
    { metric: "'-2+3+cmd|' /C calc'!A0", split: "--seed", unit: "-1.5e-3" },
    "text that is no formula stays unchanged",
  )
  t.match(
    rows[7],
    {
      metric: "x;'=cmd|' /C calc'!A0;y",
      split: "list:\n\t'@SUM(A1)\r\n'+1+1",
      unit: "a;'\"=1+1\";' \u200b=2;--seed;-0.5",
      value: "-1",
    },
    "text after another locale's separator, a tab or a line break is escaped too",
  )
  for (const row of rows)
    for (const name of ["metric", "split", "unit"]) t.notMatch(row[name], /^(?:[=@\t\r]|[+-].*[^\w.-])/)
})

/**
 * Splits a file into cells as a program in another locale does: at its own separator, with quotes only where a cell
 * begins with them.
 */
function cellsOf(text: string, delimiter: string): string[] {
  const options = { delimiter, relax_column_count: true, relax_quotes: true, record_delimiter: ["\r\n", "\n", "\r"] }
  const rows: string[][] = parse(text, options)
  return rows.flat()
}

t.test("whatever separator splits the file, no cell of it is a formula", async (t) => {
  const files = [
    `attempts/${attemptId}/metrics?format=csv&limit=${told.length}`,
    `attempt-table?attemptIds=${attemptId}&format=csv`,
    `attempts?roomId=${roomId}&format=csv`,
    ...told.map(({ name }) => `attempt-curves?attemptIds=${attemptId}&metric=${encodeURIComponent(name)}&format=csv`),
  ]
  let guarded = 0
  for (const path of files) {
    const { text } = await file(path)
    for (const delimiter of [",", ";", "\t"])
      for (const cell of cellsOf(text, delimiter)) {
        const start = cell.replace(/^[\s\p{C}"]+/u, "")
        if (/^'.*[=+@-]/s.test(start)) guarded += 1
        if (/^[=+\-@]/.test(start))
          t.match(start, /^[+-][\w.-]*"*(?:,|$)/, `${path} split at ${JSON.stringify(delimiter)}`)
      }
  }
  t.ok(guarded > 20, `${guarded} cells have an apostrophe`)
})

t.test("part of a series: of one name, after a cursor", async (t) => {
  const rows = rowsOf((await file(`attempts/${attemptId}/metrics?format=csv&metric=loss&after=1`)).text)
  t.strictSame(
    rows.map(({ metric, step }) => [metric, step]),
    [["loss", "2"]],
  )
  const one = await fetch(`${lab.house.baseUrl}/api/research/attempts/${attemptId}/metrics`, {
    headers: { accept: "text/csv" },
  })
  t.equal(one.headers.get("content-type"), "text/csv; charset=utf-8", "the Accept header selects it too")
  await one.body?.cancel()
})

t.test("the attempts of a Room, across pages", async (t) => {
  for (let more = 0; more < 60; more += 1) await work.attempt(more % 3 === 0 ? "failed" : "succeeded")
  const rows = rowsOf((await file(`attempts?roomId=${roomId}&format=csv`)).text)
  const lines = linesOf((await file(`attempts?roomId=${roomId}&format=jsonl`)).text)
  t.equal(rows.length, 61)
  t.strictSame(
    rows.map((row) => row.attemptId),
    lines.map((line) => line.attemptId),
  )
  const mine = rows.find((row) => row.attemptId === attemptId)
  t.match(mine, { registrant: lines[0]?.registrant.username, status: "started", outcome: "unknown", failureStage: "" })
  t.equal(JSON.parse(mine?.metrics ?? "{}").loss, "NaN")
  const failed = rowsOf((await file(`attempts?roomId=${roomId}&status=failed&format=csv`)).text)
  t.ok(failed.length === 20 && failed.every((row) => row.failureExplanation !== ""))
  t.equal(
    (await fetch(`${lab.house.baseUrl}/api/research/attempts?roomId=${roomId}&order=label&format=csv`)).status,
    422,
  )
})

t.test("a reader who is slow or disconnects holds up nothing", async (t) => {
  const gone = await fetch(`${lab.house.baseUrl}/api/research/attempts/${attemptId}/metrics?format=csv`, {
    headers: { "accept-encoding": "br" },
  })
  await gone.body?.cancel()
  const head = await fetch(`${lab.house.baseUrl}/api/research/attempts/${attemptId}/metrics?format=csv`, {
    method: "HEAD",
  })
  t.match(
    [head.status, head.headers.get("content-disposition")],
    [200, `attachment; filename="metrics-${attemptId}.csv"`],
  )
  t.equal((await reader.read("attempt", { attemptId })).status, "started")
})
