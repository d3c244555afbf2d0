/**
 * Inserts rows by the names of their columns: a missing, unknown or wrongly typed value does not compile. Other inserts
 * are written by hand: those with RETURNING, those from a query, and those into a word index.
 */
import type { NewRows } from "../../../schema.d.ts"
import type { Db, Value } from "./database.ts"

type Table = keyof NewRows
/** A row to insert, by column names. */
export type NewRow<T extends Table> = NewRows[T]
/** SQL that computes a column from others of its row. Each value in it is named by its column. */
export interface WorkedOut<Name extends string> {
  readonly sql: string
  readonly from: readonly Name[]
}

/** A tag for such SQL: `${"roomId"}` inserts the value of that column. */
export const workedOut = <Name extends string>(parts: TemplateStringsArray, ...from: Name[]): WorkedOut<Name> => ({
  sql: parts.join("+?"),
  from,
})

/** What an insert does beyond storing its values. */
interface More<T extends Table, Worked extends string> {
  /** What to do if the row exists: `DO NOTHING`, or `DO UPDATE SET …`. */
  readonly onConflict?: string
  readonly workedOut?: { readonly [N in Worked & keyof NewRows[T]]: WorkedOut<keyof NewRows[T] & string> }
}

const camelCase = (column: string): string =>
  column
    .split("_")
    .map((word, index) => (index === 0 ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`))
    .join("")

/**
 * Returns the columns that an insert names: those without a default. A key that SQLite numbers itself may be left out.
 */
export const namedColumns = (
  db: Db,
  table: string,
): readonly { readonly column: string; readonly name: string; readonly type: string; readonly isNullable: boolean }[] =>
  db
    .prepare<{ name: string; type: string; notnull: number; pk: number; dflt_value: string | null; keys: number }>(
      "SELECT *, max(pk) OVER () AS keys FROM pragma_table_info(+?)",
    )
    .all(table)
    .filter(({ name, dflt_value }) => dflt_value === null && name !== "seal")
    .map(({ name, type, notnull, pk, keys }) => {
      const isNumbered = pk === 1 && keys === 1 && type === "INTEGER"
      return { column: name, name: camelCase(name), type, isNullable: isNumbered || (notnull === 0 && pk === 0) }
    })

/**
 * Returns a function that inserts rows into a table; it is prepared at the first row. Nullable columns may be left out.
 * @returns how many rows were inserted or changed
 */
export function inserting<T extends Table, Worked extends string = never>(
  db: Db,
  table: T,
  { onConflict, workedOut: worked }: More<T, Worked> = {},
): (row: Omit<NewRows[T], Worked>) => number {
  const prepared = () => {
    const columns = namedColumns(db, table)
    const other: Readonly<Record<string, WorkedOut<string>>> = worked ?? {}
    const values = columns.map(({ name }) => other[name]?.sql ?? "+?").join(", ")
    const conflict = onConflict === undefined ? "" : ` ON CONFLICT ${onConflict}`
    const statement = db.prepare(
      `INSERT INTO ${table} (${columns.map(({ column }) => column).join(", ")}) VALUES (${values})${conflict}`,
    )
    return { statement, names: columns.flatMap(({ name }) => other[name]?.from ?? [name]) }
  }
  let known: ReturnType<typeof prepared> | undefined
  return (row) => {
    const { statement, names } = (known ??= prepared())
    const given = row as Readonly<Record<string, Value | undefined>>
    // A loop takes half as long as a map here, and every write runs it.
    const values: Value[] = []
    for (const name of names) values.push(given[name] ?? null)
    return statement.run(...values)
  }
}
