/**
 * Group commit: writes that wait in the same turn of the event loop share one immediate transaction, and are answered
 * after its COMMIT. Writes that arrive while the group runs join it, up to a limit. Each write still succeeds or fails
 * alone. Almost every failure is a refusal before anything was changed, so a group runs without savepoints (each would
 * make the full-text index flush its buffer). If a write fails later than that, the group is rolled back and run again
 * with a savepoint around each write.
 */
import { present } from "../../contract/present.ts"
import { type Keys, keys } from "../journal/columns.ts"
import { type Changed, type Db, isStorageFault } from "../storage/database.ts"
import {
  type GroupHooks,
  isStorageFailure,
  type Job,
  notStored,
  redo,
  type Settled,
  type TriedOut,
  tryOut,
  uncertain,
} from "./group.ts"

/** Thrown by work to roll back its changes and still return a value. */
export class RollbackWith<T> {
  readonly value: T
  constructor(value: T) {
    this.value = value
  }
}

/** A write failed after it had changed something: the group has to run again with savepoints. */
class NeedsSavepoints extends Error {}

/** The most writes in a group that others may join: its first writes wait for all of them. */
const MAX_GROUP = 64

export class CommitQueue {
  readonly #db: Db
  readonly #hooks: GroupHooks
  readonly #statements
  readonly #keys: Keys
  readonly #jobs: Job[] = []
  #scheduled = false
  #isHeld = false
  #isAtWork = false
  #committed: (() => void)[] = []

  constructor(db: Db, hooks: GroupHooks = {}) {
    this.#db = db
    this.#hooks = hooks
    this.#keys = keys(db)
    this.#statements = {
      begin: db.prepare("BEGIN IMMEDIATE"),
      commit: db.prepare("COMMIT"),
      rollback: db.prepare("ROLLBACK"),
      savepoint: db.prepare("SAVEPOINT one_write"),
      release: db.prepare("RELEASE one_write"),
      undo: db.prepare("ROLLBACK TO one_write"),
      changes: db.prepare<{ changes: number }>("SELECT total_changes() AS changes"),
    }
  }

  /**
   * Runs `work` inside a transaction and resolves with its result after the commit. If it throws, only its own changes
   * are rolled back. It may run more than once, with the changes of the run before rolled back, so it must have no
   * effect outside of the database.
   */
  run<T>(work: () => T, { rehearsal = false } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      // The queue passes the result through unchanged.
      this.#jobs.push({ work, rehearsal, resolve: (value) => resolve(value as T), reject })
      this.#schedule()
    })
  }

  /**
   * Runs `work` and rolls it back, so that another connection can make the same changes.
   * @returns its result, its changes, and a function that notifies listeners, to be called after the commit
   */
  tryOut<T>(work: () => T): TriedOut<T> {
    this.#committed = []
    const tried = tryOut(this.#db, work)
    const listeners = [() => this.#keys.committed(), ...this.#committed]
    return { ...tried, notify: () => listeners.forEach((notify) => notify()) }
  }

  /** Makes changes that were tried out on another connection, before all waiting writes, and resumes the queue. */
  apply(changes: readonly Changed[], mayStill: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const work = () => mayStill() && redo(this.#db, changes)
      this.#jobs.unshift({ work, rehearsal: false, resolve: (value) => resolve(value === true), reject })
      this.release()
    })
  }

  /** Pauses the queue, so that another connection can write. No transaction is open afterwards. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    if (this.#jobs.length > 0) this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#isHeld || this.#isAtWork) return
    this.#scheduled = true
    setImmediate(() => this.flush())
  }

  /** Calls `notify` after the open transaction is committed; never if it is rolled back. */
  afterCommit(notify: () => void): void {
    this.#committed.push(notify)
  }

  /**
   * Runs background work in a transaction of its own, between two groups.
   * @returns whether it was committed; false while the queue is paused, or if the storage fails
   */
  between(work: () => void): boolean {
    if (this.#isHeld || this.#isAtWork) return false
    try {
      this.#statements.begin.run()
      work()
      this.#statements.commit.run()
      return true
    } catch (error) {
      this.#abandon()
      if (isStorageFault(error)) return false
      throw error
    }
  }

  /** Runs the waiting writes at once. */
  flush(): void {
    this.#scheduled = false
    if (this.#isHeld || this.#jobs.length === 0) return
    const jobs = this.#taken()
    const startedAt = performance.now()
    this.#isAtWork = true
    const outcomes = this.#commit(jobs)
    this.#isAtWork = false
    if (this.#jobs.length > 0) this.#schedule()
    this.#hooks.afterGroup?.(jobs.length, performance.now() - startedAt, outcomes.some(isStorageFailure))
    jobs.forEach((job, index) => {
      const outcome = present(outcomes[index])
      if ("error" in outcome) job.reject(outcome.error)
      else job.resolve(outcome.value)
    })
  }

  #taken = (): Job[] => this.#jobs.splice(0)

  /** Adds the writes that have arrived meanwhile to a group. */
  #gather(jobs: Job[]): void {
    if (this.#hooks.gather === undefined || jobs.length >= MAX_GROUP) return
    this.#hooks.gather()
    jobs.push(...this.#taken())
  }

  /**
   * Commits the jobs with those that join them, and returns the outcome of each. Never throws, so that every job is
   * answered.
   */
  #commit(jobs: Job[]): Settled[] {
    let committing = false
    try {
      // An earlier failure may have left a transaction that could not be rolled back.
      if (this.#db.inTransaction) this.#statements.rollback.run()
      const outcomes = this.#attemptAll(jobs)
      // A full disk ends the whole transaction; then nothing of the group is stored.
      if (!this.#db.inTransaction) return jobs.length === 1 ? outcomes : jobs.map(() => ({ error: notStored() }))
      this.#hooks.beforeCommit?.()
      // A commit may copy the log into the data file, which another program may have replaced.
      if (this.#hooks.isLost?.()) {
        this.#abandon()
        return jobs.map(() => ({ error: notStored() }))
      }
      committing = true
      this.#statements.commit.run()
      this.#keys.committed()
      if (this.#hooks.isLost?.()) return jobs.map(() => ({ error: uncertain() }))
      for (const notify of this.#committed) notify()
      return outcomes
    } catch (error) {
      this.#abandon()
      return jobs.map(() => ({ error: !isStorageFault(error) ? error : committing ? uncertain() : notStored() }))
    }
  }

  /**
   * Opens the transaction and runs the jobs: first without savepoints, then with them if one of the jobs needs that.
   */
  #attemptAll(jobs: Job[]): Settled[] {
    const { begin, rollback } = this.#statements
    for (const withSavepoints of [false, true]) {
      this.#committed = []
      begin.run()
      try {
        const outcomes: Settled[] = []
        for (let job = jobs[0]; job !== undefined; job = jobs[outcomes.length]) {
          outcomes.push(this.#attemptOne(job, withSavepoints))
          if (outcomes.length === jobs.length) this.#gather(jobs)
        }
        return outcomes
      } catch (error) {
        if (!(error instanceof NeedsSavepoints)) throw error
        rollback.run()
      }
    }
    throw new Error("a savepoint can always be rolled back")
  }

  /** Rolls back the open transaction if possible; otherwise the next group tries again. */
  #abandon(): void {
    try {
      if (this.#db.inTransaction) this.#statements.rollback.run()
    } catch {}
  }

  #attemptOne(job: Job, withSavepoint: boolean): Settled {
    if (!this.#db.inTransaction) return { error: notStored() }
    return withSavepoint || job.rehearsal ? this.#attemptInSavepoint(job) : this.#attempt(job)
  }

  /** Runs one job. @throws NeedsSavepoints if it fails after changing something */
  #attempt({ work }: Job): Settled {
    const before = this.#changes()
    return this.#outcome(work, () => {
      if (this.#changes() !== before) throw new NeedsSavepoints()
    })
  }

  /** Runs one job. If it fails, only its own changes are rolled back. */
  #attemptInSavepoint({ work }: Job): Settled {
    const { savepoint, release, undo } = this.#statements
    savepoint.run()
    const outcome = this.#outcome(work, () => undo.run())
    if (this.#db.inTransaction) release.run()
    return outcome
  }

  /**
   * Returns what `work` returns or throws. If it throws, its changes are rolled back, unless the failure has ended the
   * transaction.
   */
  #outcome(work: () => unknown, undo: () => void): Settled {
    const notified = this.#committed.length
    try {
      return { value: work() }
    } catch (error) {
      this.#committed.length = notified
      if (this.#db.inTransaction) undo()
      if (error instanceof RollbackWith) return { value: error.value }
      return { error: isStorageFault(error) ? notStored() : error }
    }
  }

  #changes(): number {
    return this.#statements.changes.get()?.changes ?? 0
  }
}
