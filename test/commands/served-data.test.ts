/**
 * The data of a running service, as people treat it: replaced, deleted, unlocked by hand, copied while it is served.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { execFileSync } from "node:child_process"
import tap, { type Test, test } from "tap"
import { type Answer, ask } from "../support/ask.ts"
import { endAll, executable, newPlace, run, serve, start } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const linux = process.platform === "linux" ? false : "what is done to the files is done as Linux lets it"
/** Another process copies the log into the data file, as Litestream does. */
const EMPTY_LOG = `new (require("better-sqlite3"))(process.argv[1]).pragma("wal_checkpoint(TRUNCATE)")`
const password = "a long password"

/** A folder with a user in it, and a service on it. */
async function served(data: string) {
  await run(program, ["user", "add", "ada", "--data", data, "--password", password], place)
  const service = await serve(program, ["--data", data], place)
  const signIn = () =>
    ask(`${service.baseUrl}/api/session`, { body: { username: "ada", password }, headers: { origin: service.baseUrl } })
  const cookie = (await signIn()).headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const room = () =>
    ask(`${service.baseUrl}/api/rooms`, {
      body: { schemaVersion: 3, requestId: crypto.randomUUID(), title: `Room ${Math.random()}` },
      headers: { origin: service.baseUrl, cookie },
    })
  return { service, room, signIn, file: join(place.folder, data, "research-room.db") }
}

/** The answer to a request while the service ends: null once it is gone. */
const unlessGone = (answer: Promise<Answer>): Promise<Answer | null> => answer.catch(() => null)

async function endsFor(t: Test, service: Awaited<ReturnType<typeof serve>>, name: string): Promise<void> {
  const { code, err } = await service.ended()
  t.equal(code, 1)
  t.match(err, new RegExp(`${name} is no longer the file that this service opened`), "it says why it ends")
}

test("a data file that was replaced accepts no more writes: none is acknowledged, and the service ends", {
  skip: linux,
}, async (t) => {
  for (const write of ["room", "signIn"] as const) {
    const { service, file, ...doors } = await served(`replaced by ${write}`)
    t.equal((await doors.room()).status, 200)
    copyFileSync(file, `${file}.copy`)
    renameSync(`${file}.copy`, file)
    // The watch may have ended it first.
    const answer = await unlessGone(doors[write]())
    const refused = { status: 503, body: { refusal: "temporarily_unavailable", committed: false } }
    t.match(answer ?? refused, refused, "it is refused, or the service is gone already")
    await endsFor(t, service, "research-room.db")
    const [kept = ""] = readdirSync(join(file, "..")).filter((name) => name.startsWith("research-room.db.before-"))
    t.match(service.err, `All that was stored is in replaced by ${write}/${kept}.`)
    t.notOk(existsSync(`${file}-wal`), "the log of the old file is not applied to the new one")
    const restored = await run(
      program,
      ["restore", join(`replaced by ${write}`, kept), "--data", `rescued ${write}`],
      place,
    )
    t.match(restored, { code: 0, err: "", out: /1 Rooms,/ }, "what was acknowledged before is whole")
  }
})

test("the same holds for one whose log was deleted", { skip: linux }, async (t) => {
  const { service, file, room } = await served("unlogged")
  t.equal((await room()).status, 200)
  rmSync(`${file}-wal`)
  t.equal((await unlessGone(room()))?.status ?? 503, 503)
  await endsFor(t, service, "research-room.db-wal")
  const checked = await run(program, ["check", "--data", "unlogged"], place)
  t.match(checked, { code: 0, out: /^1 Rooms/ }, "every acknowledged write was copied into the data before the end")
})

test("a demo says the same in one sentence, with --json too", { skip: linux }, async (t) => {
  const demo = start(program, ["demo", "--json", "--data", "demo"], place)
  await demo.printed(/"baseUrl"/)
  renameSync(join(place.folder, "demo/research-room.db"), join(place.folder, "demo/moved.db"))
  const { code, err } = await demo.ended()
  t.equal(code, 1)
  t.match(err.trim(), /^[^\n]*research-room\.db is no longer the file that this service opened[^\n]*$/)
})

test("and for one without writes, within seconds", { skip: linux }, async (t) => {
  const { service, file } = await served("idle")
  renameSync(file, `${file}.moved`)
  await endsFor(t, service, "research-room.db")
  t.match(await run(program, ["check", "--data", "idle"], place), { code: 0 }, "the data is moved back under its name")
})

const foreign: Readonly<Record<string, (file: string) => void>> = {
  junk: (file) => writeFileSync(file, "x".repeat(300_000)),
  nothing: (file) => truncateSync(file),
}

test("a data file that another program overwrites is no longer written", { skip: linux }, async (t) => {
  for (const [what, overwrite] of Object.entries(foreign)) {
    const { service, file, room } = await served(what)
    t.equal((await run(program, ["backup", `${file}.copy`, "--data", what], place)).code, 0)
    t.equal((await room()).status, 200)
    overwrite(file)
    const after = readFileSync(file)
    t.equal((await unlessGone(room()))?.status ?? 503, 503, what)
    const { code, err } = await service.ended()
    t.equal(code, 1)
    // A reader that met the foreign file first has logged it, in a line of JSON.
    t.notMatch(err, /^SqliteError/m, "in a sentence, without a stack")
    t.match(err, /Another program wrote into \S.*research-room.db while it was served\. The service stops/)
    t.ok(readFileSync(file).equals(after), "the other program's file is unchanged")
    t.ok(existsSync(`${file}-wal`), "and the log is kept")
    t.match(await run(program, ["serve", "--data", what, "--port", "0"], place), { code: 1, out: "" })
    t.ok(readFileSync(file).equals(after), "a start changes nothing either")
    t.match(await run(program, ["restore", `${file}.copy`, "--data", what, "--force"], place), { code: 0, err: "" })
    t.match(await run(program, ["check", "--data", what], place), { code: 0 })
  }
})

const cut = (file: string, suffix: string, then: string) =>
  truncateSync(`${file}${suffix}`, suffix === "-wal" && then === "nobody" ? 9_000 : 0)

// An index that was cut short ends a process that reads it before its size was seen (SIGBUS), for example a thread that
// makes a page meanwhile. That is an end like any other: nothing is written, and the log has all that was acknowledged.
test("a log or index that was cut short is never copied into the data, however the service ends", {
  skip: linux,
}, async (t) => {
  for (const suffix of ["-wal", "-shm"])
    for (const then of ["SIGTERM", "a write", "nobody"]) {
      const data = `short${suffix} and ${then}`
      const { service, file, room } = await served(data)
      for (let count = 0; count < 3; count += 1) t.equal((await room()).status, 200)
      const before = readFileSync(file)
      cut(file, suffix, then)
      if (then === "SIGTERM") service.signal("SIGTERM")
      if (then === "a write") {
        const answer = await unlessGone(room())
        t.equal(answer?.status ?? 503, 503, data)
        t.not((await unlessGone(ask(`${service.baseUrl}/api/health/ready`)))?.status, 200, "it is not ready, or gone")
      }
      const { code, signal, err } = await service.ended()
      if (suffix === "-shm" && signal !== null) t.equal(signal, "SIGBUS", data)
      else {
        t.equal(code, 1, data)
        t.match(err, new RegExp(`Another program cut \\S.*research-room.db${suffix} short while it was in use`), data)
      }
      t.ok(readFileSync(file).equals(before), `${data}: nothing was written into the data file`)
      const again = await serve(program, ["--data", data], place)
      again.signal("SIGTERM")
      t.equal((await again.ended()).code, 0, `${data}: the next start opens it`)
      const checked = await run(program, ["check", "--data", data], place)
      t.match(checked, { code: 0, err: "" }, data)
      if (suffix === "-shm") t.match(checked.out, /^3 Rooms/, "with everything that was acknowledged")
    }
})

test("writes of the service and of the commands beside it are not taken for another program's", {
  skip: linux,
}, async (t) => {
  const { service, file, room } = await served("busy")
  for (let round = 0; round < 5; round += 1) {
    t.equal((await room()).status, 200)
    t.match(await run(program, ["user", "add", `person${round}`, "--data", "busy", "--password", password], place), {
      code: 0,
    })
    execFileSync(process.execPath, ["-e", EMPTY_LOG, file], { cwd: join(import.meta.dirname, "../..") })
  }
  t.equal((await ask(`${service.baseUrl}/api/research/rooms`)).status, 200)
  service.signal("SIGTERM")
  t.equal((await service.ended()).code, 0)
  t.match(await run(program, ["check", "--data", "busy"], place), { code: 0, out: /^5 Rooms/ })
})

test("a log whose data file is gone is not deleted", { skip: linux }, async (t) => {
  const { service, file, room } = await served("gone")
  t.equal((await room()).status, 200)
  service.signal("SIGKILL")
  await service.ended()
  renameSync(file, `${file}.elsewhere`)
  t.match(await run(program, ["serve", "--data", "gone", "--port", "0"], place), {
    code: 1,
    err: /is missing, and the log of earlier data is beside it/,
  })
  renameSync(`${file}.elsewhere`, file)
  t.match(await run(program, ["check", "--data", "gone"], place), { code: 0, out: /^1 Rooms,/ })
})

test("if its lock is deleted by hand, a folder is still served by one process, and the other commands work beside it", {
  skip: linux,
}, async (t) => {
  const { service, room } = await served("data")
  t.equal((await room()).status, 200)
  const roomId = String((await room()).body.roomId)
  for (const name of ["serve.lock", "serve.pid"]) rmSync(join(place.folder, "data", name))
  const second = await run(program, ["serve", "--data", "data", "--port", "0"], place)
  t.strictSame([second.code, second.out], [1, ""])
  t.match(
    second.err,
    new RegExp(`^research-room: Another research-room process \\(${service.pid}\\) serves data already\\.`),
  )
  mkdirSync(join(place.folder, "out"))
  for (const [args, made] of [
    [["backup", "out/backup.db"], "out/backup.db"],
    [["export", roomId, "--output", "out/room.zip"], "out/room.zip"],
    [["check"], null],
    [["user", "list"], null],
  ] as const) {
    const { code, err } = await run(program, [...args, "--data", "data"], place)
    t.equal(code, 0, `${args[0]}: ${err}`)
    if (made !== null) t.ok(existsSync(join(place.folder, made)))
  }
  const restored = await run(program, ["restore", "out/backup.db", "--force", "--data", "data"], place)
  t.match(restored, { code: 1, err: /serves data already/ })
  t.equal((await room()).status, 200, "the first process was not disturbed")
  service.signal("SIGKILL")
  await service.ended()
  const third = await serve(program, ["--data", "data"], place)
  third.signal("SIGTERM")
  t.equal((await third.ended()).code, 0, "and no lock is left when it has ended")
})
