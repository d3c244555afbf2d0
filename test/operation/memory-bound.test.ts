/**
 * The memory that operation.md names is enough: a service in a control group that has no more (Linux, by root) answers
 * two dozen readers of everything heavy, and nothing of it is killed. `MEMORY_SECONDS` sets how long they read, and
 * `MEMORY_MB` how much the smaller one has.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import tap, { type Test, test } from "tap"
import { endAll, executable, newPlace, start } from "../support/program.ts"

const SECONDS = Number(process.env.MEMORY_SECONDS ?? 10)
const FEW = Number(process.env.MEMORY_MB ?? 300)
const READERS = 24
const MIB = 1024 * 1024
/** Counts, among statuses, the answers that were cut. */
const CUT = 0
const program = executable()
const place = newPlace()
tap.setTimeout((240 + 4 * SECONDS) * 1_000)
tap.teardown(() => {
  endAll()
  place.remove()
})

/** Where control groups of each version bound memory. */
const versions = [
  {
    root: "/sys/fs/cgroup/memory",
    needs: "memory.limit_in_bytes",
    limit: "memory.limit_in_bytes",
    most: "memory.max_usage_in_bytes",
    kills: "memory.oom_control",
  },
  {
    root: "/sys/fs/cgroup",
    needs: "cgroup.controllers",
    limit: "memory.max",
    most: "memory.peak",
    kills: "memory.events",
  },
] as const

/** Makes a control group with so much memory; null where none may be made. */
function groupOf(megabytes: number) {
  for (const { root, needs, limit, most, kills } of versions) {
    if (!existsSync(join(root, needs))) continue
    const folder = join(root, `research-room-test-${process.pid}-${megabytes}`)
    try {
      mkdirSync(folder)
      writeFileSync(join(folder, limit), String(megabytes * MIB))
    } catch {
      continue
    }
    const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "")
    return {
      procs: join(folder, "cgroup.procs"),
      mostMegabytes: () => Math.round(Number(read(most)) / MIB),
      kills: () => Number(/oom_kill (\d+)/.exec(read(kills))?.[1] ?? 0),
      /** The system needs a moment to take the last process out. */
      async remove() {
        for (let tries = 0; tries < 50 && existsSync(folder); tries += 1)
          try {
            rmdirSync(folder)
          } catch {
            await pause(100)
          }
      },
    }
  }
  return null
}

const linux = process.platform === "linux" ? false : "control groups are Linux's"

/** Makes the data of the demo. */
async function filled() {
  const demo = start(program, ["demo", "--json", "--data", "data"], place)
  const [line] = await demo.printed(/\{.*\}\n/)
  const { rooms } = JSON.parse(line) as { rooms: { main: { roomId: string; openingThreadId: string } } }
  demo.signal("SIGTERM")
  await demo.ended()
  return rooms.main
}
const data = process.platform === "linux" ? await filled() : { roomId: "", openingThreadId: "" }

async function bearsReaders(t: Test, megabytes: number, threads: number) {
  const group = groupOf(megabytes)
  if (group === null) return void t.comment("no control group with a limit of memory may be made here")
  // The shell puts itself into the group before it becomes the service.
  const enter = 'echo $$ > "$1"; shift; exec "$@"'
  const serve = [program, "serve", "--data", "data", "--port", "0", "--threads", String(threads)]
  const service = start("/bin/sh", ["-c", enter, "sh", group.procs, ...serve], place)
  const [, baseUrl = ""] = await service.printed(/ at (http\S+)\n[^]*llms\.txt\n/)
  const { roomId, openingThreadId } = data
  const paths = [
    `/api/research/rooms/${roomId}/export`,
    `/api/research/rooms/${roomId}/room.sqlite`,
    `/api/research/rooms/${roomId}/research-context`,
    `/api/research/rooms/${roomId}/brief?at=20`,
    `/api/research/rooms/${roomId}/provenance`,
    `/api/research/search?query=training`,
    `/api/research/threads/${openingThreadId}/timeline`,
    "/api/research/research-schema?bundle=1",
    "/api/openapi.json",
    `/rooms/${roomId}`,
    `/threads/${openingThreadId}`,
  ]
  const until = performance.now() + SECONDS * 1_000
  const counts = new Map<number, number>()
  await Promise.all(
    Array.from({ length: READERS }, async (_, reader) => {
      for (let next = reader; performance.now() < until; next += 1) {
        const response = await fetch(`${baseUrl}${paths[next % paths.length]}`)
        // An export whose reader falls behind is cut. That the service lives on is asked below.
        const isWhole = await response.arrayBuffer().then(
          () => true,
          () => false,
        )
        const status = isWhole ? response.status : CUT
        counts.set(status, (counts.get(status) ?? 0) + 1)
      }
    }),
  )
  t.comment(`${megabytes} MB: ${JSON.stringify([...counts])}, at most ${group.mostMegabytes()} MiB with the file cache`)
  t.ok((counts.get(200) ?? 0) > READERS, "they are answered")
  t.strictSame(
    [...counts.keys()].filter((status) => ![200, 429, 503, CUT].includes(status)),
    [],
    "or told to come again",
  )
  t.equal((await fetch(`${baseUrl}/api/health/ready`)).status, 200)
  t.equal(group.kills(), 0, "nothing was killed")
  service.signal("SIGTERM")
  t.equal((await service.ended()).code, 0)
  await group.remove()
}

test(`${FEW} MB are enough for a service with one reader thread`, { skip: linux }, (t) => bearsReaders(t, FEW, 1))

test("640 MB are enough for one with three", { skip: linux }, (t) => bearsReaders(t, 640, 3))
