/**
 * The machine's share: how long threads were ready to run and had to wait for a processor, in milliseconds since they
 * began, as Linux counts it. If the system gives no figures, nothing is attributed to it.
 */
import { readdirSync, readFileSync } from "node:fs"

/** For one thread; the first thread of a process has the process's id, and is the one that serves. */
export function queued(pid: number, thread = pid): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")
    return Number(waited) / 1e6
  } catch {
    return 0
  }
}

/** Milliseconds for which a thread has run since it began; null if the system gives no figure. */
export function atWork(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6
  } catch {
    return null
  }
}

/** For every other thread of a process: its garbage collectors, and the threads it gives work to. */
export function helpers(pid: number): ReadonlyMap<number, number> {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map(Number)
    return new Map(threads.filter((thread) => thread !== pid).map((thread) => [thread, queued(pid, thread)]))
  } catch {
    return new Map()
  }
}

/** The longest that any of them was queued between two looks. */
export const longestQueued = (before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number =>
  Math.max(0, ...[...after].map(([thread, waited]) => waited - (before.get(thread) ?? waited)))
