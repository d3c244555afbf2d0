/** Opening the data: with full durability, forward over versions in whole steps, and never over what is not ours. */
import { createHash } from "node:crypto"
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { openData } from "../../src/ledger/data.ts"
import { DataError, type Db, openDatabase } from "../../src/ledger/database.ts"
import { type Migration, migrations, schemaSql } from "../../src/ledger/schema.ts"
import { temporaryFolder } from "../support/service.ts"

const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true }))
let files = 0
const newFile = () => join(folder, `${++files}.db`)

const pragma = (db: Db, name: string): unknown => Object.values(db.prepare<object>(`PRAGMA ${name}`).get() ?? {})[0]
const shapeOf = (db: Db) => db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all()
const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")

/** Opens a file and closes it again. */
function visit<T>(file: string, steps: readonly Migration[], work: (db: Db) => T): T {
  const db = openDatabase(file, steps)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
const version = (file: string) => new Database(file, { readonly: true }).pragma("user_version", { simple: true })

test("new data has the whole schema, and every connection full durability", (t) => {
  visit(newFile(), migrations, (db) => {
    t.equal(pragma(db, "journal_mode"), "wal")
    t.equal(pragma(db, "synchronous"), 2, "FULL: a commit is on the disk before it is answered")
    t.equal(pragma(db, "foreign_keys"), 1)
    t.equal(pragma(db, "user_version"), migrations.at(-1)?.to)
    const tables = new Set(shapeOf(db).map((row) => (row as { name: string }).name))
    for (const [, name] of schemaSql().matchAll(/^CREATE (?:VIRTUAL )?TABLE (\w+)/gm)) t.ok(tables.has(String(name)), String(name))
  })
  t.end()
})

test("a released version is brought forward, step by step, and its data stays", (t) => {
  const file = newFile()
  const first = migrations
  const last = first.at(-1)?.to ?? 1
  const steps = [
    ...first,
    { to: last + 1, sql: "CREATE TABLE moods (mood TEXT NOT NULL) STRICT" },
    { to: last + 2, sql: "ALTER TABLE moods ADD COLUMN at TEXT; INSERT INTO moods VALUES ('good', '2026')" },
  ]
  const { instanceId } = ((data) => (data.db.close(), data))(openData(file))

  t.strictSame(
    visit(file, steps.slice(0, -1), (db) => pragma(db, "user_version")),
    last + 1,
  )
  t.strictSame(
    visit(file, steps, (db) => db.prepare("SELECT * FROM moods").all()),
    [{ mood: "good", at: "2026" }],
  )
  t.equal(version(file), last + 2)
  t.strictSame(
    visit(file, steps, (db) => db.prepare("SELECT count(*) AS moods FROM moods").get()),
    { moods: 1 },
    "a step is taken once",
  )
  t.strictSame(
    visit(file, steps, (db) => db.prepare("SELECT instance_id FROM instance").all()),
    [{ instance_id: instanceId }],
    "it is the same instance",
  )
  t.end()
})

test("a step that fails takes back all it did, and the data opens as before", (t) => {
  const file = newFile()
  const before = visit(file, migrations, shapeOf)
  const next = (migrations.at(-1)?.to ?? 1) + 1
  const broken = [
    ...migrations,
    { to: next, sql: "CREATE TABLE moods (mood TEXT) STRICT; INSERT INTO moods VALUES ('good'); CREATE TABLE rooms (twice TEXT)" },
  ]
  t.throws(() => openDatabase(file, broken), /table rooms already exists/)
  t.equal(version(file), next - 1)
  t.strictSame(visit(file, migrations, shapeOf), before)

  const half = [
    ...migrations,
    { to: next, sql: "CREATE TABLE moods (mood TEXT) STRICT" },
    { to: next + 1, sql: "CREATE TABLE moods (again TEXT)" },
  ]
  t.throws(() => openDatabase(file, half), /moods already exists/)
  t.equal(version(file), next, "the steps before it stand")
  t.throws(
    () => openDatabase(file, migrations),
    { name: "DataError", message: new RegExp(`newer research-room \\(schema ${next}; this program knows up to ${next - 1}\\)`) },
    "an older program keeps away from them",
  )
  t.end()
})

test("the steps are numbered without a gap", (t) => {
  t.strictSame(
    migrations.map(({ to }) => to),
    migrations.map((_, index) => index + 1),
    "steps are numbered without a gap",
  )
  t.end()
})

/** Makes a file that must not be opened. */
const strangers: Readonly<Record<string, { make: (file: string) => void; told: RegExp }>> = {
  "another program's database": {
    make: (file) => void new Database(file).exec("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('bread')").close(),
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
  "data of a newer program": {
    make: (file) => {
      visit(file, migrations, () => {})
      const database = new Database(file)
      database.pragma("user_version = 99")
      database.close()
    },
    told: /was written by a newer research-room \(schema 99; this program knows up to \d+\)\. Nothing was changed\./,
  },
  "data whose pages are mixed up": {
    make: (file) => {
      visit(file, migrations, () => {})
      const bytes = readFileSync(file)
      bytes.copy(bytes, 2 * 4096, 5 * 4096, 6 * 4096)
      writeFileSync(file, bytes)
    },
    told: /is damaged\. Nothing was changed\./,
  },
  "data that was cut off": {
    make: (file) => {
      visit(file, migrations, () => {})
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
      t.notMatch((error as Error).message, /\n/, "one sentence after the other, on one line")
    }
    t.equal(digest(file), before)
    t.end()
  })
}

test("of two processes that make the data at once, one names the instance", (t) => {
  const file = newFile()
  const [one, other] = [openData(file), openData(file)]
  t.equal(one.instanceId, other.instanceId)
  one.db.close()
  other.db.close()
  t.equal(((data) => (data.db.close(), data.instanceId))(openData(file)), one.instanceId, "and keeps its name")
  t.end()
})
