/**
 * Measures reads across a large Room: search, provenance, and the export with its memory use and how long it blocks
 * other requests. `node --expose-gc --conditions=research-room-source test/research/added/large-room-cost.ts`
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { writeJson, type Writable } from "../../../src/contract/json.ts"
import { fill, stated } from "./large-room.ts"

const folder = mkdtempSync(join(tmpdir(), "research-room-large-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

const begun = performance.now()
const { instance, roomId } = await fill(join(folder, "research-room.db"), stated)
console.log(`${JSON.stringify(stated)} written in ${((performance.now() - begun) / 1000).toFixed(0)} s`)

const median = (values: number[]): number => values.sort((one, other) => one - other)[values.length >> 1] as number
function timed(what: string, work: () => unknown): void {
  let length = 0
  const times = Array.from({ length: 9 }, () => {
    const from = performance.now()
    length = writeJson(work() as Writable).length
    return performance.now() - from
  })
  console.log(`${what.padEnd(44)} ${median(times).toFixed(1)} ms, ${(length / 1024).toFixed(0)} KiB`)
}
const { search, provenance } = instance.tables
timed("search: a rare word", () => search.find("wordabc", {}, 0, 51))
timed("search: two common words", () => search.find("word1 word2", {}, 0, 51))
timed("search: a beginning", () => search.find("word1", { roomId }, 0, 51))
timed("provenance of the Room", () => provenance.ofRoom(roomId))
const focus = instance.tables.records.newestOfKinds(roomId, 1)(["hypothesis"])[0]?.versionId as string
for (const depth of [1, 2, 3, 5])
  timed(`provenance around a hypothesis, ${depth} steps`, () => provenance.around(roomId, focus, depth))

for (const run of [1, 2, 3]) {
  globalThis.gc?.()
  const before = process.memoryUsage()
  let [bytes, most, heap] = [0, 0, 0]
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const sampled = setInterval(() => {
    const { rss, heapUsed } = process.memoryUsage()
    ;[most, heap] = [Math.max(most, rss), Math.max(heap, heapUsed)]
  }, 5)
  const from = performance.now()
  for await (const chunk of instance.exports.bytes(roomId, {
    baseUrl: "http://127.0.0.1:8787",
    softwareVersion: "0.0.0",
  }).bytes)
    bytes += chunk.length
  const seconds = (performance.now() - from) / 1000
  clearInterval(sampled)
  delay.disable()
  const mib = (value: number) => `${(value / 1024 / 1024).toFixed(0)} MiB`
  console.log(
    `export ${run}: ${seconds.toFixed(1)} s, ${mib(bytes)} of zip; at most ${mib(most - before.rss)} more resident, ` +
      `${mib(heap - before.heapUsed)} more heap; ` +
      `event loop held ${(delay.percentile(50) / 1e6).toFixed(1)} ms (median), ` +
      `${(delay.percentile(99) / 1e6).toFixed(1)} ms (99th), ${(delay.max / 1e6).toFixed(0)} ms (longest)`,
  )
}
instance.db.close()
