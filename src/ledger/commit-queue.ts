/**
 * Group commit: writes that wait in the same turn of the event loop share one immediate transaction, each under its own
 * savepoint, and each is answered only after the COMMIT. One write alone needs no savepoint.
 */
import { Refusal } from "../contract/refusals.ts"
import { type Db, isStorageFault } from "./database.ts"

/** Thrown by work that wants everything it did undone and its value delivered all the same. */
export class Undo<T> {
  readonly value: T
  constructor(value: T) {
    this.value = value
  }
}

interface Job {
  work: () => unknown
  resolve: (value: never) => void
  reject: (reason: unknown) => void
}
type Outcome = { value: unknown } | { error: unknown }

const notStored = () =>
  new Refusal("temporarily_unavailable", "The database could not take the write; nothing was stored. Send the same request again.", {
    retryAfter: 2,
  })
const uncertain = () =>
  new Refusal("temporarily_unavailable", "The write could not be finished for certain. Keep its id and body and send it again.", {
    retryAfter: 2,
    committed: null,
  })

export class CommitQueue {
  readonly #db: Db
  readonly #statements
  #jobs: Job[] = []
  #scheduled = false
  #committed: (() => void)[] = []

  constructor(db: Db) {
    this.#db = db
    this.#statements = {
      begin: db.prepare("BEGIN IMMEDIATE"),
      commit: db.prepare("COMMIT"),
      rollback: db.prepare("ROLLBACK"),
      savepoint: db.prepare("SAVEPOINT one_write"),
      release: db.prepare("RELEASE one_write"),
      undo: db.prepare("ROLLBACK TO one_write"),
    }
  }

  /**
   * Runs `work` inside a transaction and delivers what it returns once that is committed.
   * What it throws undoes it alone; its neighbours in the group are not touched.
   */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ work, resolve, reject })
      if (this.#scheduled) return
      this.#scheduled = true
      setImmediate(() => this.#flush())
    })
  }

  /** Calls `notify` once the transaction now open is committed; never when it is rolled back. */
  afterCommit(notify: () => void): void {
    this.#committed.push(notify)
  }

  #flush(): void {
    this.#scheduled = false
    const jobs = this.#jobs
    this.#jobs = []
    const outcomes = this.#commit(jobs)
    jobs.forEach((job, index) => {
      const outcome = outcomes[index] as Outcome
      if ("error" in outcome) job.reject(outcome.error)
      else job.resolve(outcome.value as never)
    })
  }

  /** Commits the jobs together and says how each of them ended. Never throws: everybody who waits is answered. */
  #commit(jobs: Job[]): Outcome[] {
    const { begin, commit } = this.#statements
    this.#committed = []
    let committing = false
    try {
      // What an earlier failure could not even roll back.
      if (this.#db.inTransaction) this.#statements.rollback.run()
      begin.run()
      const outcomes = jobs.map((job) => (this.#db.inTransaction ? this.#attempt(job, jobs.length === 1) : { error: notStored() }))
      // A full disk ends the whole transaction by itself: then nothing of the group is stored.
      if (!this.#db.inTransaction) return jobs.length === 1 ? outcomes : jobs.map(() => ({ error: notStored() }))
      committing = true
      commit.run()
      for (const notify of this.#committed) notify()
      return outcomes
    } catch (error) {
      this.#abandon()
      return jobs.map(() => ({ error: !isStorageFault(error) ? error : committing ? uncertain() : notStored() }))
    }
  }

  /** Rolls back what is open, as far as the disk lets it; the next group tries again before it begins. */
  #abandon(): void {
    try {
      if (this.#db.inTransaction) this.#statements.rollback.run()
    } catch {}
  }

  /** Runs one job; when it fails, undoes it and only it. */
  #attempt({ work }: Job, alone: boolean): Outcome {
    const { savepoint, release, undo, rollback } = this.#statements
    const notified = this.#committed.length
    if (!alone) savepoint.run()
    try {
      const value = work()
      if (!alone) release.run()
      return { value }
    } catch (error) {
      this.#committed.length = notified
      if (this.#db.inTransaction) {
        if (alone) {
          rollback.run()
        } else {
          undo.run()
          release.run()
        }
      }
      if (error instanceof Undo) return { value: error.value }
      return { error: isStorageFault(error) ? notStored() : error }
    }
  }
}
