/** Compares the tables of two databases row by row, a page at a time. */
import type { Db, Value } from "../ledger/database.ts"
import { columnsNotMade, isNotMade } from "../ledger/not-made.ts"
import { type Row, rowsOf, type Table, tablesOf } from "../ledger/tables.ts"

/** The order in which the database sorts: null, numbers, text by its bytes. */
function order(one: Value = null, other: Value = null): number {
  if (typeof one === "string" && typeof other === "string") {
    if (one === other) return 0
    // Bytes and UTF-16 units sort alike but for what lies beyond the first plane.
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  const rank = (value: Value) => (value === null ? 0 : typeof value === "number" ? 1 : typeof value === "string" ? 2 : 3)
  return rank(one) - rank(other) || (typeof one === "number" ? one - (other as number) : 0)
}

const same = (one: Value = null, other: Value = null): boolean =>
  one === other || (Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other))

/** Which of two rows of a table comes first by its key. */
function sorted({ key }: Table, one: Row, other: Row): number {
  for (const column of key) {
    const found = order(one[column], other[column])
    if (found !== 0) return found
  }
  return 0
}

/** What is compared of a table. */
export const compared = ({ name, columns }: Table): string[] => {
  const left = columnsNotMade(name)
  return columns.filter((column) => !left.includes(column))
}

/** The indexes of words, each with the name that a table of what it holds gets here: they are compared word by word. */
const indexes = { search_index: "search_words", concept_trigrams: "concept_letters", room_trigrams: "room_letters" } as const
const words: readonly Table[] = [
  ...Object.values(indexes).map((name) => ({ name, columns: ["term", "doc", "cnt"], key: ["term"] })),
  { name: "search_index_docsize", columns: ["id", "sz"], key: ["id"] },
]
function openWords(db: Db): void {
  for (const [index, name] of Object.entries(indexes))
    db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${name} USING fts5vocab ('main', '${index}', 'row')`)
}

/** The tables that a replay makes again. The history is what it is made from. */
export const madeTables = (db: Db): Table[] => tablesOf(db).filter(({ name }) => name !== "history" && !isNotMade(name))

/**
 * Tells every row of the data that is not what the history makes of it.
 * @param onTable told of each table before it is compared
 * @param tables all of them where nothing is said
 */
export function compare(
  data: Db,
  made: Db,
  add: (problem: string) => void,
  onTable: (name: string) => void,
  tables: readonly Table[] = [...madeTables(made), ...words],
): void {
  for (const db of [data, made]) openWords(db)
  for (const table of tables) {
    onTable(table.name)
    const columns = compared(table)
    const named = (row: Row) => `${table.name} (${table.key.map((column) => `${column} ${shown(row[column])}`).join(", ")})`
    const [here, due] = [rowsOf(data, table, columns), rowsOf(made, table, columns)]
    let [one, other] = [here.next().value, due.next().value]
    while (one !== undefined || other !== undefined) {
      const which = one === undefined ? 1 : other === undefined ? -1 : sorted(table, one, other)
      if (which < 0) add(`${named(one as Row)} is in no write of the history.`)
      else if (which > 0) add(`${named(other as Row)} is not there; the history makes it.`)
      else {
        const differing = columns.filter((column) => !same(one?.[column], other?.[column]))
        if (differing.length > 0)
          add(`${named(one as Row)}: ${differing.join(", ")} ${differing.length === 1 ? "is" : "are"} not what the history makes.`)
      }
      if (which <= 0) one = here.next().value
      if (which >= 0) other = due.next().value
    }
  }
}

/** A value in a sentence. */
const shown = (value: Value = null): string => (typeof value === "string" && value.length > 60 ? `${value.slice(0, 60)}…` : String(value))
