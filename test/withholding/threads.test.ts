/**
 * What is withheld is forgotten by the threads that read as well: neither page, document, search nor costly read tells of it any
 * more, whichever of them answers, and nothing that one of them had set before is kept.
 */
import { unzipSync } from "fflate"
import tap, { test } from "tap"
import { Browser } from "research-room/testing"
import type { Reader } from "../../src/app/threads/reader.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { action, message } from "../support/bodies.ts"
import { notesOfReaders, onTask } from "../support/threads.ts"

/** What each thread was given. */
const given = new Map<Reader, number>()
onTask((reader) => given.set(reader, (given.get(reader) ?? 0) + 1))
const notes = notesOfReaders()

const THREADS = 2
const house = await startDemo({ host: "127.0.0.1", port: 0, threads: THREADS, kept: process.env.TOLD_DEMO, log: openLog("silent") })
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
  /** How often each thread began or ended setting a text. */
  const steps = () => [...notes].map((note) => note.read().step)
  /** Asks until each thread has set all that it is asked for. */
  async function settled(): Promise<number[]> {
    let before: number[] = []
    for (let round = 0; round < 50; round += 1) {
      await tellsOfIt()
      const now = steps()
      if (now.length === THREADS && now.every((step, at) => step > 0 && step === before[at]) && busy() === THREADS) return now
      before = now
    }
    throw new Error(`The threads set texts again and again: ${before}.`)
  }
  const kept = await settled()
  t.equal(busy(), THREADS, "each of them answers")
  const before = await tellsOfIt()
  for (const each of [path, `${path}.md`, `/search?query=${BESIDE}`, `/api/research/search?query=${BESIDE}`])
    t.ok(before.includes(each), `${each} told of it`)
  t.not((await exported()).length, 0)
  t.strictSame(steps(), kept, "what is set once is kept by each thread")

  const body = action({ of: { entryId: said.entry?.entryId }, fields: ["/text"], reason: "secret", explanation: "Revoked since." })
  const withheld = await ada.request("POST", `/api/rooms/${roomId}/withholdings`, body)
  t.equal(withheld.status, 200)
  t.strictSame(await tellsOfIt(), [])
  t.equal(busy(), THREADS, "each of them answered")
  t.strictSame(await exported(), [])
  const anew = (await settled()).map((step, at) => step - Number(kept[at]))
  // Each thread had set the texts that stay, and the secret; a text is two steps.
  t.ok(
    anew.every((step, at) => step > 0 && step <= Number(kept[at])),
    `and what stays is set anew by each of them, once: ${anew} steps after ${kept}`,
  )
})
