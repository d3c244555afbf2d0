/** Runs SQLite: synchronous statements on one connection. Only this file, schema.ts and opening.ts use the driver. */
import Database from "better-sqlite3"
import { folded } from "../../contract/folding.ts"
import { indexed } from "../../contract/words.ts"
import { sealOf } from "./not-replayed.ts"

export type Value = string | number | null | Buffer

export interface Statement<Row> {
  get(...values: Value[]): Row | undefined
  /** The row of a statement that always returns one. */
  one(...values: Value[]): Row
  all(...values: Value[]): Row[]
  /** Returns how many rows it changed. */
  run(...values: Value[]): number
}

export interface Db {
  /**
   * Prepares a statement. It is compiled when it is first used, since each process uses only some of them. Callers keep
   * it.
   *
   * SQL writes each value as `+?`. SQLite compiles a statement with a bare `?` again when its value may be 0 or 1, and
   * the driver clears the values after every call, so half of the statements would be compiled at each call. The plus
   * hides the value from the planner and has no other effect. test/house.test.ts finds a bare `?`.
   */
  prepare<Row = unknown>(sql: string): Statement<Row>
  /** Runs SQL without values: transaction control and schema. */
  exec(sql: string): void
  /** The triggers that were missing or different when the data was opened, and were restored. */
  readonly mended?: readonly string[]
  /** Whether a transaction is open. A full disk ends one. */
  readonly inTransaction: boolean
  /** Runs `work` in one read transaction. */
  snapshot<T>(work: () => T): T
  close(): void
}

/** Returns the file of a database; empty for one in memory. */
export const fileOf = (db: Db): string =>
  db.prepare<{ file: string }>("SELECT file FROM pragma_database_list WHERE name = 'main'").get()?.file ?? ""

/** Defines what triggers call. On a connection without them, writing such a row fails. */
export function defineFunctions(database: Database.Database): void {
  database.function("row_seal", { varargs: true, deterministic: true }, (...values) => sealOf(values))
  const ofText = (make: (text: string) => string) => (text: unknown) => (typeof text === "string" ? make(text) : null)
  database.function("folded", { deterministic: true }, ofText(folded))
  const wholeWords = (text: string) => indexed(text, true)
  database.function("search_terms", { deterministic: true }, ofText(wholeWords))
}

export class SqliteDb implements Db, Disposable {
  readonly #database: Database.Database
  readonly #begin: Database.Statement
  readonly #end: Database.Statement
  readonly mended: readonly string[]

  constructor(database: Database.Database, mended: readonly string[] = []) {
    this.mended = mended
    this.#database = database
    defineFunctions(database)
    this.#begin = database.prepare("BEGIN")
    this.#end = database.prepare("COMMIT")
  }

  prepare<Row>(sql: string): Statement<Row> {
    const compiled = () => this.#database.prepare<Value[], Row>(sql)
    let statement: ReturnType<typeof compiled> | undefined
    const ready = () => (statement ??= compiled())
    return {
      get: (...values) => ready().get(...values),
      one(...values) {
        const row = ready().get(...values)
        if (row === undefined) throw new Error(`no row for ${sql}`)
        return row
      },
      all: (...values) => ready().all(...values),
      run: (...values) => ready().run(...values).changes,
    }
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  snapshot<T>(work: () => T): T {
    if (this.#database.inTransaction) return work()
    this.#begin.run()
    try {
      return work()
    } finally {
      this.#end.run()
    }
  }

  close(): void {
    this.#database.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** Whether SQLite reports that the storage failed, not the request. Such a write may be sent again. */
export const isStorageFault = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|NOMEM|READONLY|CANTOPEN)/.test(error.code)

/** Whether another connection has the file locked. */
export const isBusy = (error: unknown): boolean => error instanceof Database.SqliteError && error.code === "SQLITE_BUSY"

/** Whether a row would refer to one that is not there. */
export const isForeignKey = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code === "SQLITE_CONSTRAINT_FOREIGNKEY"
