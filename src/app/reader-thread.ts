/**
 * A reading thread: makes pages and costly reads, so that nobody waits for them but who asked. It is the same application on
 * a connection of its own that cannot write. Who asks was found out by the serving thread, which also keeps limits, log and
 * metrics; what is answered leaves here as it goes over the wire.
 */
import { parentPort, workerData } from "node:worker_threads"
import { basePathOf } from "../contract/base-path.ts"
import type { Order, Told } from "../edge/aside.ts"
import { Journal } from "../edge/journal.ts"
import { RequestContext } from "../edge/request-context.ts"
import { limits } from "../contract/limits.ts"
import { openMade } from "../ledger/database.ts"
import { Followed } from "../ledger/followed.ts"
import { realWorld } from "../ledger/world.ts"
import { openLog } from "../log.ts"
import type { Engine } from "../renderer/engines.ts"
import { Renderer } from "../renderer/renderer.ts"
import { softwareVersion } from "../version.ts"
import { createApp } from "./edge.ts"
import { forgetWithOriginal } from "./forgetting.ts"
import { createInstance } from "./instance.ts"
import { restMemory } from "./memory.ts"
import type { FromReader, ReaderSettings, ToReader } from "./reader-messages.ts"

if (parentPort === null) throw new Error("A reading thread is started by the service.")
const port = parentPort
const { file, follows, instanceId, lineage, baseUrl, entrance } = workerData as ReaderSettings
const say = (message: FromReader, moved: ArrayBuffer[] = []) => port.postMessage(message, moved)

/** KiB of pages of the database. */
const CACHE = 4_096
/** Part of what the service keeps of rendered texts that each reading thread keeps. */
const KEPT = 1 / 4

/** Texts are rendered where those of the serving thread are: what is hostile in them ends that thread and not this one. */
class OnServer implements Engine {
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly string[]>>()
  #last = 0
  render(texts: Parameters<Engine["render"]>[0]): Promise<readonly string[]> {
    const id = ++this.#last
    const asked = Promise.withResolvers<readonly string[]>()
    this.#waiting.set(id, asked)
    say({ kind: "render", id, texts })
    return asked.promise
  }
  rendered(id: number, made: readonly string[] | null): void {
    const asked = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (made === null) asked?.reject(new Error("The texts could not be rendered."))
    else asked?.resolve(made)
  }
  async close(): Promise<void> {}
}

const db = follows ? new Followed(file) : openMade(file)
// The system holds the file's pages for all threads; each keeps only those that one answer asks for again and again.
db.exec(`PRAGMA cache_size = ${-CACHE}`)
const world = realWorld()
const instance = createInstance({ db, world, instanceId, lineage, basePath: basePathOf({ baseUrl }) })
if (db instanceof Followed) {
  forgetWithOriginal(db, instance)
  db.hurry()
}
const engine = new OnServer()
const renderer = new Renderer(engine, limits.keptTextBytes * KEPT)
instance.ledger.onForget(() => renderer.forget())
const log = openLog("info", { to: { write: (line) => say({ kind: "line", line }) } })
const app = createApp({
  instance,
  baseUrl,
  softwareVersion,
  log,
  journal: new Journal(log),
  renderer,
  ...(entrance && { entrance }),
})
const { origin } = new URL(baseUrl)

async function told({ method, target, headers, address, id, person }: Order): Promise<Told> {
  const context = new RequestContext(address, id)
  context.person = person
  const response = await app.request(`${origin}${target}`, { method, headers: headers as [string, string][] }, { standsFor: context })
  const body = response.body === null ? null : new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: Object.fromEntries(response.headers), body, refusal: context.refusal }
}

/** What each kind of message asks for; a kind that is missing does not compile. */
const handlers: { readonly [Kind in ToReader["kind"]]: (message: Extract<ToReader, { kind: Kind }>) => void } = {
  order({ id, order }) {
    told(order).then(
      (made) => say({ kind: "told", id, told: made }, made.body === null ? [] : [made.body.buffer]),
      (error: unknown) => say({ kind: "failed", id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  },
  rendered: ({ id, made }) => engine.rendered(id, made),
  forget: () => instance.ledger.forget(),
}
port.on("message", <Kind extends ToReader["kind"]>(message: { readonly kind: Kind } & Extract<ToReader, { kind: Kind }>) =>
  handlers[message.kind](message),
)
restMemory()
say({ kind: "ready" })
