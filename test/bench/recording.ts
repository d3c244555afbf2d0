/**
 * A database that records the statements of the service, including the ends of its snapshots, and repeats them on
 * another copy.
 */
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

/** The effect of each list of steps on `db`, ready to run: preparing statements is not part of the measurement. */
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
