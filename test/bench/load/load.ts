/** Generates load, in a process of its own: as fast as answers come, or at a fixed rate. */
import { percentile } from "../numbers.ts"
import { answering } from "../process.ts"
import { paced } from "./paced.ts"
import { raw } from "./raw.ts"
import { saturating } from "./saturating.ts"
import { magazine, readShots, type Shot } from "./shots.ts"

export interface Load {
  readonly port: number
  readonly connections: number
  /** The file of requests, the first one to send, and how many; those of `warmUp` are sent first and not counted. */
  readonly file: string
  readonly from?: number
  readonly count: number
  readonly warmUp?: number
  /** Ends after this many seconds, even if requests are left. */
  readonly seconds?: number
  /**
   * Requests per second, sent at fixed times whether others have been answered or not; if omitted, each connection
   * sends when it can.
   */
  readonly rate?: number
  /** The sender if no rate is given: bare sockets, or autocannon, which needs three times as much processor time. */
  readonly by?: "sockets" | "autocannon"
}

/** Response times in milliseconds. */
export interface Times {
  readonly count: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly longest: number
}

export interface Loaded {
  readonly perSecond: number
  readonly read: Times
  readonly write: Times
}

/** The result of a way of sending: the time of each answer, and of all together. */
export interface Fired {
  readonly seconds: number
  readonly took: readonly { readonly kind: Shot["kind"]; readonly milliseconds: number }[]
}

let known: { readonly file: string; readonly shots: Shot[] } = { file: "", shots: [] }
function prepared(file: string): Shot[] {
  if (known.file !== file) known = { file, shots: readShots(file) }
  return known.shots
}

function times(took: Fired["took"], kind: Shot["kind"]): Times {
  const sorted = took
    .filter((answer) => answer.kind === kind)
    .map(({ milliseconds }) => milliseconds)
    .sort((a, b) => a - b)
  return {
    count: sorted.length,
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    p99: percentile(sorted, 0.99),
    p999: percentile(sorted, 0.999),
    longest: sorted.at(-1) ?? Number.NaN,
  }
}

answering(async ({ file, from = 0, count, warmUp = 0, rate, by = "autocannon", ...load }: Load): Promise<Loaded> => {
  const shots = prepared(file)
  const saturate = by === "sockets" ? raw : saturating
  const fire = rate === undefined ? saturate : (some: readonly Shot[]) => paced(some, { ...load, rate })
  if (warmUp > 0) await saturate(magazine(shots, from, warmUp), { port: load.port, connections: load.connections })
  const { seconds, took } = await fire(magazine(shots, from + warmUp, count), load)
  return { perSecond: took.length / seconds, read: times(took, "read"), write: times(took, "write") }
})
