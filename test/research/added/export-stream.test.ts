/**
 * An export as a stream: a snapshot of one moment however long it takes, and cancelled when the reader stops reading.
 */
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises"
import { mock } from "node:test"
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import type { Operation } from "../../../src/contract/definitions/operation.ts"
import { operationNamed } from "../../../src/contract/operations/index.ts"
import { Refusal } from "../../../src/contract/refusals.ts"
import type { Db } from "../../../src/ledger/storage/database.ts"
import { openReadConnection } from "../../../src/ledger/storage/opening.ts"
import { filesOn } from "../../../src/app/compose/domains.ts"
import { Exports, type RoomFiles, filesOf } from "../../../src/research/export/exports.ts"
import { freshId } from "../../support/bodies.ts"
import { fill, type Size } from "./large-room.ts"
import { zipped } from "../../../src/research/export/zip.ts"
import { bytesOf, unpack } from "./unpacked.ts"

const size: Size = { threads: 5, experiments: 10, attempts: 300, records: 40, messages: 400 }
const file = join(t.testdir({}), "research-room.db")
const { instance, roomId } = await fill(file, size)
t.teardown(() => instance.db.close())
const of = { rooms: instance.tables.rooms, writes: instance.ledger.journal, instanceId: instance.instanceId }
const source = { baseUrl: "https://rooms.example.org/lab", softwareVersion: "1.2.3" }

/** Lets the work that is due go on for a while. */
const turns = async () => {
  for (let n = 0; n < 200; n += 1) await turn()
}

/** Waits for the disk. */
async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !isSo(); await pause(10)) if (Date.now() > end) throw new Error(`not ${isSo}`)
}

const say = async (text: string) => {
  const { ledger, tables, world } = instance
  const person = tables.people.named("ada")
  const operation = operationNamed("post_message") as Operation
  const threadId = tables.rooms.openingThread(roomId) as string
  await ledger.admit({
    operation,
    actor: { userId: person?.userId as string, username: "ada", grant: null },
    params: { threadId },
    body: { schemaVersion: 3, clientMessageId: world.id(), text },
  })
}

t.test("Writes made while it is being read are not in it", async (t) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of instance.exports.bytes(roomId, source).bytes) {
    if (chunks.length % 5 === 0) await say(`written at chunk ${chunks.length}`)
    chunks.push(chunk)
  }
  t.ok(chunks.length > 10, `${chunks.length} chunks`)
  const crate = unpack(Buffer.concat(chunks))
  t.strictSame(crate.faults(), [])
  const room = JSON.parse(crate.files.get("room.json") as string) as { activityWatermark: number }
  t.equal(crate.lines("activity.jsonl").length, room.activityWatermark)
  const said = [...crate.files]
    .filter(([path]) => path.startsWith("timelines/"))
    .flatMap(([, text]) => text.match(/written at chunk/g) ?? [])
  t.strictSame(said, [])
  t.equal(crate.lines("attempts.jsonl").length, size.attempts)
})

t.test("The download of a reader who stops is cancelled and frees its place", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] })
  t.teardown(() => mock.timers.reset())
  let open = 0
  const aside = (): Db => {
    const db = openReadConnection(file)
    open += 1
    return {
      prepare: (sql) => db.prepare(sql),
      exec: (sql) => db.exec(sql),
      snapshot: (work) => db.snapshot(work),
      inTransaction: true,
      close: () => (open--, db.close()),
    }
  }
  const parts = { ...of, files: filesOn(aside) }
  // Without disk space for it, an export is made as fast as its reader takes it.
  const exports = new Exports(parts, 0)
  const begin = async (baseUrl: string) =>
    (await exports.open(roomId, { ...source, baseUrl }, "crate", baseUrl)).bytes.getReader()
  const readers = await Promise.all(Array.from({ length: limits.exports }, (_, n) => begin(`https://${n}.example.org`)))
  for (const reader of readers) t.ok((await reader.read()).value, "begun")
  await t.rejects(exports.open(roomId, source, "crate"), { code: "too_many_requests" }, "no place left")
  await t.rejects(exports.open(roomId, source, "sqlite"), { code: "too_many_requests" }, "nor for the SQLite form")
  await t.rejects(
    exports.open(freshId(), source, "sqlite"),
    { code: "room_unavailable" },
    "and an unknown Room is refused as unknown even when all places are taken",
  )
  mock.timers.tick(limits.exportStallSeconds * 1000)
  for (const reader of readers) await t.rejects(reader.read(), /stopped reading/)
  await turns()
  const { bytes } = await exports.open(roomId, source, "crate")
  t.ok((await bytesOf(bytes)).length > 0, "their places are free")
  t.equal(open, 0, "and every connection is closed")
})

/** Files of numbered pieces, and how many were begun and made. */
function counted(pieces: number) {
  const made = { begun: 0, pieces: 0, ended: 0 }
  const files: RoomFiles = async function* () {
    made.begun += 1
    try {
      for (let n = 0; n < pieces; n += 1) {
        made.pieces += 1
        yield new Uint8Array(64 * 1024).fill(n)
      }
    } finally {
      made.ended += 1
    }
  }
  return { made, files }
}

t.test(
  "All who ask for the same get one file, and a slow reader keeps nobody from the place that made it",
  async (t) => {
    const { made, files } = counted(100)
    const exports = new Exports({ ...of, files })
    const spools = () => readdirSync(tmpdir()).filter((name) => name.startsWith("research-room-export-"))
    const before = spools()
    const slow = (await exports.open(roomId, source, "crate", "slow")).bytes.getReader()
    const first = await slow.read()
    const others = await Promise.all(
      Array.from({ length: 24 }, async (_, n) => bytesOf((await exports.open(roomId, source, "crate", `${n}`)).bytes)),
    )
    t.equal(made.begun, 1, "made once")
    t.strictSame(new Set(others.map((each) => each.length)), new Set([100 * 64 * 1024]))
    t.ok(others.every((each) => Buffer.compare(each, others[0] as Uint8Array) === 0))
    t.equal(made.ended, 1, "the place is free although the slow reader has hardly begun")
    const elsewhere = { ...source, baseUrl: "https://elsewhere.example.org" }
    for (const each of [elsewhere, { ...source, baseUrl: "https://a.example.org" }])
      t.ok(
        (await bytesOf((await exports.open(roomId, each, "crate")).bytes)).length > 0,
        "for others, one after another",
      )
    t.equal(made.begun, 3, "which are files of their own")
    t.strictSame(spools(), before, "no file can be found by a name")
    const rest = [first.value as Uint8Array]
    for (let { done, value } = await slow.read(); !done && value; { done, value } = await slow.read()) rest.push(value)
    t.equal(Buffer.compare(Buffer.concat(rest), others[0] as Uint8Array), 0, "and it gets the same file in the end")
    await say("After that, the Room is another.")
    await bytesOf((await exports.open(roomId, source, "crate")).bytes)
    t.equal(made.begun, 4, "a Room that went on is made again")
    exports.forget()
    await bytesOf((await exports.open(roomId, source, "crate")).bytes)
    t.equal(made.begun, 5, "and so is every Room after words were withheld")
  },
)

t.test("What has no space on the disk, and what nobody reads any more, is not made ahead", async (t) => {
  const { made, files } = counted(1_000)
  const exports = new Exports({ ...of, files }, 10 * 64 * 1024)
  const reader = (await exports.open(roomId, source, "crate", "a")).bytes.getReader()
  await reader.read()
  await until(() => made.pieces > 10)
  await pause(50)
  t.equal(made.pieces, 11, "as much as there is space for, and one piece")
  const other = (await exports.open(roomId, source, "crate", "b")).bytes.getReader()
  await other.read()
  t.equal(made.begun, 2, "a file without its beginning is not shared")
  await Promise.all([reader.cancel(), other.cancel()])
  await until(() => made.ended === 2)
  const whole = await bytesOf((await exports.open(roomId, source, "crate", "a")).bytes)
  t.equal(whole.length, 1_000 * 64 * 1024, "a reader that goes on gets all of it")
  t.equal(whole.at(-1), 999 % 256)
})

t.test("a caller has one export at a time, and a reader that is too slow loses its place", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] })
  let now = 0
  const clock = mock.method(performance, "now", () => now)
  t.teardown(() => (mock.timers.reset(), clock.mock.restore()))
  const piece = new Uint8Array(64 * 1024)
  const endless: RoomFiles = async function* () {
    for (;;) yield piece
  }
  const exports = new Exports({ ...of, files: endless }, 0)
  const slow = (await exports.open(roomId, source, "crate", "192.0.2.1")).bytes.getReader()
  await t.rejects(exports.open(roomId, source, "crate", "192.0.2.1"), {
    code: "too_many_requests",
    message: /this caller/,
  })
  const fast = (await exports.open(roomId, source, "crate", "192.0.2.2")).bytes.getReader()
  let seconds = 0
  const wait = (each: number) => {
    seconds += each
    now += each * 1_000
    mock.timers.tick(each * 1_000)
  }
  const readSlowly = async () => {
    // 20 kB a second: always a piece within the time that a reader may pause.
    for (;;) {
      await slow.read()
      wait(3.2)
      for (let pieces = 0; pieces < 20; pieces += 1) await fast.read()
    }
  }
  await t.rejects(readSlowly(), /reads too slowly/)
  t.ok(seconds > limits.exportStallSeconds && seconds < 2 * limits.exportStallSeconds, `cut off after ${seconds} s`)
  t.ok((await fast.read()).value, "a reader that keeps up goes on")
  const again = await exports.open(roomId, source, "crate", "192.0.2.1")
  await Promise.all([again.bytes.cancel(), fast.cancel()])
})

t.test("Made in a separate process, it has the same bytes, and a failure there ends the download", async (t) => {
  const inProcess = (data: string) => new Exports({ ...of, files: filesOf(data) })
  const here = await bytesOf((await instance.exports.open(roomId, source, "crate")).bytes)
  const there = await bytesOf((await inProcess(file).open(roomId, source, "crate")).bytes)
  t.equal(Buffer.compare(there, here), 0)
  const reader = (await inProcess(file).open(roomId, source, "crate")).bytes.getReader()
  t.ok((await reader.read()).value, "begun")
  await reader.cancel()
  await t.rejects(
    bytesOf((await inProcess(join(t.testdirName, "not-there.db")).open(roomId, source, "crate")).bytes),
    /Cannot open database/,
  )
  t.equal(
    (await bytesOf((await inProcess(file).open(roomId, source, "crate")).bytes)).length,
    here.length,
    "and others are made as before",
  )
})

t.test("an export that cannot start is refused, rather than breaking off the connection", async (t) => {
  const lost: RoomFiles = async function* () {
    yield* []
    throw new Refusal("temporarily_unavailable", "The process that made the export ended.", { retryAfter: 10 })
  }
  const exports = new Exports({ ...of, files: lost })
  const ask = () => exports.reads().room_export({ params: { roomId }, query: {}, actor: null })
  for (let round = 0; round <= limits.exports; round += 1)
    await t.rejects(ask(), { code: "temporarily_unavailable" }, "and its place is free again")
})

t.test("a Room whose last write is older than the earliest date of a zip file is exported", async (t) => {
  const files = async function* () {
    yield { path: "a.txt", text: ["a"] }
  }
  let bytes = 0
  for await (const piece of zipped(files(), new Date("1900-01-01"))) bytes += piece.length
  t.ok(bytes > 100)
})
