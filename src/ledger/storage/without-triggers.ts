/** Rows are put as they are, and what usually follows from them, or keeps them, waits. */
import type { Db } from "./database.ts"

/** Takes every trigger away, and lets rows name others that come later, within an open transaction. @returns what puts the triggers back */
export function dropTriggers(db: Db): () => void {
  const found = db.prepare<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of found) db.exec(`DROP TRIGGER ${name}`)
  db.exec("PRAGMA defer_foreign_keys = ON")
  return () => {
    for (const { sql } of found) db.exec(sql)
  }
}
