/**
 * Withholding hides at once and cleans the files afterwards, in pieces: nobody else's write waits for it, and a file
 * that cannot be cleaned yet is cleaned later.
 */
import { createReadStream, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import tap, { test } from "tap"
import { Browser } from "research-room/testing"
import { checkData } from "../../src/check/check.ts"
import { operationOf } from "../../src/contract/operations/index.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { fill, openReadConnection } from "../../src/ledger/storage/opening.ts"
import { Remembered } from "../../src/ledger/storage/caches.ts"
import { isUnclean, writeUnclean } from "../../src/ledger/storage/clearing.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { action, freshId, message } from "../support/bodies.ts"
import { runs } from "../support/chance.ts"
import { untilClean } from "../support/clean.ts"
import { temporaryFolder } from "../support/service.ts"
import { Filler } from "../research/record/filler.ts"

/** Megabytes of prose in the data. `npm run prove -- --only withholding` has 200. */
const MEGABYTES = Number(process.env.WITHHOLDING_MB ?? runs(20, 2))
/** Words of a message, and the letters that each begins with: much data has long words, so that it is made in time. */
const [WORDS, LETTERS] = MEGABYTES > 100 ? [400, "abundantly-long-words-of-no-interest-"] : [2_000, ""]
/** The longest that the serving thread may be held, in milliseconds of its own processor time. */
const HELD = 250
/** The longest that another person's write may wait by the clock, where nothing else uses the machine. */
const LONGEST = Number(process.env.WITHHOLDING_MS ?? Number.POSITIVE_INFINITY)
/** Seconds that a busy machine may take for filling the data, and for each of its cleanings. */
const PATIENCE = 100 + 4 * MEGABYTES
tap.setTimeout(3 * PATIENCE * 1_000)

const EARLY = "glacierpelican"

const data = temporaryFolder()
const file = join(data, "research-room.db")
const house = await startDemo({ host: "127.0.0.1", port: 0, data, threads: 1, log: openLog("silent") } as never)
tap.teardown(async () => {
  await house.close()
  rmSync(data, { recursive: true, force: true })
})
const { baseUrl, people, rooms } = house
const { token } = house.credentials.member_all
const ada = await Browser.signIn({ baseUrl }, people.owner)
const threadId = rooms.empty.openingThreadId
const post = (text: string, to = threadId) =>
  ask(`${baseUrl}/api/agent/threads/${to}/messages`, { token, body: message(text) })

/** Fills the data with prose of many words, without a request and a synchronisation for each message. */
async function addProse(): Promise<void> {
  const { ledger, tables } = house.instance
  const words = (seed: number) =>
    Array.from(
      { length: WORDS },
      (_, index) => LETTERS + ((seed * 7_919 + index * 104_729) % 90_000).toString(36),
    ).join(" ")
  const count = Math.ceil((MEGABYTES * 1e6) / words(1).length)
  const author = tables.people.named(people.owner.username)
  if (author === undefined) throw new Error("no owner")
  const operation = operationOf("post_message")
  const actor = { ...author, grant: null }
  for (let at = 0; at < count; at += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ledger.admit({
          operation,
          actor,
          params: { threadId },
          body: { schemaVersion: operation.schemaVersion, clientMessageId: freshId(), text: words(at + index) },
        } as never),
      ),
    )
}

/** Measures for how much of its processor time this thread, which is the serving one, does a single thing. */
function holds() {
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let [before, longest] = [used(), 0]
  const timer = setInterval(() => {
    const now = used()
    longest = Math.max(longest, now - before)
    before = now
  }, 5)
  return () => {
    clearInterval(timer)
    return Math.round(longest)
  }
}

/** The words that a file holds, which may be larger than a buffer. */
async function heldBy(name: string, words: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  let end = Buffer.alloc(0)
  for await (const piece of createReadStream(name, { highWaterMark: 1 << 20 })) {
    const bytes = Buffer.concat([end, piece as Buffer])
    for (const word of words) if (bytes.includes(word)) found.add(word)
    end = bytes.subarray(-100)
  }
  return [...found]
}

test("a person without a role withholds again and again, and others' writes do not wait for it", async (t) => {
  const early = await post(`The password is ${EARLY}.`)
  const { entry: first } = JSON.parse(early.text) as { entry: { entryId: string } }
  await fill(house.instance.db, addProse)
  await house.instance.indexed()
  const made = await ada.write("create_room", { requestId: freshId(), title: "One of her own" } as never)
  const { result } = made as unknown as { result: { roomId: string; openingThreadId: string } }
  const { roomId, openingThreadId } = result
  const secrets = ["zanzibarquartz", "orchidlatch", EARLY]
  let isOver = false
  const waits: number[] = []
  const held = holds()
  const others = (async () => {
    while (!isOver) {
      const startedAt = performance.now()
      const { status } = await post("Another message, of somebody else.")
      waits.push(performance.now() - startedAt)
      if (status !== 200) t.equal(status, 200)
      await pause(20)
    }
  })()
  for (const secret of secrets.slice(0, 2)) {
    const said = await ada.write("post_message", {
      threadId: openingThreadId,
      clientMessageId: freshId(),
      text: `The token is ${secret}.`,
    } as never)
    const { entry } = said as unknown as { entry: { entryId: string } }
    const body = action({
      of: { entryId: entry.entryId },
      fields: ["/text"],
      reason: "secret",
      explanation: "Revoked.",
    })
    const receipt = await ada.request("POST", `/api/rooms/${roomId}/withholdings`, body)
    t.equal(receipt.status, 200)
    t.match(
      await receipt.text(),
      /hidden everywhere now, and is still being removed from the data files/,
      "it says what is not done yet",
    )
    for (const path of [`/threads/${openingThreadId}`, `/search?query=${secret}`])
      t.notMatch(await (await fetch(`${baseUrl}${path}`)).text(), new RegExp(`token is ${secret}`), `${path} at once`)
  }
  const workedOut = new Remembered<string>(house.instance.db, 1)
  workedOut.set("before", EARLY)
  const of = { of: { entryId: first.entryId }, fields: ["/text"], reason: "secret", explanation: "Changed." }
  const old = await ada.request("POST", `/api/rooms/${rooms.empty.roomId}/withholdings`, action(of))
  t.equal(old.status, 200, "so is what was said before everything else")
  t.equal(workedOut.get("before"), undefined, "what was worked out with it is forgotten")
  workedOut.set("meanwhile", EARLY)
  const hiddenAt = performance.now()
  await untilClean(file, 2 * PATIENCE)
  t.comment(`the files were cleaned in ${Math.round((performance.now() - hiddenAt) / 1_000)} s`)
  isOver = true
  await others
  t.equal(workedOut.get("meanwhile"), undefined, "and what was worked out from rows that still held it")
  const longest = held()
  t.ok(longest < HELD, `the serving thread was held for ${longest} ms of processor time at most`)
  t.ok(Math.max(...waits) < LONGEST, `the longest of ${waits.length} writes took ${Math.round(Math.max(...waits))} ms`)
  for (const name of readdirSync(data).filter((each) => each.startsWith("research-room.db")))
    t.strictSame(await heldBy(join(data, name), secrets), [], `none of the words is in ${name}`)
  const view = openReadConnection(file)
  t.strictSame(checkData(view).problems, [])
  t.notOk(isUnclean(view))
  view.close()
})

test("the cleaning waits while another process copies the log, which would grow by the size of the data", async (t) => {
  const { cleaning, db } = house.instance
  let [isBehind, isDone] = [true, false]
  cleaning.cleanInPieces({
    differences: () => Promise.resolve({ rows: [], isAll: true, made: db, discard: () => Promise.resolve() }),
    isCleared: () => Promise.resolve(true),
    isBehind: () => isBehind,
    onUnclean: () => {},
  })
  writeUnclean(db)
  const cleaned = cleaning.clean().then((isClean) => {
    isDone = true
    return isClean
  })
  await pause(500)
  t.notOk(isDone)
  isBehind = false
  t.ok(await cleaned)
})

test("quotations of what was withheld are sought for some milliseconds at a time", async (t) => {
  const data = temporaryFolder()
  const filler = new Filler(join(data, "research-room.db"))
  const { now } = performance
  t.teardown(() => {
    performance.now = now
    filler.close()
    rmSync(data, { recursive: true })
  })
  const reached = await filler.fill(() => {
    for (let entry = 0; entry < 250; entry += 1) filler.content({})
    filler.db.exec("INSERT INTO withheld_quotes (text, mark, next_position) VALUES ('It held a key.', 'mark', 1)")
    // Each look at the clock is a second later: one step has taken all the time that there is.
    let seconds = 0
    performance.now = () => 1_000 * ++seconds
    filler.instance.tables.withheld.unquote((work) => work())
    return filler.db.prepare<{ next: number }>("SELECT next_position AS next FROM withheld_quotes").all()
  })
  t.strictSame(reached, [{ next: 101 }], "one step of a hundred entries is done, and the rest is left for later")
})
