/** What no write makes: the seals of its rows, the chain of the audit log, and what one instance says of itself. */
import type { Db } from "../ledger/storage/database.ts"
import { sealedTables } from "../ledger/storage/not-replayed.ts"
import { tablesOf } from "../ledger/storage/tables.ts"
import { isUnclean } from "../ledger/storage/residue.ts"
import { brokenAuditLine } from "../people/audit.ts"

/** Tells every row that is not as this program stored it, and a line of the audit log that does not follow from the one before it. */
export function seals(db: Db, add: (problem: string) => void): void {
  const columns = new Map(tablesOf(db).map((table) => [table.name, table.columns]))
  for (const { table, key, columns: covered, due } of sealedTables((name) => columns.get(name) ?? [])) {
    const changed = db.prepare<{ row: string | number }>(
      `SELECT ${key} AS row FROM ${table} WHERE seal IS NOT ${due} ORDER BY 1 LIMIT 1000`,
    )
    for (const { row } of changed.all()) add(`${table} (${key} ${row}): one of ${covered.join(", ")} is not as it was stored.`)
  }
  const line = brokenAuditLine(db)
  if (line !== null) add(`The audit log does not hold together at line ${line} (audit_entries, sequence ${line}).`)
  const count = (sql: string) => db.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${sql}`).one().rows
  if (count("instance") === 0) add("The row of instance is not there: nothing says which instance this is.")
  if (isUnclean(db)) add("instance: unclean says that a withholding was cut off; the next start of the service ends it.")
  if (count("earlier_instances") !== count("audit_entries WHERE kind = 'restore_backup'"))
    add("earlier_instances does not have a row for each time that the audit log says a backup was restored.")
}
