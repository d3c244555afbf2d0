/** The watchman notices a log that cannot be checkpointed, and a disk that fills up, and reports each once. */
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import {
  OpenedFiles,
  type DiskSpace,
  watchLimits,
  DiskWatch,
  truncateWal,
} from "../../src/ledger/storage/file-watch.ts"
import tap, { type Test, test } from "tap"
import type { Db } from "../../src/ledger/storage/database.ts"
import { openReadConnection, openWatching, openData } from "../../src/ledger/storage/opening.ts"
import { startOwn, temporaryFolder } from "../support/service.ts"

const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true, force: true }))
let made = 0

const KIB = 1024
/** Small enough for a test to exceed; no check of its own happens within the test's time. */
const small = { ...watchLimits, every: 3_600_000, walBytes: 3_000 * KIB, idleWalBytes: 1_500 * KIB }
const plenty: DiskSpace = { bsize: 4096, bavail: 1e9, blocks: 2e9 }

interface Line {
  readonly level: "warn" | "info"
  readonly text: string
  readonly [member: string]: unknown
}

/** A log that is held back, and the watchman with its output. */
function watched(t: Test, more: { statfs?: () => DiskSpace } = {}) {
  const file = join(folder, `${++made}.db`)
  const { db } = openData(file)
  const files = new OpenedFiles(file, openWatching(file))
  const lines: Line[] = []
  const note = (level: Line["level"]) => (said: object, text: string) => void lines.push({ level, text, ...said })
  const watchman = new DiskWatch({
    file,
    files,
    emptyLog: () => truncateWal(db),
    log: { warn: note("warn"), info: note("info") } as never,
    limits: small,
    statfs: () => plenty,
    ...more,
  })
  t.teardown(() => {
    watchman.close()
    db.close()
    files.close()
  })
  return { file, db, lines, watchman }
}

/** Changes the same row until the log has this many bytes. */
function write(db: Db, file: string, bytes: number): void {
  const change = db.prepare("UPDATE papers SET record = ? WHERE paper_id = 'x'")
  db.exec(
    `INSERT INTO papers (paper_id, origin, recorded_at, record)
      VALUES ('x', 'import', '2026', '')
      ON CONFLICT DO NOTHING`,
  )
  for (let n = 0; statSync(`${file}-wal`).size < bytes; n++) change.run(`${n} `.repeat(10_000))
}

test("a log above its limit is reported once, with a remedy, and once more when it is checkpointed", (t) => {
  const { file, db, lines, watchman } = watched(t)
  watchman.look()
  t.strictSame(lines, [], "nothing to report at first")

  const reader = openReadConnection(file)
  write(db, file, small.walBytes + 1)
  watchman.look()
  write(db, file, small.walBytes + 400 * KIB)
  watchman.look()
  watchman.look()
  t.equal(lines.length, 1, "once, however long it lasts")
  t.match(lines[0], { level: "warn", alarm: "wal_large", limitBytes: small.walBytes, file: `${file}-wal` })
  t.ok(Number(lines[0]?.walBytes) > small.walBytes)
  t.match(lines[0]?.text, /An export, a backup or a check does so until it ends\..*lsof/)
  t.ok(watchman.readings.walBytes > small.walBytes, "a log with a reader is left alone")

  reader.close()
  watchman.look()
  watchman.look()
  t.strictSame(
    lines.map(({ level, over }) => [level, over]),
    [
      ["warn", undefined],
      ["info", true],
    ],
  )
  t.equal(watchman.readings.walBytes, 0, "an idle log is truncated")
  t.equal(
    Object.values(db.prepare<object>("PRAGMA busy_timeout").get() ?? {})[0],
    2_000,
    "other connections are waited for as before",
  )

  const again = openReadConnection(file)
  write(db, file, small.walBytes + 1)
  watchman.look()
  t.equal(lines.length, 3, "the next time is reported again")
  again.close()
  t.end()
})

test("a log that still grows is left to the database", (t) => {
  const { file, db, watchman } = watched(t)
  write(db, file, small.idleWalBytes + 1)
  watchman.look()
  const before = watchman.readings.walBytes
  write(db, file, before + 8 * KIB)
  watchman.look()
  t.ok(watchman.readings.walBytes > before)
  t.equal(statSync(`${file}-wal`).size, watchman.readings.walBytes, "nothing was truncated")
  t.end()
})

test("low space is reported once, below 1 GiB or a twentieth of the disk, whichever is less", (t) => {
  const GIB = 1024 ** 3
  let space = plenty
  const { lines, watchman } = watched(t, { statfs: () => space })
  const look = (free: number, all: number) => {
    space = { bsize: 4096, bavail: free / 4096, blocks: all / 4096 }
    watchman.look()
    return lines.map(({ level }) => level).join(" ")
  }
  t.equal(look(2 * GIB, 1000 * GIB), "")
  t.equal(look(0.9 * GIB, 1000 * GIB), "warn", "below 1 GiB of a large disk")
  t.equal(look(0.8 * GIB, 1000 * GIB), "warn")
  t.equal(look(1.02 * GIB, 1000 * GIB), "warn", "at the edge it is not over yet")
  t.equal(look(0.9 * GIB, 1000 * GIB), "warn", "nor is it reported again")
  t.equal(look(2 * GIB, 1000 * GIB), "warn info")
  t.equal(look(0.9 * GIB, 10 * GIB), "warn info", "0.9 of 10 GiB is enough")
  t.equal(look(0.4 * GIB, 10 * GIB), "warn info warn", "0.4 is not enough")
  t.match(lines[0], {
    alarm: "disk_short",
    limitBytes: GIB,
    freeBytes: 0.9 * GIB,
    text: /has 922 MiB left, less than 1024 MiB\. Free some space/,
  })
  t.equal(watchman.readings.freeDiskBytes, 0.4 * GIB)
  look(10 * GIB, 10 * GIB)
  look(300 * 1024, 8 * 1024 ** 2)
  t.match(lines.at(-1), { text: /has 300 KiB left, less than 409 KiB\./ }, "for a small disk in suitable units")
  t.end()
})

test("if the system gives no figures, nothing is reported about the disk", (t) => {
  const { lines, watchman } = watched(t, {
    statfs: () => {
      throw new Error("not here")
    },
  })
  watchman.look()
  t.strictSame(lines, [])
  t.equal(watchman.readings.freeDiskBytes, null)
  t.end()
})

test("a service is watched from its start", async (t) => {
  const own = await startOwn()
  t.teardown(() => own.close())
  const { databaseBytes, walBytes, freeDiskBytes } = own.readings()
  t.equal(databaseBytes, statSync(join(own.folder, "research-room.db")).size)
  t.ok(walBytes >= 0)
  t.ok(Number(freeDiskBytes) > 0)
})
