/**
 * What the machine is answerable for: how long threads were ready to run and had to wait for a processor, in milliseconds since
 * they began, as Linux counts it. Where the system does not tell, nothing is said to be its fault.
 */
import { readdirSync, readFileSync } from "node:fs"

/** Of one thread; the first of a process has the process's own id, and is the one that serves. */
export function queued(pid: number, thread = pid): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")
    return Number(waited) / 1e6
  } catch {
    return 0
  }
}

/** Milliseconds for which a thread was at work, since it began; null where the system does not tell. */
export function atWork(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6
  } catch {
    return null
  }
}

/** Of every other thread of a process: those that collect garbage for the first one, and those it hands work to. */
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
