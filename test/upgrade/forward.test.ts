/**
 * Tables are rebuilt from the journal beside the old file, verified, and only then replace it, whatever happens in
 * between.
 */
import Database from "better-sqlite3"
import tap from "tap"
import { pattern } from "../support/pattern.ts"
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Test, test } from "tap"
import { startResearchRoom } from "research-room/testing"
import { bringForward, rebuild } from "../../src/app/compose/upgrade.ts"
import { checkData, compare } from "../../src/check/check.ts"
import { databaseFile, openDatabase } from "../../src/ledger/storage/opening.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import { notReplayed } from "../../src/ledger/storage/not-replayed.ts"
import { latestSchema } from "../../src/ledger/storage/schema.ts"
import { tablesOf } from "../../src/ledger/storage/tables.ts"
import { temporaryFolder } from "../support/service.ts"
import { asEarlier } from "./sample.ts"

const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true, force: true }))

const told = join(folder, "told")
await (await startResearchRoom({ data: told })).close()

/** A copy of the demo's data, alone in a folder. */
function copied(t: Test): string {
  const own = temporaryFolder()
  t.teardown(() => rmSync(own, { recursive: true, force: true }))
  copyFileSync(databaseFile(told), databaseFile(own))
  return databaseFile(own)
}
function looked<T>(file: string, work: (db: Db) => T): T {
  const db = openDatabase(file)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
const beside = (file: string) => readdirSync(join(file, ".."))
const problemsOf = (file: string) => looked(file, (db) => checkData(db).problems)

test("after the rebuild every row is unchanged, including those that no write makes", (t) => {
  const file = copied(t)
  const before = copied(t)
  const old = openDatabase(file)
  rebuild(file, old)
  looked(file, (made) =>
    looked(before, (data) => {
      const problems: string[] = []
      compare(
        data,
        made,
        (problem) => problems.push(problem),
        () => {},
      )
      t.strictSame(problems, [])
      const kept = (db: Db, { table, columns }: (typeof notReplayed)[number]) => {
        const { key } = tablesOf(db).find(({ name }) => name === table) ?? { key: [] }
        return db.prepare(`SELECT ${(columns ?? ["*"]).join(", ")} FROM ${table} ORDER BY ${key.join(", ")}`).all()
      }
      for (const each of notReplayed) t.strictSame(kept(made, each), kept(data, each), `${each.table}: ${each.why}`)
    }),
  )
  t.strictSame(beside(file), ["research-room.db"], "and no other file is left")
  t.strictSame(problemsOf(file), [])
  t.end()
})

test("a rebuild that stops in the middle leaves the old file unchanged, and the next try succeeds", (t) => {
  const file = copied(t)
  // Page by page, since its header says how it is written to.
  const pages = () => readFileSync(file).subarray(100)
  const bytes = pages()
  const half = Math.floor(
    looked(file, (db) => db.prepare<{ n: number }>("SELECT max(position) AS n FROM journal").one().n) / 2,
  )
  const old = openDatabase(file)
  t.throws(
    () =>
      rebuild(file, old, {
        onEntry({ position }) {
          if (position === half) throw new Error("the power went")
        },
      }),
    /the power went/,
  )
  old.close()
  t.ok(pages().equals(bytes))
  t.strictSame(beside(file), ["research-room.db"])
  rebuild(file, openDatabase(file))
  t.strictSame(problemsOf(file), [])
  t.end()
})

test("only a full disk is told to be full; every other fault of the storage has its own sentence", (t) => {
  const file = copied(t)
  const before = readFileSync(file)
  for (const [code, told] of [
    ["SQLITE_FULL", /^There is not enough space beside .*research-room\.db to upgrade it: .* Nothing was changed\.$/],
    [
      "SQLITE_IOERR_WRITE",
      /^.*research-room\.db could not be upgraded, since its disk failed \(SQLITE_IOERR_WRITE\)\. /,
    ],
    ["SQLITE_READONLY", /could not be upgraded, since its disk failed \(SQLITE_READONLY\)\. Nothing was changed\./],
  ] as const) {
    const onProgress = () => {
      throw new Database.SqliteError("told by the disk", code)
    }
    t.throws(() => rebuild(file, openDatabase(file), { onProgress }), { name: "DataError", message: told })
    t.strictSame(beside(file), ["research-room.db"])
  }
  t.ok(readFileSync(file).subarray(100).equals(before.subarray(100)), "the data is unchanged")
  t.end()
})

test("files of a killed try are removed by the next one", (t) => {
  const file = copied(t)
  writeFileSync(`${file}.remade-2147483646`, "half of a file")
  rebuild(file, openDatabase(file))
  t.strictSame(beside(file), ["research-room.db"])
  t.end()
})

test("what an interrupted transaction left in a journal of SQLite's is undone first", (t) => {
  const [live, left] = [temporaryFolder(), temporaryFolder()]
  t.teardown(() => [live, left].forEach((each) => rmSync(each, { recursive: true, force: true })))
  const [from, file] = [asEarlier(live), databaseFile(left)]
  const database = new Database(from)
  database.pragma("journal_mode = DELETE")
  // So small a cache that changed pages reach the file before the transaction ends.
  database.pragma("cache_size = 1")
  database.exec("BEGIN; CREATE TABLE filler AS SELECT * FROM journal")
  for (const suffix of ["", "-journal"]) copyFileSync(from + suffix, file + suffix)
  database.close()
  t.ok(statSync(`${file}-journal`).size > 0, "it is as a killed process leaves it")
  bringForward(file)
  t.strictSame(beside(file), ["research-room.db"])
  t.strictSame(problemsOf(file), [])
  t.end()
})

test("a journal that gives different tables is refused, and nothing is changed", (t) => {
  const forge = (sql: string) => {
    const file = copied(t)
    const forger = new Database(file)
    const triggers = forger.prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE(ABORT%'",
    )
    for (const { name } of triggers.all()) forger.exec(`DROP TRIGGER ${name}`)
    forger.exec(sql)
    forger.close()
    return file
  }
  const [head, moved, gone] = [
    forge("UPDATE room_heads SET activity_digest = 'sha256:0'"),
    forge("UPDATE journal SET at = '2026-11-02T09:00:00.001Z' WHERE position = 9"),
    forge("UPDATE journal SET given = NULL WHERE operation = 'publish_finding'"),
  ]
  const refusedWith = (file: string, message: RegExp) => {
    const old = openDatabase(file)
    t.throws(() => rebuild(file, old), { name: "DataError", message })
    old.close()
    t.ok(existsSync(file))
    t.strictSame(beside(file), ["research-room.db"])
  }
  refusedWith(head, /^The activity of Room \S+ is different after a replay\. Nothing was changed\.$/)
  refusedWith(moved, /^A replay of the history gives another result\. Nothing was changed\.$/)
  refusedWith(
    gone,
    pattern(
      /cannot be upgraded: Entry \d+ of the journal \(publish_finding\): it requests more ids than were /,
      /recorded\. Nothing was changed\./,
    ),
  )
  t.end()
})

test("data that another program has open is not replaced", (t) => {
  const file = asEarlier(join(folder, "open"))
  const other = new Database(file)
  other.pragma("journal_mode = WAL")
  other.exec("BEGIN; SELECT count(*) FROM people")
  t.throws(() => bringForward(file), {
    name: "DataError",
    message: /is open in another program\. Nothing was changed\. End it first\.$/,
  })
  other.exec("COMMIT")
  t.throws(() => bringForward(file), /is open in another program/, "also where it only may write")
  other.close()
  bringForward(file)
  t.strictSame(problemsOf(file), [])
  t.end()
})

test("progress is reported from nothing to all", (t) => {
  const file = asEarlier(join(folder, "told-far"))
  const steps: [done: number, total: number][] = []
  bringForward(file, (done, total) => steps.push([done, total]))
  t.equal(steps[0]?.[0], 0)
  t.ok(steps.every(([done, total], index) => done <= total && done >= (steps[index - 1]?.[0] ?? 0)))
  t.equal(steps.at(-1)?.[0], steps.at(-1)?.[1])
  t.equal(new Database(file, { readonly: true }).pragma("user_version", { simple: true }), latestSchema)
  t.end()
})
