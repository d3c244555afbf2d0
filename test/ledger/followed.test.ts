/**
 * A file that Litestream's follower writes, at the moment in which it is opened anew and something else is locked just then: who
 * reads is told to ask again, and the next who asks reads on.
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
/** What the follower does: the file is changed, and its note after it. */
function change(count: number): void {
  writer.prepare("UPDATE instance SET count = ?").run(count)
  second += 1
  utimesSync(file, second, second)
  writeFileSync(followerNote(file), String(count))
  utimesSync(followerNote(file), second, second)
}

test("a connection that cannot be opened just then is opened for the next who asks", (t) => {
  change(1)
  const followed = new FollowerDb(file)
  // Each new connection reads the other file as well, so that the moment in which it is locked is ours.
  followed.exec(`ATTACH '${beside}' AS other; CREATE TEMP TABLE read AS SELECT * FROM other.t`)
  const count = followed.prepare<{ count: number }>("SELECT count FROM instance")
  t.equal(count.one().count, 1)
  followed.setPatience(readPatienceMs)
  change(2)
  other.exec("BEGIN EXCLUSIVE")
  for (const time of ["once", "and again"])
    t.throws(() => count.one(), { code: "temporarily_unavailable" }, `whoever reads ${time} meanwhile is told to ask again`)
  other.exec("ROLLBACK")
  t.equal(count.one().count, 2)
  followed.close()
  t.end()
})
