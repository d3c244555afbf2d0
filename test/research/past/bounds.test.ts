/**
 * The cost of reading the past is bounded: a moment is built once for all readers, few are kept, and a request that
 * would need too much is refused.
 */
import { readdirSync, readlinkSync, rmSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { Browser, startResearchRoom } from "research-room/testing"
import { PastCache, type Maker, type PastNumbers, makePast } from "../../../src/app/past/pasts.ts"
import { startService } from "../../../src/app/service.ts"
import { pathTo } from "../../../src/contract/reads/index.ts"
import { openScratch } from "../../../src/ledger/storage/opening.ts"
import { openLog } from "../../../src/log.ts"
import { action } from "../../support/bodies.ts"
import { until } from "../../rooms/receiver.ts"
import { openLedger } from "../../support/lab.ts"
import { passwordOf, temporaryFolder } from "../../support/service.ts"

const most = { entries: 1_000, contentBytes: 1_000_000, bytes: 50_000_000 }

/**
 * A lab whose Room is at its eighth entry, with a maker of past moments that can be paused and that records its
 * calls.
 */
async function watched(numbers: Partial<PastNumbers> = {}) {
  const lab = await openLedger(t)
  for (let sequence = 2; sequence < 8; sequence++)
    await lab.admit({
      actor: lab.ada,
      name: "amend_room",
      params: { roomId: lab.roomId },
      body: action({ title: `No. ${sequence}` }),
    })
  const made: number[] = []
  const open = new Set<number>()
  let gate = Promise.resolve()
  const maker: Maker = {
    async make(order) {
      made.push(order.sequence)
      await gate
      const db = openScratch(":memory:")
      if (makePast(lab.db, db, order).entries === null) return null
      open.add(order.sequence)
      const discard = () => {
        db.close()
        open.delete(order.sequence)
      }
      return { db, file: null, bytes: 100, discard }
    },
    close() {},
  }
  const pasts = new PastCache(lab.instance, maker, "", { most, kept: 2, keptBytes: 1_000, ...numbers })
  const title = async (sequence: number) => {
    using past = await pasts.of(lab.roomId, sequence)
    return past.instance.tables.rooms.summary(lab.roomId)?.title
  }
  return { lab, pasts, made, open, title, hold: (until: Promise<void>) => (gate = until) }
}

t.test("Two requests for one moment share it, and the next finds it cached", async (t) => {
  const { pasts, made, title, hold } = await watched()
  const released = Promise.withResolvers<void>()
  hold(released.promise)
  const both = Promise.all([title(4), title(4)])
  released.resolve()
  const titles = await both
  t.equal(titles[0], titles[1])
  t.not(titles[0], await title(5))
  t.equal(await title(4), titles[0])
  t.strictSame(made, [4, 5])
  await pasts.close()
})

t.test("The least recently used moment is evicted, but never while somebody reads it", async (t) => {
  const { lab, pasts, made, open, title } = await watched()
  const reading = await pasts.of(lab.roomId, 3)
  for (const sequence of [4, 5, 6]) await title(sequence)
  t.ok(open.has(3), "it is being read")
  t.strictSame([...open].sort(), [3, 6])
  t.equal(reading.instance.tables.rooms.summary(lab.roomId)?.activityWatermark, 3)
  reading[Symbol.dispose]()
  await title(7)
  await title(6)
  t.strictSame([...open].sort(), [6, 7])
  t.strictSame(made, [3, 4, 5, 6, 7])
  await pasts.close()
  t.equal(open.size, 0)
  await t.rejects(pasts.of(lab.roomId, 3), { code: "temporarily_unavailable" })
})

t.test("A moment that failed is built again for the next request", async (t) => {
  const { pasts, title, hold } = await watched()
  hold(Promise.reject(new Error("the disk is gone")))
  await t.rejects(title(4), /the disk is gone/)
  hold(Promise.resolve())
  t.type(await title(4), "string")
  await pasts.close()
})

for (const [what, less] of Object.entries({ writes: { entries: 3 }, "bytes of what was sent": { contentBytes: 200 } }))
  t.test(`More ${what} than may be replayed are refused`, async (t) => {
    const { pasts, title } = await watched({ most: { ...most, ...less } })
    t.type(await title(2), "string", "an early moment is answered")
    await t.rejects(title(8), { code: "past_too_large", status: 422 })
    await pasts.close()
  })

t.test("A past that would grow into too large a file is refused", async (t) => {
  const { lab, pasts, title } = await watched({ most: { ...most, bytes: 1_100_000 } })
  for (let at = 0; at < 30; at++)
    await lab.admit({
      actor: lab.ada,
      name: "post_message",
      params: { threadId: lab.threadId },
      body: { schemaVersion: 3, clientMessageId: lab.instance.world.id(), text: "A long word. ".repeat(1_500) },
    })
  t.type(await title(2), "string")
  await t.rejects(title(lab.instance.ledger.activity.watermark(lab.roomId)), { code: "past_too_large" })
  await pasts.close()
})

t.test("Over HTTP it is a refusal like any other, and leaves no file", async (t) => {
  const data = temporaryFolder()
  t.teardown(() => rmSync(data, { recursive: true, force: true }))
  const pasts = { most: { ...most, entries: 3 }, kept: 2, keptBytes: 1_000_000_000 }
  const service = await startService({
    data,
    host: "127.0.0.1",
    port: 0,
    log: openLog("silent"),
    repositories: { folders: [], github: null },
    pasts,
  })
  t.teardown(() => service.close())
  await service.instance.accounts.add("ada", passwordOf("ada"))
  const ada = await Browser.signIn({ baseUrl: service.baseUrl }, { username: "ada", password: passwordOf("ada") })
  const { roomId } = (await ada.write("create_room", { title: "Small" })).result
  for (const title of ["Smaller", "Smallest", "Gone"]) await ada.write("amend_room", { roomId, title })
  const ask = (at: number) => fetch(`${service.baseUrl}${pathTo("room", { roomId }, { at: String(at) })}`)
  t.match(await (await ask(2)).json(), { title: "Smaller", asOf: { sequence: 2 } })
  const response = await ask(4)
  t.equal(response.status, 422)
  t.match(await response.json(), {
    refusal: "past_too_large",
    retryable: false,
    committed: false,
    error: /more than 3 writes/,
  })
  t.equal(readdirSync(join(data, "past")).length, 1)
})

/** The files of a folder that this process has open, also those that are deleted. */
const openIn = (folder: string) =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`)
      return file.startsWith(folder) ? [file] : []
    } catch {
      return []
    }
  })

t.test(
  "A thread keeps a moment open for the next page, until it is evicted or something is withheld",
  { skip: process.platform !== "linux" && "only Linux tells which files a process has open" },
  async (t) => {
    const data = temporaryFolder()
    t.teardown(() => rmSync(data, { recursive: true, force: true }))
    const service = await startService({
      data,
      host: "127.0.0.1",
      port: 0,
      log: openLog("silent"),
      repositories: { folders: [], github: null },
      pasts: { most, kept: 1, keptBytes: 1_000_000_000 },
      threads: 1,
    })
    t.teardown(() => service.close())
    await service.instance.accounts.add("ada", passwordOf("ada"))
    const ada = await Browser.signIn({ baseUrl: service.baseUrl }, { username: "ada", password: passwordOf("ada") })
    const { roomId } = (await ada.write("create_room", { title: "Small" })).result
    for (const title of ["Smaller", "Smallest"]) await ada.write("amend_room", { roomId, title })
    const folder = join(data, "past")
    const ask = async (at: number) =>
      (await (await fetch(`${service.baseUrl}${pathTo("room_context", { roomId }, { at: String(at) })}`)).json()) as {
        readonly asOf: { readonly sequence: number }
      }
    const first = await ask(1)
    t.equal(first.asOf.sequence, 1)
    t.strictSame(await ask(1), first, "the next answer is the same")
    t.equal(new Set(openIn(folder)).size, 1)
    t.equal(openIn(folder).length, 2, "the thread that answered has it open too")
    t.equal((await ask(2)).asOf.sequence, 2)
    await until("the first moment is closed", () => new Set(openIn(folder)).size === 1)
    t.equal(openIn(folder).length, 2, "the first one is closed by both")
    await ada.write("withhold_content", {
      roomId,
      of: { sequence: 2 },
      fields: ["/title"],
      reason: "personal_data",
      explanation: "A name.",
    })
    await until("all moments are closed and deleted", () => openIn(folder).length + readdirSync(folder).length === 0)
  },
)

t.test("Other requests are answered first meanwhile", async (t) => {
  const room = await startResearchRoom()
  t.teardown(() => room.close())
  const { roomId } = room.rooms.main
  const order: string[] = []
  const ask = async (name: string, path: string) => {
    const response = await fetch(`${room.baseUrl}${path}`)
    await response.text()
    order.push(name)
    return response.status
  }
  const back = ask("back", pathTo("room_context", { roomId }, { at: "100" }))
  const again = ask("again", pathTo("room_brief", { roomId }, { at: "100" }))
  // How many come before the past is made depends on the machine.
  for (let each = 0; each < 10; each++) await ask("now", pathTo("room_brief", { roomId }))
  t.strictSame([await back, await again], [200, 200])
  t.equal(order[0], "now")
})
