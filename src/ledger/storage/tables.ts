/** Lists the tables as the database itself describes them, for code that handles all tables. */
import type { Db, Value } from "./database.ts"

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns that identify a row. */
  readonly key: readonly string[]
}

/** Returns every ordinary table by name, without the internal tables of the word indexes. */
export function tablesOf(db: Db): Table[] {
  const names = db.prepare<{ name: string }>(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
  )
  const columns = db.prepare<{ name: string; pk: number }>("SELECT name, pk FROM pragma_table_info(+?) ORDER BY cid")
  const unique = db.prepare<{ name: string }>(
    `SELECT c.name FROM pragma_index_info((SELECT name FROM pragma_index_list(+?) WHERE "unique" = 1 AND origin = 'u' ORDER BY seq DESC LIMIT 1)) c ORDER BY c.seqno`,
  )
  return names.all().map(({ name }) => {
    const all = columns.all(name)
    const primary = all.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
    return {
      name,
      columns: all.map((column) => column.name),
      key: (primary.length > 0 ? primary : unique.all(name)).map((column) => column.name),
    }
  })
}

/** Rows in memory at once. */
const PAGE = 1_000

export type Row = Readonly<Record<string, Value>>

/** Iterates over the rows of a table in the order of its key. The key must be among the columns. */
export function* rowsOf(db: Db, { name, key }: Table, columns: readonly string[]): Generator<Row, undefined> {
  const keys = key.join(", ")
  const select = (where: string) => db.prepare<Row>(`SELECT ${columns.join(", ")} FROM ${name} ${where} ORDER BY ${keys} LIMIT ${PAGE}`)
  const after = select(`WHERE (${keys}) > (${key.map(() => "+?").join(", ")})`)
  for (let rows = select("").all(); ; ) {
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return undefined
    rows = after.all(...key.map((column) => last[column] ?? null))
  }
}
