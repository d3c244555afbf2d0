/** The data of a running service, as people treat it: replaced, deleted, unlocked by hand, copied while it is served. */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import tap, { type Test, test } from "tap"
import { ask } from "../support/ask.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const linux = process.platform === "linux" ? false : "what is done to the files is done as Linux lets it"
const password = "a long password"

/** A folder with a person in it, and a service of it. */
async function served(data: string) {
  await run(program, ["user", "add", "ada", "--data", data, "--password", password], place)
  const service = await serve(program, ["--data", data], place)
  const signIn = () => ask(`${service.baseUrl}/api/session`, { body: { username: "ada", password }, headers: { origin: service.baseUrl } })
  const cookie = (await signIn()).headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const room = () =>
    ask(`${service.baseUrl}/api/rooms`, {
      body: { schemaVersion: 3, requestId: crypto.randomUUID(), title: `Room ${Math.random()}` },
      headers: { origin: service.baseUrl, cookie },
    })
  return { service, room, signIn, file: join(place.folder, data, "research-room.db") }
}

async function endsFor(t: Test, service: Awaited<ReturnType<typeof serve>>, name: string): Promise<void> {
  const { code, err } = await service.ended()
  t.equal(code, 1)
  t.match(err, new RegExp(`${name} is not the file any more that this service opened`), "it says why it ends")
}

test("a data file that was replaced takes no write any more: none is acknowledged, and the service ends", { skip: linux }, async (t) => {
  for (const write of ["room", "signIn"] as const) {
    const { service, file, ...doors } = await served(`replaced by ${write}`)
    t.equal((await doors.room()).status, 200)
    copyFileSync(file, `${file}.copy`)
    renameSync(`${file}.copy`, file)
    const answer = await doors[write]()
    t.strictSame([answer.status, answer.body.refusal, answer.body.committed], [503, "temporarily_unavailable", null])
    await endsFor(t, service, "research-room.db")
  }
})

test("so does one whose log was deleted", { skip: linux }, async (t) => {
  const { service, file, room } = await served("unlogged")
  t.equal((await room()).status, 200)
  rmSync(`${file}-wal`)
  t.equal((await room()).status, 503)
  await endsFor(t, service, "research-room.db-wal")
  const checked = await run(program, ["check", "--data", "unlogged"], place)
  t.match(checked, { code: 0, out: /^2 Rooms/ }, "what was acknowledged was brought into the data at its end")
})

test("and one that nobody writes to, within seconds", { skip: linux }, async (t) => {
  const { service, file } = await served("idle")
  renameSync(file, `${file}.moved`)
  await endsFor(t, service, "research-room.db")
})

test("with its lock deleted by hand a folder is still served by one, and the other commands work beside it", { skip: linux }, async (t) => {
  const { service, room } = await served("data")
  t.equal((await room()).status, 200)
  const roomId = String((await room()).body.roomId)
  for (const name of ["serve.lock", "serve.pid"]) rmSync(join(place.folder, "data", name))
  const second = await run(program, ["serve", "--data", "data", "--port", "0"], place)
  t.strictSame([second.code, second.out], [1, ""])
  t.match(second.err, new RegExp(`^research-room: Another research-room process \\(${service.pid}\\) serves data already\\.`))
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
  t.equal((await room()).status, 200, "the first one was not disturbed")
  service.signal("SIGKILL")
  await service.ended()
  const third = await serve(program, ["--data", "data"], place)
  third.signal("SIGTERM")
  t.equal((await third.ended()).code, 0, "and nothing is left of it when it is gone")
})
