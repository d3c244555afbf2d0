/**
 * Returns memory after a busy period. V8 collects garbage only when a program allocates, so an idle service would keep
 * the memory of its busiest time. Measured with a demo: 116 MiB instead of 150 four seconds after its start, and a few
 * less in the minutes after a busy one.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { repeat } from "../../ledger/world.ts"

export interface MemoryLimits {
  /** Milliseconds between two checks. */
  readonly every: number
  /** The share of time in which an idle thread may work. */
  readonly busy: number
  /** How many times the idle memory must be in use for a collection. */
  readonly grown: number
  /**
   * The number of collections after a busy period, and the milliseconds between them: connections and caches expire
   * later.
   */
  readonly collections: number
  readonly apart: number
  /**
   * Milliseconds before the first collection after the start, which waits until the thread is idle; never by default.
   */
  readonly started?: number
}

const memoryLimits: MemoryLimits = { every: 5_000, busy: 0.1, grown: 1.5, collections: 4, apart: 8_000, started: 1_000 }

/** Returns V8's garbage collector, which is available only with a flag. */
function collector(): () => void {
  setFlagsFromString("--expose-gc")
  const collect: NodeJS.GCFunction = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  return () => collect({ type: "major", execution: "sync", flavor: "last-resort" })
}

/**
 * Returns the bytes of this thread's heap, with garbage and empty pages. Unlike `process.memoryUsage`, it opens no
 * file.
 */
function usedBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics()
  return total_heap_size + external_memory
}

/**
 * Collects garbage when this thread is idle and uses more memory than when it was last idle.
 * @param onCollected called after each collection
 * @returns a function that stops it
 */
export function releaseMemory(limits: MemoryLimits = memoryLimits, onCollected = () => {}): () => void {
  const { every, busy, grown, collections, apart, started } = limits
  const collect = collector()
  let idleBytes = usedBytes()
  let left = 0
  let next = 0
  let before = performance.eventLoopUtilization()
  const check = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > busy) return
    const bytes = usedBytes()
    if (bytes > grown * idleBytes) left = collections
    idleBytes = Math.min(idleBytes, bytes)
    if (left === 0 || performance.now() < next) return
    collect()
    left -= 1
    next = performance.now() + apart
    // The rest is in use, and does not cause another collection.
    idleBytes = usedBytes()
    onCollected()
  }
  const timers = [repeat(check, every)]
  if (started !== undefined)
    timers.push(
      setTimeout(() => (before = performance.eventLoopUtilization()), started / 2).unref(),
      setTimeout(() => {
        left = Math.max(left, 1)
        check()
      }, started).unref(),
    )
  return () => timers.forEach(clearInterval)
}
