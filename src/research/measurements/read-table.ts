/** Reads measured values from a CSV table with a row for each set of dimensions, or for each value. */
import { CsvError, parse } from "csv-parse/sync"
import * as v from "valibot"
import { metric } from "../../contract/definitions/work.ts"
import { limits } from "../../contract/limits.ts"

export type Point = v.InferOutput<typeof metric>

/** A fault in a table. Lines count from 1. */
export interface TableFault {
  readonly line: number
  readonly message: string
}
export interface ReadTable {
  readonly points: readonly Point[]
  /** The first faults. If there is one, no value of the table should be reported. */
  readonly faults: readonly TableFault[]
}

const NON_FINITE: Readonly<Record<string, "NaN" | "Infinity" | "-Infinity">> = {
  nan: "NaN",
  inf: "Infinity",
  infinity: "Infinity",
  "-inf": "-Infinity",
  "-infinity": "-Infinity",
}
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const WHOLE = /^(?:0|[1-9]\d{0,14})$/
/** Columns that are neither dimensions nor metrics. */
const RESERVED = ["step", "split", "unit"]
/** Names of the metric column in the long form, which has one value in each row. */
const NAMES = ["metric", "name"]

const numberOf = (cell: string): number | "NaN" | "Infinity" | "-Infinity" | undefined =>
  NUMBER.test(cell) ? Number(cell) : NON_FINITE[cell.toLowerCase()]

/** The value of a dimension, as a number or boolean if it is one. */
const scalarOf = (cell: string): string | number | boolean =>
  cell === "true" || cell === "false" ? cell === "true" : NUMBER.test(cell) ? Number(cell) : cell

/** The delimiter of a header line. */
const delimiterOf = (header: string): string =>
  [",", ";", "\t"].reduce((best, sign) => (header.split(sign).length > header.split(best).length ? sign : best))

/** The rows of a CSV text with their line numbers. @throws CsvError */
function rowsOf(text: string): { readonly line: number; readonly cells: readonly string[] }[] {
  const lines: number[] = []
  const rows = parse(text, {
    bom: true,
    delimiter: delimiterOf(text.slice(0, text.search(/\r?\n|$/))),
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    to: limits.tableRows + 1,
    on_record(record: string[], { lines: line }) {
      lines.push(line)
      return record
    },
  })
  return rows.map((cells, index) => ({ line: lines[index] ?? 0, cells }))
}

/**
 * Classifies the columns. Columns of texts, `seed` and the columns in `by` are dimensions; other columns of numbers are
 * metrics.
 */
function columnsOf(header: readonly string[], rows: ReturnType<typeof rowsOf>, by: readonly string[]) {
  const at = (name: string): number => header.indexOf(name)
  const named = NAMES.find((name) => at(name) >= 0)
  const isLong = named !== undefined && at("value") >= 0
  const own = isLong ? [named, "value"] : []
  const further = header.flatMap((name, column) =>
    RESERVED.includes(name) || own.includes(name) ? [] : [[name, column] as const],
  )
  const isMeasured = ([name, column]: readonly [string, number]): boolean =>
    !isLong &&
    name !== "seed" &&
    !by.includes(name) &&
    rows.every(({ cells }) => (cells[column] ?? "") === "" || numberOf(cells[column] ?? "") !== undefined)
  return {
    metric: isLong ? at(named) : -1,
    value: isLong ? at("value") : -1,
    reserved: new Map(RESERVED.filter((name) => at(name) >= 0).map((name) => [name, at(name)])),
    dimensions: further.filter((column) => !isMeasured(column)),
    metrics: further.filter(isMeasured),
  }
}

/**
 * Reads a table of measured values. With columns `metric` (or `name`) and `value`, each row is a value; otherwise each
 * column of numbers is a metric. `step`, `split` and `unit` belong to the values, and every other column is a
 * dimension. Empty cells are skipped.
 * @param by columns of numbers that are dimensions, in addition to `seed`
 */
export function readTable(text: string, by: readonly string[] = []): ReadTable {
  const failed = (line: number, message: string): ReadTable => ({ points: [], faults: [{ line, message }] })
  let found: ReturnType<typeof rowsOf>
  try {
    found = rowsOf(text)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return failed(Number(error.lines ?? 1), `is not CSV: ${error.message}`)
  }
  const [head, ...rows] = found
  if (head === undefined || rows.length === 0) return failed(1, "has no row below its header")
  if (rows.length >= limits.tableRows)
    return failed(
      limits.tableRows + 1,
      `is one row too many: a table has at most ${limits.tableRows.toLocaleString("en")}`,
    )
  const header = head.cells
  const twice = header.find((name, column) => name === "" || header.indexOf(name) < column)
  if (twice !== undefined)
    return failed(head.line, twice === "" ? "has a column without a name" : `names the column ${twice} twice`)
  const unknown = by.find((name) => !header.includes(name))
  if (unknown !== undefined) return failed(head.line, `has no column ${unknown}`)
  const columns = columnsOf(header, rows, by)
  if (columns.metric < 0 && columns.metrics.length === 0)
    return failed(head.line, "has no column of numbers: give each metric a column, or each row a metric and a value")

  const faults: TableFault[] = []
  const points = rows.flatMap(({ line, cells }) => {
    const cell = (column: number | undefined): string => (column === undefined ? "" : (cells[column] ?? ""))
    const note = (message: string): [] => {
      if (faults.length < limits.issues) faults.push({ line, message })
      return []
    }
    if (cells.length > header.length) return note(`has ${cells.length} cells; there are ${header.length} columns`)
    const step = cell(columns.reserved.get("step"))
    if (step !== "" && !WHOLE.test(step)) return note(`step ${step} is not a whole number`)
    const dimensions = Object.fromEntries(
      columns.dimensions.flatMap(([name, column]) => (cell(column) === "" ? [] : [[name, scalarOf(cell(column))]])),
    )
    const reserved = {
      ...(step !== "" && { step: Number(step) }),
      ...(cell(columns.reserved.get("split")) !== "" && { split: cell(columns.reserved.get("split")) }),
      ...(cell(columns.reserved.get("unit")) !== "" && { unit: cell(columns.reserved.get("unit")) }),
      ...(Object.keys(dimensions).length > 0 && { dimensions }),
    }
    const reported =
      columns.metric >= 0
        ? [[cell(columns.metric), cell(columns.value)] as const]
        : columns.metrics.map(([name, column]) => [name, cell(column)] as const)
    return reported.flatMap(([name, value]): Point[] => {
      if (value === "") return []
      const number = numberOf(value)
      if (number === undefined) return note(`${value} is not a number`)
      const read = v.safeParse(metric, { name, value: number === 0 ? 0 : number, ...reserved })
      if (read.success) return [read.output]
      const [{ message, path }] = read.issues
      return note(`${(path ?? []).map(({ key }) => String(key)).join(" ")} ${message}`)
    })
  })
  return { points, faults }
}
