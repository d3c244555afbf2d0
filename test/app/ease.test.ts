/** What a rush took is given back when it is over. */
import { setTimeout as pause } from "node:timers/promises"
import { memoryUsage } from "node:process"
import { test } from "tap"
import { easeMemory } from "../../src/app/ease.ts"

const MEGABYTE = 1024 * 1024

test("memory comes back once the thread is at rest", async (t) => {
  const stop = easeMemory(20)
  const before = memoryUsage().heapTotal
  let kept: string[][] = Array.from({ length: 100 }, (_, at) => Array.from({ length: 10_000 }, (_, index) => `${at} and ${index}`))
  const most = memoryUsage().heapTotal
  t.ok(kept.length === 100 && most > before + 32 * MEGABYTE, `${Math.round((most - before) / MEGABYTE)} MB were taken`)
  kept = []
  while (memoryUsage().heapTotal > before + 24 * MEGABYTE) await pause(20)
  t.ok(kept.length === 0, `${Math.round((memoryUsage().heapTotal - before) / MEGABYTE)} MB are kept`)
  stop()
})
