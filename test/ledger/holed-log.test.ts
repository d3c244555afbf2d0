/**
 * A log that another program cuts short between a look at the files and a commit: the commit is written behind the cut,
 * so the log has its size again, with a hole that SQLite reads as zeros.
 */
import { copyFileSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { test } from "tap"
import { CHECKPOINT_FRAMES } from "../../src/ledger/storage/opening.ts"
import { folderFor, startOwn, temporaryFolder } from "../support/service.ts"

const PAGE = 4_096
const room = (title: string) => ({ schemaVersion: 3, requestId: crypto.randomUUID(), title })
const cuts = {
  "half of the log, and a short write": { left: 0.5, bytes: 20 * PAGE },
  "a part of the newest page, and a short write": { left: 0.999, bytes: 20 * PAGE },
  "a part of the newest page, and enough for a checkpoint": { left: 0.999, bytes: (CHECKPOINT_FRAMES + 100) * PAGE },
}

for (const [what, { left, bytes }] of Object.entries(cuts))
  test(`a hole in the log is never copied into the data: ${what}`, async (t) => {
    const folder = folderFor(t)
    const service = await startOwn({ folder, keeps: true })
    const ada = await service.setUp()
    for (const title of ["One", "Two"]) t.equal((await ada.request("POST", "/api/rooms", room(title))).status, 200)
    await service.instance.indexed()
    const { db, ledger } = service.instance
    const file = join(folder, "research-room.db")
    const [before, size] = [readFileSync(file), statSync(`${file}-wal`).size]
    const more = db.prepare(
      "INSERT INTO papers (paper_id, origin, recorded_at, record) VALUES ('x', 'import', '2026', +?)",
    )
    const isCommitted = ledger.queue.between(() => {
      truncateSync(`${file}-wal`, Math.floor(size * left))
      more.run("x".repeat(bytes))
    })
    t.ok(isCommitted)
    t.ok(statSync(`${file}-wal`).size > size, "the log has its size again")
    const answer = await ada.request("POST", "/api/rooms", room("Three"))
    t.match([answer.status, await answer.json()], [503, { refusal: "temporarily_unavailable", committed: false }])
    await service.broken
    await service.close()
    t.ok(readFileSync(file).equals(before), "nothing was written into the data file")

    // What the next start finds: this process still has the files open.
    const next = temporaryFolder()
    for (const name of ["research-room.db", "research-room.db-wal"]) copyFileSync(join(folder, name), join(next, name))
    const again = await startOwn({ folder: next })
    t.equal((await fetch(`${again.baseUrl}/api/health/ready`)).status, 200, "the next start opens it")
    await again.close()
    rmSync(next, { recursive: true, force: true })
  })
