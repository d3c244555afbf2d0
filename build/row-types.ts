/**
 * Makes schema.d.ts from schema.sql: `node --conditions=research-room-source build/row-types.ts`. A test checks that
 * the file is up to date.
 */
import { writeFileSync } from "node:fs"
import { openDatabase } from "../src/ledger/storage/opening.ts"
import { namedColumns } from "../src/ledger/storage/inserting.ts"
import { tablesOf } from "../src/ledger/storage/tables.ts"

const types: Readonly<Record<string, string>> = { TEXT: "string", INTEGER: "number", BLOB: "Buffer" }

/** Returns the type of the words that a CHECK allows in a column. */
function wordsOf(sql: string, column: string): string | undefined {
  const [, list] = new RegExp(`\\n  ${column} TEXT[^\\n]* CHECK \\(${column} IN \\(('[^)]*)\\)\\)`).exec(sql) ?? []
  return list
    ?.split(", ")
    .map((word) => word.replaceAll("'", '"'))
    .join(" | ")
}

/** Returns the text of schema.d.ts. */
export function rowTypes(): string {
  const db = openDatabase(":memory:")
  const made = db.prepare<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = ?")
  const tables = tablesOf(db).map(({ name: table }) => {
    const { sql } = made.one(table)
    const members = namedColumns(db, table).map(({ column, name, type, isNullable }) => {
      const told = wordsOf(sql, column) ?? types[type] ?? "never"
      return isNullable ? `readonly ${name}?: ${told} | null | undefined` : `readonly ${name}: ${told}`
    })
    return `  ${table}: {\n${members.map((member) => `    ${member}\n`).join("")}  }\n`
  })
  db.close()
  return (
    "/** The columns of each table that an insert names. Made from schema.sql by build/row-types.ts, not by hand. " +
    "*/\n" +
    `export interface NewRows {\n${tables.join("")}}\n`
  )
}

if (import.meta.main) writeFileSync(new URL("../schema.d.ts", import.meta.url), rowTypes())
