/**
 * A service and the commands beside it within 340 MB: helpers may be killed for lack of memory, the service is not, and
 * answers at the end.
 */
import { once } from "node:events"
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { get, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import tap, { test } from "tap"
import { endAll, executable, newPlace, start } from "../../support/program.ts"
import { exportedDemo } from "../import/kills.ts"

const LIMIT = 340 << 20
const program = executable()
const place = newPlace()
const group = `/sys/fs/cgroup/memory/research-room-test-${process.pid}`
const passing = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Creates the control group. @returns why it cannot be created */
function makeGroup(): string | false {
  try {
    mkdirSync(group)
    writeFileSync(join(group, "memory.limit_in_bytes"), String(LIMIT))
    return false
  } catch {
    return "this user cannot limit the memory of a group of processes (cgroup v1)"
  }
}
const skip = makeGroup()
tap.teardown(async () => {
  endAll()
  place.remove()
  for (let look = 0; skip === false && look < 50; look += 1)
    try {
      return rmdirSync(group)
    } catch {
      await passing(100)
    }
})
const told = (file: string): string => readFileSync(join(group, file), "utf8")
const inside = (args: readonly string[]) =>
  start("/bin/sh", ["-c", `echo $$ > ${group}/cgroup.procs; exec "$0" "$@"`, program, ...args], {
    ...place,
    env: { RESEARCH_ROOM_RATE_LIMITS: "off" },
  })

test("340 MB are enough for the service, whatever else runs beside it", { skip }, async (t) => {
  const { file } = await exportedDemo(program, place, "main")

  const service = inside(["demo", "--json", "--port", "0", "--data", "data"])
  let end: string | null = null
  void service.ended().then(({ code, signal, err }) => (end = `${code} ${signal} ${err.slice(-400)}`))
  const { baseUrl, rooms } = JSON.parse((await service.printed(/^\{.*\}(?=\n)/))[0])
  const { roomId, openingThreadId: threadId } = rooms.main as { roomId: string; openingThreadId: string }
  /** On a connection of its own: a kept one may be closed as idle while its next request is on the way. */
  const read = async (path: string): Promise<number> => {
    const answered = once(get(baseUrl + path, { agent: false }), "response").catch((error: unknown) => {
      throw new Error(`${path} was not answered`, { cause: error })
    })
    const [response] = (await answered) as [IncomingMessage]
    await buffer(response)
    return response.statusCode ?? 0
  }
  /** An export whose process was killed for lack of memory is cut off. */
  const exported = () => read(`${room}/export`).catch(() => 503)
  const room = `/api/research/rooms/${roomId}`
  const paths = [
    ...["", "/brief", "/research-context", "/activity?limit=50&include=summary,content", "/brief?at=20"].map(
      (path) => room + path,
    ),
    ...[`/rooms/${roomId}`, `/threads/${threadId}`, `/rooms/${roomId}?at=20`, "/search?query=ramp", "/"],
    ...[
      `/api/research/threads/${threadId}/timeline?after=0`,
      "/api/research/search?query=ramp",
      `/rooms/${roomId}/feed.atom`,
    ],
  ]
  t.strictSame(new Set(await Promise.all(paths.map(read))), new Set([200]), "reads and pages at once")
  // All at once, three times. Requests refused for lack of memory get a proper refusal.
  for (let turn = 0; turn < 3; turn += 1) {
    const importing = inside(["import", file, "--data", `imported-${turn}`]).ended()
    const answers = await Promise.all([exported(), exported(), ...[...paths, ...paths, ...paths].map(read)])
    t.strictSame(
      answers.filter((status) => ![200, 429, 503].includes(status)),
      [],
      "each is answered, or told to come again",
    )
    const { code, signal, err } = await importing
    t.ok(
      code === 0 || signal === "SIGKILL" || /^research-room: \S/.test(err),
      `the import is done, ended by the system, or says why not: ${err}`,
    )
    t.equal(end, null, "the service keeps running")
  }
  t.strictSame(await Promise.all(["/api/health/ready", `${room}/export`, ...paths].map(read)), [
    200,
    200,
    ...paths.map(() => 200),
  ])
  t.comment(
    `at most ${(Number(told("memory.max_usage_in_bytes")) / 2 ** 20).toFixed(0)} MiB; ` +
      `${told("memory.oom_control").replaceAll("\n", " ")}`,
  )
  t.equal(end, null)
  service.signal("SIGTERM")
  t.equal((await service.ended()).code, 0)
})
