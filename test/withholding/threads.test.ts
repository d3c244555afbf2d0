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
  /**
   * Sends requests until every thread has rendered more texts than before, and then answers without rendering any.
   * @returns the steps of each, and the paths with an answer that contains the secret
   */
  async function settled(since: readonly number[]): Promise<{ kept: number[]; tells: ReadonlySet<string> }> {
    const tells = new Set<string>()
    let before: number[] = []
    for (let round = 0; round < 50; round += 1) {
      for (const each of await tellsOfIt()) tells.add(each)
      const kept = steps()
      const isOver = kept.every((step, at) => step > (since[at] ?? 0) && step === before[at])
      if (kept.length === THREADS && isOver && busy() === THREADS) return { kept, tells }
      before = kept
    }
    throw new Error(`The threads render nothing anew, or never stop: ${before} steps after ${since}.`)
  }
  const before = await settled([])
  for (const each of [path, `${path}.md`, `/search?query=${BESIDE}`, `/api/research/search?query=${BESIDE}`])
    t.ok(before.tells.has(each), `${each} contained it`)
  t.not((await exported()).length, 0)

  const body = action({
    of: { entryId: said.entry?.entryId },
    fields: ["/text"],
    reason: "secret",
    explanation: "Revoked since.",
  })
  const withheld = await ada.request("POST", `/api/rooms/${roomId}/withholdings`, body)
  t.equal(withheld.status, 200)
  t.strictSame(await tellsOfIt(), [])
  const { tells } = await settled(before.kept)
  t.strictSame([...tells], [], "each thread rendered anew what stays")
  t.strictSame(await exported(), [])
})
