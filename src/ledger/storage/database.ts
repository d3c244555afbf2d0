/** Drives SQLite: synchronous statements on one connection. This file and opening.ts are the only ones that use the driver. */
import Database from "better-sqlite3"
import { sealOf } from "./not-replayed.ts"

export type Value = string | number | null | Buffer

export interface Statement<Row> {
  get(...values: Value[]): Row | undefined
  /** The row of a statement that always has one. */
  one(...values: Value[]): Row
  all(...values: Value[]): Row[]
  /** How many rows it changed. */
  run(...values: Value[]): number
}

/** What may have changed something: a statement and its values, or SQL without any. */
export type Changed = readonly [sql: string, values?: readonly Value[]]

export interface Db {
  /**
   * A statement that is compiled once, when it is first used: each thread uses a part of them only. Callers keep it.
   *
   * SQL writes each value as `+?`. SQLite plans a statement again when a bare `?` may be 0 or 1, and the driver clears the values after
   * every call, so half of the statements would be compiled at each call. SQLite does not look behind a plus, which changes nothing else.
   * test/house.test.ts finds a bare `?`.
   */
  prepare<Row = unknown>(sql: string): Statement<Row>
  /** Runs SQL without values: transaction control and schema. */
  exec(sql: string): void
  /** Triggers that keep what was accepted, which were not as they should be when the data was opened; they are now. */
  readonly mended?: readonly string[]
  /** Whether a transaction is open; a full disk ends one by itself. */
  readonly inTransaction: boolean
  /** Reads several things as of one moment. */
  snapshot<T>(work: () => T): T
  /** Does work, and notes everything that may change something. Within an open transaction, where the connection can write. */
  noting?<T>(work: () => T): { readonly value: T; readonly changes: readonly Changed[] }
  close(): void
}

export class SqliteDb implements Db {
  readonly #database: Database.Database
  readonly #begin: Database.Statement
  readonly #end: Database.Statement
  readonly mended: readonly string[]
  #noted: Changed[] | null = null

  constructor(database: Database.Database, mended: readonly string[] = []) {
    this.mended = mended
    this.#database = database
    // Triggers call it to seal rows. A write of such a row on a connection without it fails.
    database.function("row_seal", { varargs: true, deterministic: true }, (...values) => sealOf(values))
    this.#begin = database.prepare("BEGIN")
    this.#end = database.prepare("COMMIT")
  }

  prepare<Row>(sql: string): Statement<Row> {
    const compiled = () => this.#database.prepare<Value[], Row>(sql)
    let statement: ReturnType<typeof compiled> | undefined
    const now = (values: readonly Value[]) => {
      statement ??= compiled()
      if (this.#noted !== null && !statement.readonly) this.#noted.push([sql, values])
      return statement
    }
    return {
      get: (...values) => now(values).get(...values),
      one(...values) {
        const row = now(values).get(...values)
        if (row === undefined) throw new Error(`no row for ${sql}`)
        return row
      },
      all: (...values) => now(values).all(...values),
      run: (...values) => now(values).run(...values).changes,
    }
  }

  exec(sql: string): void {
    this.#noted?.push([sql])
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

  noting<T>(work: () => T): { value: T; changes: readonly Changed[] } {
    const changes: Changed[] = []
    this.#noted = changes
    try {
      return { value: work(), changes }
    } finally {
      this.#noted = null
    }
  }

  close(): void {
    this.#database.close()
  }
}

/** Whether SQLite said that the disk, not the request, is at fault; such a write may be sent again. */
export const isStorageFault = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|NOMEM|READONLY|CANTOPEN)/.test(error.code)

/** Whether somebody else has the file. */
export const isBusy = (error: unknown): boolean => error instanceof Database.SqliteError && error.code === "SQLITE_BUSY"
