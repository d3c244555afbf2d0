/** A database that does what another does, and notes the statements it is asked while it is told to. */
import type { Db, Statement } from "../../../src/ledger/database.ts"

export interface Step {
  readonly sql: string
  readonly values: Parameters<Statement<unknown>["all"]>
}

export class Recorder implements Db {
  readonly #db: Db
  #steps: Step[] | null = null

  constructor(db: Db) {
    this.#db = db
  }

  prepare<Row>(sql: string): Statement<Row> {
    const made = this.#db.prepare<Row>(sql)
    const note = (values: Step["values"]) => this.#steps?.push({ sql, values })
    return {
      get: (...values) => [note(values), made.get(...values)][1] as Row | undefined,
      all: (...values) => [note(values), made.all(...values)][1] as Row[],
      run: (...values) => made.run(...values),
    }
  }

  /** Does some work and returns the reads it ran. */
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
