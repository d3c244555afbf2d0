/** Many rows cloned from one that the service's own code wrote: by SQL, all at once. */
import type { Db } from "../../../../src/ledger/storage/database.ts"

/** Kinds of rows with ids, and the distinctive part of each id. */
const tags = {
  entry: "00a1",
  record: "00b1",
  link: "00c1",
  relation: "00c2",
  experiment: "00d1",
  attempt: "00e1",
  material: "00f1",
  room: "0011",
  thread: "0012",
} as const
export type Tag = keyof typeof tags

/** The id of the n-th row of its kind: in order of creation, like the service's own ids. */
export const idOf = (tag: Tag, n: number): string =>
  `0190${tags[tag]}-0000-7000-8000-${n.toString(16).padStart(12, "0")}`
/** The same in SQL, where `n` counts the rows. */
export const idSql = (tag: Tag, n = "n"): string => `format('0190${tags[tag]}-0000-7000-8000-%012x', ${n})`

const PRIME = 2_654_435_761
/** Ids made by clients: in no order. */
export const scatteredIdSql = (tag: Tag): string =>
  `format('%08x-${tags[tag]}-4000-8000-%012x', (n * ${PRIME}) % 4294967296, n)`

/** The same for one of them. */
export const scatteredIdOf = (tag: Tag, n: number): string =>
  `${((n * PRIME) % 2 ** 32).toString(16).padStart(8, "0")}-${tags[tag]}-4000-8000-${n.toString(16).padStart(12, "0")}`

/** Words that each occur in one of five thousand texts: the word of the n-th text, and the same in SQL. */
export const otherWord = (n: number): string => `word${(n * 7_919) % 5_000}`
export const wordSql = "'word' || (n * 7919 % 5000)"

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
/** Replaces `text` in a column by the value of an expression. */
export const swapped = (column: string, swaps: readonly (readonly [string, string])[]): string =>
  swaps.reduce((made, [text, by]) => `replace(${made}, ${quoted(text)}, ${by})`, column)

export class Cloner {
  readonly #db: Db

  /** @param most the greatest number of rows that will be requested */
  constructor(db: Db, most: number) {
    this.#db = db
    // One writer, no need for recovery, and memory for sorting.
    for (const pragma of [
      "journal_mode = DELETE",
      "synchronous = OFF",
      "foreign_keys = OFF",
      "temp_store = MEMORY",
      "cache_size = -1500000",
    ])
      db.exec(`PRAGMA ${pragma}`)
    if (db.prepare<{ journal_mode: string }>("PRAGMA journal_mode").get()?.journal_mode !== "delete")
      throw new Error("the data cannot be filled past the write-ahead log, and through it would take twice the disk")
    db.exec("CREATE TEMP TABLE numbers (n INTEGER PRIMARY KEY)")
    db.prepare(
      `INSERT INTO numbers WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?)
        SELECT n
        FROM c`,
    ).run(most)
  }

  /**
   * Writes `count` rows like the one whose `column` is `value`.
   * @param differing by column, the SQL of what differs; `n` counts from 1, `t` is the row
   * @param where leaves out some numbers
   */
  like(
    table: string,
    [column, value]: readonly [string, string],
    count: number,
    differing: Readonly<Record<string, string>>,
    where = "1",
  ): void {
    const names = this.#db
      .prepare<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name)
    const strange = Object.keys(differing).find((name) => !names.includes(name))
    if (strange !== undefined)
      throw new Error(`${table} has no ${strange} any more: the bench's filling must follow the schema`)
    this.#db.exec(`DROP TABLE IF EXISTS temp.pattern; CREATE TEMP TABLE pattern AS SELECT * FROM ${table} WHERE 0`)
    const found = this.#db
      .prepare(`INSERT INTO temp.pattern SELECT * FROM ${table} WHERE ${column} = ? LIMIT 1`)
      .run(value)
    if (found !== 1) throw new Error(`${table} holds no row whose ${column} is ${value}`)
    const values = names.map((name) => differing[name] ?? `t.${name}`)
    this.#db.exec(
      `INSERT INTO ${table} (${names.join(", ")})
        SELECT ${values.join(", ")}
        FROM temp.numbers
        CROSS JOIN temp.pattern t
        WHERE n <= ${count} AND ${where}`,
    )
  }

  /**
   * Writes `count` journal rows like the one that made a row: only the journal holds the full content.
   * @param content SQL for the content of each; `n` counts from 1, `t` is the row
   * @param differing the other differences; if omitted, they are in no feed
   * @returns the SQL of the n-th one's position, for the rows that it makes
   */
  written(
    table: string,
    [column, value]: readonly [string, string],
    count: number,
    content: string,
    differing: Readonly<Record<string, string>> = { room_sequence: "NULL" },
  ): string {
    const found = this.#db
      .prepare<{ position: number; last: number }>(
        `SELECT history_position AS position, (SELECT max(position) FROM journal) AS last
          FROM ${table}
          WHERE ${column} = ?
          LIMIT 1`,
      )
      .get(value)
    if (found === undefined) throw new Error(`${table} holds no row whose ${column} is ${value}`)
    const position = `${found.last} + n`
    this.like("journal", ["position", String(found.position)], count, { position, content, ...differing })
    return position
  }

  /**
   * Writes rows in random order of their ids: each index of the table is rebuilt afterwards by sorting, instead of
   * being updated in random places.
   */
  withoutIndexes(table: string, work: () => void): void {
    const indexes = this.#db
      .prepare<{ name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
      )
      .all(table)
    for (const { name } of indexes) this.#db.exec(`DROP INDEX ${name}`)
    work()
    for (const { sql } of indexes) this.#db.exec(sql)
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }
}
