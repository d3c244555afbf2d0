/**
 * `serve --follow` of a file that was tampered with: anything that this program does not create is not served, before
 * or after the start, and no broken answer is given.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import Database from "better-sqlite3"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { startCopy } from "../../src/app/replication/follower.ts"
import { followerNote } from "../../src/ledger/storage/litestream-files.ts"
import { openMade } from "../../src/ledger/storage/opening.ts"
import { latestSchema } from "../../src/ledger/storage/schema.ts"
import { openLog } from "../../src/log.ts"
import { startFollower } from "../support/follower.ts"
import { temporaryFolder } from "../support/service.ts"

const [data, whole, work] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
const { rooms, close } = await startResearchRoom({ data })
await close()
const follower = await startFollower(join(data, "research-room.db"), join(whole, "research-room.db"))
await follower.close()
tap.teardown(() => {
  for (const folder of [data, whole, work]) rmSync(folder, { recursive: true, force: true })
})

/** A follower's note newer than the file, as after a finished update. */
const finish = (file: string) => {
  const later = Date.now() / 1_000 + 1
  utimesSync(followerNote(file), later, later)
}
let made = 0
/** A folder with a copy of the data, changed by SQL. */
function folderWith(sql: string): { readonly folder: string; readonly file: string } {
  const folder = join(work, `${(made += 1)}`)
  mkdirSync(folder)
  const file = join(folder, "research-room.db")
  copyFileSync(join(whole, "research-room.db"), file)
  writeFileSync(followerNote(file), readFileSync(followerNote(join(whole, "research-room.db"))))
  tamper(file, sql)
  return { folder, file }
}
function tamper(file: string, sql: string): void {
  const database = new Database(file)
  database.pragma("journal_mode = DELETE")
  database.unsafeMode(true)
  // Triggers of the data call it.
  database.function("row_seal", { varargs: true }, () => Buffer.from("forged"))
  database.exec(sql)
  database.close()
  finish(file)
}
const start = (folder: string) =>
  startCopy({ host: "127.0.0.1", port: 0, log: openLog("silent"), follow: folder, primary: "http://127.0.0.1:9" })

const context = `/api/research/rooms/${rooms.main.roomId}/research-context`
/** The name of a table to replace by an endless view. */
const endless = (table: string) =>
  `ALTER TABLE ${table} RENAME TO kept; CREATE VIEW ${table} AS WITH RECURSIVE c (x) AS (SELECT 1
    UNION ALL SELECT x + 1
    FROM c) SELECT c.x AS instance_id FROM c WHERE x < 0`
const forged = {
  "an endless view for the table that is read first": endless("instance"),
  "a view for a table":
    "ALTER TABLE attempt_curves RENAME TO kept_curves; CREATE VIEW attempt_curves AS SELECT * FROM kept_curves",
  "a trigger": "CREATE TRIGGER added AFTER INSERT ON threads BEGIN SELECT 1; END",
  "a table of its own": "CREATE TABLE added (x)",
  "an index by a function": "CREATE INDEX added ON threads (abs(length(title)))",
  "a protecting trigger removed": "DROP TRIGGER journal_keep",
  "a changed definition":
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'threads'",
}
const others = {
  "a newer version": [`PRAGMA user_version = ${latestSchema + 1}`, new RegExp(`schema ${latestSchema + 1}`)],
  "another program": ["PRAGMA application_id = 7", /another program/],
} as const

test("a copy does not start from a file that contains anything this program does not create", async (t) => {
  for (const [name, sql] of Object.entries(forged))
    await t.rejects(
      start(folderWith(sql).folder),
      { message: /does not have the structure that this program makes, and is not served\. The / },
      name,
    )
  for (const [name, [sql, message]] of Object.entries(others))
    await t.rejects(start(folderWith(sql).folder), { message }, name)
  const plain = await start(folderWith("").folder)
  t.equal((await fetch(`${plain.baseUrl}${context}`)).status, 200, "an unchanged one is served")
  await plain.close()
})

test(
  "a copy ends when its file is replaced by another's, or by anything " + "that is not data of this program",
  async (t) => {
    const changes = {
      "another instance": "UPDATE instance SET instance_id = '01a1c4d3-13a9-73f5-8f3d-d5a42c60610b'",
      "a trigger": forged["a trigger"],
      "an endless view": endless("instance"),
      "a newer version": others["a newer version"][0],
    }
    for (const [name, sql] of Object.entries(changes)) {
      const { folder, file } = folderWith("")
      const copy = await start(folder)
      await pause(50)
      tamper(file, sql)
      const ended = await Promise.race([copy.broken.then(() => true), pause(5_000, false)])
      t.ok(ended, name)
      await copy.close()
    }
  },
)

test("a file truncated while it is served gives no broken answer, and does not end the service", async (t) => {
  const { folder, file } = folderWith("")
  const copy = await start(folder)
  await pause(50)
  truncateSync(file, 3 * 4_096)
  finish(file)
  for (let round = 0; round < 5; round += 1) {
    const answer = await fetch(`${copy.baseUrl}${context}`, { redirect: "manual" })
    t.ok(answer.status === 503 || answer.status === 307, `${answer.status}`)
    t.notMatch(await answer.text(), /SQLITE|malformed|at Object|\.ts:/)
  }
  await copy.close()
})

test("no code is loaded for a file that is read", async (t) => {
  const db = openMade(folderWith("").file)
  t.throws(() => db.prepare("SELECT load_extension('/tmp/evil')").get(), /not authorized|no such function/)
  db.close()
})
