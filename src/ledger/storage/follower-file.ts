/**
 * Data that Litestream's follower writes and this process only reads. The follower puts whole transactions into the file under
 * SQLite's own lock, so nothing changes while something is read. But it changes pages without saying so, and what a connection
 * remembers (pages, and what the search index keeps of its own) would be read beside what is new: so the file is opened anew
 * whenever it has moved on. A follower that is ended in the midst of it leaves a torn file until it is started again: its
 * note is older than the file then, and nothing is read.
 */
import { statSync, utimesSync } from "node:fs"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { followerNote } from "./litestream-files.ts"
import { type Db, isBusy, type Statement } from "./database.ts"
import { leaveLog, openMade, saysLog } from "./opening.ts"

/** Milliseconds that a read waits on this thread for the follower to finish. */
export const readPatienceMs = 100
/** The same while the thread starts: nobody waits for it yet. */
const FIRST_PATIENCE = 5_000
/** Milliseconds in which the file may change twice and bear the same time: the clock that files are dated by goes in steps. */
const STEP = 20

const inTheMidst = () =>
  new Refusal("temporarily_unavailable", "The copy that is read here is just being brought forward. Ask again in a moment.", {
    retryAfter: 1,
  })

const pause = new Int32Array(new SharedArrayBuffer(4))

interface Look {
  /** Another whenever the file was changed. */
  readonly state: string
  /** Whether the follower has finished what it was at. */
  readonly isWhole: boolean
  /** When the file was changed last, in milliseconds since 1970. */
  readonly at: number
}

function lookAt(file: string): Look {
  const [data, note] = [file, followerNote(file)].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  if (data === undefined || note === undefined) return { state: "", isWhole: false, at: 0 }
  return { state: `${data.ino} ${data.mtimeNs} ${data.size}`, isWhole: note.mtimeNs >= data.mtimeNs, at: Number(data.mtimeMs) }
}

/** A connection, and what goes with it. */
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
  /** The state of the file that the connection has seen; empty where it may not be relied on. */
  #known = ""
  #patience = FIRST_PATIENCE
  #onMoved = () => {}
  readonly #prove: (db: Db) => void

  /**
   * @param prove makes sure of what the file holds, whenever it has moved on and before anything else is read from it
   * @throws DataError when the file cannot be opened @throws Refusal 503 while the follower is in the midst of something
   */
  constructor(file: string, prove: (db: Db) => void = () => {}) {
    this.#prove = prove
    // As it was restored it says that it has a log: whoever reads it so would keep the follower from writing.
    if (saysLog(file)) {
      // Until the follower has finished, nothing in the file is changed here.
      for (const until = performance.now() + FIRST_PATIENCE; !lookAt(file).isWhole; Atomics.wait(pause, 0, 0, 5))
        if (performance.now() > until) throw inTheMidst()
      const { mtimeMs, atimeMs } = statSync(file)
      leaveLog(file)
      // The follower's note must not look older for it.
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

  /** What is set up once is set up anew for every connection: tables for a while. */
  exec(sql: string): void {
    this.#opened.db.exec(sql)
    this.#setUp.push(sql)
  }

  get inTransaction(): boolean {
    return this.#opened.db.inTransaction
  }

  /** @throws Refusal 503 while the follower is in the midst of something */
  snapshot<T>(work: () => T): T {
    if (this.inTransaction) return work()
    const before = this.#opened
    this.#begin()
    try {
      if (before !== this.#opened) this.#onMoved()
      return work()
    } finally {
      this.#opened.end.run()
    }
  }

  /** Told, within the read that finds it so, that the data has moved on since the one before. */
  onMoved(told: () => void): void {
    this.#onMoved = told
  }

  /** How long a read waits for the follower from now on, in milliseconds. */
  setPatience(milliseconds: number): void {
    this.#patience = milliseconds
    this.#known = ""
  }

  /** Whether the file is whole now, what state it is in, and since when. */
  look(): Look {
    return lookAt(this.#file)
  }

  /** Whether it is another file than the one that was opened. */
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
      // A stranger's file may have a view under any name, which would be run; the schema itself is always a table.
      return { db, begin: db.prepare("BEGIN"), first: db.prepare("SELECT 1 FROM sqlite_schema"), end: db.prepare("COMMIT") }
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Begins to read: holds the file as it is, by a connection that remembers nothing of how it was. */
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
          if (Date.now() - at > STEP) this.#known = state
          return
        }
        this.#opened.end.run()
      }
      if (performance.now() > until) throw inTheMidst()
      Atomics.wait(pause, 0, 0, 5)
    }
  }

  /** @throws what `#prove` throws; then the file is let go, and the next who reads has it proved again */
  #proveHeld(): void {
    const { db, end } = this.#opened
    try {
      this.#prove(db)
    } catch (error) {
      if (db.inTransaction) end.run()
      throw error
    }
  }

  /** Where the follower keeps the file locked just then, the earlier connection stays; the next who reads opens the file anew before anything is read. */
  #reopen(): void {
    const before = this.#opened
    try {
      this.#opened = this.#connect()
    } catch (error) {
      throw isBusy(error) ? inTheMidst() : error
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
      throw isBusy(error) ? inTheMidst() : error
    }
  }
}
