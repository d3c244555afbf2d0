/** A database that notes what the service runs on it, the ends of its snapshots included, and runs of the same on another copy. */
import type { Db, Statement } from "../../src/ledger/storage/database.ts"
import { RecordingDb, type Step } from "../support/recording-db.ts"

export type { Step }

export class Recorder extends RecordingDb {
  readonly #begin: Statement<unknown>
  readonly #end: Statement<unknown>

  constructor(db: Db) {
    super(db)
    this.#begin = this.prepare("BEGIN")
    this.#end = this.prepare("COMMIT")
  }

  override snapshot<T>(work: () => T): T {
    if (this.inTransaction) return work()
    this.#begin.run()
    try {
      return work()
    } finally {
      this.#end.run()
    }
  }
}

type Run = () => void

/** What each list of steps does to `db`, ready to run: looking statements up is no part of it. */
export function prepared(db: Db, sql: readonly string[], lists: readonly (readonly Step[])[]): Run[] {
  const statements = new Map<number, Statement<unknown>>()
  return lists.map((steps) => {
    const calls = steps.map(({ statement, how, values }) => {
      const made = statements.get(statement) ?? db.prepare(sql[statement] ?? "")
      statements.set(statement, made)
      return { call: made[how], values }
    })
    return () => {
      for (const { call, values } of calls) call(...values)
    }
  })
}
