/** Where memory runs out, Linux ends the process with the highest score: never the service for what its helpers and commands take. */
import { readdirSync, readFileSync } from "node:fs"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { exportedDemo } from "../reliability/import/kills.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const scoreOf = (pid: number | string) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, "latin1"))
const childrenOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "latin1")
      .split(" ")
      .filter((each) => each !== ""),
  )

test("a process that writes an export is to be killed before the service", { skip: process.platform !== "linux" }, async (t) => {
  const { file, roomId } = await exportedDemo(program, place, "main")
  t.equal((await run(program, ["import", file, "--data", "data"], place)).code, 0)
  const service = await serve(program, ["--data", "data"], place)
  const own = scoreOf(service.pid)
  const answer = await fetch(`${service.baseUrl}/api/research/rooms/${roomId}/export`)
  await answer.arrayBuffer()
  // It waits for more to do for a while.
  const scores = childrenOf(service.pid).map(scoreOf)
  t.not(scores.length, 0)
  t.ok(
    scores.every((score) => score === 1_000 && score > own),
    `the service has ${own}, its helpers ${scores}`,
  )
  service.signal("SIGTERM")
  await service.ended()
})
