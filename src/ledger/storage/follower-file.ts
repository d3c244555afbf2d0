/**
 * Data that Litestream's follower writes and this process only reads. The follower writes whole transactions under
 * SQLite's own lock, so nothing changes during a read. But it does not tell other connections that pages have changed,
 * and their caches (pages, and the search index's own data) would be mixed with new pages: so the file is reopened
 * whenever it has changed. A follower that is killed while it writes leaves a torn file until it is started again. Its
 * note is then older than the file, and nothing is read.
 */
import { statSync, utimesSync } from "node:fs"
import { Refusal } from "../../contract/refusals.ts"
import { followerNote } from "./litestream-files.ts"
import { type Db, isBusy, type Statement } from "./database.ts"
import { leaveLog, openMade, saysLog, DataError, whoseData } from "./opening.ts"
import { mustBearMark, latestSchema } from "./schema.ts"
import { structure, structureIn } from "./tables.ts"

/** Milliseconds for which a read blocks this thread until the follower finishes. */
export const readPatienceMs = 100
/** The same while the thread starts, when no request waits for it. */
const START_PATIENCE_MS = 5_000
/**
 * Milliseconds within which two changes of the file may have the same timestamp: the clock of the file system has this
 * resolution.
 */
const CLOCK_STEP_MS = 20

const stillWriting = () =>
  new Refusal("temporarily_unavailable", "This copy is being updated. Try again in a moment.", {
    retryAfter: 1,
  })

const pause = new Int32Array(new SharedArrayBuffer(4))

interface Look {
  /** Differs after every change of the file. */
  readonly state: string
  /** Whether the follower has finished writing. */
  readonly isWhole: boolean
  /** When the file was last changed, in milliseconds since 1970. */
  readonly at: number
}

function lookAt(file: string): Look {
  const [data, note] = [file, followerNote(file)].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  if (data === undefined || note === undefined) return { state: "", isWhole: false, at: 0 }
  return {
    state: `${data.ino} ${data.mtimeNs} ${data.size}`,
    isWhole: note.mtimeNs >= data.mtimeNs,
    at: Number(data.mtimeMs),
  }
}

interface Opened {
  readonly db: Db
  readonly begin: Statement<unknown>
  readonly first: Statement<unknown>
  readonly end: Statement<unknown>
}

export class FollowerDb implements Db {
  readonly #file: string
  readonly #inode: string
  readonly #setUp: string[] = []
  #opened: Opened
  /** The state of the file that the connection has verified; empty if it must be verified again. */
  #known = ""
  #patience = START_PATIENCE_MS
  #onChangedSchema: (() => void) | null = null
  #schema = 0
  readonly #prove: (db: Db) => void

  /**
   * @param prove verifies the content of the file, after each change and before anything else is read
   * @throws DataError if the file cannot be opened @throws Refusal 503 while the follower is writing
   */
  constructor(file: string, prove: (db: Db) => void = () => {}) {
    this.#prove = prove
    // A restored file is marked as having a log: a reader that opened it in that state would keep the follower from
    // writing.
    if (saysLog(file)) {
      // The file must not be changed here before the follower has finished.
      for (const until = performance.now() + START_PATIENCE_MS; !lookAt(file).isWhole; Atomics.wait(pause, 0, 0, 5))
        if (performance.now() > until) throw stillWriting()
      const { mtimeMs, atimeMs } = statSync(file)
      leaveLog(file)
      // Keeps the time of the change, so that the follower's note does not look older.
      utimesSync(file, Math.floor(atimeMs) / 1_000, Math.floor(mtimeMs) / 1_000)
    }
    this.#file = file
    this.#inode = lookAt(file).state.split(" ")[0] ?? ""
    this.#opened = this.#connect()
  }

  prepare<Row>(sql: string): Statement<Row> {
    let of = this.#opened
    let made = of.db.prepare<Row>(sql)
    const now = () => {
      if (of !== this.#opened) [of, made] = [this.#opened, this.#opened.db.prepare<Row>(sql)]
      return made
    }
    return {
      get: (...values) => this.snapshot(() => now().get(...values)),
      one: (...values) => this.snapshot(() => now().one(...values)),
      all: (...values) => this.snapshot(() => now().all(...values)),
      run: (...values) => now().run(...values),
    }
  }

  /** SQL that is executed once, such as for temporary tables, is executed again on every new connection. */
  exec(sql: string): void {
    this.#opened.db.exec(sql)
    this.#setUp.push(sql)
  }

  get inTransaction(): boolean {
    return this.#opened.db.inTransaction
  }

  /** @throws Refusal 503 while the follower is writing */
  snapshot<T>(work: () => T): T {
    if (this.inTransaction) return work()
    const before = this.#opened
    this.#begin()
    try {
      if (before !== this.#opened && this.#onChangedSchema !== null) this.#compareSchema(this.#onChangedSchema)
      return work()
    } finally {
      this.#opened.end.run()
    }
  }

  /**
   * Registers a callback for the first read after words were withheld or Rooms dropped in the file; it is called within
   * that read. Both remove the triggers that protect the journal for the time of the transaction, and SQLite counts
   * such changes of the schema.
   */
  onChangedSchema(callback: () => void): void {
    this.#onChangedSchema = callback
    this.#schema = this.#schemaVersion()
  }

  #schemaVersion = (): number => this.prepare<{ schema_version: number }>("PRAGMA schema_version").one().schema_version

  #compareSchema(callback: () => void): void {
    const known = this.#schema
    this.#schema = this.#schemaVersion()
    if (this.#schema !== known) callback()
  }

  /** Sets how long a read waits for the follower, in milliseconds. */
  setPatience(milliseconds: number): void {
    this.#patience = milliseconds
    this.#known = ""
  }

  look(): Look {
    return lookAt(this.#file)
  }

  /** Whether the file was replaced since it was opened. */
  isLost(): boolean {
    return this.look().state.split(" ")[0] !== this.#inode
  }

  close(): void {
    this.#opened.db.close()
  }

  #connect(): Opened {
    const db = openMade(this.#file, this.#patience)
    try {
      for (const sql of this.#setUp) db.exec(sql)
      // A hostile file may have a view of any name, which a query would run; the schema itself is always a table.
      return {
        db,
        begin: db.prepare("BEGIN"),
        first: db.prepare("SELECT 1 FROM sqlite_schema"),
        end: db.prepare("COMMIT"),
      }
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Begins a read transaction on a connection without stale caches. */
  #begin(): void {
    for (const until = performance.now() + this.#patience; ; ) {
      this.#hold()
      const { state, isWhole, at } = this.look()
      if (isWhole && state === this.#known) return
      this.#opened.end.run()
      if (isWhole) {
        this.#known = ""
        this.#reopen()
        this.#hold()
        const held = this.look()
        if (held.isWhole && held.state === state) {
          this.#proveHeld()
          if (Date.now() - at > CLOCK_STEP_MS) this.#known = state
          return
        }
        this.#opened.end.run()
      }
      if (performance.now() > until) throw stillWriting()
      Atomics.wait(pause, 0, 0, 5)
    }
  }

  /** @throws whatever `#prove` throws; the transaction is then ended, and the next read verifies the file again */
  #proveHeld(): void {
    const { db, end } = this.#opened
    try {
      this.#prove(db)
    } catch (error) {
      if (db.inTransaction) end.run()
      throw error
    }
  }

  /** Reopens the file. If the follower has it locked, the old connection stays, and the next read tries again. */
  #reopen(): void {
    const before = this.#opened
    try {
      this.#opened = this.#connect()
    } catch (error) {
      throw isBusy(error) ? stillWriting() : error
    }
    before.db.close()
  }

  #hold(): void {
    const { db, begin, first, end } = this.#opened
    try {
      begin.run()
      first.get()
    } catch (error) {
      if (db.inTransaction) end.run()
      throw isBusy(error) ? stillWriting() : error
    }
  }
}

// Verifies that the file from which a copy is served is this program's data, and stays that of the same instance.

/**
 * Opens a file that is verified before the first read and after each change.
 * @throws DataError if it is not this program's data
 */
export const openFollowed = (file: string): FollowerDb => new FollowerDb(file, proof(file))

/** Opens a file after its follower has finished writing. @throws DataError if the follower does not finish */
export function openWhole(file: string): FollowerDb {
  let followed: FollowerDb | undefined
  try {
    followed = openFollowed(file)
    followed.snapshot(() => undefined)
    return followed
  } catch (error) {
    followed?.close()
    if (!(error instanceof Refusal)) throw error
    throw new DataError(
      `Litestream's follower has not finished writing to ${file}; it may have been stopped while it wrote. ` +
        "Nothing was changed. Start the follower again, and then this copy.",
    )
  }
}

/** @throws DataError if the file is of another program or version */
function mustBeCurrent(followed: Db, file: string): void {
  mustBearMark(followed.prepare<{ application_id: number }>("PRAGMA application_id").one().application_id, file)
  const stored = followed.prepare<{ user_version: number }>("PRAGMA user_version").one().user_version
  if (stored === latestSchema) return
  throw new DataError(
    `The data in ${file} has schema ${stored}, and this program reads ${latestSchema}: ` +
      "serve the copy with the program that serves the original.",
  )
}

/**
 * Refuses views, triggers and tables that this program does not make, since its queries would use them. @throws
 * DataError
 */
function mustBeMadeHere(followed: Db, file: string): void {
  const problems: string[] = []
  structure(followed, (problem) => problems.push(problem))
  const [first] = problems
  if (first !== undefined)
    throw new DataError(
      `${file} does not have the structure that this program makes, and is not served. ` +
        `${first} Restore it from its replica.`,
    )
}

/**
 * Checks the structure of a file first: with a hostile view in place, the identity of the instance could not be
 * trusted. Then checks that identity.
 */
function proof(file: string): (followed: Db) => void {
  let proved: { readonly structure: string; readonly instanceId: string } | undefined
  return (followed) => {
    mustBeCurrent(followed, file)
    const here = structureIn(followed)
    if (here !== proved?.structure) mustBeMadeHere(followed, file)
    const { instanceId } = whoseData(followed)
    if (proved !== undefined && instanceId !== proved.instanceId)
      throw new DataError(
        `${file} holds the data of another instance now. The copy stops. Start it again if the change was intended.`,
      )
    proved = { structure: here, instanceId }
  }
}
