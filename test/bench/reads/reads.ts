/**
 * Each list and context in short and in long data, beside its bare query and beside a fixed answer of the same bytes.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sessionCookie } from "../../../src/contract/operations/actions.ts"
import type { Read } from "../../../src/contract/definitions/read.ts"
import { reads as registry } from "../../../src/contract/reads/index.ts"
import { readDemo, remove, repositoriesOf } from "../data/demo.ts"
import { get, type Shot, writeShots } from "../load/shots.ts"
import { median, ratio } from "../numbers.ts"
import { Helper, type Served, startServe } from "../process.ts"
import { progress } from "../progress.ts"
import type { Row } from "../report.ts"
import { backwards, type Bench } from "../settings.ts"
import type { Answer, Ask } from "./bare.ts"
import { type Case, casesOf, fullPage, measured } from "./cases.ts"
import type { Large } from "./fill/large.ts"
import type { Fixed, Fixture } from "./fixed.ts"

/** The most seconds for one measurement of a page; slow pages get fewer requests. */
const BUDGET = 0.6
const FEWEST = 3
/** How much longer a page of long data may take. */
const AIM = 1.2

/** The time that the framework and the server add to an answer by themselves. */
const CONNECTION_HEADERS = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"])

/** A service on data of one size, and the bare queries on the same data. */
interface Side {
  readonly size: number
  readonly large: Large
  readonly served: Served
  readonly bare: Helper<Ask, Answer>
  readonly cookie: string
}

/** One case at one size, ready to be measured. */
interface Aimed {
  readonly side: Side
  readonly asked: Case
  readonly file: string
  readonly fixedFile: string
  readonly fixture: Fixture
  readonly bytes: number
  readonly times: number
}

interface Took {
  readonly page: number
  readonly slowest: number
  readonly fixed: number
  readonly bare: number
  readonly statements: number
}

const folderOf = ({ scratch, keep }: Bench, size: number) => join(keep ?? scratch, `large-${size}`)

/** Fills data, or uses what an earlier run kept. */
async function filled(bare: Helper<Ask, Answer>, demo: string, folder: string, size: number): Promise<Large> {
  const kept = `${folder}.json`
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, "utf8")) as Large
  const { large } = await bare.ask({ fill: { demo, folder, size } })
  if (large === undefined) throw new Error("nothing was filled")
  writeFileSync(kept, JSON.stringify(large))
  return large
}

async function makeSide(bench: Bench, size: number): Promise<Side> {
  const { demo } = bench
  const folder = folderOf(bench, size)
  const bare = new Helper<Ask, Answer>("reads/bare.ts")
  const large = await filled(bare, demo, folder, size)
  await bare.ask({ open: { demo, folder } })
  const served = await startServe(folder, repositoriesOf(demo))
  return { size, large, served, bare, cookie: await signIn(served.port, demo) }
}

/** Signs in the demo's owner, for reads that only the browser can make. */
async function signIn(port: number, demo: string): Promise<string> {
  const { username, password } = readDemo(demo).people.owner
  const origin = `http://127.0.0.1:${port}`
  const answer = await fetch(`${origin}/api/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  })
  const cookie = answer.headers.getSetCookie().find((text) => text.startsWith(`${sessionCookie}=`))
  if (!answer.ok || cookie === undefined)
    throw new Error(`signing in was refused: ${answer.status} ${await answer.text()}`)
  return cookie.split(";")[0] ?? ""
}

function shotOf({ path, surface }: Read, { params, query }: Case, cookie: string, key: string): Shot {
  const filled = path.replace(/\{([a-zA-Z]+)\}/g, (_, id: string) => encodeURIComponent(params[id] ?? ""))
  const search = new URLSearchParams(query).toString()
  const headers =
    surface === "key"
      ? { authorization: `Bearer ${key}` }
      : surface === "session" || surface === "operator"
        ? { cookie }
        : {}
  return get(search === "" ? filled : `${filled}?${search}`, headers as Shot["headers"])
}

/** Sends one request, checks the answer, and gives the fixed server the same bytes. */
async function aim(
  { scratch, demo, reads }: Bench,
  side: Side,
  fixed: Helper<Fixed, Fixture>,
  read: Read,
  asked: Case,
): Promise<Aimed> {
  const shot = shotOf(read, asked, side.cookie, readDemo(demo).keys.all.token)
  const url = `http://127.0.0.1:${side.served.port}${shot.path}`
  await (await fetch(url, { headers: shot.headers })).text()
  const before = performance.now()
  const answer = await fetch(url, { headers: shot.headers })
  const body = await answer.text()
  const seconds = (performance.now() - before) / 1000
  const held = (JSON.parse(body) as { items?: unknown[] }).items?.length ?? null
  const wanted = asked.items === undefined ? fullPage : asked.items
  if (answer.status !== 200 || (wanted !== null && held !== wanted))
    throw new Error(`${shot.path} answered ${answer.status} with ${held} items at ${side.size}: ${body.slice(0, 300)}`)
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !CONNECTION_HEADERS.has(name)))
  const fixture = await fixed.ask({ headers, body })
  const [file, fixedFile] = ["page", "fixed"].map((name) =>
    join(scratch, `${name}-${fixture.path.split("/").at(-1)}.json`),
  ) as [string, string]
  writeShots(file, [shot])
  writeShots(fixedFile, [get(fixture.path)])
  const times = Math.max(FEWEST, Math.min(reads, Math.floor(BUDGET / seconds)))
  return { side, asked, file, fixedFile, fixture, bytes: Buffer.byteLength(body), times }
}

async function take(
  { loader }: Bench,
  { side, asked, file, fixedFile, fixture, times }: Aimed,
  name: string,
): Promise<Took> {
  const one = { connections: 1, count: times, warmUp: Math.ceil(times / 5), by: "sockets" } as const
  const page = await loader.ask({ ...one, port: side.served.port, file })
  const same = await loader.ask({ ...one, port: fixture.port, file: fixedFile })
  const { took = Number.NaN, statements = 0 } = await side.bare.ask({ query: { name, asked, times } })
  return { page: page.read.p50, slowest: page.read.p99, fixed: same.read.p50, bare: took, statements }
}

/** One line: a case in every size, round by round, in alternating order. */
async function row(
  bench: Bench,
  sides: readonly Side[],
  fixed: Helper<Fixed, Fixture>,
  name: string,
  at: number,
): Promise<Row> {
  const read = registry.find((known) => known.name === name) as Read
  const aimed: Aimed[] = []
  for (const side of sides) aimed.push(await aim(bench, side, fixed, read, casesOf(name, side.large)[at] as Case))
  const found: Took[][] = aimed.map(() => [])
  for (let round = 0; round < bench.readRounds; round += 1) {
    const order = [...aimed.keys()]
    for (const index of backwards(round) ? order.toReversed() : order)
      found[index]?.push(await take(bench, aimed[index] as Aimed, name))
  }
  const of = (index: number, what: keyof Took) => (found[index] ?? []).map((took) => took[what])
  const last = aimed.length - 1
  const [page, alone, same] = [of(last, "page"), of(last, "bare"), of(last, "fixed")]
  const { asked, bytes } = aimed[last] as Aimed
  const { from = 0 } = asked
  const base =
    from === 0
      ? 0
      : Math.max(
          0,
          sides.slice(0, last).findIndex(({ size }) => size >= from),
        )
  const title = asked.title === "" ? name : `${name}, ${asked.title}`
  return {
    name: base === 0 ? title : `${title} (beside ${inWords(aimed[base]?.side.size ?? 0)})`,
    cells: [
      ...aimed.map((_, index) => of(index, "page")),
      ratio(page, of(base, "page")),
      alone,
      same,
      ratio(
        page,
        alone.map((time, round) => time + (same[round] ?? 0)),
      ),
      ratio(alone, of(base, "bare")),
      [bytes],
      of(last, "statements"),
      of(last, "slowest"),
    ],
  }
}

const inWords = (size: number) => size.toLocaleString("en")

export async function reads(bench: Bench): Promise<void> {
  const names = measured().filter((name) => bench.matching.split(",").some((part) => name.includes(part)))
  const sides: Side[] = []
  const fixed = new Helper<Fixed, Fixture>("reads/fixed.ts")
  const filling = progress("reads", bench.sizes.length)
  for (const size of bench.sizes) {
    filling.step(`filling ${inWords(size)} rows of each`)
    sides.push(await makeSide(bench, size))
  }
  filling.end()
  const [{ large }] = sides as [Side]
  const all = names.flatMap((name) => casesOf(name, large).map((_, at) => ({ name, at })))
  const shown = progress("reads", all.length)
  const rows: Row[] = []
  try {
    for (const { name, at } of all) {
      shown.step(name)
      try {
        rows.push(await row(bench, sides, fixed, name, at))
      } catch (error) {
        throw new Error(`${name}, case ${at + 1} could not be measured`, { cause: error })
      }
    }
  } finally {
    shown.end()
  }
  for (const { served, bare, size } of sides) {
    await Promise.all([served.end(), bare.end()])
    if (bench.keep === undefined) remove(folderOf(bench, size))
  }
  await fixed.end()
  tell(bench, rows)
}

function tell({ report, sizes }: Bench, rows: readonly Row[]): void {
  const [first, last] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const relative = sizes.length
  const slow = rows.filter(({ cells }) => median(cells[relative] ?? []) > AIM)
  report.table({
    title:
      "Pages of lists, contexts, briefs and what is similar, at one connection: " +
      "median times in ms by the rows of each list",
    notes: [
      "From the middle of the list where its cursor leads there, else its first page. " +
        "Rooms, Threads, revisions and metrics end at 100,000, the Library at its caps.",
      "What looks at more rows than the shortest list has, up to a bound, is compared with the first list in which " +
        "it reaches the bound: it says which.",
      `bare: the query alone; fixed: an answer of the same bytes; both at ${inWords(last)}. page/(bare+fixed): ` +
        "what the service adds. bare long/short: the query alone. p99: of the page, there too.",
    ],
    columns: [
      ...sizes.map((size) => ({ name: inWords(size), digits: 2 })),
      { name: "long/short", digits: 2 },
      { name: "bare", digits: 3 },
      { name: "fixed", digits: 2 },
      { name: "page/(bare+fixed)", digits: 2 },
      { name: "bare long/short", digits: 2 },
      { name: "bytes", digits: 0 },
      { name: "statements", digits: 0 },
      { name: "p99", digits: 2 },
    ],
    rows: rows.map((row) => (slow.includes(row) ? { ...row, remark: `over ${AIM}` } : row)),
  })
  for (const { name, cells } of rows)
    report.aimOf(
      name.includes("(beside ")
        ? `${name}: page at ${inWords(last)}`
        : `${name}: page at ${inWords(last)} / at ${inWords(first)}`,
      cells[relative] ?? [],
      { atMost: AIM },
    )
}
