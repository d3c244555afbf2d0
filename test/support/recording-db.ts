/** Records the statements that the service runs while recording is on, with their values. */
import type { Db, Statement } from "../../src/ledger/storage/database.ts"

type Values = Parameters<Statement<unknown>["get"]>

/** One statement as it ran. */
export interface Step {
  /** Its index in `RecordingDb.sql`. */
  readonly statement: number
  readonly how: "get" | "all" | "run"
  readonly values: Values
}

/** A database that behaves like another, and records every statement while recording is on. */
export class RecordingDb implements Db {
  readonly sql: string[] = []
  readonly #db: Db
  #steps: Step[] | null = null

  constructor(db: Db) {
    this.#db = db
  }

  prepare<Row>(sql: string): Statement<Row> {
    const made = this.#db.prepare<Row>(sql)
    const statement = this.sql.push(sql) - 1
    const note = (how: Step["how"], values: Values) => this.#steps?.push({ statement, how, values })
    return {
      get(...values) {
        note("get", values)
        return made.get(...values)
      },
      one(...values) {
        note("get", values)
        return made.one(...values)
      },
      all(...values) {
        note("all", values)
        return made.all(...values)
      },
      run(...values) {
        note("run", values)
        return made.run(...values)
      },
    }
  }

  /** Does some work and returns the statements it ran. */
  async during(work: () => unknown): Promise<Step[]> {
    const steps: Step[] = []
    this.#steps = steps
    await work()
    this.#steps = null
    return steps
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction
  }
  exec(sql: string): void {
    this.#db.exec(sql)
  }
  snapshot<T>(work: () => T): T {
    return this.#db.snapshot(work)
  }
  close(): void {
    this.#db.close()
  }
}
