/** A table of values as users have it: wide or long, with unreadable parts reported by line. */
import fc from "fast-check"
import t from "tap"
import { readTable } from "../../../src/research/measurements/read-table.ts"
import { runs } from "../../support/chance.ts"

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
  t.same(readTable("size,error\n50,1\n", ["size"]).points, [{ name: "error", value: 1, dimensions: { size: 50 } }])
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

t.test("unreadable parts are reported by line, and nothing else is", async (t) => {
  const faults = (text: string, by?: string[]) =>
    readTable(text, by).faults.map(({ line, message }) => `${line} ${message}`)
  t.same(faults(""), ["1 has no row below its header"])
  t.same(faults("arm,error\n"), ["1 has no row below its header"])
  t.same(faults("arm,error,arm\na,1,b\n"), ["1 names the column arm twice"])
  t.same(faults("arm,,error\na,b,1\n"), ["1 has a column without a name"])
  t.match(faults("arm,size\na,b\n"), [/^1 has no column of numbers/])
  t.same(faults("size,error\n1,1\n", ["width"]), ["1 has no column width"])
  t.same(faults("metric,value\nerror,1\nerror,about 2\n"), ["3 about 2 is not a number"])
  t.same(faults("arm,step,error\na,1.5,1\n"), ["2 step 1.5 is not a whole number"])
  t.same(faults("arm,error\na,1,2\n"), ["2 has 3 cells; there are 2 columns"])
  t.match(faults(`arm,error\n${"x".repeat(65)},1\n`), [/^2 dimensions arm /])
  t.match(faults('arm,error\n"a,1\n'), [/^\d+ is not CSV: /])
  t.match(faults("Arm,error\na,1\n"), [/^2 dimensions Arm must be a dimension/])
  t.match(faults(`error\n${"1\n".repeat(20_001)}`), [/^20001 is one row too many/])
})

t.test("any pasted text gives points or a fault", async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      const { points, faults } = readTable(text)
      return faults.length > 0 || points.every(({ name }) => name.length > 0)
    }),
    { numRuns: runs(5_000, 500) },
  )
  t.pass()
})
