/**
 * `/api/health/ready` says whether writes are accepted: not while the disk is full or the writer is stuck, and again
 * once that is over.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { Readiness } from "../../src/ledger/write/readiness.ts"
import { found, limitFiles } from "../reliability/storage/disk.ts"
import { ask } from "../support/ask.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
await run(program, ["user", "add", "ada", "--data", "data", "--password", "a long password"], place)
const service = await serve(program, ["--data", "data"], place)
const origin = service.baseUrl
const file = join(place.folder, "data", "research-room.db")
const ready = () => ask(`${origin}/api/health/ready`)
const signedIn = await ask(`${origin}/api/session`, {
  body: { username: "ada", password: "a long password" },
  headers: { origin },
})
const headers = { origin, cookie: signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "" }
const write = () =>
  ask(`${origin}/api/rooms`, {
    body: { schemaVersion: 3, requestId: crypto.randomUUID(), title: `Room ${Math.random()}` },
    headers,
  })

/** Polls until the answer is the wanted one, as a monitor would. */
async function until(status: number) {
  const start = performance.now()
  for (;;) {
    const answer = await ready()
    if (answer.status === status || performance.now() - start > 20_000) return answer
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

test("while writes are accepted it is ready, and the check costs no write", async (t) => {
  await write()
  // Texts are indexed a moment after the answer; a search indexes them at once.
  await fetch(`${origin}/api/research/search?query=anything`)
  const before = statSync(`${file}-wal`).size
  for (let n = 0; n < 20; n += 1) t.match(await ready(), { status: 200, body: { status: "ready" } })
  t.equal(statSync(`${file}-wal`).size, before)
})

const prlimit = found("prlimit") === null ? "this machine has no prlimit" : false
test("while the disk is full it is not ready; once there is space it is", { skip: prlimit }, async (t) => {
  limitFiles(service.pid, statSync(`${file}-wal`).size)
  t.equal((await write()).status, 503)
  t.match(await until(503), {
    status: 503,
    body: { refusal: "temporarily_unavailable", retryAfter: 2, error: /disk is full/ },
  })
  t.equal((await ask(`${origin}/api/health/live`)).status, 200, "the process itself is healthy")
  limitFiles(service.pid, "unlimited")
  t.equal((await until(200)).status, 200, "no write was needed for it")
  t.equal((await write()).status, 200)
})

test("while another program locks the data it is not ready", async (t) => {
  const other = new Database(file)
  other.exec("BEGIN IMMEDIATE")
  const answer = await until(503)
  t.equal(answer.status, 503)
  other.exec("ROLLBACK")
  other.close()
  t.equal((await until(200)).status, 200)
})

test("if the ledger does not answer, that is reported in time, and it is asked only once", async (t) => {
  let asked = 0
  const stuck = Promise.withResolvers<void>()
  const readiness = new Readiness({
    file,
    ledger: {
      probe: () => {
        asked += 1
        return stuck.promise
      },
    },
    ending: () => null,
    patienceMs: 5,
    cacheMs: 0,
  })
  for (const why of await Promise.all([readiness.why(), readiness.why(), readiness.why()])) t.match(why, /not answered/)
  t.match(await readiness.why(), /not answered/)
  t.equal(asked, 1)
  stuck.resolve()
  t.equal(await readiness.why(), null)
})
