/**
 * A reading thread: makes pages and expensive answers, so that no other request waits for them. It is the same application on a
 * connection of its own that cannot write. The serving thread knows who asks, and keeps limits, log and metrics; a response leaves
 * this thread as it goes over the wire.
 */
import { workerData } from "node:worker_threads"
import { Moved } from "../../channel/channel.ts"
import { toStarter } from "../../channel/thread.ts"
import { basePathOf } from "../../contract/base-path.ts"
import { limits } from "../../contract/limits.ts"
import { RequestLog } from "../../edge/telemetry/request-log.ts"
import type { OffloadedRequest, OffloadedResponse, StoredPast } from "../../edge/limits/readers.ts"
import type { Pasts } from "../../edge/past-rooms.ts"
import { RequestContext } from "../../edge/limits/request-context.ts"
import { openMade } from "../../ledger/storage/opening.ts"
import { FollowerDb, readPatienceMs } from "../../ledger/storage/follower-file.ts"
import { realWorld } from "../../ledger/world.ts"
import { openLog } from "../../log.ts"
import { NotedEngine } from "../../renderer/noted-engine.ts"
import { Renderer } from "../../renderer/renderer.ts"
import { RenderingNote } from "../../renderer/rendering-note.ts"
import { softwareVersion } from "../../version.ts"
import { openFollowed } from "../../ledger/storage/followed-data.ts"
import { createApp } from "../serving/surface.ts"
import { forgetWithOriginal } from "../compose/forget-withheld.ts"
import { createInstance } from "../compose/instance.ts"
import { openPast } from "../past/opened-past.ts"
import { restMemory } from "./memory.ts"
import type { ReaderCalls, ReaderEvents, ReaderStart } from "./reader-calls.ts"

const { file, follows, instanceId, lineage, baseUrl, entrance, note, tooCostly } = workerData as ReaderStart

/** KiB of pages of the database. */
const CACHE = 4_096
/** Part of what the service keeps of rendered texts that each reading thread keeps. */
const KEPT = 1 / 4

const db = follows ? openFollowed(file) : openMade(file)
// The system holds the file's pages for all threads; each keeps only those that one answer asks for again and again.
db.exec(`PRAGMA cache_size = ${-CACHE}`)
const world = realWorld()
const service = { instanceId, lineage, basePath: basePathOf({ baseUrl }) }
const instance = createInstance({ db, world, ...service })
/** The Room as it was that the request in hand asks for: a reading thread has one request at a time. */
let given: StoredPast | null = null
const pasts: Pasts = {
  of: async (roomId, sequence) => {
    if (given?.roomId !== roomId || given.asOf.sequence !== sequence)
      throw new Error(`entry ${sequence} of the Room ${roomId} was not handed over`)
    return openPast(given, service)
  },
}
if (db instanceof FollowerDb) {
  forgetWithOriginal(db, instance)
  db.setPatience(readPatienceMs)
}
const engine = new NotedEngine(new RenderingNote(note), tooCostly)
const renderer = new Renderer(engine, limits.keptTextBytes * KEPT)
for (const each of [engine, renderer]) instance.ledger.onForget(() => each.forget())
const log = openLog("info", { to: { write: (line) => channel.tell("log", line) } })
const app = createApp({
  instance,
  baseUrl,
  softwareVersion,
  log,
  requestLog: new RequestLog(log),
  renderer,
  pasts,
  ...(entrance && { entrance }),
})
const { origin } = new URL(baseUrl)

async function respond({ method, target, headers, address, id, person, past }: OffloadedRequest): Promise<Moved<OffloadedResponse>> {
  const context = new RequestContext(address, id)
  context.person = person
  given = past
  const response = await app.request(`${origin}${target}`, { method, headers: headers as [string, string][] }, { standsFor: context })
  const body = response.body === null ? null : new Uint8Array(await response.arrayBuffer())
  const { status, headers: sent } = response
  return new Moved({ status, headers: Object.fromEntries(sent), body, refusal: context.refusal }, body === null ? [] : [body.buffer])
}

const channel = toStarter<ReaderEvents, ReaderCalls>({
  ready: () => {},
  answer: respond,
  render: (texts) => engine.render(texts),
  avoid: (name) => engine.avoid(name),
  forget: () => instance.ledger.forget(),
})
restMemory()
