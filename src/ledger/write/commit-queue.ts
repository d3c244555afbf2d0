/**
 * Group commit: writes that wait in the same turn of the event loop share one immediate transaction, and each is answered
 * only after the COMMIT. What comes while the group is at work joins it, up to a bound. Each still stands or falls alone.
 * Almost every write that falls is refused before it has changed anything, so a group runs without savepoints (each would
 * make the full-text index write its buffer out); when one falls later than that, the group is undone and run again with a
 * savepoint around each.
 */
import { present } from "../../contract/present.ts"
import { type Keys, keys } from "../journal/keys.ts"
import { type Changed, type Db, isStorageFault } from "../storage/database.ts"
import { type GroupHooks, isStorageFailure, type Job, type Settled } from "./group.ts"
import { notStored, uncertain } from "./not-stored.ts"
import { type TriedOut, redo, tryOut } from "./trying-out.ts"

/** Thrown by work that wants everything it did undone and its value delivered all the same. */
export class RollbackWith<T> {
  readonly value: T
  constructor(value: T) {
    this.value = value
  }
}

/** One write of a group cannot be undone alone: the group has to be run again. */
class NeedsSavepoints extends Error {}

/** Writes that a group takes in at most while it is at work: those that came first wait for the others. */
const MOST = 64

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
   * Runs `work` inside a transaction and delivers what it returns once that is committed.
   * What it throws undoes it alone; its neighbours in the group are not touched. It may be run more than once, and what
   * it did before is then undone: outside of the database it must leave nothing behind.
   */
  run<T>(work: () => T, { rehearsal = false } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      // What the work returned comes back as it was.
      this.#jobs.push({ work, rehearsal, resolve: (value) => resolve(value as T), reject })
      this.#schedule()
    })
  }

  /**
   * Runs `work` as `run` would and takes it back, for another connection to make the same changes.
   * @returns what it returned, what it changed, and what tells those who wait, once that is committed
   */
  tryOut<T>(work: () => T): TriedOut<T> {
    this.#committed = []
    const tried = tryOut(this.#db, work)
    const told = [() => this.#keys.committed(), ...this.#committed]
    return { ...tried, notify: () => told.forEach((tell) => tell()) }
  }

  /** Makes changes that were tried out on another connection, before all that waits, and lets that go on. */
  apply(changes: readonly Changed[], mayStill: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const work = () => mayStill() && redo(this.#db, changes)
      this.#jobs.unshift({ work, rehearsal: false, resolve: (value) => resolve(value === true), reject })
      this.release()
    })
  }

  /** From now on what is to be written waits, so that another connection can write. No transaction is open after it. */
  hold(): void {
    this.#isHeld = true
  }

  /** Lets what waited go on. */
  release(): void {
    this.#isHeld = false
    if (this.#jobs.length > 0) this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#isHeld || this.#isAtWork) return
    this.#scheduled = true
    setImmediate(() => this.flush())
  }

  /** Calls `notify` once the transaction now open is committed; never when it is rolled back. */
  afterCommit(notify: () => void): void {
    this.#committed.push(notify)
  }

  /**
   * Runs work that nobody waits for in a transaction of its own, between two groups.
   * @returns whether it was committed: not while the queue is held, nor where the disk does not take it
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

  /** Runs what waits now, for whoever knows that nothing else comes in this turn. */
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

  /** Takes into a group what has come meanwhile. */
  #gather(jobs: Job[]): void {
    if (this.#hooks.gather === undefined || jobs.length >= MOST) return
    this.#hooks.gather()
    jobs.push(...this.#taken())
  }

  /** Commits the jobs together, with those that join them, and says how each of them ended. Never throws: everybody who waits is answered. */
  #commit(jobs: Job[]): Settled[] {
    let committing = false
    try {
      // What an earlier failure could not even roll back.
      if (this.#db.inTransaction) this.#statements.rollback.run()
      const outcomes = this.#attemptAll(jobs)
      // A full disk ends the whole transaction by itself: then nothing of the group is stored.
      if (!this.#db.inTransaction) return jobs.length === 1 ? outcomes : jobs.map(() => ({ error: notStored() }))
      this.#hooks.beforeCommit?.()
      // A commit may copy the log into the data file, whose content may be another program's by now.
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

  /** Opens the transaction and runs the jobs in it: without savepoints, or, where one of them cannot be undone so, with them. */
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
    throw new Error("a savepoint undoes what it holds")
  }

  /** Rolls back what is open, as far as the disk lets it; the next group tries again before it begins. */
  #abandon(): void {
    try {
      if (this.#db.inTransaction) this.#statements.rollback.run()
    } catch {}
  }

  #attemptOne(job: Job, withSavepoint: boolean): Settled {
    if (!this.#db.inTransaction) return { error: notStored() }
    return withSavepoint || job.rehearsal ? this.#attemptInSavepoint(job) : this.#attempt(job)
  }

  /** Runs one job. @throws NeedsSavepoints when it fails after it has changed something */
  #attempt({ work }: Job): Settled {
    const before = this.#changes()
    return this.#outcome(work, () => {
      if (this.#changes() !== before) throw new NeedsSavepoints()
    })
  }

  /** Runs one job; when it fails, undoes it and only it. */
  #attemptInSavepoint({ work }: Job): Settled {
    const { savepoint, release, undo } = this.#statements
    savepoint.run()
    const outcome = this.#outcome(work, () => undo.run())
    if (this.#db.inTransaction) release.run()
    return outcome
  }

  /** What work returns or throws; of work that throws, what it did is undone, unless its failure has ended the transaction. */
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
