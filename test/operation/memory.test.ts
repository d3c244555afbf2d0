/** Memory after a rush: a service at rest gives back what it held at its busiest. */
import t from "tap"
import { restMemory } from "../../src/app/threads/memory.ts"

const rss = () => process.memoryUsage.rss() / 1024 / 1024

// The looks keep no process going.
const going = setInterval(() => {}, 1_000)
t.teardown(() => clearInterval(going))

t.test("What a rush has left is given back once nobody asks any more", async (t) => {
  const before = rss()
  const rested = Promise.withResolvers<void>()
  t.teardown(restMemory({ every: 5, busy: 1, grown: 1.2, collections: 1, apart: 0 }, () => rested.resolve()))
  let held: object[] | null = Array.from({ length: 1_500_000 }, (_, index) => ({ index, text: `text ${index}` }))
  const most = rss()
  t.ok(held.length > 0 && most > before + 100, `${most.toFixed(0)} MiB are held, and ${before.toFixed(0)} were`)
  held = null
  await rested.promise
  t.ok(rss() < before + (most - before) / 2, `${rss().toFixed(0)} MiB are left`)
})

t.test("What is let go only after the first collection is given back by a later one", async (t) => {
  const before = rss()
  const over = Promise.withResolvers<void>()
  let held: object[] | null = null
  let collections = 0
  const stop = restMemory({ every: 5, busy: 1, grown: 1.5, collections: 3, apart: 1 }, () => {
    collections += 1
    held = null
    if (collections === 3) over.resolve()
  })
  t.teardown(stop)
  held = Array.from({ length: 1_500_000 }, (_, index) => ({ index, text: `text ${index}` }))
  const most = rss()
  t.ok(held.length > 0)
  await over.promise
  t.ok(rss() < before + (most - before) / 2, `${rss().toFixed(0)} MiB are left`)
})

t.test("A service that works is left alone", async (t) => {
  let collections = 0
  const stop = restMemory({ every: 1, busy: -1, grown: 0, collections: 1, apart: 0 }, () => (collections += 1))
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1))
  stop()
  t.equal(collections, 0)
})

t.test("What a start has left is given back once, without a rush", async (t) => {
  const over = Promise.withResolvers<void>()
  let held: object[] | null = Array.from({ length: 1_500_000 }, (_, index) => ({ index, text: `text ${index}` }))
  t.ok(held.length > 0)
  const most = rss()
  t.teardown(restMemory({ every: 60_000, busy: 1, grown: 100, collections: 1, apart: 0, started: 2 }, over.resolve))
  held = null
  await over.promise
  t.ok(rss() < most - 50, `${rss().toFixed(0)} MiB are left of ${most.toFixed(0)}`)
})
