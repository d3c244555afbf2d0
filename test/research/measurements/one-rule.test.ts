/** A step, a value and a name with a meaning are read alike in a cell of a table and in a line of JSON. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import { pythonClient } from "../../../src/discovery/python.ts"
import { readTable } from "../../../src/research/measurements/read-table.ts"

interface Case {
  readonly written: string
  readonly read: unknown
}
/** The cells of two rows beside a metric that is always there, and what the column is. */
interface Column {
  readonly cells: readonly string[]
  readonly read: "metric" | "dimension" | "fault"
}
type Cases = Readonly<Record<"steps" | "values" | "names", readonly Case[]>> & { readonly columns: readonly Column[] }
const { steps, values, names, columns } = JSON.parse(
  readFileSync(new URL("one-rule.json", import.meta.url), "utf8"),
) as Cases

/** The one point of a table or line, or null if it was not taken. */
type Point = Readonly<Record<string, unknown>> | null
const rows = [
  ...steps.map(({ written }) => ["step", written, "1"]),
  ...values.map(({ written }) => ["step", "1", written]),
  ...names.map(({ written }) => [written, "7", "1"]),
] as const
const due: readonly Point[] = [
  ...steps.map(({ read }) => (read === null ? null : { name: "loss", value: 1, step: read })),
  ...values.map(({ read }) => (read === null ? null : { name: "loss", value: read, step: 1 })),
  ...names.map(({ read }) => ({ name: "loss", value: 1, ...(read as object) })),
]

t.test("in a table", async (t) => {
  for (const [index, [name, place, value]] of rows.entries()) {
    const { points, faults } = readTable(`${name},loss\n${place},${value}\n`)
    t.same([points[0] ?? null, faults.length > 0], [due[index], due[index] === null], `${name} ${place}: ${value}`)
  }
  for (const { cells, read } of columns) {
    const { readAs, faults } = readTable(`x;loss\n${cells.map((cell, row) => `${cell};${row + 1}`).join("\n")}\n`)
    const kind = faults.length > 0 ? "fault" : readAs.dimensions.includes("x") ? "dimension" : "metric"
    t.equal(kind, read, cells.join(" and "))
  }
})

const found = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"])
t.test("in a line of JSON", { skip: found.status !== 0 && "no Python 3.9 on this machine" }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "research-room-rule-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "research_room.py"), pythonClient({ baseUrl: "http://127.0.0.1:9", softwareVersion: "1" }))
  const lines = rows.map(([name, place, value]) => `{"${name}": ${place}, "loss": ${value}}`)
  const isJson = (cell: string) => /^[0-9.]+$/.test(cell)
  const files = columns.map(({ cells }) =>
    cells.map((cell, row) => `{"x": ${isJson(cell) ? cell : JSON.stringify(cell)}, "loss": ${row + 1}}`),
  )
  const asked = [...lines.map((line) => [line]), ...files]
  const program = `
import json, sys, research_room
for lines in json.load(sys.stdin):
    kinds = {}
    read = [research_room._points_of(line, kinds) for line in lines]
    print(json.dumps([points[0] if points else None for points, _ in read] + [[fault for _, fault in read if fault]]))
`
  const told = spawnSync("python3", ["-c", program], { cwd: folder, input: JSON.stringify(asked), encoding: "utf8" })
  const read = told.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as [...unknown[], string[]])
  for (const [index, line] of lines.entries()) {
    const [point, faults = []] = read[index] as [unknown, string[]]
    t.same([point, faults.length > 0], [due[index], due[index] === null], line)
  }
  for (const [index, { read: due, cells }] of columns.entries()) {
    const [first, , faults] = read[lines.length + index] as [{ dimensions?: object } | null, unknown, string[]]
    const kind = faults.length > 0 ? "fault" : first?.dimensions === undefined ? "metric" : "dimension"
    t.equal(kind, due, `${cells.join(" and ")}: ${faults.join("; ")}`)
  }
})

t.test("a whole file of lines", { skip: found.status !== 0 && "no Python 3.9 on this machine" }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "research-room-lines-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "research_room.py"), pythonClient({ baseUrl: "http://127.0.0.1:9", softwareVersion: "1" }))
  const program = `
import json, sys, research_room
kinds = {}
read = [research_room._points_of(line, kinds) for line in sys.stdin.read().splitlines()]
print(json.dumps([[[[p["name"], p["value"], p.get("step")] for p in points], fault] for points, fault in read]))
`
  const input = readFileSync(new URL("lines.jsonl", import.meta.url), "utf8")
  const { stdout } = spawnSync("python3", ["-c", program], { cwd: folder, input, encoding: "utf8" })
  const read = JSON.parse(stdout) as [unknown[], string | null][]
  const taken = new Map(read.flatMap(([points], at) => (points.length === 0 ? [] : [[at + 1, points]])))
  t.strictSame(Object.fromEntries(taken), {
    1: [["loss", 0.5, 1]],
    2: [["loss", "NaN", 2]],
    5: [["loss", 0.1, 5]],
    8: [
      ["loss", "-Infinity", 8],
      ["acc", "Infinity", 8],
    ],
    12: [
      ["train/loss", 0.1, 11],
      ["val acc %", 0.5, 11],
      ["größe", 1, 11],
      ["損失", 2, 11],
    ],
    14: [["loss", 12345678901234567000, 13]],
    17: [["acc", 0.1, 16]],
  })
  const faulty = read.flatMap(([, fault], at) => (fault === null ? [] : [at + 1]))
  t.strictSame(faulty, [3, 4, 6, 7, 9, 10, 11, 13, 15, 16, 18], "each line that is not taken is told, with its reason")
})
