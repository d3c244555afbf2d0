/**
 * Memory after a peak: an idle service returns the memory it held at its busiest. The tests look at the heap that V8
 * has reserved and at whether the objects are gone. The resident size of the process would depend on the allocator and
 * the machine.
 */
import { getHeapStatistics } from "node:v8"
import t from "tap"
import { releaseMemory } from "../../src/app/threads/memory.ts"

const heap = () => getHeapStatistics().total_heap_size / 1024 / 1024

/** The objects of a peak, some 100 MiB, until they are released. */
class Rush {
  #objects: object[] | null = Array.from({ length: 1_000_000 }, (_, index) => ({ index, text: `text ${index}` }))
  readonly #seen = new WeakRef(this.#objects as object)

  end(): void {
    this.#objects = null
  }

  /** Whether V8 still keeps the objects. */
  get isKept(): boolean {
    return this.#seen.deref() !== undefined
  }
}

// The polling timers keep no process alive.
const going = setInterval(() => {}, 1_000)
t.teardown(() => clearInterval(going))

t.test("Memory of a peak is returned once the service is idle", async (t) => {
  const before = heap()
  const rested = Promise.withResolvers<void>()
  t.teardown(releaseMemory({ every: 5, busy: 1, grown: 1.2, collections: 1, apart: 0 }, () => rested.resolve()))
  const rush = new Rush()
  const most = heap()
  t.ok(most > before + 50, `the heap grew from ${before.toFixed(0)} to ${most.toFixed(0)} MiB`)
  rush.end()
  await rested.promise
  t.notOk(rush.isKept, "the objects are gone")
  t.ok(heap() < before + (most - before) / 4, `the heap has ${heap().toFixed(0)} MiB`)
})

t.test("Objects released only after the first collection are freed by a later one", async (t) => {
  const before = heap()
  const over = Promise.withResolvers<void>()
  let rush: Rush | null = null
  const kept: boolean[] = []
  t.teardown(
    releaseMemory({ every: 5, busy: 1, grown: 1.5, collections: 3, apart: 1 }, () => {
      kept.push(rush?.isKept ?? false)
      rush?.end()
      if (kept.length === 3) over.resolve()
    }),
  )
  rush = new Rush()
  const most = heap()
  await over.promise
  t.strictSame([kept[0], kept[2]], [true, false], "the first collection keeps what is in use, the last one does not")
  t.ok(heap() < before + (most - before) / 4, `the heap has ${heap().toFixed(0)} of ${most.toFixed(0)} MiB`)
})

t.test("A busy service is left alone", async (t) => {
  let collections = 0
  const stop = releaseMemory({ every: 1, busy: -1, grown: 0, collections: 1, apart: 0 }, () => (collections += 1))
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1))
  stop()
  t.equal(collections, 0)
})

t.test("Memory of the start is returned once, even without a peak", async (t) => {
  const over = Promise.withResolvers<void>()
  const rush = new Rush()
  const most = heap()
  t.teardown(releaseMemory({ every: 60_000, busy: 1, grown: 100, collections: 1, apart: 0, started: 2 }, over.resolve))
  rush.end()
  await over.promise
  t.notOk(rush.isKept, "the objects are gone")
  t.ok(heap() < most / 2, `the heap has ${heap().toFixed(0)} of ${most.toFixed(0)} MiB`)
})
