/** Compares the tables of two databases row by row, a page at a time. */
import type { Db, Value } from "./database.ts"
import { columnsNotReplayed, isNotReplayed } from "./not-replayed.ts"
import { type Row, rowsOf, type Table, tablesOf } from "./tables.ts"

/** SQLite's sort order: null, numbers, then text by its bytes. */
function order(one: Value = null, other: Value = null): number {
  if (typeof one === "string" && typeof other === "string") {
    if (one === other) return 0
    // Text sorts alike by bytes and by UTF-16 units, except beyond the basic plane.
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  if (typeof one === "number" && typeof other === "number") return one - other
  const rank = (value: Value) => (value === null ? 0 : typeof value === "number" ? 1 : typeof value === "string" ? 2 : 3)
  return rank(one) - rank(other)
}

export const same = (one: Value = null, other: Value = null): boolean =>
  one === other || (Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other))

/** Which of two rows of a table sorts first by its key. */
function sorted({ key }: Table, one: Row, other: Row): number {
  for (const column of key) {
    const found = order(one[column], other[column])
    if (found !== 0) return found
  }
  return 0
}

/** The columns of a table that are derived from the journal. */
export const compared = ({ name, columns }: Table): string[] => {
  const left = columnsNotReplayed(name)
  return columns.filter((column) => !left.includes(column))
}

/** The tables that a replay fills, with the journal itself. */
export const replayedTables = (db: Db): Table[] => tablesOf(db).filter(({ name }) => !isNotReplayed(name))

/** A row in which the two databases differ. */
export type Difference =
  /** Only the data has it. */
  | { readonly which: "only_here"; readonly here: Row }
  /** Only the other database has it. */
  | { readonly which: "only_due"; readonly due: Row }
  /** They differ in some columns. */
  | { readonly which: "unlike"; readonly here: Row; readonly due: Row; readonly columns: readonly string[] }

/** Iterates over the rows in which two databases differ, in the order of the table's key. */
export function* differing(data: Db, made: Db, table: Table): Generator<Difference> {
  const columns = compared(table)
  const [ours, theirs] = [rowsOf(data, table, columns), rowsOf(made, table, columns)]
  let [here, due] = [ours.next().value, theirs.next().value]
  while (here !== undefined || due !== undefined) {
    const which = here === undefined ? 1 : due === undefined ? -1 : sorted(table, here, due)
    if (which < 0 && here !== undefined) yield { which: "only_here", here }
    else if (which > 0 && due !== undefined) yield { which: "only_due", due }
    else if (here !== undefined && due !== undefined) {
      const [one, other] = [here, due]
      const unlike = columns.filter((column) => !same(one[column], other[column]))
      if (unlike.length > 0) yield { which: "unlike", here: one, due: other, columns: unlike }
    }
    if (which <= 0) here = ours.next().value
    if (which >= 0) due = theirs.next().value
  }
}
