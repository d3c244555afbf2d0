/**
 * A bystander: a process of its own, with its own clock, that reads, signs in and writes like an ordinary user while
 * others attack. Started by `Bystander` in beside.ts; messages tell it when to begin and when to report.
 *
 * It counts the wait of a read twice: by the clock, and as the service's own share. The second excludes what the
 * machine caused: the time in which the serving thread or this process was ready to run but other processes had the
 * processors; and, while the serving thread slept, the time in which one of its helpers (which collect its garbage) was
 * ready but not running. The rest is time the thread worked, or slept for a disk, a lock or another working thread.
 */
import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { atWork, helpers, longestQueued, queued } from "./queued.ts"

/** The first message to it. */
export interface Places {
  readonly baseUrl: string
  /** Of the service. */
  readonly pid: number
  /** Paths of small reads. */
  readonly reads: readonly string[]
  readonly write: { readonly path: string; readonly token: string }
}

export interface Waits {
  readonly count: number
  /** The longest wait, in milliseconds: without the machine's share, and by the clock. */
  readonly longest: number
  readonly byTheClock: number
  /** Refused with 503 and a time to retry. */
  readonly turnedAway: number
}

/** What it saw between two messages. */
export interface Seen {
  /** Reads on a kept connection. */
  readonly reads: Waits
  /** Reads on a connection of their own each. */
  readonly newcomers: Waits
  readonly writes: Waits
  /** Answers that a bystander should not get, in sentences; the first few. */
  readonly faults: readonly string[]
}

const kinds = ["reads", "newcomers", "writes"] as const
type Kind = (typeof kinds)[number]
/** Milliseconds between an answer and the next request. */
const every: Readonly<Record<Kind, number>> = { reads: 4, newcomers: 50, writes: 100 }
/** Milliseconds after which an answer counts as lost. */
const LOST = 60_000

interface Got {
  readonly status: number
  readonly retryAfter: string | undefined
}

const staying = new Agent({ keepAlive: true, maxSockets: 1 })
const writing = new Agent({ keepAlive: true, maxSockets: 1 })

let places: Places | null = null
let seen = fresh()

function fresh() {
  const none = () => ({ count: 0, longest: 0, byTheClock: 0, turnedAway: 0 })
  return { reads: none(), newcomers: none(), writes: none(), faults: [] as string[] }
}

function ask({ baseUrl, write }: Places, kind: Kind, path: string): Promise<Got> {
  const agent = { reads: staying, newcomers: false as const, writes: writing }[kind]
  const isWrite = kind === "writes"
  const headers = isWrite ? { authorization: `Bearer ${write.token}`, "content-type": "application/json" } : {}
  return new Promise((resolve, reject) => {
    const asked = request(
      baseUrl + path,
      { method: isWrite ? "POST" : "GET", agent, headers, timeout: LOST },
      (answer) => {
        answer
          .on("error", reject)
          .on("end", () => resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers["retry-after"] }))
        answer.resume()
      },
    )
    asked.on("error", reject).on("timeout", () => asked.destroy(new Error(`no answer in ${LOST} ms`)))
    asked.end(
      isWrite ? JSON.stringify({ schemaVersion: 3, clientMessageId: randomUUID(), text: "Work goes on." }) : undefined,
    )
  })
}

/** Milliseconds after which a wait is examined, and after which the last look at all threads is outdated. */
const [LONG, OLD] = [100, 50]
let looked = { at: 0, helpers: helpers(0) }

interface Look {
  readonly at: number
  readonly elsewhere: number
  readonly atWork: number | null
  readonly helpers: ReadonlyMap<number, number>
}

function look(pid: number): Look {
  const at = performance.now()
  // There are many threads, and looking at them uses processor time too.
  if (at - looked.at > OLD) looked = { at, helpers: helpers(pid) }
  return {
    at: performance.now(),
    elsewhere: queued(pid) + queued(process.pid),
    atWork: atWork(pid),
    helpers: looked.helpers,
  }
}

/** How much of a wait the service caused. */
function ownOf(pid: number, waited: number, before: Look): number {
  const own = Math.max(0, waited - (queued(pid) + queued(process.pid) - before.elsewhere))
  const working = atWork(pid)
  if (own < LONG || working === null || before.atWork === null) return own
  const worked = Math.min(own, working - before.atWork)
  return worked + Math.max(0, own - worked - longestQueued(before.helpers, helpers(pid)))
}

async function once(at: Places, kind: Kind, turn: number): Promise<void> {
  const path = kind === "writes" ? at.write.path : (at.reads[turn % at.reads.length] as string)
  const counts = seen[kind]
  const before = look(at.pid)
  const got = await ask(at, kind, path).catch((error: Error) => error)
  const waited = performance.now() - before.at
  const own = ownOf(at.pid, waited, before)
  counts.count += 1
  counts.byTheClock = Math.max(counts.byTheClock, waited)
  counts.longest = Math.max(counts.longest, own)
  if (!(got instanceof Error) && got.status === 503 && got.retryAfter !== undefined && kind !== "reads")
    counts.turnedAway += 1
  else if (got instanceof Error || got.status !== 200)
    if (seen.faults.length < 5)
      seen.faults.push(`a bystander's ${kind} ${path}: ${got instanceof Error ? got.message : `status ${got.status}`}`)
}

let watching = false
let rounds: readonly Promise<void>[] = []

async function round(at: Places, kind: Kind): Promise<void> {
  for (let turn = 0; watching; turn += 1) {
    await once(at, kind, turn)
    await pause(every[kind])
  }
}

process.on("message", async (told: { places?: Places; begin?: true; end?: true }) => {
  if (told.places !== undefined) places = told.places
  if (told.begin && places !== null) {
    const at = places
    seen = fresh()
    watching = true
    rounds = kinds.map((kind) => round(at, kind))
  }
  if (told.end) {
    watching = false
    // A request under way counts too: its wait may be the longest of all.
    await Promise.all(rounds)
    process.send?.(seen)
  }
})
process.on("disconnect", () => process.exit(0))
