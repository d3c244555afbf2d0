/** Changes rows without the triggers that protect them or derive other rows. */
import type { Db } from "./database.ts"

/** Drops all triggers and defers foreign keys, within an open transaction. @returns a function that restores the triggers */
export function dropTriggers(db: Db): () => void {
  const found = db.prepare<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of found) db.exec(`DROP TRIGGER ${name}`)
  db.exec("PRAGMA defer_foreign_keys = ON")
  return () => {
    for (const { sql } of found) db.exec(sql)
  }
}
