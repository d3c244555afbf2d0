/** Makes tables what another database has them to be: after something of the history they are made from was withheld. */
import type { Db, Value } from "../storage/database.ts"
import { compared, differing, madeTables } from "../storage/differing.ts"
import { sealedTables } from "../storage/not-replayed.ts"
import { type Row, tablesOf } from "../storage/tables.ts"

/** Within an open transaction, with the triggers set aside. @param made what a replay made of the same journal */
export function correct(data: Db, made: Db): void {
  const sealed = new Map(
    sealedTables((name) => tablesOf(data).find((each) => each.name === name)?.columns ?? []).map((each) => [each.table, each]),
  )
  for (const table of madeTables(made)) {
    const { name, key } = table
    const columns = compared(table)
    // The rows that are read must not move meanwhile.
    const found = [...differing(data, made, table)]
    const where = `WHERE ${key.map((column) => `${column} = +?`).join(" AND ")}`
    const keyOf = (row: Row): Value[] => key.map((column) => row[column] ?? null)
    for (const each of found) if (each.which === "only_here") data.prepare(`DELETE FROM ${name} ${where}`).run(...keyOf(each.here))
    for (const each of found) {
      const valuesOf = (row: Row, names: readonly string[]): Value[] => names.map((column) => row[column] ?? null)
      if (each.which === "only_due")
        data
          .prepare(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "+?").join(", ")})`)
          .run(...valuesOf(each.due, columns))
      if (each.which === "unlike")
        data
          .prepare(`UPDATE ${name} SET ${each.columns.map((column) => `${column} = +?`).join(", ")} ${where}`)
          .run(...valuesOf(each.due, each.columns), ...keyOf(each.due))
    }
    const { due } = sealed.get(name) ?? {}
    if (due !== undefined && found.length > 0) data.exec(`UPDATE ${name} SET seal = ${due} WHERE seal IS NULL`)
  }
}
