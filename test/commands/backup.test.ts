/** A backup is taken while the service writes, and restored without overwriting anything. */
import { pattern } from "../support/pattern.ts"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { type Test, test } from "tap"
import { startResearchRoom } from "research-room/testing"
import { withInstance } from "../../src/commands/with-instance.ts"
import { backUp, databaseFile, restore } from "../../src/check/backup.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { lockFolder } from "../../src/ledger/storage/ownership.ts"
import { latestSchema } from "../../src/ledger/storage/schema.ts"
import { type Answer, ask } from "../support/ask.ts"
import { startOwn, temporaryFolder } from "../support/service.ts"
import { asEarlier } from "../upgrade/sample.ts"

const folderFor = (t: Test) => {
  const folder = temporaryFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A demo's data without a service, and a backup of it. */
async function kept(t: Test) {
  const folder = folderFor(t)
  const data = join(folder, "data")
  await (await startResearchRoom({ data })).close()
  const copy = join(folder, "copy.db")
  const source = openDatabase(databaseFile(data))
  const report = backUp(source, copy)
  source.close()
  return { folder, data, copy, report }
}
const namesIn = (folder: string) => readdirSync(folder).sort()
function schemaOf(file: string): unknown {
  const database = new Database(file, { readonly: true })
  try {
    return database.pragma("user_version", { simple: true })
  } finally {
    database.close()
  }
}
const latest = latestSchema

test("a backup taken while agents write is whole, and holds everything accepted before it", async (t) => {
  const folder = folderFor(t)
  const data = join(folder, "data")
  const room = await startResearchRoom({ data })
  t.teardown(() => room.close())
  const agent = room.client("member_all")
  const { roomId, openingThreadId: threadId } = room.rooms.empty
  const before = await agent.write("post_message", { threadId, text: "before the backup" })

  const writing = Promise.all(
    Array.from({ length: 40 }, (_, index) => agent.write("post_message", { threadId, text: `during ${index}` })),
  )
  const source = openDatabase(databaseFile(data))
  const report = backUp(source, join(folder, "copy.db"))
  source.close()
  await writing
  t.ok(report.activityEntries > 0)
  t.same(namesIn(folder), ["copy.db", "data"], "no half-made file is left behind")

  restore(join(folder, "copy.db"), join(folder, "restored"), { force: false })
  const again = openDatabase(databaseFile(join(folder, "restored")))
  t.teardown(() => again.close())
  const found = again
    .prepare<{ body: string }>(
      `SELECT 'sha256:' || lower(hex(activity_digest)) AS body
        FROM journal
        WHERE room = (SELECT place FROM places WHERE id = ?) AND room_sequence = ?`,
    )
    .get(roomId, before.activity?.sequence ?? 0)
  t.match(found?.body, before.activity?.digest)
})

test("a restored instance has a new id, and says which instance it was restored from", async (t) => {
  const { folder, data, copy } = await kept(t)
  const of = async (place: string) => {
    const service = await startOwn({ folder: place, keeps: true })
    const [ready, manifest] = await Promise.all(
      ["health/ready", "manifest"].map((path) => ask(`${service.baseUrl}/api/${path}`)),
    )
    await service.close()
    const told = ({ body }: Answer) => ({ instanceId: body.instanceId, lineage: body.lineage })
    t.strictSame(told(ready as Answer), told(manifest as Answer), "health and manifest say the same")
    return told(ready as Answer)
  }
  const first = await of(data)
  restore(copy, join(folder, "second"), { force: false })
  const second = await of(join(folder, "second"))
  t.not(second.instanceId, first.instanceId)
  t.strictSame([first.lineage, second.lineage], [[], [first.instanceId]])
})

test("the size of the backup and its progress are reported, and no other user may read it", async (t) => {
  const { folder, data, report, copy } = await kept(t)
  t.equal(report.bytes, statSync(copy).size)
  t.ok(report.seconds > 0)
  t.equal(statSync(copy).mode & 0o077, 0)
  const source = openDatabase(databaseFile(data))
  const told: string[] = []
  backUp(source, join(folder, "again.db"), {
    onCopying(file, bytes) {
      t.ok(file.startsWith(join(folder, "again.db.partial-")))
      t.ok(bytes >= report.bytes, "it can only become smaller")
      told.push("copying")
      return () => told.push("copied")
    },
    onProgress: (done, total) => told.push(done === total ? "checked" : "checking"),
  })
  source.close()
  t.strictSame([told[0], told[1], told.at(-1)], ["copying", "copied", "checked"])
})

test("nothing is overwritten", async (t) => {
  const folder = folderFor(t)
  const data = join(folder, "data")
  const room = await startResearchRoom({ data })
  t.teardown(() => room.close())
  const source = openDatabase(databaseFile(data))
  t.teardown(() => source.close())
  const copy = join(folder, "copy.db")
  backUp(source, copy)
  const bytes = readFileSync(copy)
  t.throws(() => backUp(source, copy), /exists already/)
  t.same(readFileSync(copy), bytes)
  t.throws(
    () => restore(copy, data, { force: true }),
    /serves/,
    "a folder that is served is never touched, force or not",
  )

  const other = join(folder, "other")
  restore(copy, other, { force: false })
  t.throws(() => restore(copy, other, { force: false }), /holds data already/)
  const { kept } = restore(copy, other, { force: true })
  t.ok(kept !== null && existsSync(kept), "the old data is kept under another name")
})

test("a backup that meets a full disk, or a missing folder, leaves nothing and says so in one sentence", async (t) => {
  const { folder, data } = await kept(t)
  const source = openDatabase(databaseFile(data))
  t.teardown(() => source.close())
  const before = namesIn(folder)
  /** The error of the database when the disk of the copy fills up in the middle of it. */
  const full: Db = {
    ...source,
    inTransaction: false,
    exec: (sql) => source.exec(sql),
    snapshot: (work) => source.snapshot(work),
    close: () => source.close(),
    prepare<Row>(sql: string) {
      const statement = source.prepare<Row>(sql)
      if (!sql.startsWith("VACUUM")) return statement
      return {
        ...statement,
        run(file) {
          writeFileSync(String(file), "half of it")
          writeFileSync(`${file}-journal`, "and what it notes meanwhile")
          throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" })
        },
      }
    },
  }
  const target = join(folder, "full.db")
  t.throws(() => backUp(full, target), {
    name: "DataError",
    message: `There is not enough space on the disk for the backup ${target}; nothing was left there.`,
  })
  const nowhere = join(folder, "nowhere", "copy.db")
  t.throws(() => backUp(source, nowhere), {
    name: "DataError",
    message: /^\S+ could not be written \(ENOENT.*\); nothing was left there\.$/,
  })
  t.same(namesIn(folder), before)
})

test("files of a killed backup are removed by the next one, files of a running one are not", async (t) => {
  const { folder, data } = await kept(t)
  const source = openDatabase(databaseFile(data))
  t.teardown(() => source.close())
  // No process has an id that large; this one's parent is alive.
  const [dead, living] = ["new.db.partial-2147483646", `new.db.partial-${process.ppid}`]
  for (const name of [dead, living]) writeFileSync(join(folder, name), "half")
  backUp(source, join(folder, "new.db"))
  t.same(namesIn(folder), ["copy.db", "data", "new.db", living])
})

test("a file that is not a whole backup is refused before anything is replaced", async (t) => {
  const { folder, data, copy } = await kept(t)
  const before = readFileSync(databaseFile(data))
  const spoilt = (name: string, spoil: (database: Database.Database) => void) => {
    const file = join(folder, name)
    copyFileSync(copy, file)
    const database = new Database(file)
    spoil(database)
    database.close()
    return file
  }
  const letter = join(folder, "letter.db")
  writeFileSync(letter, "not a database at all")
  const cut = join(folder, "cut.db")
  writeFileSync(cut, readFileSync(copy).subarray(0, 6 * 4096))
  const logged = join(folder, "logged.db")
  copyFileSync(copy, logged)
  writeFileSync(`${logged}-wal`, "writes")
  const refused: readonly [file: string, told: RegExp][] = [
    [letter, /letter\.db is not a research-room database/],
    [cut, /cut\.db is damaged\. Nothing was changed\./],
    [
      spoilt("newer.db", (database) => database.pragma("user_version = 99")),
      /newer\.db was written by a newer research-room \(schema 99;/,
    ],
    [
      spoilt("changed.db", (database) =>
        database.exec(
          `DROP TRIGGER journal_keep; UPDATE journal
            SET content = replace(content, 'raises', 'lowers')
            WHERE position = (SELECT history_position FROM records WHERE label = 'H1')`,
        ),
      ),
      pattern(
        /changed\.db is damaged: The trigger journal_keep was missing or different when the data was /,
        /opened\. And \d+ more\. Nothing was changed\.$/,
      ),
    ],
    [join(folder, "nothing.db"), /There is no file .*nothing\.db\./],
    [folder, /is not a file; name a backup\./],
    [logged, /has a log beside it .*: it is the data of a service, not a backup\. Nothing was changed\./],
  ]
  for (const [file, told] of refused) {
    t.throws(() => restore(file, data, { force: true }), { name: "DataError", message: told }, file)
    t.throws(() => restore(file, join(folder, "new"), { force: false }), { message: told }, file)
  }
  t.same(readFileSync(databaseFile(data)), before)
  t.same(
    namesIn(data).filter((name) => name.includes("partial") || name.includes("before")),
    [],
  )
  t.notOk(existsSync(databaseFile(join(folder, "new"))))
})

test("a read-only backup is restored so that it can be served, and stays unchanged", async (t) => {
  const { folder, copy } = await kept(t)
  chmodSync(copy, 0o400)
  const before = readFileSync(copy)
  restore(copy, join(folder, "restored"), { force: false })
  t.equal(statSync(databaseFile(join(folder, "restored"))).mode & 0o777, 0o600)
  t.same(readFileSync(copy), before)
  t.equal(statSync(copy).mode & 0o777, 0o400)
})

test("damaged data is replaced by a backup, and kept as it is", async (t) => {
  const { data, copy } = await kept(t)
  const bytes = readFileSync(databaseFile(data))
  bytes.fill(0x5a, 4096, 5 * 4096)
  writeFileSync(databaseFile(data), bytes)
  t.throws(() => openDatabase(databaseFile(data)), /damaged/)
  const { kept: aside } = restore(copy, data, { force: true })
  t.same(readFileSync(aside ?? ""), bytes)
  openDatabase(databaseFile(data)).close()
})

/** A module that ends its process before its `at`th change of a file's name that a restore makes. */
const killed = (at: number) =>
  `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs"
  import { syncBuiltinESMExports } from "node:module"
  let count = 0
  for (const name of ["renameSync", "linkSync"]) {
    const real = fs[name]
    fs[name] = (...files) => {
      count += 1
      if (count === ${at}) process.kill(process.pid, "SIGKILL")
      return real(...files)
    }
  }
  syncBuiltinESMExports()
`)}`

test("a restore that is killed between any two of its steps never leaves data that looks like new data", async (t) => {
  const { folder, data, copy } = await kept(t)
  const [file, seed] = [databaseFile(data), join(folder, "seed")]
  const main = join(import.meta.dirname, "../../src/main.ts")
  const idIn = () => {
    const db = openDatabase(file)
    const { id } = db.prepare<{ id: string }>("SELECT instance_id AS id FROM instance").one()
    db.close()
    return id
  }
  const before = idIn()
  /** Restores with a kill before each step, until it is no longer reached. @returns what the next start finds */
  function restored(): (string | Error)[] {
    const found: (string | Error)[] = []
    for (let at = 1, isOver = false; !isOver; at += 1) {
      rmSync(data, { recursive: true })
      cpSync(seed, data, { recursive: true })
      const command = ["--conditions=research-room-source", "--import", killed(at), main]
      const { signal, status, stderr } = spawnSync(
        process.execPath,
        [...command, "restore", copy, "--data", data, "--force"],
        { encoding: "utf8" },
      )
      isOver = signal === null
      if (isOver) t.equal(status, 0, stderr)
      try {
        found.push(idIn())
      } catch (error) {
        found.push(error as Error)
      }
    }
    return found
  }
  cpSync(data, seed, { recursive: true })
  const whole = restored()
  t.ok(whole.length > 2, `it was killed ${whole.length - 1} times`)
  for (const id of whole.slice(0, -1)) t.equal(id, before, "the earlier data is in its place")
  t.not(whole.at(-1), before, "or the restored data")
  // Data that cannot be opened is kept with its log, which takes several steps.
  const bytes = readFileSync(databaseFile(seed))
  writeFileSync(databaseFile(seed), bytes.fill(0x5a, 0, 16))
  writeFileSync(`${databaseFile(seed)}-wal`, "writes")
  const damaged = restored()
  t.ok(damaged.length > 3, `it was killed ${damaged.length - 1} times`)
  for (const error of damaged.slice(0, -1))
    t.match(error, { name: "DataError", message: /its beginning is damaged|is missing, and earlier data is beside it/ })
  t.type(damaged.at(-1), "string")
})

test("the command replaces data only if it is told to", async (t) => {
  const { data, copy } = await kept(t)
  const before = readFileSync(databaseFile(data))
  const main = join(import.meta.dirname, "../../src/main.ts")
  const command = ["--conditions=research-room-source", main, "restore", copy, "--data", data]
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" })
  t.not(status, 0)
  t.match(stderr, /holds data already; nothing was changed/)
  t.ok(before.equals(readFileSync(databaseFile(data))))
})

test("the backup of an older program is upgraded in the folder, and the file itself stays unchanged", (t) => {
  const folder = folderFor(t)
  const copy = asEarlier(join(folder, "old"))
  const before = readFileSync(copy)
  const { report } = restore(copy, join(folder, "data"), { force: false })
  t.equal(report.rooms, 4)
  t.equal(schemaOf(databaseFile(join(folder, "data"))), latest)
  t.same(readFileSync(copy), before)
  t.same(namesIn(join(folder, "old")), ["research-room.db"], "no other file is left")
  t.end()
})

test("a backup from before version 1.0.0 is refused, with the commit that reads it", (t) => {
  const folder = folderFor(t)
  const copy = asEarlier(join(folder, "old"))
  const database = new Database(copy)
  database.pragma(`application_id = ${0x524f4f4d}`)
  database.pragma("user_version = 22")
  database.close()
  const before = readFileSync(copy)
  t.throws(() => restore(copy, join(folder, "data"), { force: false }), {
    name: "DataError",
    message:
      `${copy} was written before version 1.0.0, and commit c6f7581 is the last that ` +
      "reads it. Nothing was changed.",
  })
  t.same(readFileSync(copy), before)
  t.notOk(existsSync(databaseFile(join(folder, "data"))))
  t.end()
})

test("a command never changes the schema under an older service", async (t) => {
  const folder = folderFor(t)
  mkdirSync(join(folder, "data"))
  const file = asEarlier(join(folder, "data"))
  const release = lockFolder(join(folder, "data"))
  await t.rejects(
    withInstance(join(folder, "data"), () => {}),
    {
      name: "DataError",
      message: pattern(
        /^The data has schema 0, and this program would upgrade it to \d+ while a service uses it\. /,
        /Nothing was changed\./,
      ),
    },
  )
  t.equal(schemaOf(file), 0)
  release()
  await withInstance(join(folder, "data"), () => {})
  t.equal(schemaOf(file), latest)
  t.notOk(existsSync(join(folder, "data", "serve.pid")), "and releases the folder again")
})
