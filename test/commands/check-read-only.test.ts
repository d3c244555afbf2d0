/** `check` of read-only data: it makes and changes nothing beside the file, and also reads what is still in the log. */
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { ask } from "../support/ask.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  for (const data of ["killed", "whole"]) chmodSync(join(place.folder, data), 0o700)
  place.remove()
})
// Root may write anywhere, so the program runs as another user.
const uid = process.getuid?.() === 0 ? 65_534 : undefined
const as = { ...place, ...(uid === undefined ? {} : { uid }), env: { TMPDIR: join(place.folder, "tmp") } }

test("a read-only folder", { skip: process.platform === "win32" }, async (t) => {
  await run(program, ["user", "add", "ada", "--data", "data", "--password", "a long password"], place)
  const service = await serve(program, ["--data", "data"], place)
  const headers = { origin: service.baseUrl }
  const signedIn = await ask(`${service.baseUrl}/api/session`, {
    body: { username: "ada", password: "a long password" },
    headers,
  })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const body = { schemaVersion: 3, requestId: crypto.randomUUID(), title: "In the log alone" }
  await ask(`${service.baseUrl}/api/rooms`, { body, headers: { ...headers, cookie } })
  service.signal("SIGKILL")
  await service.ended()
  const inFolder = (data: string) => join(place.folder, data)
  cpSync(inFolder("data"), inFolder("killed"), { recursive: true })
  await run(program, ["check", "--data", "data"], place)
  cpSync(inFolder("data"), inFolder("whole"), { recursive: true })
  mkdirSync(inFolder("tmp"))
  chmodSync(place.folder, 0o755)
  if (uid !== undefined) for (const data of ["tmp", "home"]) chownSync(inFolder(data), uid, uid)
  for (const data of ["killed", "whole"]) {
    const names = readdirSync(inFolder(data))
    for (const name of names) chmodSync(join(inFolder(data), name), 0o444)
    chmodSync(inFolder(data), 0o555)
    const before = names.map((name) => readFileSync(join(inFolder(data), name)).toString("base64"))
    const { code, out, err } = await run(program, ["check", "--data", data], as)
    t.strictSame([code, err], [0, ""], data)
    t.match(out, /^1 Rooms, 1 activity entries and 0 records checked in .*: all whole\.\n$/)
    t.strictSame(readdirSync(inFolder(data)), names, "nothing was created there")
    t.strictSame(
      names.map((name) => readFileSync(join(inFolder(data), name)).toString("base64")),
      before,
      "nor changed",
    )
    t.strictSame(readdirSync(inFolder("tmp")), [], "and nothing is left elsewhere")
  }
  if (uid === undefined) return
  chmodSync(join(inFolder("whole"), "research-room.db"), 0o400)
  const { code, err } = await run(program, ["check", "--data", "whole"], as)
  t.equal(code, 1)
  t.match(err, /^research-room: This user may not read \S+\.\n$/)
})
