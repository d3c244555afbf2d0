/**
 * A table of values as users have it: wide, long, or exported by another program, with what each column was read as,
 * and unreadable parts reported by line.
 */
import fc from "fast-check"
import t from "tap"
import { readAsLine, readTable, type TableHints } from "../../../src/research/measurements/read-table.ts"
import { runs } from "../../support/chance.ts"

const faultsOf = (text: string, hints?: TableHints) =>
  readTable(text, hints).faults.map(({ line, message }) => `${line} ${message}`)

t.test("each column of numbers is a metric; the seed and words are dimensions", async (t) => {
  const { points, faults } = readTable("arm,seed,step,error,loss\nbaseline,1,10,0.061,2\nshift,1,10,5.7e-2,\n")
  t.same(faults, [])
  const place = (arm: string) => ({ step: 10, dimensions: { arm, seed: 1 } })
  t.same(points, [
    { name: "error", value: 0.061, ...place("baseline") },
    { name: "loss", value: 2, ...place("baseline") },
    { name: "error", value: 0.057, ...place("shift") },
  ])
})

t.test("with a metric column and a value column, each row is one value", async (t) => {
  const { points } = readTable("metric;value;arm;size;unit\nerror;NaN;a;50;%\nerror;-inf;a;100;%\n")
  t.same(points, [
    { name: "error", value: "NaN", unit: "%", dimensions: { arm: "a", size: 50 } },
    { name: "error", value: "-Infinity", unit: "%", dimensions: { arm: "a", size: 100 } },
  ])
})

t.test("columns of numbers are dimensions if the user says so", async (t) => {
  const { points } = readTable("size,error\n50,1\n", { by: ["size"] })
  t.same(points, [{ name: "error", value: 1, dimensions: { size: 50 } }])
  t.same(
    readTable("size\terror\n50\t1\n").points.map(({ name }) => name),
    ["size", "error"],
  )
})

t.test("quotes, a byte order mark and Windows line ends are read as in CSV", async (t) => {
  const { points } = readTable('\uFEFF"arm","error"\r\n"with, comma","1"\r\n"with ""quotes""",2\r\n')
  t.same(
    points.map(({ dimensions, value }) => [dimensions?.arm, value]),
    [
      ["with, comma", 1],
      ['with "quotes"', 2],
    ],
  )
})

t.test("a cell that is no number does not turn its column into a dimension", async (t) => {
  const text = "arm,seed,error,seconds\nbaseline,1,0.061,10\nshift,1,NA,11\nshift,2,0.055,12\n"
  t.match(faultsOf(text), [/^3 has "NA" in the column error, which is not a number/])
  const read = readTable(text, { missing: ["NA"] })
  t.same([read.faults.length, read.points.length], [0, 5])
  t.same(read.readAs, {
    metrics: [
      { column: "error", values: 2, missing: 1 },
      { column: "seconds", values: 3, missing: 0 },
    ],
    dimensions: ["seed", "arm"],
    step: null,
    ignored: [],
  })
  t.equal(
    readAsLine(read.readAs),
    "error: metric, 2 values, 1 missing; seconds: metric, 3 values; seed, arm: dimensions",
  )
  for (const cell of ["NA", "-", "N/A", "#DIV/0!", "<0.001", '"1,000"', "5%", "0.04*", '"0,5"', "n.s.", "1 ± 0.2"])
    t.match(faultsOf(`arm,error\na,0.5\nb,${cell}\n`), [/^3 has .* in the column error, which is not a number/], cell)
  for (const cell of ["<0.001", '"1,000"', "5%", "0.04*", '"0,5"', "1 ± 0.2", "0.5 (0.1)"])
    t.match(faultsOf(`arm,error,n\na,${cell},1\n`), [/^2 has .* in the column error/], `${cell} in every row`)
  t.same(
    readTable("size,error\n5%,1\n10,2\n", { by: ["size"] }).points.map(({ dimensions }) => dimensions?.size),
    ["5%", 10],
  )
})

t.test("names with a meaning are read in any letter case", async (t) => {
  const { points, readAs } = readTable("Step,Seed,Split,Unit,Wall time,loss\n3,1,train,nat,1700000000.5,0.5\n")
  t.same(points, [{ name: "loss", value: 0.5, step: 3, split: "train", unit: "nat", dimensions: { seed: 1 } }])
  t.same([readAs.step, readAs.ignored], ["Step", ["Wall time"]])
  t.same(faultsOf("step,Step,loss\n1,2,3\n"), ["1 names the column step twice"])
})

t.test("exports of other programs are recognised by their headers", async (t) => {
  const board = "Wall time,Step,Value\n1700000000.1,10,0.5\n1700000001.1,20,0.4\n"
  t.match(faultsOf(board), [/^1 has values of one metric without its name/])
  const named = readTable(board, { metric: "val/loss" })
  t.same(named.points, [
    { name: "val/loss", value: 0.5, step: 10 },
    { name: "val/loss", value: 0.4, step: 20 },
  ])
  t.same(named.readAs, {
    metrics: [{ column: "val/loss", values: 2, missing: 0 }],
    dimensions: [],
    step: "Step",
    ignored: ["Wall time"],
  })
  const [flow] = readTable("key,value,step,timestamp,run_id\nloss,0.5,3,1700000000000,a1\n").points
  t.same(flow, { name: "loss", value: 0.5, step: 3, dimensions: { run_id: "a1" } })
  const [tagged] = readTable("run,tag,step,value,wall_time\nr1,loss,3,0.5,1700000000.1\n").points
  t.same(tagged, { name: "loss", value: 0.5, step: 3, dimensions: { run: "r1" } })
  const chart = readTable(
    '"Step","lively-sun-3 - train/loss","lively-sun-3 - train/loss__MIN","lively-sun-3 - ' +
      'train/loss__MAX"\n1,0.5,0.5,0.5\n',
  )
  t.same(chart.points, [{ name: "train/loss", value: 0.5, step: 1, dimensions: { run: "lively-sun-3" } }])
  t.equal(chart.readAs.ignored.length, 2)
  const history = readTable(",_step,_runtime,_timestamp,loss\n0,1,0.5,1700000000,0.5\n1,2,0.9,1700000001,0.4\n")
  t.same(
    [history.faults, history.points.map(({ name, step }) => [name, step]), history.readAs.ignored],
    [
      [],
      [
        ["loss", 1],
        ["loss", 2],
      ],
      ["", "_runtime", "_timestamp"],
    ],
  )
})

t.test("a step is a whole number from 0, in any notation, and a value fits into a number", async (t) => {
  const step = (cell: string) => readTable(`step,loss\n${cell},1\n`).points[0]?.step
  t.same(["3", "5.0", "1e3", "0"].map(step), [3, 5, 1_000, 0])
  for (const cell of ["4.5", "-1", "x", "1e300", "NaN"])
    t.match(faultsOf(`step,loss\n${cell},1\n`), [/^2 has the step .*, but steps are whole numbers from 0/], cell)
  t.match(faultsOf("arm,loss\na,1e400\n"), ["2 1e400 is too large a number"])
})

t.test("unreadable parts are reported by line, and nothing else is", async (t) => {
  t.same(faultsOf(""), ["1 has no row below its header"])
  t.same(faultsOf("arm,error\n"), ["1 has no row below its header"])
  t.same(faultsOf("arm,error,arm\na,1,b\n"), ["1 names the column arm twice"])
  t.same(faultsOf("arm,,error\na,b,1\n"), ["1 has a column without a name"])
  t.match(faultsOf("arm,size\na,b\n"), [/^1 has no column of numbers/])
  t.same(faultsOf("size,error\n1,1\n", { by: ["width"] }), ["1 has no column width"])
  t.same(faultsOf("metric,value\nerror,1\nerror,about 2\n"), ["3 about 2 is not a number"])
  t.same(faultsOf("arm,error\na,1,2\n"), ["2 has 3 cells; there are 2 columns"])
  t.same(faultsOf("arm,error,loss\na,1,2\nb,1\n"), ["3 has 2 cells; there are 3 columns"], "a short row too")
  t.match(faultsOf(`arm,error\n${"x".repeat(65)},1\n`), [/^2 dimensions arm /])
  t.match(faultsOf('arm,error\n"a,1\n'), [/^\d+ is not CSV: /])
  t.match(faultsOf("Arm,error\na,1\n"), [/^2 dimensions Arm must be a dimension/])
  t.match(faultsOf(`error\n${"1\n".repeat(20_001)}`), [/^20001 is one row too many/])
})

t.test("every value of a table is reported, missing or a fault, and is told", async () => {
  const cell = fc.oneof(fc.constantFrom("", "NA", "1", "2.5", "x", "5%"), fc.string({ maxLength: 5 }))
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (rows, isMissing) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
        const text = ["arm,error,loss", ...rows.map((row) => row.map(quoted).join(","))].join("\n")
        const { points, readAs, faults } = readTable(text, isMissing ? { missing: ["NA"] } : {})
        if (faults.length > 0) return true
        const all = readAs.metrics.reduce((sum, { values, missing }) => sum + values + missing, 0)
        return (
          points.length === readAs.metrics.reduce((sum, { values }) => sum + values, 0) &&
          all === rows.length * readAs.metrics.length &&
          readAs.metrics.length + readAs.dimensions.length + readAs.ignored.length === 3
        )
      },
    ),
    { numRuns: runs(2_000, 300) },
  )
})

t.test("any pasted text gives points or a fault", async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      const { points, faults } = readTable(text)
      return faults.length > 0 || points.every(({ name }) => name.length > 0)
    }),
    { numRuns: runs(5_000, 500) },
  )
  const long = `arm,error\n${"a,1\n".repeat(19_000)}${`${" ".repeat(50)}1,${"1".repeat(200)},\n`}`
  const begun = process.cpuUsage()
  readTable(long)
  for (const cell of ["1,000".repeat(20_000), "1".repeat(100_000), `${"<".repeat(9)}${" ".repeat(90_000)}`])
    readTable(`arm,error\na,"${cell}"\n`)
  const { user, system } = process.cpuUsage(begun)
  t.ok((user + system) / 1_000 < 1_500, `${(user + system) / 1_000} ms`)
})
