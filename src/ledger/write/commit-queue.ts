/**
 * Group commit: writes that wait in the same turn of the event loop share one immediate transaction, and are answered
 * after its COMMIT. Each write still succeeds or fails alone. Almost every failure is a refusal before anything was
 * changed, so a group runs without savepoints (with one around each, a message takes an eighth more processor time).
 * If a write fails later than that, the group is rolled back and run again with a savepoint around each write.
 */
import { setImmediate as turn } from "node:timers/promises"
import { present } from "../../contract/typed.ts"
import { Refusal } from "../../contract/refusals.ts"
import { type Keys, keys } from "../journal/columns.ts"
import { type Heads, headsOf } from "../journal/journal.ts"
import { type Db, isStorageFault } from "../storage/database.ts"

export interface JobOptions {
  /** A rehearsal is always rolled back, so it has a savepoint from the start. */
  readonly rehearsal?: boolean
  /** Whether the work calls its argument before its first change. Otherwise it counts as changing at once. */
  readonly saysWhen?: boolean
  /** Whether it may change what earlier writes made: the title of an object, or words that are withheld. */
  readonly changesEarlier?: boolean
}

interface Job extends JobOptions {
  work: (changes: () => void) => unknown
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

type Settled = { value: unknown } | { error: unknown }

const isStorageFailure = (outcome: Settled): boolean =>
  "error" in outcome && outcome.error instanceof Refusal && outcome.error.code === "temporarily_unavailable"

export interface GroupHooks {
  /**
   * The last step of each group within its transaction.
   * @param changesEarlier whether it may have changed what earlier writes made
   */
  beforeCommit?(changesEarlier: boolean): void
  /** Whether the data's files were replaced: then a commit would be lost, and no write may be reported as stored. */
  isLost?(): boolean
  /**
   * Called after each group with the number of its writes, its duration in milliseconds, and whether the storage
   * failed.
   */
  afterGroup?(writes: number, milliseconds: number, failed: boolean): void
}

/** The storage rejected the write. */
export const notStored = () =>
  new Refusal(
    "temporarily_unavailable",
    "The database could not take the write; nothing was stored. Send the same request again.",
    {
      retryAfter: 2,
    },
  )
/** The storage may have stored the write. */
export const uncertain = () =>
  new Refusal(
    "temporarily_unavailable",
    "It is not certain whether this was stored. Send exactly the same request again.",
    {
      retryAfter: 2,
      committed: null,
    },
  )

/** Thrown by work to roll back its changes and still return a value. */
export class RollbackWith<T> {
  readonly value: T
  constructor(value: T) {
    this.value = value
  }
}

/** A write failed after it had changed something: the group has to run again with savepoints. */
class NeedsSavepoints extends Error {}

export class CommitQueue {
  readonly #db: Db
  readonly #hooks: GroupHooks
  readonly #statements
  readonly #keys: Keys
  readonly #heads: Heads
  #jobs: Job[] = []
  #committed: (() => void)[] = []

  constructor(db: Db, hooks: GroupHooks = {}) {
    this.#db = db
    this.#hooks = hooks
    this.#keys = keys(db)
    this.#heads = headsOf(db)
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
   * Runs `work` inside a transaction and resolves with its result after the commit. If it throws, only its own changes
   * are rolled back. It may run more than once, with the changes of the run before rolled back, so it must have no
   * effect outside of the database.
   */
  run<T>(work: (changes: () => void) => T, options: JobOptions = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      // The queue passes the result through unchanged.
      const count = this.#jobs.push({ ...options, work, resolve: (value) => resolve(value as T), reject })
      if (count === 1) setImmediate(() => this.flush())
    })
  }

  /** Calls `notify` after the open transaction is committed; never if it is rolled back. */
  afterCommit(notify: () => void): void {
    this.#committed.push(notify)
  }

  /**
   * Runs background work in a transaction of its own, between two groups. It does not wait for the disk, and the next
   * group makes it durable: it must be work that the next start can repeat.
   * @returns whether it was committed; false if the storage fails
   */
  between(work: () => void): boolean {
    if (this.#hooks.isLost?.()) return false
    const { begin, commit } = this.#statements
    // SQLite applies this when it compiles the statement, so a prepared one would apply it once.
    this.#db.exec("PRAGMA synchronous = NORMAL")
    try {
      begin.run()
      work()
      commit.run()
      return true
    } catch (error) {
      this.#abandon()
      if (isStorageFault(error)) return false
      throw error
    } finally {
      this.#db.exec("PRAGMA synchronous = FULL")
    }
  }

  /** Runs the waiting writes at once. */
  flush(): void {
    const jobs = this.#jobs
    if (jobs.length === 0) return
    this.#jobs = []
    const startedAt = performance.now()
    const outcomes = this.#commit(jobs)
    this.#hooks.afterGroup?.(jobs.length, performance.now() - startedAt, outcomes.some(isStorageFailure))
    jobs.forEach((job, index) => {
      const outcome = present(outcomes[index])
      if ("error" in outcome) job.reject(outcome.error)
      else job.resolve(outcome.value)
    })
  }

  /**
   * Commits the jobs and returns the outcome of each. Never throws, so that every job is answered.
   */
  #commit(jobs: readonly Job[]): Settled[] {
    const changesEarlier = jobs.some((job) => job.changesEarlier ?? true)
    let committing = false
    let isCommitted = false
    try {
      // An earlier failure may have left a transaction that could not be rolled back.
      if (this.#db.inTransaction) this.#statements.rollback.run()
      const outcomes = this.#attemptAll(jobs)
      // A full disk ends the whole transaction; then nothing of the group is stored.
      if (!this.#db.inTransaction) return jobs.length === 1 ? outcomes : jobs.map(() => ({ error: notStored() }))
      this.#hooks.beforeCommit?.(changesEarlier)
      // A commit may copy the log into the data file, which another program may have replaced.
      if (this.#hooks.isLost?.()) {
        this.#abandon()
        return jobs.map(() => ({ error: notStored() }))
      }
      committing = true
      this.#statements.commit.run()
      this.#keys.committed()
      isCommitted = !changesEarlier
      if (this.#hooks.isLost?.()) return jobs.map(() => ({ error: uncertain() }))
      for (const notify of this.#committed) notify()
      return outcomes
    } catch (error) {
      this.#abandon()
      return jobs.map(() => ({ error: !isStorageFault(error) ? error : committing ? uncertain() : notStored() }))
    } finally {
      this.#heads.close()
      if (!isCommitted) this.#heads.forget()
    }
  }

  /**
   * Opens the transaction and runs the jobs: first without savepoints, then with them if one of the jobs needs that.
   */
  #attemptAll(jobs: readonly Job[]): Settled[] {
    const { begin, rollback } = this.#statements
    for (const withSavepoints of [false, true]) {
      this.#committed = []
      begin.run()
      this.#heads.open()
      try {
        return jobs.map((job) => this.#attemptOne(job, withSavepoints))
      } catch (error) {
        if (!(error instanceof NeedsSavepoints)) throw error
        rollback.run()
        this.#heads.forget()
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
    const outcome = withSavepoint || job.rehearsal ? this.#attemptInSavepoint(job) : this.#attempt(job)
    if (job.changesEarlier ?? true) this.#heads.forget()
    return outcome
  }

  /** Runs one job. @throws NeedsSavepoints if it fails after changing something */
  #attempt({ work, saysWhen = false }: Job): Settled {
    let hasChanged = !saysWhen
    const attempt = () => work(() => (hasChanged = true))
    return this.#outcome(attempt, () => {
      if (hasChanged) throw new NeedsSavepoints()
    })
  }

  /** Runs one job. If it fails, only its own changes are rolled back. */
  #attemptInSavepoint({ work }: Job): Settled {
    const { savepoint, release, undo } = this.#statements
    savepoint.run()
    const outcome = this.#outcome(
      () => work(() => {}),
      () => {
        undo.run()
        this.#heads.forget()
      },
    )
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
}

// Work that follows from writes without delaying their answers. It runs between two groups of writes.

/** Milliseconds between a commit and the work that follows from it, and before a failed attempt is repeated. */
const DELAY_MS = 100
const RETRY_MS = 1_000

export interface Following {
  /** The position of the last work to do, and of the last work done. */
  due(): number
  done(): number
  /** Does a part of the rest, within a transaction. */
  step(): void
}

export class AfterCommit {
  readonly #following: Following
  readonly #between: (work: () => void) => boolean
  readonly #onFailed: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false

  /** @param between runs a step in a transaction of its own, and returns whether it was committed */
  constructor(following: Following, between: (work: () => void) => boolean, onFailed: (error: unknown) => void) {
    this.#following = following
    this.#between = between
    this.#onFailed = onFailed
  }

  /** Schedules the work after a commit. */
  soon(milliseconds = DELAY_MS): void {
    if (this.#hasEnded) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.now().then(
        (isDone) => isDone || this.soon(RETRY_MS),
        (error) => {
          this.#onFailed(error)
          this.soon(60 * RETRY_MS)
        },
      )
    }, milliseconds)
  }

  /** Does all present work in steps, between which writes can run. @returns whether all of it was done */
  async now(): Promise<boolean> {
    const { due, done, step } = this.#following
    let until: number | undefined
    let isLeft = true
    // The positions are read within a step, since lost files are not even read.
    const one = () => {
      until ??= due()
      isLeft = done() < until
      if (isLeft) step()
    }
    // Between two steps the thread may end and close its database.
    for (; isLeft && !this.#hasEnded; await turn()) if (!this.#between(one)) return false
    return true
  }

  /**
   * Does the rest at once, before the thread ends. Later calls of `soon` do nothing, since a timer would keep the
   * thread alive.
   */
  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    const { due, done, step } = this.#following
    let isLeft = true
    const one = () => {
      isLeft = done() < due()
      if (isLeft) step()
    }
    while (isLeft && this.#between(one)) {}
  }
}
