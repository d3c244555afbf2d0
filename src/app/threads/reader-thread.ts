/**
 * A reader thread: makes pages and expensive responses, so that no other request waits for them. It runs the same
 * application on a read-only connection of its own. The serving thread identifies the caller and keeps limits, log and
 * metrics. This thread returns the bytes of the response.
 */
import { workerData } from "node:worker_threads"
import { Moved, toStarter } from "../../channel/channel.ts"
import { basePathOf } from "../../contract/service.ts"
import { limits } from "../../contract/limits.ts"
import { RequestLog } from "../../edge/telemetry/request-log.ts"
import type { OffloadedRequest, OffloadedResponse, StoredPast, Pasts } from "../../edge/edge.ts"
import { RequestContext } from "../../edge/limits/request-context.ts"
import { openMade } from "../../ledger/storage/opening.ts"
import { onForget } from "../../ledger/storage/caches.ts"
import { FollowerDb, readPatienceMs, openFollowed } from "../../ledger/storage/follower-file.ts"
import { realWorld } from "../../ledger/world.ts"
import { openLog } from "../../log.ts"
import { NotedEngine } from "../../renderer/noted-engine.ts"
import { RenderingNote, Renderer } from "../../renderer/renderer.ts"
import { softwareVersion } from "../../packaged.ts"
import { createApp } from "../serving/surface.ts"
import { createInstance } from "../compose/instance.ts"
import { OpenPasts } from "../past/pasts.ts"
import { releaseMemory } from "./memory.ts"
import type { ReaderCalls, ReaderEvents, ReaderStart } from "./reader.ts"

const { file, follows, instanceId, lineage, baseUrl, entrance, note, tooCostly } = workerData as ReaderStart

/** KiB of cached database pages. */
const CACHE = 4_096
/** The share of the service's cache of rendered texts that each reader thread has. */
const KEPT = 1 / 4

const db = follows ? openFollowed(file) : openMade(file)
// The system caches the file for all threads. This cache is only for pages that one response reads repeatedly.
db.exec(`PRAGMA cache_size = ${-CACHE}`)
const world = realWorld()
const service = { instanceId, lineage, basePath: basePathOf({ baseUrl }) }
const instance = createInstance({ db, world, ...service })
/** The past state for the current request; a reader thread has one request at a time. */
let currentPast: StoredPast | null = null
const openPasts = new OpenPasts(service)
onForget(db, () => openPasts.forget())
const pasts: Pasts = {
  of: async (roomId, sequence) => {
    if (currentPast?.roomId !== roomId || currentPast.asOf.sequence !== sequence)
      throw new Error(`entry ${sequence} of the Room ${roomId} was not handed over`)
    return openPasts.of(currentPast)
  },
}
if (db instanceof FollowerDb) {
  db.onChangedSchema(() => instance.ledger.forget())
  db.setPatience(readPatienceMs)
}
const engine = new NotedEngine(new RenderingNote(note), tooCostly)
const renderer = new Renderer(engine, limits.keptTextBytes * KEPT)
for (const each of [engine, renderer]) onForget(db, () => each.forget())
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

async function respond({
  method,
  target,
  headers,
  body: parameters,
  address,
  id,
  person,
  past,
}: OffloadedRequest): Promise<Moved<OffloadedResponse>> {
  const context = new RequestContext(address, id)
  context.person = person
  currentPast = past
  const response = await app.request(
    `${origin}${target}`,
    {
      method,
      headers: headers as [string, string][],
      body: parameters === undefined ? null : new Uint8Array(parameters),
    },
    { standsFor: context },
  )
  const body = response.body === null ? null : new Uint8Array(await response.arrayBuffer())
  const { status, headers: sent } = response
  return new Moved(
    { status, headers: Object.fromEntries(sent), body, refusal: context.refusal },
    body === null ? [] : [body.buffer],
  )
}

const channel = toStarter<ReaderEvents, ReaderCalls>({
  ready: () => {},
  answer: respond,
  readAhead: () => instance.tables.keptTables.readAhead(),
  render: (texts) => engine.render(texts),
  avoid: (name) => engine.avoid(name),
  forget: () => instance.ledger.forget(),
  leave: (file) => openPasts.leave(file),
})
releaseMemory()
