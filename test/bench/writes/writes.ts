/**
 * Each kind of write over HTTP, on 1, 16 and 64 connections of bare sockets, beside the bare loop of the baseline
 * (yardstick.ts); and on 16 of autocannon's, which on few cores takes processor time from the service.
 */
import { join } from "node:path"
import { copyData, remove, repositoriesOf } from "../data/demo.ts"
import type { Load, Loaded } from "../load/load.ts"
import { ratio } from "../numbers.ts"
import { Helper, startServe } from "../process.ts"
import { progress } from "../progress.ts"
import type { Row } from "../report.ts"
import { backwards, type Bench } from "../settings.ts"
import { type Answer, type Ask, GROUP, shotsFile } from "./constants.ts"
import { measured } from "./recipes.ts"

const HEADLINE = "post_message"
const CONNECTIONS = [1, GROUP, 64] as const

interface Counts {
  readonly rounds: number
  readonly one: number
  readonly many: number
  readonly warmUp: number
}

interface Measured {
  /** By the number of connections. */
  readonly http: Readonly<Record<number, readonly Loaded[]>>
  readonly byAutocannon: readonly Loaded[]
  readonly single: readonly number[]
  readonly grouped: readonly number[]
  /** Replayed entries per second. */
  readonly replayed: readonly number[]
  readonly statements: Answer
}

/** The loads of a round: by which sender, and on how many connections. */
const LOADS: readonly Pick<Load, "by" | "connections">[] = [
  ...CONNECTIONS.map((connections) => ({ by: "sockets", connections }) as const),
  { by: "autocannon", connections: GROUP },
]

/** One round over HTTP: a service on a copy of the data, warmed up, then each load with writes of its own. */
async function overHttp(
  { scratch, demo, loader }: Bench,
  folder: string,
  { one, many, warmUp }: Counts,
): Promise<Loaded[]> {
  const copy = copyData(folder, join(scratch, "served"))
  const { port, end } = await startServe(copy, repositoriesOf(demo))
  const file = shotsFile(folder)
  const found: Loaded[] = []
  let from = warmUp
  await loader.ask({ port, file, connections: GROUP, count: warmUp, by: "sockets" })
  for (const load of LOADS) {
    const count = load.connections === 1 ? one : many
    found.push(await loader.ask({ port, file, ...load, from, count }))
    from += count
  }
  await end()
  remove(copy)
  return found
}

async function measure(
  bench: Bench,
  bare: Helper<Ask, Answer>,
  operation: string,
  step: (now: string) => void,
): Promise<Measured> {
  const counts: Counts = operation === HEADLINE ? bench.headline : bench
  const folder = join(bench.scratch, operation)
  step(`${operation}: targets`)
  const single = Math.ceil(counts.many / 2)
  const writes = counts.warmUp + counts.one + 3 * counts.many
  const statements = await bare.ask({
    prepare: { operation, demo: bench.demo, folder, writes, single, grouped: counts.many },
  })
  const http: Loaded[][] = []
  const loops: { single: number; grouped: number; replayed: number }[] = []
  for (let round = 0; round < counts.rounds; round += 1) {
    step(`${operation}: round ${round + 1}`)
    const loop = async (grouped: boolean) => (await bare.ask({ loop: { grouped } })).perSecond
    if (backwards(round)) http.push(await overHttp(bench, folder, counts))
    const { perSecond: replayed } = await bare.ask({ replay: true })
    loops.push({ single: await loop(false), grouped: await loop(true), replayed })
    if (!backwards(round)) http.push(await overHttp(bench, folder, counts))
  }
  remove(folder)
  return {
    http: Object.fromEntries(
      CONNECTIONS.map((connections, at) => [connections, http.map((round) => round[at] as Loaded)]),
    ),
    byAutocannon: http.map((round) => round.at(-1) as Loaded),
    single: loops.map(({ single }) => single),
    grouped: loops.map(({ grouped }) => grouped),
    replayed: loops.map(({ replayed }) => replayed),
    statements,
  }
}

const rates = ({ http }: Measured, connections: number) => (http[connections] ?? []).map(({ perSecond }) => perSecond)

function row(operation: string, found: Measured): Row {
  const [one, many, most] = CONNECTIONS.map((connections) => rates(found, connections)) as [
    number[],
    number[],
    number[],
  ]
  const { single, grouped, replayed, statements, http } = found
  return {
    name: operation,
    cells: [
      one,
      many,
      most,
      found.byAutocannon.map(({ perSecond }) => perSecond),
      single,
      grouped,
      ratio(one, single),
      ratio(many, single),
      ratio(many, grouped),
      ratio(most, grouped),
      replayed,
      ratio(replayed, grouped),
      (http[1] ?? []).map(({ write }) => write.p50),
      (http[GROUP] ?? []).map(({ write }) => write.p99),
      [statements.single.length],
    ],
  }
}

const columns = [
  ...CONNECTIONS.map((connections) => ({ name: `HTTP ${connections}`, digits: 0 })),
  { name: `autocannon ${GROUP}`, digits: 0 },
  { name: "bare 1", digits: 0 },
  { name: `bare ${GROUP}`, digits: 0 },
  { name: "1/bare 1", digits: 2 },
  { name: `${GROUP}/bare 1`, digits: 2 },
  { name: `${GROUP}/bare ${GROUP}`, digits: 2 },
  { name: `64/bare ${GROUP}`, digits: 2 },
  { name: "replay", digits: 0 },
  { name: `replay/bare ${GROUP}`, digits: 2 },
  { name: "p50 at 1", digits: 2 },
  { name: `p99 at ${GROUP}`, digits: 2 },
  { name: "statements", digits: 0 },
]

/** The lines for the statements of one write. */
function told(operation: string, { single, grouped }: Answer): string[] {
  return [
    `One ${operation} runs ${single.length} statements, ${GROUP} together run ${grouped}; ` +
      "triggers are not counted. One:",
    ...single.map((sql) => `    ${sql.replace(/\s+/g, " ").slice(0, 120)}`),
  ]
}

export async function writes(bench: Bench): Promise<void> {
  const names = measured().filter((name) => bench.matching.split(",").some((part) => name.includes(part)))
  const shown = progress(
    "writes",
    names.reduce((steps, name) => steps + 1 + (name === HEADLINE ? bench.headline.rounds : bench.rounds), 0),
  )
  const bare = new Helper<Ask, Answer>("writes/bare.ts")
  const rows: Row[] = []
  let headline: Measured | undefined
  try {
    for (const name of names) {
      const found = await measure(bench, bare, name, shown.step)
      if (name === HEADLINE) headline = found
      rows.push(row(name, found))
    }
  } finally {
    shown.end()
    await bare.end()
  }
  bench.report.table({
    title:
      "Writes a second: over HTTP at 1, 16 and 64 connections, and messages a second in the bare loop of the yardstick",
    notes: [
      `bare 1: one transaction a message; bare ${GROUP}: ${GROUP} in a transaction. ` +
        "Both run the statements of a post_message of commit c6f7581, for every row, as durable as the service. " +
        "Times in ms.",
      ...(headline === undefined ? [] : told(HEADLINE, headline.statements)),
    ],
    columns,
    rows,
  })
  if (headline === undefined) return
  const [one, many] = CONNECTIONS.map((connections) => rates(headline as Measured, connections)) as [
    number[],
    number[],
    number[],
  ]
  bench.report.aimOf("post_message at 1 connection / bare loop of one transaction each", ratio(one, headline.single), {
    atLeast: 0.6,
  })
  bench.report.aimOf(
    "post_message at 16 connections / bare loop of one transaction each",
    ratio(many, headline.single),
    { atLeast: 1.6 },
  )
  bench.report.aimOf("post_message at 16 connections / bare loop in groups of 16", ratio(many, headline.grouped), {
    atLeast: 0.75,
  })
  bench.report.aimOf("replay / bare loop in groups of 16", ratio(headline.replayed, headline.grouped), { atLeast: 0.5 })
}
