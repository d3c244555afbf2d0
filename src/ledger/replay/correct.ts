/** Changes tables to match another database, after part of the journal that they are derived from was withheld. */
import type { Db, Value } from "../storage/database.ts"
import { compared, differing, replayedTables } from "../storage/differing.ts"
import { columnsNotReplayed, sealedTables } from "../storage/not-replayed.ts"
import { type Row, tablesOf } from "../storage/tables.ts"

/** Within an open transaction, without the triggers. @param made the result of a replay of the same journal */
export function correct(data: Db, made: Db): void {
  const sealed = new Map(
    sealedTables((name) => tablesOf(data).find((each) => each.name === name)?.columns ?? []).map((each) => [each.table, each]),
  )
  for (const table of replayedTables(made)) {
    const { name, key } = table
    const columns = compared(table)
    const left = columnsNotReplayed(name)
    const all = [...columns, ...left]
    const where = `WHERE ${key.map((column) => `${column} = +?`).join(" AND ")}`
    const valuesOf = (row: Row, names: readonly string[]): Value[] => names.map((column) => row[column] ?? null)
    const remove = data.prepare(`DELETE FROM ${name} ${where}`)
    const insert = data.prepare(`INSERT INTO ${name} (${all.join(", ")}) VALUES (${all.map(() => "+?").join(", ")})`)
    const beside = left.length === 0 ? null : data.prepare<Row>(`SELECT ${left.join(", ")} FROM ${name} ${where}`)
    // All differences are read before any row changes, and deletes come before inserts because of unique columns.
    const found = [...differing(data, made, table)].map((each) => ({
      ...each,
      kept: each.which === "unlike" ? (beside?.get(...valuesOf(each.here, key)) ?? {}) : {},
    }))
    for (const each of found) if (each.which !== "only_due") remove.run(...valuesOf(each.here, key))
    for (const each of found) if (each.which !== "only_here") insert.run(...valuesOf({ ...each.kept, ...each.due }, all))
    const { due } = sealed.get(name) ?? {}
    if (due !== undefined && found.length > 0) data.exec(`UPDATE ${name} SET seal = ${due} WHERE seal IS NULL`)
  }
}
