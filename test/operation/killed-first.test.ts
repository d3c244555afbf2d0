/**
 * When memory runs out, Linux kills the process with the highest score: this must never be the service because of
 * memory that its helpers or commands use.
 */
import { readdirSync, readFileSync } from "node:fs"
import tap, { test } from "tap"
import { Refusal } from "../../src/contract/refusals.ts"
import { Child } from "../../src/jobs/child.ts"
import { Pool } from "../../src/jobs/pool.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { exportedDemo } from "../reliability/import/kills.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const skip = process.platform !== "linux"
const scoreOf = (pid: number | string) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, "latin1"))
const childrenOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "latin1")
      .split(" ")
      .filter((each) => each !== ""),
  )

test("a process that writes an export is killed before the service", { skip }, async (t) => {
  const { file, roomId } = await exportedDemo(program, place, "main")
  t.equal((await run(program, ["import", file, "--data", "data"], place)).code, 0)
  const service = await serve(program, ["--data", "data"], place)
  const own = scoreOf(service.pid)
  const answer = await fetch(`${service.baseUrl}/api/research/rooms/${roomId}/export`)
  await answer.arrayBuffer()
  // It waits a while for more work.
  const scores = childrenOf(service.pid).map(scoreOf)
  t.not(scores.length, 0)
  t.ok(
    scores.every((score) => score === 1_000 && score > own),
    `the service has ${own}, its helpers ${scores}`,
  )
  service.signal("SIGTERM")
  await service.ended()
})

test("a helper is first to be killed from its start: several that start together use more memory than the service", {
  skip,
}, async (t) => {
  const starting = Child.start(64)
  t.strictSame(childrenOf(process.pid).map(scoreOf), [1_000])
  const child = await starting
  child.end()
})

test("work that is called off while its process starts ends that process", { skip, timeout: 12_000 }, async (t) => {
  const pool = new Pool({ processes: 1, waiting: 1 })
  t.teardown(() => pool.close())
  const job = { name: "image", bounds: { seconds: 10, megabytes: 64 }, output: 1_000, tooCostly: () => new Error("no") }
  const calling = new AbortController()
  const off = pool.run(job as never, { bytes: "", mediaType: "image/png", encode: false }, null, calling.signal)
  calling.abort()
  await t.rejects(off, { name: "AbortError" })
  t.same(childrenOf(process.pid), [])
})

test("work whose process the system kills is refused for now, not as too large", { skip }, async (t) => {
  const pool = new Pool({ processes: 1, waiting: 1 })
  t.teardown(() => pool.close())
  const tooCostly = () => new Refusal("content_too_large", "It takes too much.")
  const job = { name: "image", bounds: { seconds: 10, megabytes: 64 }, output: 1_000, tooCostly }
  const given = { bytes: "", mediaType: "image/png", encode: false }
  const read = { fault: "is not a file of type image/png" }
  t.same(await pool.run(job, given), read)
  const lost = pool.run(job, given)
  for (const pid of childrenOf(process.pid)) process.kill(Number(pid), "SIGKILL")
  await t.rejects(lost, { status: 503, code: "temporarily_unavailable", cause: { message: /ended with SIGKILL/ } })
  t.same(await pool.run(job, given), read, "the next request gets a new process")
})
