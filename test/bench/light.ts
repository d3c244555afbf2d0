/**
 * The service beside the smallest honest service of the same parts, for one operation: h3, valibot and better-sqlite3
 * in one thread, with what the protocol asks of a posted message and nothing else. It is a file of its own (`PLAIN`, by
 * default `../shared/bench/plain.mjs`). They run in turn on the same machine, and so does PocketBase where `POCKETBASE`
 * names one (`pocketbase.ts`). If `BEFORE` names another built checkout, each kind of write, and each
 * read and page, is measured beside it at the end.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { once } from "node:events"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { copyData, remove, repositoriesOf } from "./data/demo.ts"
import { livedIn } from "./data/lived-in.ts"
import { readShots, writeShots } from "./load/shots.ts"
import { root } from "./machine.ts"
import { ratio } from "./numbers.ts"
import { mustBeBuilt, type Served, startOther, startServe } from "./process.ts"
import { DURABILITIES, overPocketBase, pocketBase } from "./pocketbase.ts"
import { backwards, type Bench } from "./settings.ts"

const CONNECTIONS = [1, 16, 64] as const
const TOKEN = "token"
/** The Thread that the plain service has. */
const THREAD = "01a1c2be-47ab-73ea-82e4-df3b9d39fd80"

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Starts the plain service: it prints nothing, so a shell line tells when it answers. */
async function startPlain(plain: string, file: string): Promise<Served> {
  const port = await freePort()
  const startedAt = performance.now()
  const serving =
    `exec ${JSON.stringify(process.execPath)} ` +
    `${[plain, root, String(port), file].map((each) => JSON.stringify(each)).join(" ")}`
  const { pid, end } = await startOther(
    "sh",
    ["-c", `echo begun; TOKEN=${TOKEN} THREAD=${THREAD} ${serving}`],
    () => true,
  )
  while (!(await fetch(`http://127.0.0.1:${port}/api/health/ready`).catch(() => null))?.ok) await pause(2)
  return { port, pid, readyAfter: performance.now() - startedAt, end }
}

/** The memory of a process in MiB, as Linux counts it. */
const resident = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Runs of a command whose processor time is measured: some systems count it in steps of 10 ms. */
const RUNS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

/** Milliseconds of processor time that a command takes. */
function processorOf(program: string, args: readonly string[]): number {
  const runs = `for run in ${RUNS.join(" ")}; do "$@" >/dev/null; done; times`
  const times = execFileSync("sh", ["-c", runs, "sh", program, ...args], { encoding: "utf8" })
  const [, ofChildren = ""] = times.trim().split("\n")
  const parts = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)]
  const all = parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000, 0)
  return all / RUNS.length
}

export async function light(bench: Bench): Promise<void> {
  const { scratch, demo, loader, reader, rounds, one, many, seconds, report } = bench
  const plain = resolve(process.env.PLAIN ?? join(root, "../shared/bench/plain.mjs"))
  if (!existsSync(plain)) throw new Error(`${plain} does not exist: name the plain service by PLAIN`)
  const { folder, messages, reads } = await livedIn(demo, join(scratch, "lived-in"))
  const same = join(scratch, "plain.json")
  writeShots(
    same,
    readShots(messages).map((shot) => ({
      ...shot,
      path: `/api/agent/threads/${THREAD}/messages`,
      headers: { ...shot.headers, authorization: `Bearer ${TOKEN}` },
    })),
  )

  type Name = "service" | "plain"
  const found: Record<Name, Record<string, number[]>> = { service: {}, plain: {} }
  const note = (name: Name, what: string, value: number) => {
    found[name][what] = [...(found[name][what] ?? []), value]
  }
  const waits: Record<"alone" | "beside", number[]> = { alone: [], beside: [] }
  async function round(name: Name): Promise<void> {
    const copy = copyData(folder, join(scratch, "light"))
    const served =
      name === "service"
        ? await startServe(copy, repositoriesOf(demo))
        : await startPlain(plain, join(scratch, "plain.db"))
    note(name, "start to ready, ms", served.readyAfter)
    await pause(3_000)
    note(name, "memory at rest, MiB", resident(served.pid))
    for (const connections of CONNECTIONS) {
      const count = connections === 1 ? one : many
      const load = {
        port: served.port,
        connections,
        by: "autocannon",
        file: name === "service" ? messages : same,
      } as const
      const { perSecond, write } = await loader.ask({ ...load, warmUp: count, count })
      note(name, `messages a second, connections: ${connections}`, perSecond)
      if (connections === 1) note(name, "one write, p50 in ms", write.p50)
    }
    if (name === "service") {
      const reading = { port: served.port, connections: 4, file: reads, seconds, count: 20_000 * seconds }
      const alone = await reader.ask({ ...reading, warmUp: 400 })
      const writing = { ...reading, connections: 16, file: messages, from: 100_000 }
      const [beside] = await Promise.all([reader.ask(reading), loader.ask({ ...writing, by: "sockets" })])
      waits.alone.push(alone.read.p99)
      waits.beside.push(beside.read.p99)
    }
    await served.end()
    remove(copy)
    const [program, ...before] = mustBeBuilt("node")
    const [own, args] = name === "service" ? [program, [...before, "--version"]] : [process.execPath, ["-e", "0"]]
    note(name, "version / node -e 0, ms of processor time", processorOf(own, args))
  }
  const other = pocketBase()
  const others: Record<(typeof DURABILITIES)[number], number[][]> = { FULL: [], NORMAL: [] }
  const loads = CONNECTIONS.map((connections) => ({
    connections,
    by: "autocannon" as const,
    count: connections === 1 ? one : many,
  }))
  for (let at = 0; at < rounds; at += 1) {
    for (const name of backwards(at) ? (["plain", "service"] as const) : (["service", "plain"] as const))
      await round(name)
    if (other !== undefined)
      for (const durability of DURABILITIES)
        others[durability].push(
          (await overPocketBase(other, durability, bench, many, loads)).map(({ perSecond }) => perSecond),
        )
  }
  remove(folder)

  const inRounds = (what: string) => [found.service[what] ?? [], found.plain[what] ?? []] as const
  report.table({
    title: "The service beside the plain service, in turn",
    columns: [
      { name: "service", digits: 1 },
      { name: "plain", digits: 1 },
      { name: "service / plain", digits: 2 },
    ],
    rows: Object.keys(found.service).map((what) => {
      const [service, other] = inRounds(what)
      return { name: what, cells: [service, other, ratio(service, other)] }
    }),
  })
  report.table({
    title: "Small reads on four connections, p99 in ms",
    columns: [
      { name: "alone", digits: 2 },
      { name: "16 writers", digits: 2 },
    ],
    rows: [{ name: "reads", cells: [waits.alone, waits.beside] }],
  })
  report.aimOf("reads, p99 beside 16 writers of p99 alone", ratio(waits.beside, waits.alone), { atMost: 3 })
  const [executable] = mustBeBuilt("executable")
  const packed = Number(execFileSync("sh", ["-c", 'xz -T0 -2 -c "$1" | wc -c', "sh", executable], { encoding: "utf8" }))
  report.aimOf("executable, MB", [statSync(executable).size / 1e6], { atMost: 130 })
  report.aimOf("executable, MB compressed", [packed / 1e6], { atMost: 45 })
  const aims = { 1: 0.8, 16: 0.75, 64: 0.75 }
  for (const connections of CONNECTIONS) {
    const what = `messages a second, connections: ${connections}`
    report.aimOf(`${what}, of the plain service's`, ratio(...inRounds(what)), { atLeast: aims[connections] })
  }
  for (const [what, atMost] of [
    ["one write, p50 in ms", 1.3],
    ["memory at rest, MiB", 1.6],
    ["start to ready, ms", 2.2],
    ["version / node -e 0, ms of processor time", 2.5],
  ] as const)
    report.aimOf(`${what}, beside the plain service's`, ratio(...inRounds(what)), { atMost })
  if (other === undefined) console.log("PocketBase: skipped: POCKETBASE names no program.\n")
  else
    for (const [durability, wanted] of [
      ["FULL", { 1: 0.6, 16: 1.3, 64: 1.5 }],
      ["NORMAL", { 16: 0.9 }],
    ] as const)
      for (const [connections, atLeast] of Object.entries(wanted)) {
        const theirs = others[durability].map(
          (round) => round[CONNECTIONS.findIndex((each) => `${each}` === connections)] ?? 0,
        )
        const what = `messages a second, connections: ${connections}`
        report.aimOf(`${what}, of PocketBase's at ${durability}`, ratio(inRounds(what)[0], theirs), { atLeast })
      }
  const { BEFORE: before } = process.env
  if (before === undefined) return
  for (const name of ["beside.ts", "reads-beside.ts"]) {
    const program = ["--conditions=research-room-source", join(import.meta.dirname, name)]
    execFileSync(process.execPath, [...program, "--before", resolve(before)], { stdio: "inherit" })
  }
}
