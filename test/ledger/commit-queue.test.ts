/** Group commit: writes of one turn share a transaction, but each succeeds or fails alone. */
import assert from "node:assert/strict"
import { rmSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import tap, { test } from "tap"
import { Refusal } from "../../src/contract/refusals.ts"
import { CommitQueue, RollbackWith } from "../../src/ledger/write/commit-queue.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { temporaryFolder } from "../support/service.ts"

const folder = temporaryFolder()
const db = openDatabase(join(folder, "queue.db"))
/** What another process would see: only committed rows. */
const onlooker = openDatabase(join(folder, "queue.db"))
tap.teardown(() => {
  db.close()
  onlooker.close()
  rmSync(folder, { recursive: true })
})
db.exec("CREATE TABLE test_scraps (text TEXT NOT NULL UNIQUE) STRICT")
const note = db.prepare("INSERT INTO test_scraps VALUES (?)")
const seen = onlooker.prepare<{ text: string }>("SELECT text FROM test_scraps ORDER BY rowid")
const written = () => seen.all().map(({ text }) => text)

type Ending = "stays" | "refused" | "undone" | "collides" | "breaks"
/** A job that writes some notes and then ends as instructed. */
function work(texts: readonly string[], ending: Ending) {
  return (): string => {
    for (const text of texts) note.run(text)
    if (ending === "refused") throw new Refusal("state_conflict", "As the test wants it.")
    if (ending === "undone") throw new RollbackWith("undone")
    if (ending === "collides") note.run(texts[0] as string)
    if (ending === "breaks") throw new Error("a fault of the program")
    return "stays"
  }
}
/** How a job reported its end to its caller. */
const told = (job: Promise<string>): Promise<string> =>
  job.catch((error: unknown) =>
    error instanceof Refusal ? "refused" : (error as Error).message.includes("UNIQUE") ? "collides" : "breaks",
  )

/** What a refusal says about the write. */
function toldBy(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { committed = false, retryAfter } = error.details
  return { refusal: error.code, committed, retryAfter }
}

test("of a group exactly the jobs that succeed are stored, in order", async (t) => {
  const groups: number[] = []
  const queue = new CommitQueue(db, { afterGroup: (writes) => groups.push(writes) })
  let group = 0
  const jobs = fc.array(
    fc.record({
      notes: fc.integer({ min: 1, max: 3 }),
      ending: fc.constantFrom<Ending>("stays", "stays", "refused", "undone", "collides", "breaks"),
    }),
    { minLength: 1, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(jobs, async (made) => {
      group += 1
      const before = written()
      const heard: number[] = []
      const plans = made.map(({ notes, ending }, index) => ({
        ending,
        texts: Array.from({ length: notes }, (_, n) => `${group}.${index}.${n}`),
      }))
      const outcomes = await Promise.all(
        plans.map(({ texts, ending }, index) =>
          told(queue.run(() => (queue.afterCommit(() => heard.push(index)), work(texts, ending)()))),
        ),
      )
      assert.equal(groups.at(-1), made.length, "all share one transaction")
      const staying = plans.filter(({ ending }) => ending === "stays")
      assert.deepEqual(
        outcomes,
        plans.map(({ ending }) => ending),
        "each caller learns its own ending",
      )
      assert.deepEqual(written(), [...before, ...staying.flatMap(({ texts }) => texts)])
      assert.deepEqual(
        heard,
        plans.flatMap(({ ending }, index) => (ending === "stays" ? [index] : [])),
        "only what is stored is announced",
      )
    }),
    { numRuns: 80 },
  )
  t.equal(db.inTransaction, false)
})

test("a disk that fills up within a group fails the whole group, including refusals and rehearsals", async (t) => {
  const queue = new CommitQueue(db)
  const before = written()
  const pages = db.prepare<{ page_count: number }>("PRAGMA page_count").get()?.page_count ?? 0
  db.prepare(`PRAGMA max_page_count = ${pages + 1}`).get()
  const jobs = [
    work(["small"], "stays"),
    work(["also small"], "refused"),
    work(["rehearsed"], "undone"),
    work(["x".repeat(50_000)], "stays"),
    work(["small too"], "stays"),
  ]
  const outcomes = await Promise.allSettled(jobs.map((job) => queue.run(job)))
  db.prepare(`PRAGMA max_page_count = ${2 ** 30}`).get()
  for (const outcome of outcomes)
    t.strictSame(outcome.status === "rejected" && toldBy(outcome.reason), {
      refusal: "temporarily_unavailable",
      committed: false,
      retryAfter: 2,
    })
  t.strictSame(written(), before, "nothing is stored")
  t.strictSame(
    await Promise.all([work(["small"], "stays"), work(["and another"], "stays")].map((job) => told(queue.run(job)))),
    ["stays", "stays"],
    "once there is space, writes succeed",
  )
})

// shows: Each accepted write adds an activity entry together with its receipt.
test("callers are answered and readers woken only after the commit", async (t) => {
  const queue = new CommitQueue(db)
  const seenByReader: string[][] = []
  const first = queue.run(() => {
    queue.afterCommit(() => seenByReader.push(written()))
    note.run("first of a pair")
    return written()
  })
  const second = queue.run(() => (note.run("second of a pair"), written()))
  t.notOk((await first).includes("first of a pair"), "no other connection sees it before")
  t.notOk((await second).includes("first of a pair"), "the whole group is still open")
  t.strictSame(seenByReader[0]?.slice(-2), ["first of a pair", "second of a pair"])
})

/** A database in which the given statement fails as on a bad disk. */
function failing(sql: string, code: string): Db {
  return {
    ...{ exec: (text: string) => db.exec(text), snapshot: <T>(does: () => T) => db.snapshot(does), close: () => {} },
    get inTransaction() {
      return db.inTransaction
    },
    prepare<Row>(text: string) {
      const statement = db.prepare<Row>(text)
      if (text !== sql) return statement
      const fail = () => {
        // The driver's own error class: its code says what the disk reported.
        throw Object.assign(diskError(), { code })
      }
      return { ...statement, run: fail }
    },
  }
}
/** An error of the driver's own class. */
function diskError(): Error {
  try {
    db.exec("not SQL")
  } catch (error) {
    return error as Error
  }
  throw new Error("that was SQL")
}

// shows: 503 where the database or a reference check fails for now; the same may be sent again.
test("a disk failure before the commit stores nothing; one during the commit leaves it unknown", async (t) => {
  const before = written()
  const refusalOf = (job: Promise<unknown>) => job.then(() => null, toldBy)
  const cases = [
    ["BEGIN IMMEDIATE", "SQLITE_IOERR_READ", false],
    ["BEGIN IMMEDIATE", "SQLITE_BUSY", false],
    ["COMMIT", "SQLITE_IOERR_FSYNC", null],
    ["COMMIT", "SQLITE_FULL", null],
  ] as const
  for (const [sql, code, committed] of cases) {
    const queue = new CommitQueue(failing(sql, code))
    const refusals = await Promise.all(
      ["a", "b"].map((text) => refusalOf(queue.run(work([`${code} ${text}`], "stays")))),
    )
    for (const refusal of refusals)
      t.strictSame(
        refusal,
        { refusal: "temporarily_unavailable", committed, retryAfter: 2 },
        `${sql} fails with ${code}`,
      )
    t.notOk(db.inTransaction, "no transaction is left open")
  }
  t.strictSame(written(), before)
  const queue = new CommitQueue(db)
  t.equal(await told(queue.run(work(["the disk is well again"], "stays"))), "stays")
})
