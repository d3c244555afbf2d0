/**
 * Reader threads forget withheld text too: no page, document, search or costly read shows it any more, whichever thread
 * answers, and no cached rendering is kept.
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

/** How many tasks each thread was given. */
const given = new Map<Reader, number>()
onTask((reader) => given.set(reader, (given.get(reader) ?? 0) + 1))
const notes = notesOfReaders()

const THREADS = 2
const house = await startDemo({
  host: "127.0.0.1",
  port: 0,
  threads: THREADS,
  kept: process.env.TOLD_DEMO,
  log: openLog("silent"),
})
tap.teardown(() => house.close())
const { baseUrl, rooms, people } = house
const { roomId, openingThreadId: threadId } = rooms.empty
const { token } = house.credentials.member_all
const ada = await Browser.signIn({ baseUrl }, people.owner)

const SECRET = "zanzibarquartz"
/** A word beside the secret, used to find it. */
const BESIDE = "orchidlatch"
const STAYS = "The ramp of the second run was *shorter*."
const post = (text: string) => ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, { token, body: message(text) })
const path = `/threads/${threadId}`
/** Answers made by reader threads, and the export, which is made from the same data. */
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
/**
 * Requests everything so often at once that every thread takes part. @returns the paths with an answer that contains
 * the secret
 */
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

test("no thread shows withheld text, and none keeps its rendering of it", async (t) => {
  await post(STAYS)
  const said = (await post(`The token of ${BESIDE} is **${SECRET}**.`)).body as { entry?: { entryId?: string } }
  /** How often each thread began or ended rendering a text. */
  const steps = () => [...notes].map((note) => note.read().step)
  /** Sends requests until each thread has rendered every text. */
  async function settled(): Promise<number[]> {
    let before: number[] = []
    for (let round = 0; round < 50; round += 1) {
      await tellsOfIt()
      const now = steps()
      if (now.length === THREADS && now.every((step, at) => step > 0 && step === before[at]) && busy() === THREADS)
        return now
      before = now
    }
    throw new Error(`The threads never stop rendering texts: ${before}.`)
  }
  const kept = await settled()
  t.equal(busy(), THREADS, "each of them answers")
  const before = await tellsOfIt()
  for (const each of [path, `${path}.md`, `/search?query=${BESIDE}`, `/api/research/search?query=${BESIDE}`])
    t.ok(before.includes(each), `${each} contained it`)
  t.not((await exported()).length, 0)
  t.strictSame(steps(), kept, "each thread keeps what it rendered")

  const body = action({
    of: { entryId: said.entry?.entryId },
    fields: ["/text"],
    reason: "secret",
    explanation: "Revoked since.",
  })
  const withheld = await ada.request("POST", `/api/rooms/${roomId}/withholdings`, body)
  t.equal(withheld.status, 200)
  t.strictSame(await tellsOfIt(), [])
  t.equal(busy(), THREADS, "each of them answered")
  t.strictSame(await exported(), [])
  const anew = (await settled()).map((step, at) => step - Number(kept[at]))
  // Each thread had rendered the texts that stay, and the secret; a text is two steps.
  t.ok(
    anew.every((step, at) => step > 0 && step <= Number(kept[at])),
    `and each of them renders once more what stays: ${anew} steps after ${kept}`,
  )
})
