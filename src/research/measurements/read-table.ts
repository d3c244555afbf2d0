/**
 * Reads measured values from a CSV table with a row for each set of dimensions, or for each value, and says what each
 * column was read as. Nothing is guessed: a cell that is no number in a column of numbers is a fault, unless the reader
 * says that the column is a dimension or that the cell stands for a missing value.
 */
import { CsvError, parse } from "csv-parse/sync"
import * as v from "valibot"
import type { ReadAs } from "../../contract/answers/parts.ts"
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
  readonly readAs: ReadAs
  /** The first faults. If there is one, no value of the table should be reported. */
  readonly faults: readonly TableFault[]
}
/** What a person says about a table. */
export interface TableHints {
  /** Columns that are dimensions, beside `seed` and columns of words. */
  readonly by?: readonly string[] | undefined
  /** Cells that stand for a missing value, such as NA. Empty cells always do. */
  readonly missing?: readonly string[] | undefined
  /** The name of the only metric of a table that does not name it. */
  readonly metric?: string | undefined
}

const NON_FINITE: Readonly<Record<string, "NaN" | "Infinity" | "-Infinity">> = {
  nan: "NaN",
  inf: "Infinity",
  infinity: "Infinity",
  "-inf": "-Infinity",
  "-infinity": "-Infinity",
}
const DIGITS = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`
const NUMBER = new RegExp(`^${DIGITS}$`)
/**
 * Numbers as they are printed: 1,000 or 0,5; 5%; <0.001; 0.04*; 1 ± 0.1 and 1 (0.1). No reader can tell their value.
 */
const PRINTED = new RegExp(
  `^(?:${[
    String.raw`[+-]?\d{1,3}(?:[,'\u2019\u00a0\u202f ]\d{3})+(?:\.\d+)?`,
    String.raw`[+-]?\d+,\d+`,
    String.raw`[<>\u2264\u2265~\u2248]=?\s*${DIGITS}`,
    String.raw`${DIGITS}\s*(?:[%\u2030*\u2020\u2021]+|\u00b1.*|\+/?-.*|\(.*\))`,
  ].join("|")})$`,
)

/** What spreadsheets and programs write for a missing value, so that no column of it is taken for one of words. */
const ABSENT = /^(?:#?N\/?A|#DIV\/0!|#VALUE!|null)$/i

/** The names of columns with a meaning of their own, without letter case, and what they mean. */
const RESERVED: Readonly<Record<string, "step" | "split" | "unit" | "seed" | "time">> = {
  step: "step",
  _step: "step",
  split: "split",
  unit: "unit",
  seed: "seed",
  "wall time": "time",
  wall_time: "time",
  timestamp: "time",
  _timestamp: "time",
  _runtime: "time",
  "relative time (wall)": "time",
  "relative time (process)": "time",
}
/** Names of the metric column in the long form; MLflow calls it key, TensorBoard tag. */
const NAMES = ["metric", "name", "key", "tag"]
/** What Weights & Biases adds to the columns of a chart, such as `run - loss__MIN`. */
const RANGE = /__(?:MIN|MAX)$/

type Value = number | "NaN" | "Infinity" | "-Infinity"
const numberOf = (cell: string): Value | undefined =>
  NUMBER.test(cell) ? Number(cell) : NON_FINITE[cell.toLowerCase()]

/** The value of a dimension, as a number or boolean if it is one. */
const scalarOf = (cell: string): string | number | boolean =>
  cell === "true" || cell === "false" ? cell === "true" : NUMBER.test(cell) ? Number(cell) : cell

/** The delimiter of a header line. */
const delimiterOf = (header: string): string =>
  [",", ";", "\t"].reduce((best, sign) => (header.split(sign).length > header.split(best).length ? sign : best))

interface Line {
  readonly line: number
  readonly cells: readonly string[]
}
/** The rows of a CSV text with their line numbers. @throws CsvError */
function rowsOf(text: string): Line[] {
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

/** A column, with its name in the table and the name that its values get. */
interface Column {
  readonly at: number
  readonly header: string
  readonly name: string
  /** The run of a chart's column, a dimension. */
  readonly run?: string
}

class Reader {
  readonly faults: TableFault[] = []
  readonly #rows: readonly Line[]
  readonly #head: Line
  readonly #columns: readonly Column[]
  readonly #missing: ReadonlySet<string>

  constructor(head: Line, rows: readonly Line[], missing: readonly string[]) {
    this.#head = head
    this.#rows = rows
    this.#missing = new Set(missing)
    this.#columns = head.cells.map((header, at) => ({ at, header, name: header }))
  }

  #note(line: number, message: string): void {
    if (this.faults.length < limits.issues) this.faults.push({ line, message })
  }

  /** The text of a cell; empty for a missing value. */
  #cell({ cells }: Line, column: Column | undefined): string {
    const cell = column === undefined ? "" : (cells[column.at] ?? "")
    return this.#missing.has(cell) ? "" : cell
  }

  /** Whether the cells of a column count the rows, as those that pandas writes in front. */
  #countsRows = (column: Column): boolean =>
    this.#rows.every((row, index) => [String(index), String(index + 1)].includes(this.#cell(row, column)))

  /**
   * Whether a column holds numbers. Notes its first cell that is no number, if it has numbers too, or a number in a
   * form that cannot be read.
   */
  #isMeasured(column: Column): boolean {
    const cells = this.#rows.map((row) => ({ line: row.line, cell: this.#cell(row, column) }))
    const others = cells.filter(({ cell }) => cell !== "" && numberOf(cell) === undefined)
    const isMixed = others.length < cells.filter(({ cell }) => cell !== "").length
    const wrong = isMixed ? others[0] : others.find(({ cell }) => PRINTED.test(cell) || ABSENT.test(cell))
    if (wrong !== undefined)
      this.#note(
        wrong.line,
        `has ${JSON.stringify(wrong.cell.slice(0, 80))} in the column ${column.header}, which is not a number: ` +
          "correct it, or say that it stands for a missing value, or that the column is a dimension",
      )
    return isMixed || wrong !== undefined
  }

  read(by: readonly string[], onlyMetric: string | undefined): Omit<ReadTable, "faults"> {
    const nothing = { points: [], readAs: { metrics: [], dimensions: [], step: null, ignored: [] } }
    const { line } = this.#head
    const lower = (column: Column): string => column.header.toLowerCase()
    const unnamed = this.#columns.filter(({ header }) => header === "")
    const isCount = (column: Column): boolean => column.at === 0 && this.#countsRows(column)
    if (unnamed.some((column) => !isCount(column))) {
      this.#note(line, "has a column without a name")
      return nothing
    }
    const meant = (column: Column) => RESERVED[lower(column)]
    const known = (column: Column): string =>
      by.includes(column.header) ? column.header : (meant(column) ?? column.header)
    const twice = this.#columns.find((column, at) =>
      this.#columns.slice(0, at).some((other) => known(other) === known(column) && known(column) !== "time"),
    )
    if (twice !== undefined) {
      this.#note(line, `names the column ${known(twice)} twice`)
      return nothing
    }
    const unknown = by.find((name) => !this.#head.cells.includes(name))
    if (unknown !== undefined) {
      this.#note(line, `has no column ${unknown}`)
      return nothing
    }

    const of = (kind: string) => this.#columns.find((column) => !by.includes(column.header) && meant(column) === kind)
    const [step, split, unit, seed] = [of("step"), of("split"), of("unit"), of("seed")]
    const times = this.#columns.filter((column) => !by.includes(column.header) && meant(column) === "time")
    const value = this.#columns.find((column) => lower(column) === "value" && !by.includes(column.header))
    const names = this.#columns.find((column) => NAMES.includes(lower(column)) && !by.includes(column.header))
    const isLong = value !== undefined && names !== undefined
    const isLone = value !== undefined && names === undefined && step !== undefined && times.length > 0
    if (isLone && onlyMetric === undefined) {
      this.#note(line, "has values of one metric without its name: name the metric")
      return nothing
    }
    const own = [step, split, unit, seed, ...times, ...unnamed, ...(isLong || isLone ? [value, names] : [])]
    const headers = new Set(this.#head.cells)
    const isRange = ({ header }: Column) => RANGE.test(header) && headers.has(header.replace(RANGE, ""))
    const ranges = this.#columns.filter(isRange)
    const isEmpty = (column: Column) => this.#rows.every((row) => this.#cell(row, column) === "")
    const rest = this.#columns.filter((column) => !own.includes(column) && !ranges.includes(column))
    const empty = rest.filter(isEmpty)
    const further = rest.filter((column) => !empty.includes(column))
    const measured = new Set(
      isLong || isLone ? [] : further.filter((column) => !by.includes(column.header) && this.#isMeasured(column)),
    )
    const dimensions = [
      ...(seed === undefined ? [] : [{ ...seed, name: "seed" }]),
      ...further.filter((column) => !measured.has(column)),
    ]
    const isOfChart = ({ header }: Column) => headers.has(`${header}__MIN`) && headers.has(`${header}__MAX`)
    const metrics = [...measured].map((column): Column => {
      const at = column.header.lastIndexOf(" - ")
      if (!isOfChart(column) || at < 0) return column
      return { ...column, name: column.header.slice(at + 3), run: column.header.slice(0, at) }
    })
    if (!isLong && !isLone && metrics.length === 0) {
      this.#note(line, "has no column of numbers: give each metric a column, or each row a metric and a value")
      return nothing
    }

    const counts = new Map<string, { values: number; missing: number }>()
    const points = this.#rows.flatMap((row) => {
      if (row.cells.length !== this.#head.cells.length) {
        this.#note(row.line, `has ${row.cells.length} cells; there are ${this.#head.cells.length} columns`)
        return []
      }
      const stepped = this.#cell(row, step)
      const at = NUMBER.test(stepped) ? Number(stepped) : Number.NaN
      if (stepped !== "" && !(Number.isSafeInteger(at) && at >= 0)) {
        this.#note(row.line, `has the step ${stepped.slice(0, 80)}, but steps are whole numbers from 0`)
        return []
      }
      const place = Object.fromEntries(
        dimensions.flatMap((column) => {
          const cell = this.#cell(row, column)
          return cell === "" ? [] : [[column.name, scalarOf(cell)]]
        }),
      )
      const [splitName, unitName] = [this.#cell(row, split), this.#cell(row, unit)]
      const common = {
        ...(stepped !== "" && { step: at }),
        ...(splitName !== "" && { split: splitName }),
        ...(unitName !== "" && { unit: unitName }),
      }
      const reported: (readonly [column: string, name: string, cell: string, run: string | undefined])[] =
        isLong || isLone
          ? [this.#cell(row, names) || (onlyMetric ?? "")].map((name) => [
              name,
              name,
              this.#cell(row, value),
              undefined,
            ])
          : metrics.map((column) => [column.header, column.name, this.#cell(row, column), column.run])
      return reported.flatMap(([column, name, cell, run]): Point[] => {
        const count = counts.getOrInsertComputed(column, () => ({ values: 0, missing: 0 }))
        if (cell === "") {
          count.missing += 1
          return []
        }
        const number = numberOf(cell)
        // A column of numbers with another cell has its fault already.
        if (number === undefined || (typeof number === "number" && !Number.isFinite(number))) {
          const why = number === undefined ? "not a number" : "too large a number"
          if (isLong || isLone || number !== undefined) this.#note(row.line, `${cell.slice(0, 80)} is ${why}`)
          return []
        }
        const all = run === undefined ? place : { ...place, run }
        const point = { name, value: number === 0 ? 0 : number, ...common }
        const read = v.safeParse(metric, Object.keys(all).length > 0 ? { ...point, dimensions: all } : point)
        if (!read.success) {
          const [{ message, path }] = read.issues
          this.#note(row.line, `${(path ?? []).map(({ key }) => String(key)).join(" ")} ${message}`)
          return []
        }
        count.values += 1
        return [read.output]
      })
    })
    const runs = metrics.some(({ run }) => run !== undefined) ? ["run"] : []
    return {
      points,
      readAs: {
        metrics: [...counts].map(([column, count]) => ({ column, ...count })),
        dimensions: [...dimensions.map(({ header }) => header), ...runs],
        step: step?.header ?? null,
        ignored: [...unnamed, ...times, ...ranges, ...empty].map(({ header }) => header),
      },
    }
  }
}

/**
 * Reads a table of measured values. With columns `metric` (or `name`, `key`, `tag`) and `value`, each row is a value;
 * otherwise each column of numbers is a metric. `step`, `split` and `unit` belong to the values, in any letter case;
 * columns of times are ignored; every other column is a dimension.
 */
export function readTable(text: string, { by = [], missing = [], metric: only }: TableHints = {}): ReadTable {
  const readAs = { metrics: [], dimensions: [], step: null, ignored: [] }
  const failed = (line: number, message: string): ReadTable => ({ points: [], readAs, faults: [{ line, message }] })
  let found: Line[]
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
  const reader = new Reader(head, rows, missing)
  const read = reader.read(by, only)
  return { ...read, faults: reader.faults }
}

/** What a table was read as, in a line. */
export function readAsLine({ metrics, dimensions, step, ignored }: ReadAs): string {
  const values = ({ column, values, missing }: ReadAs["metrics"][number]) =>
    `${column}: metric, ${values} ${values === 1 ? "value" : "values"}${missing === 0 ? "" : `, ${missing} missing`}`
  const named = (columns: readonly string[], as: string) =>
    columns.length === 0 ? [] : [`${columns.map((column) => column || "the first column").join(", ")}: ${as}`]
  const shown = metrics.slice(0, 20).map(values)
  return [
    ...shown,
    ...(metrics.length > shown.length ? [`${metrics.length - shown.length} more metrics`] : []),
    ...named(dimensions, dimensions.length === 1 ? "dimension" : "dimensions"),
    ...(step === null ? [] : [`step from ${step}`]),
    ...named(ignored, "ignored"),
  ].join("; ")
}
