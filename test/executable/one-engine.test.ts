/**
 * SQLite is loaded once for all threads: two copies in one process would not see each other's locks, which belong to
 * the process, and data would be lost. The loaded file is deleted at once.
 */
import { readdirSync, readFileSync } from "node:fs"
import tap, { test } from "tap"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { endAll, executable, newPlace, start } from "../support/program.ts"

const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

test("one engine, and no file of it remains", {
  skip: process.platform === "linux" ? false : "it is read from /proc",
}, async (t) => {
  const running = start(executable(), ["demo", "--json", "--data", "data"], { ...place, env: { TMPDIR: place.folder } })
  const [line] = await running.printed(/^.*\n/)
  const { baseUrl, rooms, credentials } = JSON.parse(line)
  const path = `${baseUrl}/api/agent/threads/${rooms.empty.openingThreadId}/messages`
  t.equal((await ask(path, { token: credentials.member_all.token, body: message() })).status, 200)

  const maps = readFileSync(`/proc/${running.pid}/maps`, "latin1").split("\n")
  const files = maps.filter((map) => map.includes("better-sqlite3.node")).map((map) => map.split(/ +/)[4])
  t.equal(new Set(files).size, 1)
  t.strictSame(readdirSync(place.folder).toSorted(), ["data", "home"])
  running.signal("SIGTERM")
  t.equal((await running.ended()).code, 0)
})
