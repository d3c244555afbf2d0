/**
 * A read-only copy of a service: answers public reads from the file that Litestream's follower writes, and redirects
 * the rest.
 */
import type { H3Event } from "h3"
import { basePathOf } from "../../contract/service.ts"
import { Refusal } from "../../contract/refusals.ts"
import { isText } from "../../contract/definitions/read.ts"
import { reads } from "../../contract/reads/index.ts"
import type { Answer, PublicRoute } from "../../edge/answers/answer.ts"
import { atLeastOf } from "../../edge/requests/reads.ts"
import { passingThrough, sendingOn, type Original } from "../../edge/requests/forward.ts"
import { Metrics } from "../../edge/telemetry/metrics.ts"
import { pathParams } from "../../edge/edge.ts"
import { listen, serveOn } from "../../http/server.ts"
import { isFollowed } from "../../ledger/storage/litestream-files.ts"
import { databaseFile, whoseData, DataError } from "../../ledger/storage/opening.ts"
import { onForget } from "../../ledger/storage/caches.ts"
import { type FollowerDb, readPatienceMs, openWhole } from "../../ledger/storage/follower-file.ts"
import { realWorld } from "../../ledger/world.ts"
import { OnThisThread, Renderer } from "../../renderer/renderer.ts"
import { sessionCookie } from "../../contract/operations/actions.ts"
import { createApp, addressAt, budgetsHere, edgeParts, type EdgeOptions } from "../serving/surface.ts"
import { createInstance, type Instance } from "../compose/instance.ts"
import { readerPool } from "../threads/reader-pool.ts"

/** Milliseconds between two checks whether the file has changed. */
const INTERVAL = 100
/** Milliseconds that a read waits for the entry it needs, or for a consistent file. */
const TIMEOUT = 2_000

export interface CopyOptions extends EdgeOptions {
  /** The folder of the followed file. */
  readonly follow: string
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
  /** The address of the original. */
  readonly primary: string
  /** Whether requests for the original are passed through to it, instead of redirected. */
  readonly forward?: boolean | undefined
  /** Milliseconds for the response headers of the original; a minute by default. */
  readonly headersWithinMs?: number | undefined
  /** How many threads make pages, render texts and give expensive answers; by default this thread does. */
  readonly threads?: number | undefined
}

export interface Copy {
  readonly baseUrl: string
  readonly port: number
  /** Resolves when the copy has failed and must be closed. */
  readonly broken: Promise<void>
  close(): Promise<void>
}

/**
 * The paths of long public reads, such as a whole Room as a file. The copy does not serve them, since its follower
 * would have to wait.
 */
const longReads: ReadonlySet<string> = new Set(
  reads.filter(({ mediaType }) => !isText(mediaType)).map(({ path }) => path),
)

const feed = reads.find(({ name }) => name === "room_activity")?.path

/**
 * Returns the entry that the data must include: the requested one, or the last one that the reader of a feed has seen.
 */
function leastOf(path: string, query: URLSearchParams): number | null {
  const requested = atLeastOf(query)
  const after = path === feed && /^[0-9]{1,15}$/.test(query.get("after") ?? "") ? Number(query.get("after")) : null
  return requested === null && after === null ? null : Math.max(requested ?? 0, after ?? 0)
}

/** Paths about the copy itself, which it answers even if its data is not consistent. */
const ownPaths = /^\/(?:metrics$|assets\/|api\/health\/)/

class CopyReads {
  readonly #followed: FollowerDb
  readonly #instance: Instance
  readonly #original: Original
  /** Called after each change of the file. */
  readonly #waiting = new Set<() => void>()
  #state = ""

  constructor(followed: FollowerDb, instance: Instance, original: Original) {
    this.#followed = followed
    this.#instance = instance
    this.#original = original
  }

  /**
   * Checks whether the file has changed, and wakes waiting requests. @throws DataError if it is no longer this
   * instance's data
   */
  update(): void {
    const { state, isWhole } = this.#followed.look()
    if (!isWhole || state === this.#state) return
    // Any read verifies the file first.
    this.#followed.snapshot(() => undefined)
    this.#state = state
    for (const check of [...this.#waiting]) check()
    this.#instance.ledger.watch.anywhere()
  }

  /** Answers a request that is for the original; null if the copy answers it itself. */
  async answer(event: H3Event, { path, open }: PublicRoute): Promise<Answer | null> {
    if (ownPaths.test(path)) return null
    const { headers } = event.req
    const isPrivate = headers.has("authorization") || (headers.get("cookie") ?? "").includes(`${sessionCookie}=`)
    const query = event.url.searchParams
    if (open === undefined || isPrivate || longReads.has(path) || query.has("at")) return this.#original.answer(event)
    const least = path.startsWith("/api/research/") ? leastOf(path, query) : null
    const isReady = () => this.#followed.look().isWhole && (least === null || this.#reaches(pathParams(event), least))
    return isReady() || (await this.#waitFor(isReady)) ? null : this.#original.answer(event)
  }

  /** Whether the Rooms of the objects in a path include an entry. */
  #reaches(params: Readonly<Record<string, string>>, least: number): boolean {
    const { ledger } = this.#instance
    try {
      return ledger.snapshot(() =>
        Object.entries(params).every(([name, id]) => {
          const roomId = name === "roomId" ? id : ledger.references.roomOf(name, id)
          return roomId === undefined || ledger.activity.watermark(roomId) >= least
        }),
      )
    } catch (error) {
      // The object is not here yet, or the follower is writing.
      if (error instanceof Refusal) return false
      throw error
    }
  }

  /** Waits for a condition until the timeout. @returns whether it holds */
  #waitFor(condition: () => boolean): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const check = (isLast: boolean) => {
      // An error must fail this request, not the process.
      try {
        const holds = condition()
        if (holds || isLast) resolve(holds)
      } catch (error) {
        reject(error)
      }
    }
    const onChange = () => check(false)
    const timer = setTimeout(() => check(true), TIMEOUT)
    this.#waiting.add(onChange)
    return promise.finally(() => {
      clearTimeout(timer)
      this.#waiting.delete(onChange)
    })
  }
}

/**
 * Starts a read-only copy. It takes no lock, writes nothing and upgrades nothing.
 * @throws DataError if the folder holds no followed file, or one of another version
 * @throws ListenError if the address cannot be listened on
 */
export async function startCopy(options: CopyOptions): Promise<Copy> {
  using started = new DisposableStack()
  const { log, primary } = options
  const file = databaseFile(options.follow)
  if (!isFollowed(file))
    throw new DataError(
      `${options.follow} holds no file that Litestream follows. Start its follower first: ` +
        `litestream restore -f -o ${file} REPLICA.`,
    )
  const followed = started.adopt(openWhole(file), (opened) => opened.close())
  const world = realWorld()
  const { server, port } = await listen(options.host, options.port)
  started.defer(() => server.close())

  const baseUrl = addressAt(options, port)
  const identity = whoseData(followed)
  const instance = createInstance({ db: followed, world, ...identity, basePath: basePathOf({ baseUrl }) })
  followed.onChangedSchema(() => instance.ledger.forget())
  followed.setPatience(readPatienceMs)
  const original = options.forward ? passingThrough(primary, baseUrl, options.headersWithinMs) : sendingOn(primary)
  const copyReads = new CopyReads(followed, instance, original)
  const broken = Promise.withResolvers<void>()
  const timer = setInterval(() => {
    try {
      if (followed.isLost()) throw new DataError(`${file} was replaced by another file. The copy ends; start it again.`)
      copyReads.update()
    } catch (error) {
      if (!(error instanceof DataError)) return
      log.fatal(error.message)
      broken.resolve()
    }
  }, INTERVAL).unref()
  started.defer(() => clearInterval(timer))

  const metrics = new Metrics()
  started.defer(() => metrics.close())
  const budgets = budgetsHere(options)
  const storage = () => ({ databaseBytes: null, walBytes: null, freeDiskBytes: null })
  metrics.watch({ budgets, openFeedWaits: () => instance.ledger.watch.waiting, storage })
  const readers = readerPool(options, { ...identity, file, follows: true, baseUrl })
  const renderer = new Renderer(readers ?? new OnThisThread())
  onForget(instance.db, () => renderer.forget())
  const whyNotReady = async () =>
    followed.look().isWhole ? null : "The copy is being updated, or its follower ended in the middle of an update."
  const forward = (event: H3Event, route: PublicRoute) => copyReads.answer(event, route)
  const app = createApp({
    instance,
    baseUrl,
    renderer,
    budgets,
    whyNotReady,
    forward,
    ...(readers && { readers }),
    ...edgeParts(options, metrics),
  })
  const stop = serveOn(server, app, baseUrl)
  const running = started.move()
  return {
    baseUrl,
    port,
    broken: broken.promise,
    async close() {
      instance.ledger.watch.close()
      await stop()
      await readers?.close()
      running.dispose()
    },
  }
}
