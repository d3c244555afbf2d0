/** Pages of fifty beside fixed answers of the same bytes, in short and long lists, and beside writes. */
import { join } from "node:path"
import type { Fixed } from "./fixed.ts"
import type { Load, Loaded } from "./load.ts"
import { line, ratio } from "./numbers.ts"
import { type Demo, Helper, type Served, startDemo, startServe } from "./process.ts"
import { getRequest, pagePath } from "./requests.ts"
import { seed } from "./seed.ts"
import type { Settings } from "./settings.ts"
import { postIn } from "./writes.ts"

const SHORT = 1_000
/** What the framework and the server add to an answer by themselves. */
const CONNECTION_HEADERS = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"])

/** A service on data with a short and a long Thread, each in a Room of its own. */
export interface Lists {
  readonly demo: Demo
  readonly served: Served<string>
  readonly short: { readonly roomId: string; readonly openingThreadId: string }
  readonly long: { readonly roomId: string; readonly openingThreadId: string }
}

export async function startLists({ scratch, long: longest }: Settings): Promise<Lists> {
  const folder = join(scratch, "lists")
  const { told: demo, end } = await startDemo(folder)
  await end()
  const { main: short, empty: long } = demo.rooms
  seed(folder, [
    { roomId: short.roomId, threadId: short.openingThreadId, entries: SHORT },
    { roomId: long.roomId, threadId: long.openingThreadId, entries: longest },
  ])
  return { demo, served: await startServe(folder), short, long }
}

/** Lets the fixed server answer a path with the very bytes that the service answers now. */
async function fix(fixed: Helper<Fixed, number>, origin: string, path: string): Promise<{ port: number; bytes: number }> {
  const answer = await fetch(`${origin}${path}`)
  const body = await answer.text()
  const held = (JSON.parse(body) as { items: unknown[] }).items.length
  if (answer.status !== 200 || held !== 50) throw new Error(`${path} answered ${answer.status} with ${held} items`)
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !CONNECTION_HEADERS.has(name)))
  return { port: await fixed.ask({ path: path.split("?")[0] ?? path, headers, body }), bytes: Buffer.byteLength(body) }
}

/** Runs a set of loads once a round, in alternating order, and gathers what each came to. */
async function rounds<Name extends string>(
  settings: Settings,
  loads: Readonly<Record<Name, Omit<Load, "seconds" | "warmUp">>>,
): Promise<Record<Name, Loaded[]>> {
  const names = Object.keys(loads) as Name[]
  const found = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Loaded[]>
  const seconds = settings.seconds / 2
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const name of settings.backwards(round) ? names.toReversed() : names) {
      found[name].push(await settings.loader.ask({ ...loads[name], seconds, warmUp: round === 0 ? seconds : seconds / 5 }))
    }
  }
  return found
}

const rates = (loaded: readonly Loaded[]) => loaded.map(({ perSecond }) => perSecond)
const times = (loaded: readonly Loaded[]) => loaded.map(({ p50 }) => p50)

/** A page of a list beside a fixed answer, and in the short list beside the long one. */
async function page(
  settings: Settings,
  fixed: Helper<Fixed, number>,
  { served, short, long }: Lists,
  read: "thread_timeline" | "room_activity",
): Promise<string[]> {
  const id = (list: Lists["short"]) => (read === "thread_timeline" ? list.openingThreadId : list.roomId)
  const path = pagePath(read, id(long), settings.long / 2)
  const { port: fixedPort, bytes } = await fix(fixed, `http://127.0.0.1:${served.port}`, path)
  const own = { port: served.port, requests: [getRequest(path)] }
  const same = { port: fixedPort, requests: [getRequest(path)] }
  const anywhere = Array.from({ length: 2_000 }, () =>
    getRequest(pagePath(read, id(long), Math.floor(Math.random() * (settings.long - 50)))),
  )

  const found = await rounds(settings, {
    page1: { ...own, connections: 1 },
    fixed1: { ...same, connections: 1 },
    page16: { ...own, connections: 16 },
    fixed16: { ...same, connections: 16 },
    short1: { ...own, connections: 1, requests: [getRequest(pagePath(read, id(short), SHORT / 2))] },
    anywhere1: { ...own, connections: 1, requests: anywhere },
  })
  return [
    `${read}: a page of 50, ${bytes.toLocaleString("en")} bytes`,
    line("1 connection", rates(found.page1), "/s", 0),
    line("1 connection, fixed answer of these bytes", rates(found.fixed1), "/s", 0),
    line("16 connections", rates(found.page16), "/s", 0),
    line("16 connections, fixed answer of these bytes", rates(found.fixed16), "/s", 0),
    line("page / fixed, 1 connection", ratio(rates(found.page1), rates(found.fixed1)), "", 2),
    line("page / fixed, 16 connections", ratio(rates(found.page16), rates(found.fixed16)), "", 2),
    line(`time of a page, ${SHORT.toLocaleString("en")} entries, from the middle: p50`, times(found.short1), "ms", 3),
    line(`time of a page, ${settings.long.toLocaleString("en")} entries, from the middle: p50`, times(found.page1), "ms", 3),
    line(`time of a page, ${settings.long.toLocaleString("en")} entries, from anywhere: p50`, times(found.anywhere1), "ms", 3),
    line("long / short, from the middle", ratio(times(found.page1), times(found.short1)), "", 2),
    line("long from anywhere / short from the middle", ratio(times(found.anywhere1), times(found.short1)), "", 2),
  ]
}

/** The timeline and the activity feed. */
export async function pages(settings: Settings, lists: Lists): Promise<string[][]> {
  const fixed = new Helper<Fixed, number>("fixed.ts")
  return [await page(settings, fixed, lists, "thread_timeline"), await page(settings, fixed, lists, "room_activity")]
}

/** Timeline pages at four connections, alone and while sixteen others write. */
export async function readsBesideWrites(settings: Settings, { demo, served, short }: Lists): Promise<string[]> {
  const { loader, seconds } = settings
  const reading = {
    port: served.port,
    connections: 4,
    seconds,
    warmUp: seconds / 4,
    requests: [getRequest(pagePath("thread_timeline", short.openingThreadId, SHORT / 2))],
  }
  const writing = { port: served.port, connections: 16, seconds, warmUp: seconds / 4, requests: [postIn(demo)] }
  const found: { alone: Loaded; beside: Loaded; writes: Loaded }[] = []
  for (let round = 0; round < settings.rounds; round += 1) {
    const alone = await loader.ask(reading)
    const [beside, writes] = (await Promise.all([loader.ask(reading), loader.ask(writing)])) as [Loaded, Loaded]
    found.push({ alone, beside, writes })
  }
  const of = (which: "alone" | "beside" | "writes", what: keyof Loaded) => found.map((round) => round[which][what])
  return [
    "thread_timeline at 4 connections, alone and while 16 connections write",
    line("reads alone", of("alone", "perSecond"), "/s", 0),
    line("reads alone: p50", of("alone", "p50"), "ms", 2),
    line("reads alone: p99", of("alone", "p99"), "ms", 2),
    line("reads beside writes", of("beside", "perSecond"), "/s", 0),
    line("reads beside writes: p50", of("beside", "p50"), "ms", 2),
    line("reads beside writes: p99", of("beside", "p99"), "ms", 2),
    line("writes meanwhile", of("writes", "perSecond"), "/s", 0),
  ]
}
