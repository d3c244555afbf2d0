/**
 * SQLite leaves copies of rows beside the rows: in pages from which they moved, after the end of a long row, in free
 * pages. Clearing overwrites all of them and changes no row, also if rows move again between its pieces.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { LogCopying } from "../../src/app/serving/log-copying.ts"
import { clearAlone } from "../../src/ledger/storage/clearing.ts"
import { SqliteDb } from "../../src/ledger/storage/database.ts"
import { OpenedFiles } from "../../src/ledger/storage/file-watch.ts"
import { openWatching } from "../../src/ledger/storage/opening.ts"
import { runs } from "../support/chance.ts"
import { temporaryFolder } from "../support/service.ts"

const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true, force: true }))
const PAGE = 4_096
const SECRET = "the secret"

/** Numbers that look random and are the same in each run. */
function chanceOf(seed: number) {
  let state = seed
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
}

/** Tables of each kind, of which every row held the secret and none does. */
class Filled {
  readonly db: Database.Database
  readonly #chance: () => number
  /** The rows as they should be. */
  readonly #texts = new Map<number, string>()

  constructor(file: string, seed: number, page = PAGE) {
    this.#chance = chanceOf(seed)
    this.db = new Database(file)
    this.db.pragma(`page_size = ${page}`)
    for (const each of ["journal_mode = WAL", "secure_delete = FAST", "synchronous = OFF", "wal_autocheckpoint = 0"])
      this.db.pragma(each)
    this.db.exec(
      `CREATE TABLE instance (unclean INTEGER NOT NULL); INSERT INTO instance VALUES (1);
       CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT);
       CREATE INDEX rows_by_text ON rows (text);
       CREATE TABLE keyed (text TEXT, id INTEGER, PRIMARY KEY (text, id)) WITHOUT ROWID`,
    )
    const ids = Array.from({ length: 40 + Math.floor(60 * this.#chance()) }, (_, id) => id)
    const longest = [300, 900, 9_000][seed % 3] ?? 0
    const mixed = () => ids.toSorted(() => this.#chance() - 0.5)
    for (const id of mixed()) this.put(id, `${this.#chance()} ${SECRET} `.repeat((longest * this.#chance()) / 20 + 1))
    // In one transaction pages become free and hold other rows, with what they held after the end of these.
    this.db.exec("BEGIN")
    for (const id of mixed()) this.put(id, `${this.#chance()} in place of it ${"m".repeat(longest * this.#chance())}`)
    this.db.exec("COMMIT")
  }

  put(id: number, text: string): void {
    this.take(id)
    this.#texts.set(id, text)
    for (const sql of ["INSERT INTO rows VALUES (?, ?)", "INSERT INTO keyed (id, text) VALUES (?, ?)"])
      this.db.prepare(sql).run(id, text)
  }

  take(id: number): void {
    this.db.prepare("DELETE FROM rows WHERE id = ?").run(id)
    this.db.prepare("DELETE FROM keyed WHERE text = ? AND id = ?").run(this.#texts.get(id) ?? "", id)
    this.#texts.delete(id)
  }

  /** Removes the shorter rows, so that the others move to pages together. */
  thin(): void {
    for (const [id, text] of [...this.#texts]) if (text.length < 2_500) this.take(id)
  }

  /** Whether the tables hold what they should, and the file is whole. */
  isRight(db = this.db): boolean {
    const due = [...this.#texts].sort(([one], [other]) => one - other).flat()
    const found = ["rows", "keyed"].map((table) =>
      (db.prepare(`SELECT id, text FROM ${table} ORDER BY id`).raw().all() as unknown[][]).flat(),
    )
    const isSame = found.every((each) => JSON.stringify(each) === JSON.stringify(due))
    return isSame && db.pragma("integrity_check", { simple: true }) === "ok"
  }

  /** Counts the pages that hold the secret: beside rows that moved, after the end of a long row, and all. */
  holding(): { moved: number; after: number; all: number } {
    const used = this.db.prepare("SELECT pageno, pagetype, unused FROM dbstat").raw().all()
    const bytes = this.db.serialize()
    const holds = (page: number, from = 0) => bytes.subarray((page - 1) * PAGE + from, page * PAGE).includes(SECRET)
    const pages = used as [number, string, number][]
    return {
      moved: pages.filter(([page, type]) => type !== "overflow" && holds(page)).length,
      after: pages.filter(([page, type, unused]) => type === "overflow" && holds(page, PAGE - unused)).length,
      all: Array.from({ length: bytes.length / PAGE }, (_, page) => page + 1).filter((page) => holds(page)).length,
    }
  }
}

/**
 * Clears a file and closes it.
 * @param after runs after each piece @param milliseconds for a piece, of one page at least
 * @returns how many pieces it took
 */
async function cleared(
  file: string,
  filled: Filled,
  after: (piece: number) => void,
  milliseconds?: number,
): Promise<number> {
  const files = new OpenedFiles(file, openWatching(file))
  const copying = new LogCopying(file, new SqliteDb(filled.db), files)
  let pieces = 0
  const between = (work: () => void) => {
    filled.db.transaction(work).immediate()
    pieces += 1
    after(pieces)
    return true
  }
  const isCleared = await copying.isCleared(between, milliseconds)
  await copying.end()
  if (!filled.isRight()) throw new Error(`${file} is damaged while it is open`)
  filled.db.close()
  files.close()
  if (!isCleared) throw new Error(`${file} is not cleared after ${pieces} pieces`)
  return pieces
}

/** What is wrong with a file that was cleared and closed. */
function wrongWith(file: string, filled: Filled): string[] {
  const database = new Database(file)
  const isRight = filled.isRight(database)
  database.close()
  const holdsIt = readFileSync(file).includes(SECRET)
  return [...(isRight ? [] : ["its rows"]), ...(holdsIt ? ["it holds the secret"] : [])]
}

test("every copy beside the rows is cleared, every row stays, and the file is whole", async (t) => {
  const found = { moved: 0, after: 0, free: 0 }
  for (let seed = 1; seed <= runs(150, 24); seed += 1) {
    const file = join(folder, `${seed}.db`)
    const filled = new Filled(file, seed)
    const { moved, after, all } = filled.holding()
    found.moved += moved
    found.after += after
    found.free += all - moved - after
    await cleared(file, filled, () => {})
    t.strictSame(wrongWith(file, filled), [], `seed ${seed}`)
  }
  for (const [where, pages] of Object.entries(found)) t.ok(pages > 0, `${pages} pages held copies: ${where}`)
})

test("so it is if rows move between the pages while they are cleared one by one", async (t) => {
  for (let seed = 2; seed <= runs(90, 18); seed += 3) {
    const file = join(folder, `moving-${seed}.db`)
    const filled = new Filled(file, seed)
    const pieces = await cleared(file, filled, (piece) => void (piece === 3 * seed && filled.thin()), 0)
    t.ok(pieces > 3 * seed, `${pieces} pieces`)
    t.strictSame(wrongWith(file, filled), [], `seed ${seed}`)
  }
})

test("so is a file that nobody has open, also with pages of a size that its header tells as 1", async (t) => {
  for (const page of [PAGE, 65_536]) {
    const file = join(folder, `alone-${page}.db`)
    const filled = new Filled(file, 2, page)
    filled.db.pragma("wal_checkpoint(TRUNCATE)")
    filled.db.close()
    t.ok(readFileSync(file).includes(SECRET), "copies are left")
    await clearAlone(file)
    t.strictSame(wrongWith(file, filled), [], `pages of ${page} bytes`)
  }
})
