/** A backup is taken while the service writes, and put back where nothing is lost. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Test, test } from "tap"
import { startResearchRoom } from "research-room/testing"
import { backUp, databaseFile, restore } from "../../src/ledger/backup.ts"
import { openDatabase } from "../../src/ledger/database.ts"

const folderFor = (t: Test) => {
  const folder = mkdtempSync(join(tmpdir(), "research-room-backup-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test("a backup taken while agents write is whole, and holds everything accepted before it", async (t) => {
  const folder = folderFor(t)
  const data = join(folder, "data")
  const room = await startResearchRoom({ data })
  t.teardown(() => room.close())
  const agent = room.client("member_all")
  const { roomId, openingThreadId: threadId } = room.rooms.empty
  const before = await agent.write("post_message", { threadId, text: "before the backup" })

  const writing = Promise.all(Array.from({ length: 40 }, (_, index) => agent.write("post_message", { threadId, text: `during ${index}` })))
  const source = openDatabase(databaseFile(data))
  const report = backUp(source, join(folder, "copy.db"))
  source.close()
  await writing
  t.ok(report.activityEntries > 0)
  t.same(readdirSync(folder).sort(), ["copy.db", "data"], "no half-made file is left behind")

  restore(join(folder, "copy.db"), join(folder, "restored"), { force: false })
  const again = openDatabase(databaseFile(join(folder, "restored")))
  t.teardown(() => again.close())
  const kept = again
    .prepare<{ body: string }>("SELECT body FROM activity_entries WHERE room_id = ? AND sequence = ?")
    .get(roomId, before.activity?.sequence ?? 0)
  t.match(kept?.body, before.activity?.digest)
})

test("nothing is written over", async (t) => {
  const folder = folderFor(t)
  const data = join(folder, "data")
  const room = await startResearchRoom({ data })
  t.teardown(() => room.close())
  const source = openDatabase(databaseFile(data))
  t.teardown(() => source.close())
  const copy = join(folder, "copy.db")
  backUp(source, copy)
  t.throws(() => backUp(source, copy), /exists already/)
  t.throws(() => restore(copy, data, { force: true }), /serves/, "a folder that is served is never touched, force or not")

  const other = join(folder, "other")
  restore(copy, other, { force: false })
  t.throws(() => restore(copy, other, { force: false }), /holds data already/)
  const { kept } = restore(copy, other, { force: true })
  t.ok(kept !== null && existsSync(kept), "what was there is kept under another name")
})

test("a damaged backup is refused before anything is replaced", (t) => {
  const folder = folderFor(t)
  const file = join(folder, "broken.db")
  writeFileSync(file, "not a database at all")
  t.throws(() => restore(file, join(folder, "data"), { force: true }), /not a research-room database/)
  t.notOk(existsSync(databaseFile(join(folder, "data"))))
  t.end()
})
