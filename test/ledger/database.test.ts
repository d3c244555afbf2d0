/** Opening the data: with full durability, and never over a foreign file. */
import { pattern } from "../support/pattern.ts"
import { createHash } from "node:crypto"
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { openData, DataError, openDatabase } from "../../src/ledger/storage/opening.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import { latestSchema, schemaSql } from "../../src/ledger/storage/schema.ts"
import { tryStorage } from "../../src/ledger/write/readiness.ts"
import { temporaryFolder } from "../support/service.ts"

const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true }))
let files = 0
const newFile = () => join(folder, `${++files}.db`)

const pragma = (db: Db, name: string): unknown => Object.values(db.prepare<object>(`PRAGMA ${name}`).get() ?? {})[0]
const shapeOf = (db: Db) => db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all()
const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")

/** Opens a file and closes it again. */
function visit<T>(file: string, work: (db: Db) => T): T {
  const db = openDatabase(file)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
const version = (file: string) => new Database(file, { readonly: true }).pragma("user_version", { simple: true })

test("new data has the whole schema, and every connection has full durability", (t) => {
  visit(newFile(), (db) => {
    t.equal(pragma(db, "journal_mode"), "wal")
    t.equal(pragma(db, "synchronous"), 2, "FULL: a commit is on the disk before it is answered")
    t.equal(pragma(db, "foreign_keys"), 1)
    t.equal(pragma(db, "user_version"), latestSchema)
    const tables = new Set(shapeOf(db).map((row) => (row as { name: string }).name))
    for (const [, name] of schemaSql().matchAll(/^CREATE (?:VIRTUAL )?TABLE (\w+)/gm))
      t.ok(tables.has(String(name)), String(name))
  })
  t.end()
})

test("data of an earlier version opens only after it was upgraded, and data of a newer one never", (t) => {
  const file = newFile()
  visit(file, () => {})
  const before = digest(file)
  t.throws(() => openDatabase(file, latestSchema + 1), {
    name: "DataError",
    message:
      `The data is older than schema ${latestSchema + 1}, and the command that opens it must upgrade ` +
      "it first. Nothing was changed.",
  })
  t.equal(version(file), latestSchema)
  t.equal(digest(file), before)
  t.end()
})

/** Makes a file that must not be opened. */
const strangers: Readonly<Record<string, { make: (file: string) => void; told: RegExp }>> = {
  "another program's database": {
    make: (file) =>
      void new Database(file).exec("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('bread')").close(),
    told: /is an SQLite database of another program\. Nothing was changed\./,
  },
  "another program's database that is still empty": {
    make: (file) => void new Database(file).exec("PRAGMA application_id = 1; VACUUM").close(),
    told: /is an SQLite database of another program\. Nothing was changed\./,
  },
  "a text": {
    make: (file) => writeFileSync(file, "Dear diary"),
    told: /is not a research-room database, or its beginning is damaged\. Nothing was changed\./,
  },
  ...Object.fromEntries(
    [1, 2, 22].map((old) => [
      `data from before version 1.0.0, of what was schema ${old} then`,
      {
        make: (file: string) => {
          const database = new Database(file)
          database.pragma(`application_id = ${0x524f4f4d}`)
          database.pragma(`user_version = ${old}`)
          database.exec("CREATE TABLE history (position INTEGER PRIMARY KEY)")
          database.close()
        },
        told: pattern(
          /^\S+ was written before version 1\.0\.0, and commit c6f7581 is the last that reads it\. /,
          /Nothing was changed\.$/,
        ),
      },
    ]),
  ),
  "data of a newer program": {
    make: (file) => {
      visit(file, () => {})
      const database = new Database(file)
      database.pragma("user_version = 99")
      database.close()
    },
    told: /was written by a newer research-room \(schema 99; this program knows up to \d+\)\. Nothing was changed\./,
  },
  "data with one page overwritten by another": {
    make: (file) => {
      visit(file, () => {})
      const bytes = readFileSync(file)
      bytes.copy(bytes, 2 * 4096, 5 * 4096, 6 * 4096)
      writeFileSync(file, bytes)
    },
    told: /is damaged\. Nothing was changed\./,
  },
  "truncated data": {
    make: (file) => {
      visit(file, () => {})
      truncateSync(file, 10 * 4096)
    },
    told: /is damaged\. Nothing was changed\./,
  },
}

for (const [what, { make, told }] of Object.entries(strangers)) {
  test(`${what} is left alone, byte for byte`, (t) => {
    const file = newFile()
    make(file)
    const before = digest(file)
    try {
      openDatabase(file).close()
      t.fail("it was opened")
    } catch (error) {
      t.type(error, DataError)
      t.match((error as Error).message, told)
      t.notMatch((error as Error).message, /\n/, "one sentence per problem, on one line")
    }
    t.equal(digest(file), before)
    t.end()
  })
}

test("if two processes create the data at once, one of them names the instance", (t) => {
  const file = newFile()
  const [one, other] = [openData(file), openData(file)]
  t.equal(one.instanceId, other.instanceId)
  one.db.close()
  other.db.close()
  t.equal(((data) => (data.db.close(), data.instanceId))(openData(file)), one.instanceId, "and the name stays")
  t.end()
})

test("trying the storage needs as much space as the largest write, and keeps nothing of it", (t) => {
  const file = newFile()
  const { db } = openData(file)
  t.teardown(() => db.close())
  const sizeOf = () => statSync(`${file}-wal`).size
  const before = sizeOf()
  db.exec("BEGIN IMMEDIATE")
  tryStorage(db)
  db.exec("COMMIT")
  t.ok(sizeOf() - before >= 512 * 1024, `${sizeOf() - before} bytes of the log were needed`)
  t.equal(db.prepare<{ papers: number }>("SELECT count(*) AS papers FROM papers").get()?.papers, 0)
  t.end()
})
