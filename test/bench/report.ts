/** The results of the run: tables of medians, printed as soon as a part is done, and everything as JSON. */
import { writeFileSync } from "node:fs"
import { median } from "./numbers.ts"

export interface Column {
  readonly name: string
  /** Digits after the decimal point. */
  readonly digits: number
}

export interface Row {
  readonly name: string
  /** The values of each round, column by column; null if there is nothing to measure. */
  readonly cells: readonly (readonly number[] | null)[]
  readonly remark?: string
}

export interface Table {
  readonly title: string
  /** What a reader must know about the table. */
  readonly notes?: readonly string[]
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

/** The aim for a figure. */
export interface Aim {
  readonly name: string
  readonly found: number
  readonly atLeast?: number
  readonly atMost?: number
}

export const met = ({ found, atLeast = -Infinity, atMost = Infinity }: Aim): boolean =>
  found >= atLeast && found <= atMost

const shown = (value: number, digits: number) =>
  Number.isNaN(value)
    ? "-"
    : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })

function lines({ title, notes = [], columns, rows }: Table): string[] {
  const texts = rows.map(({ name, cells, remark = "" }) => ({
    name,
    remark,
    cells: columns.map(({ digits }, at) => (cells[at] ? shown(median(cells[at]), digits) : "-")),
  }))
  const first = Math.max(...texts.map(({ name }) => name.length), 10)
  const widths = columns.map(({ name }, at) =>
    Math.max(name.length, ...texts.map(({ cells }) => (cells[at] as string).length)),
  )
  const line = (name: string, cells: readonly string[], remark = "") =>
    (
      `  ${name.padEnd(first)}${cells.map((cell, at) => `  ${cell.padStart(widths[at] as number)}`).join("")}  ` +
      `${remark}`
    ).trimEnd()
  return [
    title,
    ...notes.map((note) => `  ${note}`),
    line(
      "",
      columns.map(({ name }) => name),
    ),
    ...texts.map(({ name, cells, remark }) => line(name, cells, remark)),
  ]
}

export class Report {
  readonly #about: Readonly<Record<string, unknown>>
  readonly #tables: Table[] = []
  readonly #aims: Aim[] = []

  /** @param about the machine and what was measured on it */
  constructor(about: Readonly<Record<string, unknown>>) {
    this.#about = about
  }

  /** Stores a table and prints it. */
  table(table: Table): void {
    this.#tables.push(table)
    console.log(`${lines(table).join("\n")}\n`)
  }

  /** Records the aim for the median of some rounds. */
  aimOf(name: string, rounds: readonly number[], wanted: Pick<Aim, "atLeast" | "atMost">): void {
    this.#aims.push({ name, found: median(rounds), ...wanted })
  }

  /** Prints the aims beside the results. @returns whether all are met */
  aims(): boolean {
    if (this.#aims.length === 0) return true
    const width = Math.max(...this.#aims.map(({ name }) => name.length))
    console.log("Aims")
    for (const aim of this.#aims) {
      const wanted =
        aim.atLeast === undefined
          ? `at most  ${shown(aim.atMost ?? Number.NaN, 2)}`
          : `at least ${shown(aim.atLeast, 2)}`
      console.log(
        `  ${aim.name.padEnd(width)}  ${shown(aim.found, 2).padStart(8)}  ${wanted.padEnd(16)}  ` +
          `${met(aim) ? "met" : "not met"}`,
      )
    }
    console.log("")
    return this.#aims.every(met)
  }

  /** Stores everything, including each round's values. */
  write(file: string): void {
    const tables = this.#tables.map(({ rows, columns, ...table }) => ({
      ...table,
      columns: columns.map(({ name }) => name),
      rows: rows.map(({ cells, ...row }) => ({
        ...row,
        medians: cells.map((cell) => cell && median(cell)),
        rounds: cells,
      })),
    }))
    const aims = this.#aims.map((aim) => ({ ...aim, met: met(aim) }))
    writeFileSync(file, `${JSON.stringify({ ...this.#about, tables, aims }, null, 1)}\n`)
  }
}
