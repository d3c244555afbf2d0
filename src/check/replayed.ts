/** Replays the journal into a temporary database, and compares the tables row by row, a page at a time. */
import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { remake } from "../app/compose/upgrade.ts"
import { type Db, isStorageFault, type Value } from "../ledger/storage/database.ts"
import { DataError } from "../ledger/storage/opening.ts"
import { journal } from "../ledger/journal/journal.ts"
import { Divergence } from "../ledger/replay/replay.ts"
import { indexing } from "../research/search/indexing.ts"
import { differing, replayedTables, type Row, type Table } from "../ledger/storage/tables.ts"
import { messageOf } from "../contract/faults.ts"

/** Reports every difference between the data and a replay in the system's temporary folder. */
export function replayed(
  data: Db,
  add: (problem: string) => void,
  onProgress: (done: number, what: string) => void,
): void {
  using folder = mkdtempDisposableSync(join(tmpdir(), "research-room-replay-"))
  try {
    let done = 0
    const watching = {
      onProgress(entries: number) {
        done = entries
        onProgress(entries, "history")
      },
    }
    // Texts are indexed soon after they are accepted: a text that is not indexed yet is not a fault.
    using made = remake(journal(data).entries(), join(folder.path, "replay.db"), watching, indexing(data).done())
    compare(data, made, add, (table) => onProgress(done, table))
  } catch (error) {
    // A full disk says nothing about the data.
    if (isStorageFault(error))
      throw new DataError(
        `The journal could not be replayed in ${folder.path} (${messageOf(error)}). ` +
          "Free some space there, or check with --quick.",
      )
    if (!(error instanceof Divergence)) throw error
    add(`${error.message}. Later entries were not compared.`)
  }
}

/** The word indexes, each with the name of a temporary table of its words: they are compared word by word. */
const indexes = {
  search_index: "search_words",
  concept_trigrams: "concept_letters",
  room_trigrams: "room_letters",
} as const
const words: readonly Table[] = [
  ...Object.values(indexes).map((name) => ({ name, columns: ["term", "doc", "cnt"], key: ["term"] })),
  { name: "search_index_docsize", columns: ["id", "sz"], key: ["id"] },
]
function openWords(db: Db): void {
  for (const [index, name] of Object.entries(indexes))
    db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${name} USING fts5vocab ('main', '${index}', 'row')`)
}

/**
 * Reports every row of the data that differs from a replay of the journal.
 * @param onTable called before each table is compared
 * @param tables defaults to all tables and word indexes
 */
export function compare(
  data: Db,
  made: Db,
  add: (problem: string) => void,
  onTable: (name: string) => void,
  tables: readonly Table[] = [...replayedTables(made), ...words],
): void {
  for (const db of [data, made]) openWords(db)
  for (const table of tables) {
    onTable(table.name)
    const named = (row: Row) =>
      `${table.name} (${table.key.map((column) => `${column} ${shown(row[column])}`).join(", ")})`
    for (const found of differing(data, made, table)) {
      if (found.which === "only_here")
        add(`${named(found.here)} is in the data, but a replay of the journal does not make it.`)
      else if (found.which === "only_due") add(`${named(found.due)} is missing, but a replay of the journal makes it.`)
      else {
        const { here, columns } = found
        add(
          `${named(here)}: ${columns.join(", ")} ${columns.length === 1 ? "differs" : "differ"} ` +
            "from a replay of the journal.",
        )
      }
    }
  }
}

const shown = (value: Value = null): string =>
  typeof value === "string" && value.length > 60 ? `${value.slice(0, 60)}…` : String(value)
