/** Checks what is not derived from the journal: the seals of its rows, the chain of the audit log, and the instance's own row. */
import type { Db } from "../ledger/storage/database.ts"
import { sealedTables } from "../ledger/storage/not-replayed.ts"
import { tablesOf } from "../ledger/storage/tables.ts"
import { isUnclean } from "../ledger/storage/residue.ts"
import { brokenAuditLine } from "../people/audit.ts"

/** Reports every row whose seal does not match, and the first broken line of the audit log. */
export function seals(db: Db, add: (problem: string) => void): void {
  const columns = new Map(tablesOf(db).map((table) => [table.name, table.columns]))
  for (const { table, key, columns: covered, due } of sealedTables((name) => columns.get(name) ?? [])) {
    const changed = db.prepare<{ row: string | number }>(
      `SELECT ${key} AS row FROM ${table} WHERE seal IS NOT ${due} ORDER BY 1 LIMIT 1000`,
    )
    for (const { row } of changed.all()) add(`${table} (${key} ${row}): one of ${covered.join(", ")} was changed since it was stored.`)
  }
  const line = brokenAuditLine(db)
  if (line !== null) add(`The chain of the audit log is broken at line ${line} (audit_entries, sequence ${line}).`)
  const count = (sql: string) => db.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${sql}`).one().rows
  if (count("instance") === 0) add("The row of instance is missing: the data does not say which instance it belongs to.")
  if (isUnclean(db)) add("instance: unclean says that a withholding was interrupted. The next start of the service completes it.")
  if (count("earlier_instances") !== count("audit_entries WHERE kind = 'restore_backup'"))
    add("earlier_instances does not have one row for each restore in the audit log.")
}
