/**
 * Gives memory back after a rush. V8 collects as things are made: a service that nobody asks any more would keep what it
 * held at its busiest, for as long as nobody asks.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { repeat } from "../../ledger/storage/repeat.ts"

export interface MemoryLimits {
  /** Milliseconds between two looks. */
  readonly every: number
  /** Part of the time between two looks in which a service at rest may work. */
  readonly busy: number
  /** How many times what is held at rest is worth a collection. */
  readonly grown: number
  /** Collections after a rush, and the milliseconds between them: connections that time out and caches that run dry let go later. */
  readonly collections: number
  readonly apart: number
  /** Milliseconds after which what the start made and needs no more is collected, or as soon as nothing is at work; left out, never. */
  readonly started?: number
}

const memoryLimits: MemoryLimits = { every: 5_000, busy: 0.1, grown: 1.5, collections: 4, apart: 8_000, started: 1_000 }

type Collect = (how: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void

/** V8's own collection, which a program is given only by a flag. */
function collector(): () => void {
  setFlagsFromString("--expose-gc")
  const collect: Collect = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  return () => collect({ type: "major", execution: "sync", flavor: "last-resort" })
}

/** Bytes that this thread's objects take, garbage and empty pages among them. Opens no file, as `process.memoryUsage` does. */
function held(): number {
  const { total_heap_size, external_memory } = getHeapStatistics()
  return total_heap_size + external_memory
}

/** Collects when the thread is at rest and holds more than when it last was; each thread of the service has its own. @param onCollected told after each @returns what ends the looks */
export function restMemory(limits: MemoryLimits = memoryLimits, onCollected = () => {}): () => void {
  const { every, busy, grown, collections, apart, started } = limits
  const collect = collector()
  let resting = held()
  let left = 0
  let next = 0
  let before = performance.eventLoopUtilization()
  const isAtRest = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization <= busy
  }
  const look = () => {
    if (!isAtRest()) return
    const holds = held()
    if (holds > grown * resting) left = collections
    resting = Math.min(resting, holds)
    if (left === 0 || performance.now() < next) return
    collect()
    left -= 1
    next = performance.now() + apart
    // What is still there after the last of them is in use: it is not collected for again.
    resting = held()
    onCollected()
  }
  const timers = [repeat(look, every)]
  if (started !== undefined)
    timers.push(
      setTimeout(() => (before = performance.eventLoopUtilization()), started / 2).unref(),
      setTimeout(() => {
        left = Math.max(left, 1)
        look()
      }, started).unref(),
    )
  return () => timers.forEach(clearInterval)
}
