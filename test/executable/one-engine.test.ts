/**
 * SQLite is loaded once, whatever threads there are: two copies in one process would not see each other's locks, which are the
 * process's, and the data would be lost. What is loaded is deleted at once.
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

test("one engine, and nothing of it stays behind", { skip: process.platform === "linux" ? false : "it is read from /proc" }, async (t) => {
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
