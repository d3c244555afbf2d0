/**
 * Reads and writes together: four reads to one write, writes at half of the service's capacity, reads beside writes.
 */
import { join } from "node:path"
import { copyData, remove, repositoriesOf } from "./data/demo.ts"
import { type LivedIn, livedIn } from "./data/lived-in.ts"
import type { Loaded, Times } from "./load/load.ts"
import { median, ratio } from "./numbers.ts"
import { startServe } from "./process.ts"
import { progress } from "./progress.ts"
import type { Row } from "./report.ts"
import type { Bench } from "./settings.ts"

const CONNECTIONS = 16
/** More requests than any machine answers in a second on one of sixteen connections. */
const MOST = 20_000

const columns = [
  { name: "a second", digits: 0 },
  { name: "p50", digits: 2 },
  { name: "p90", digits: 2 },
  { name: "p99", digits: 2 },
  { name: "p99.9", digits: 2 },
]

interface Found {
  readonly mixed: readonly Loaded[]
  readonly alone: readonly Loaded[]
  readonly saturated: readonly Loaded[]
  readonly half: readonly Loaded[]
  readonly besideFull: readonly Loaded[]
  readonly besideHalf: readonly Loaded[]
}
type Name = keyof Found

/** One round, on a copy of the data. A separate loader sends the reads on four connections. */
async function round(bench: Bench, { folder, mixed, reads, messages }: LivedIn): Promise<Record<Name, Loaded>> {
  const { scratch, seconds, loader, reader, demo, warmUp } = bench
  const copy = copyData(folder, join(scratch, "mixed"))
  const { port, end } = await startServe(copy, repositoriesOf(demo))
  const full = { port, connections: CONNECTIONS, seconds, count: Math.ceil(seconds * MOST) }
  const reading = { ...full, connections: 4, file: reads }
  await loader.ask({ port, connections: CONNECTIONS, count: warmUp, file: mixed })
  const of = {
    mixed: await loader.ask({ ...full, file: mixed }),
    saturated: await loader.ask({ ...full, file: messages, by: "sockets" }),
    alone: await reader.ask(reading),
  }
  const rate = of.saturated.perSecond / 2
  const halfLoad = { port, connections: 64, file: messages, rate, count: Math.ceil(rate * seconds) }
  const half = await loader.ask(halfLoad)
  const [besideHalf] = await Promise.all([reader.ask(reading), loader.ask(halfLoad)])
  const [besideFull] = await Promise.all([reader.ask(reading), loader.ask({ ...full, file: messages, by: "sockets" })])
  await end()
  remove(copy)
  return { ...of, half, besideHalf, besideFull }
}

function row(name: string, loaded: readonly Loaded[], kind: "read" | "write", remark = ""): Row {
  const of = (what: keyof Times) => loaded.map((found) => found[kind][what])
  const rates = loaded.map((found) => (found.perSecond * found[kind].count) / (found.read.count + found.write.count))
  return { name, cells: [rates, of("p50"), of("p90"), of("p99"), of("p999")], remark }
}

export async function mixed(bench: Bench): Promise<void> {
  const data = await livedIn(bench.demo, join(bench.scratch, "lived-in"))
  const found: Record<Name, Loaded>[] = []
  const shown = progress("mixed", bench.rounds + 1)
  try {
    for (let at = 0; at < bench.rounds + 1; at += 1) {
      shown.step(`round ${at + 1}`)
      found.push(await round(bench, data))
    }
  } finally {
    shown.end()
    remove(data.folder)
  }
  const of = (name: Name) => found.map((each) => each[name])
  const p99 = (name: Name) => of(name).map(({ read }) => read.p99)
  bench.report.table({
    title: "Reads and writes together; times in ms",
    notes: [
      `The mixed load and the writes at full load come from ${CONNECTIONS} connections, each sending when it was ` +
        "answered; reads beside writes from four more.",
      "Writes at half load are due at fixed moments, and each one's time counts from its moment: " +
        "a stall counts for all that had to wait.",
    ],
    columns,
    rows: [
      row("mixed, 80 %: reads", of("mixed"), "read"),
      row("mixed, 20 %: writes", of("mixed"), "write"),
      row("writes at full load", of("saturated"), "write"),
      row("writes at half load", of("half"), "write"),
      row("reads alone", of("alone"), "read"),
      row("reads beside writes at half load", of("besideHalf"), "read"),
      row("reads beside writes at full load", of("besideFull"), "read"),
    ],
  })
  bench.report.aimOf(
    "p99 of writes at half load, ms",
    of("half").map(({ write }) => write.p99),
    { atMost: 10 },
  )
  bench.report.aimOf("p99 of reads beside writes at full load / alone", ratio(p99("besideFull"), p99("alone")), {
    atMost: 3,
  })
  bench.report.aimOf("p99 of reads beside writes at half load / alone", ratio(p99("besideHalf"), p99("alone")), {
    atMost: 3,
  })
  const written = median(of("besideFull").map(({ read }) => read.count))
  if (written === 0) throw new Error("no read was answered beside writes")
}
