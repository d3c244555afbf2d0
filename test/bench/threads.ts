/**
 * Reading from several threads, in a Room of 500 experiments and findings: pages per second with two threads beside
 * one, how long a small read waits beside each of the costly ones, and the memory of a thread.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fill } from "../research/added/large-room.ts"
import { dataFile, remove, repositoriesOf } from "./data/demo.ts"
import { get, writeShots } from "./load/shots.ts"
import { ratio } from "./numbers.ts"
import { type Served, startServe } from "./process.ts"
import { progress } from "./progress.ts"
import { backwards, type Bench } from "./settings.ts"

const SIZE = { threads: 20, experiments: 500, attempts: 500, records: 1_000, messages: 1_000 }
/** Connections that request pages, and those that send small reads beside one that requests a costly one. */
const [PAGES, SMALL] = [8, 4]
/** Small reads per second: so few that they take no processor time from the other requests. */
const RATE = 200
const SIDES = [1, 2] as const

const resident = ({ pid }: Served): number =>
  process.platform === "linux"
    ? Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024
    : Number.NaN

async function fillRoom(folder: string) {
  mkdirSync(folder)
  const { instance, roomId } = await fill(dataFile(folder), SIZE)
  const idOf = (sql: string) => instance.db.prepare<{ id: string }>(sql).one().id
  const ids = {
    threadId: idOf("SELECT thread_id AS id FROM threads LIMIT 1"),
    experimentId: idOf("SELECT experiment_id AS id FROM experiments LIMIT 1"),
    versionId: idOf("SELECT version_id AS id FROM records LIMIT 1"),
  }
  instance.db.close()
  return { roomId, ...ids }
}

export async function threads(bench: Bench): Promise<void> {
  const { scratch, demo, loader, reader, report } = bench
  const rounds = bench.rounds + 1
  // At least a hundred small reads are needed for the slowest in a hundred.
  const seconds = Math.max(2, bench.seconds)
  const folder = join(scratch, "threads")
  const { roomId, threadId, experimentId, versionId } = await fillRoom(folder)
  const room = `/api/research/rooms/${roomId}`
  const shots = (name: string, paths: readonly string[]) => {
    const file = join(scratch, `${name}.json`)
    writeShots(
      file,
      paths.map((path) => get(path)),
    )
    return file
  }
  const pages = shots("pages", [
    `/rooms/${roomId}`,
    `/rooms/${roomId}/hypotheses`,
    `/rooms/${roomId}/experiments`,
    `/threads/${threadId}`,
    `/records/${versionId}`,
    `/experiments/${experimentId}`,
  ])
  const small = shots("small", [room])
  const costly: Readonly<Record<string, string>> = {
    "the graph's page": shots("graph", [`/rooms/${roomId}/graph`]),
    provenance: shots("provenance", [`${room}/provenance`]),
    "research-context": shots("context", [`${room}/research-context`]),
    export: shots("export", [`${room}/export`]),
  }
  const served = (count: number) =>
    startServe(folder, repositoriesOf(demo), "node", undefined, ["--threads", String(count)])
  const perSecond: Record<(typeof SIDES)[number], number[]> = { 1: [], 2: [] }
  const memory: Record<(typeof SIDES)[number], number[]> = { 1: [], 2: [] }
  const alone: number[] = []
  const beside = Object.fromEntries(
    Object.keys(costly).map((name) => [name, { p99: [] as number[], longest: [] as number[] }]),
  )
  const shown = progress("threads", rounds * SIDES.length)
  for (let round = 0; round < rounds; round += 1)
    for (const side of backwards(round) ? SIDES.toReversed() : SIDES) {
      shown.step(`${side} threads, round ${round + 1}`)
      const service = await served(side)
      const { port } = service
      const load = { port, connections: PAGES, file: pages, count: 20_000, seconds }
      await loader.ask({ ...load, seconds: 3 })
      perSecond[side].push((await loader.ask(load)).perSecond)
      memory[side].push(resident(service))
      if (side === 2) {
        const asked = { port, connections: SMALL, file: small, rate: RATE, count: Math.ceil(RATE * seconds) }
        const { read } = await reader.ask(asked)
        alone.push(read.p99)
        for (const [name, file] of Object.entries(costly)) {
          const [{ read: waited }] = await Promise.all([
            reader.ask(asked),
            loader.ask({ port, connections: 1, file, count: 10_000, seconds }),
          ])
          beside[name]?.p99.push(waited.p99)
          beside[name]?.longest.push(waited.longest)
        }
      }
      await service.end()
    }
  shown.end()
  remove(folder)
  const over = Object.entries(beside).map(([name, { p99, longest }]) => ({
    name,
    p99,
    longest,
    factor: ratio(longest, alone),
  }))
  report.table({
    title: `A Room of ${SIZE.experiments} experiments and findings: two reading threads beside one`,
    columns: [
      { name: "one", digits: 1 },
      { name: "two", digits: 1 },
      { name: "two / one", digits: 2 },
    ],
    rows: [
      { name: "pages a second", cells: [perSecond[1], perSecond[2], ratio(perSecond[2], perSecond[1])] },
      { name: "memory after them, MB", cells: [memory[1], memory[2], ratio(memory[2], memory[1])] },
    ],
  })
  report.table({
    title: "A small read beside one client of a costly one, with two threads; times in ms",
    notes: ["Small reads are due at fixed moments, and each one's time counts from its moment."],
    columns: [
      { name: "p99", digits: 2 },
      { name: "longest", digits: 2 },
      { name: "longest / p99 alone", digits: 2 },
    ],
    rows: [
      { name: "alone", cells: [alone, alone.map(() => Number.NaN), alone.map(() => Number.NaN)] },
      ...over.map(({ name, p99, longest, factor }) => ({ name: `beside ${name}`, cells: [p99, longest, factor] })),
    ],
  })
  report.aimOf("pages a second with two threads / with one", ratio(perSecond[2], perSecond[1]), { atLeast: 1.5 })
  for (const { name, factor } of over)
    report.aimOf(`longest wait of a small read beside ${name} / p99 alone`, factor, { atMost: 3 })
  report.aimOf(
    "memory of a reading thread, MB",
    memory[2].map((held, round) => held - (memory[1][round] ?? Number.NaN)),
    { atMost: 40 },
  )
}
