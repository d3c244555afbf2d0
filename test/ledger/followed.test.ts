/**
 * A file that Litestream's follower writes, reopened at a moment when another file is locked: that reader is told to
 * retry, and the next one reads normally.
 */
import { rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { followerNote } from "../../src/ledger/storage/litestream-files.ts"
import { FollowerDb, readPatienceMs } from "../../src/ledger/storage/follower-file.ts"
import { temporaryFolder } from "../support/service.ts"

const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true, force: true }))
const [file, beside] = ["research-room.db", "beside.db"].map((name) => join(folder, name)) as [string, string]
const writer = new Database(file)
writer.exec("CREATE TABLE instance (count); INSERT INTO instance VALUES (1)")
const other = new Database(beside)
other.exec("CREATE TABLE t (a)")

let second = Math.floor(Date.now() / 1_000) - 1_000
/** What the follower does: it changes the file, then its note. */
function change(count: number): void {
  writer.prepare("UPDATE instance SET count = ?").run(count)
  second += 1
  utimesSync(file, second, second)
  writeFileSync(followerNote(file), String(count))
  utimesSync(followerNote(file), second, second)
}

test("a connection that cannot be opened at that moment is opened for the next reader", (t) => {
  change(1)
  const followed = new FollowerDb(file)
  // Each new connection also reads the other file, so the test decides when it is locked.
  followed.exec(`ATTACH '${beside}' AS other; CREATE TEMP TABLE read AS SELECT * FROM other.t`)
  const count = followed.prepare<{ count: number }>("SELECT count FROM instance")
  t.equal(count.one().count, 1)
  followed.setPatience(readPatienceMs)
  change(2)
  other.exec("BEGIN EXCLUSIVE")
  for (const time of ["once", "and again"])
    t.throws(
      () => count.one(),
      { code: "temporarily_unavailable" },
      `whoever reads ${time} meanwhile is told to ask again`,
    )
  other.exec("ROLLBACK")
  t.equal(count.one().count, 2)
  followed.close()
  t.end()
})
