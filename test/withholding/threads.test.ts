/**
 * What is withheld is forgotten by the threads that read as well: neither page, document, search nor costly read tells of it any
 * more, whichever of them answers, and nothing that one of them had set before is kept.
 */
import type { Worker } from "node:worker_threads"
import { unzipSync } from "fflate"
import tap, { test } from "tap"
import { Browser } from "research-room/testing"
import { Reader } from "../../src/app/reader.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { action, message } from "../support/bodies.ts"

/** The texts that each thread that reads has had set. */
const set = new Map<Worker, string[]>()
process.on("worker", (worker) =>
  worker.on("message", (said: { readonly kind?: unknown; readonly texts?: readonly { readonly text: string }[] }) => {
    if (said.kind === "ready") set.set(worker, [])
    if (said.kind === "render") set.get(worker)?.push(...(said.texts ?? []).map(({ text }) => text))
  }),
)
/** What each thread was given. */
const given = new Map<Reader, number>()
const { take } = Reader.prototype
Reader.prototype.take = function (...order) {
  given.set(this, (given.get(this) ?? 0) + 1)
  take.apply(this, order)
}

const THREADS = 2
const house = await startDemo({ host: "127.0.0.1", port: 0, threads: THREADS, log: openLog("silent") })
tap.teardown(() => house.close())
const { baseUrl, rooms, people } = house
const { roomId, openingThreadId: threadId } = rooms.empty
const { token } = house.credentials.member_all
const ada = await Browser.signIn({ baseUrl }, people.owner)

const SECRET = "zanzibarquartz"
/** A word beside it, by which it is found. */
const BESIDE = "orchidlatch"
const STAYS = "The ramp of the second run was *shorter*."
const post = (text: string) => ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, { token, body: message(text) })
const path = `/threads/${threadId}`
/** What threads that read answer, and the export, which is made of the same. */
const answers = [
  path,
  `${path}.md`,
  `${path}/feed.atom`,
  `/rooms/${roomId}`,
  `/rooms/${roomId}.md`,
  `/search?query=${BESIDE}`,
  `/api/research/search?query=${BESIDE}`,
  `/api/research/rooms/${roomId}/brief`,
  `/api/research/threads/${threadId}/brief`,
  `/api/research/rooms/${roomId}/provenance`,
]
/** Asks everything so often at once that every thread has its part in it. @returns the paths of which an answer tells of the secret */
async function tellsOfIt(): Promise<string[]> {
  given.clear()
  const asked = Array.from({ length: 10 }, () => answers).flat()
  const told = await Promise.all(
    asked.map(async (each) => {
      const response = await fetch(`${baseUrl}${each}`)
      return { each, status: response.status, tells: (await response.text()).includes(SECRET) }
    }),
  )
  for (const { each, status } of told) if (status !== 200) throw new Error(`${status} ${each}`)
  return [...new Set(told.flatMap(({ each, tells }) => (tells ? [each] : [])))]
}
const busy = () => [...given.values()].filter((count) => count > 5).length
const exported = async () => {
  const zip = new Uint8Array(await (await fetch(`${baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer())
  return Object.entries(unzipSync(zip)).flatMap(([name, bytes]) => (Buffer.from(bytes).includes(SECRET) ? [name] : []))
}

test("no thread tells of what was withheld, and none keeps what it had set", async (t) => {
  await post(STAYS)
  const said = (await post(`The token of ${BESIDE} is **${SECRET}**.`)).body as { entry?: { entryId?: string } }
  const setStays = () => [...set.values()].map((texts) => texts.filter((text) => text === STAYS).length)
  for (let round = 0; round < 50 && (set.size < THREADS || setStays().includes(0)); round += 1) await tellsOfIt()
  t.equal(set.size, THREADS)
  t.equal(busy(), THREADS, "each of them answers")
  const before = await tellsOfIt()
  for (const each of [path, `${path}.md`, `/search?query=${BESIDE}`, `/api/research/search?query=${BESIDE}`])
    t.ok(before.includes(each), `${each} told of it`)
  t.not((await exported()).length, 0)
  const kept = setStays()
  await tellsOfIt()
  t.strictSame(setStays(), kept, "what is set once is kept by each thread")

  const body = action({ of: { entryId: said.entry?.entryId }, fields: ["/text"], reason: "secret", explanation: "Revoked since." })
  const withheld = await ada.request("POST", `/api/rooms/${roomId}/withholdings`, body)
  t.equal(withheld.status, 200)
  t.strictSame(await tellsOfIt(), [])
  t.equal(busy(), THREADS, "each of them answered")
  t.strictSame(await exported(), [])
  for (let round = 0; round < 50 && setStays().some((count, at) => count === kept[at]); round += 1) await tellsOfIt()
  t.ok(
    setStays().every((count, at) => count === Number(kept[at]) + 1),
    "and what stays is set anew by each of them, once",
  )
})
