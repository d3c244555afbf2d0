/** Measured values as people have them in a table: CSV, with a row for each place or for each value. */
import { CsvError, parse } from "csv-parse/sync"
import * as v from "valibot"
import { metric } from "../../contract/definitions/work.ts"
import { limits } from "../../contract/limits.ts"

export type Point = v.InferOutput<typeof metric>

/** What of a table cannot be read: its line, from 1, and why. */
export interface TableFault {
  readonly line: number
  readonly message: string
}
export interface ReadTable {
  readonly points: readonly Point[]
  /** The first ones. Where there is one, no value of the table should be reported. */
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
/** Columns that are no dimensions and no metrics. */
const BESIDE = ["step", "split", "unit"]
/** Of the long form: a value in each row, with the name of its metric. */
const NAMES = ["metric", "name"]

const numberOf = (cell: string): number | "NaN" | "Infinity" | "-Infinity" | undefined =>
  NUMBER.test(cell) ? Number(cell) : NON_FINITE[cell.toLowerCase()]

/** A dimension as it is reported: numbers and booleans as such. */
const scalarOf = (cell: string): string | number | boolean =>
  cell === "true" || cell === "false" ? cell === "true" : NUMBER.test(cell) ? Number(cell) : cell

/** The sign that parts the cells of a line of names. */
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

interface Columns {
  readonly metric: number
  readonly value: number
  readonly beside: ReadonlyMap<string, number>
  readonly dimensions: readonly (readonly [string, number])[]
  readonly metrics: readonly (readonly [string, number])[]
}

/** What each column is. A column of texts is a dimension, and so are `seed` and those of `by`; one of numbers is a metric. */
function columnsOf(header: readonly string[], rows: ReturnType<typeof rowsOf>, by: readonly string[]): Columns {
  const at = (name: string): number => header.indexOf(name)
  const named = NAMES.find((name) => at(name) >= 0)
  const isLong = named !== undefined && at("value") >= 0
  const own = isLong ? [named, "value"] : []
  const further = header.flatMap((name, column) => (BESIDE.includes(name) || own.includes(name) ? [] : [[name, column] as const]))
  const isMeasured = ([name, column]: readonly [string, number]): boolean =>
    !isLong &&
    name !== "seed" &&
    !by.includes(name) &&
    rows.every(({ cells }) => (cells[column] ?? "") === "" || numberOf(cells[column] ?? "") !== undefined)
  return {
    metric: isLong ? at(named) : -1,
    value: isLong ? at("value") : -1,
    beside: new Map(BESIDE.filter((name) => at(name) >= 0).map((name) => [name, at(name)])),
    dimensions: further.filter((column) => !isMeasured(column)),
    metrics: further.filter(isMeasured),
  }
}

/**
 * Reads a table of measured values. With columns `metric` (or `name`) and `value` each row is a value; else each column of numbers is a
 * metric. `step`, `split` and `unit` are what they are called, every other column is a dimension. Empty cells say nothing.
 * @param by columns of numbers that are dimensions all the same, beside `seed`
 */
export function readTable(text: string, by: readonly string[] = []): ReadTable {
  const failed = (line: number, message: string): ReadTable => ({ points: [], faults: [{ line, message }] })
  let found: ReturnType<typeof rowsOf>
  try {
    found = rowsOf(text)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return failed(Number(error.lines ?? 1), `is no CSV: ${error.message}`)
  }
  const [head, ...rows] = found
  if (head === undefined || rows.length === 0) return failed(1, "holds no row below the names of its columns")
  if (rows.length >= limits.tableRows)
    return failed(limits.tableRows + 1, `is one row too many: a table has at most ${limits.tableRows.toLocaleString("en")}`)
  const header = head.cells
  const twice = header.find((name, column) => name === "" || header.indexOf(name) < column)
  if (twice !== undefined) return failed(head.line, twice === "" ? "has a column without a name" : `names the column ${twice} twice`)
  const unknown = by.find((name) => !header.includes(name))
  if (unknown !== undefined) return failed(head.line, `has no column ${unknown}`)
  const columns = columnsOf(header, rows, by)
  if (columns.metric < 0 && columns.metrics.length === 0)
    return failed(head.line, "has no column of numbers: a metric is a column, or rows have a metric and a value")

  const faults: TableFault[] = []
  const points = rows.flatMap(({ line, cells }) => {
    const cell = (column: number | undefined): string => (column === undefined ? "" : (cells[column] ?? ""))
    const note = (message: string): [] => {
      if (faults.length < limits.issues) faults.push({ line, message })
      return []
    }
    if (cells.length > header.length) return note(`has ${cells.length} cells; there are ${header.length} columns`)
    const step = cell(columns.beside.get("step"))
    if (step !== "" && !WHOLE.test(step)) return note(`step ${step} is no whole number`)
    const dimensions = Object.fromEntries(
      columns.dimensions.flatMap(([name, column]) => (cell(column) === "" ? [] : [[name, scalarOf(cell(column))]])),
    )
    const beside = {
      ...(step !== "" && { step: Number(step) }),
      ...(cell(columns.beside.get("split")) !== "" && { split: cell(columns.beside.get("split")) }),
      ...(cell(columns.beside.get("unit")) !== "" && { unit: cell(columns.beside.get("unit")) }),
      ...(Object.keys(dimensions).length > 0 && { dimensions }),
    }
    const told =
      columns.metric >= 0
        ? [[cell(columns.metric), cell(columns.value)] as const]
        : columns.metrics.map(([name, column]) => [name, cell(column)] as const)
    return told.flatMap(([name, value]): Point[] => {
      if (value === "") return []
      const number = numberOf(value)
      if (number === undefined) return note(`${value} is no number`)
      const read = v.safeParse(metric, { name, value: number === 0 ? 0 : number, ...beside })
      if (read.success) return [read.output]
      const [{ message, path }] = read.issues
      return note(`${(path ?? []).map(({ key }) => String(key)).join(" ")} ${message}`)
    })
  })
  return { points, faults }
}
