/** Gives back the memory that a rush took. The engine keeps what it once took until it needs it for something else, however long it rests. */
import { type EventLoopUtilization, performance } from "node:perf_hooks"
import { memoryUsage } from "node:process"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Milliseconds between two looks. */
const EVERY = 2_000
/** The share of its time that a thread at rest is at work. */
const AT_REST = 0.1
/** Bytes that the engine holds beyond what it had after it last gave back. */
const TOO_MUCH = 16 * 1024 * 1024

type Collect = (options?: { type: "major"; flavor: "last-resort" }) => void

function collector(): Collect {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as Collect
}

/**
 * Watches this thread from now on, and collects while nobody waits for it.
 * @param every milliseconds between two looks
 * @returns what ends the watching
 */
export function easeMemory(every = EVERY): () => void {
  const collect = collector()
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  let least = memoryUsage().heapTotal
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const { heapTotal } = memoryUsage()
    least = Math.min(least, heapTotal)
    if (utilization > AT_REST || heapTotal - least < TOO_MUCH) return
    collect({ type: "major", flavor: "last-resort" })
    least = memoryUsage().heapTotal
  }, every)
  timer.unref()
  return () => clearInterval(timer)
}
