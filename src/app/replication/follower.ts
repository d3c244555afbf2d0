/** A reading copy of a service: answers what anybody may read from the file that Litestream's follower writes, and sends on all else. */
import type { H3Event } from "h3"
import { basePathOf } from "../../contract/base-path.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { isText } from "../../contract/definitions/read.ts"
import { reads } from "../../contract/reads/index.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import { atLeastOf } from "../../edge/at-least.ts"
import { passingThrough, sendingOn, type Original } from "../../edge/requests/forward.ts"
import { Metrics } from "../../edge/telemetry/metrics.ts"
import { pathParams } from "../../edge/paths.ts"
import type { PublicRoute } from "../../edge/answers/public-answer.ts"
import { listen, serveOn } from "../../http/server.ts"
import { isFollowed } from "../../ledger/storage/litestream-files.ts"
import { databaseFile, whoseData } from "../../ledger/storage/data.ts"
import { DataError } from "../../ledger/storage/opening.ts"
import { type FollowerDb, readPatienceMs } from "../../ledger/storage/follower-file.ts"
import { realWorld } from "../../ledger/world.ts"
import { OnThisThread } from "../../renderer/engines.ts"
import { Renderer } from "../../renderer/renderer.ts"
import { sessionCookie } from "../../contract/operations/actions.ts"
import { createApp } from "../serving/surface.ts"
import { forgetWithOriginal } from "../compose/forget-withheld.ts"
import { createInstance, type Instance } from "../compose/instance.ts"
import { addressAt, budgetsHere, edgeParts, type EdgeOptions } from "../serving/parts.ts"
import { readerPool } from "../threads/reader-pool.ts"
import { openWhole } from "../../ledger/storage/followed-data.ts"

/** Milliseconds between two looks whether the file has moved on. */
const LOOK = 100
/** Milliseconds that a read waits for what it must not be older than, or for a file that is whole. */
const PATIENCE = 2_000

export interface CopyOptions extends EdgeOptions {
  /** The folder of the followed file. */
  readonly follow: string
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
  /** Where the original is reached. */
  readonly primary: string
  /** Whether what the original is to answer is passed through, and not only sent on. */
  readonly forward?: boolean | undefined
  /** Milliseconds in which the headers of an answer of the original must come; left out, a minute. */
  readonly headersWithinMs?: number | undefined
  /** How many threads make pages, render texts and give expensive answers; left out, this one does all that. */
  readonly threads?: number | undefined
}

export interface Copy {
  readonly baseUrl: string
  readonly port: number
  /** Settles when the copy can no longer do its work; it then wants to be closed. */
  readonly broken: Promise<void>
  close(): Promise<void>
}

/** What a copy would keep its follower waiting for, however public: a whole Room as a file. */
const long: ReadonlySet<string> = new Set(reads.filter(({ mediaType }) => !isText(mediaType)).map(({ path }) => path))

const feed = reads.find(({ name }) => name === "room_activity")?.path

/** The entry that an answer must not be older than: as it is asked, and where a feed was read to already, here or elsewhere. */
function leastOf(path: string, query: URLSearchParams): number | null {
  const asked = atLeastOf(query)
  const after = path === feed && /^[0-9]{1,15}$/.test(query.get("after") ?? "") ? Number(query.get("after")) : null
  return asked === null && after === null ? null : Math.max(asked ?? 0, after ?? 0)
}

/** What a copy says of itself, whatever its data is like. */
const aboutItself = /^\/(?:metrics$|assets\/|api\/health\/)/

class Reading {
  readonly #followed: FollowerDb
  readonly #instance: Instance
  readonly #original: Original
  readonly #looking = new Set<() => void>()
  #state = ""

  constructor(followed: FollowerDb, instance: Instance, original: Original) {
    this.#followed = followed
    this.#instance = instance
    this.#original = original
  }

  /** Looks whether the file has moved on, and wakes those who wait for that. @throws DataError where it is not this instance's data any more */
  look(): void {
    const { state, isWhole } = this.#followed.look()
    if (!isWhole || state === this.#state) return
    // Any read proves the file first.
    this.#followed.snapshot(() => undefined)
    this.#state = state
    for (const look of [...this.#looking]) look()
    this.#instance.ledger.watch.anywhere()
  }

  /** Answers what is for the original; null for what the copy answers itself. */
  async answer(event: H3Event, { path, open }: PublicRoute): Promise<Answer | null> {
    if (aboutItself.test(path)) return null
    const { headers } = event.req
    const isPrivate = headers.has("authorization") || (headers.get("cookie") ?? "").includes(`${sessionCookie}=`)
    const query = event.url.searchParams
    if (open === undefined || isPrivate || long.has(path) || query.has("at")) return this.#original.answer(event)
    const least = path.startsWith("/api/research/") ? leastOf(path, query) : null
    const isThere = () => this.#followed.look().isWhole && (least === null || this.#reaches(pathParams(event), least))
    return isThere() || (await this.#becomes(isThere)) ? null : this.#original.answer(event)
  }

  /** Whether the Rooms of what a path names have come so far. */
  #reaches(params: Readonly<Record<string, string>>, least: number): boolean {
    const { ledger } = this.#instance
    try {
      return ledger.snapshot(() =>
        Object.entries(params).every(([name, id]) => {
          const roomId = name === "roomId" ? id : ledger.roomOf(name, id)
          return roomId === undefined || ledger.activity.watermark(roomId) >= least
        }),
      )
    } catch (error) {
      // Not here yet, or the follower is just writing.
      if (error instanceof Refusal) return false
      throw error
    }
  }

  /** Waits until something is so, as far as it may. */
  #becomes(isSo: () => boolean): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const look = (isLast: boolean) => {
      // Whatever goes wrong is this request's, not the process's.
      try {
        const found = isSo()
        if (found || isLast) resolve(found)
      } catch (error) {
        reject(error)
      }
    }
    const now = () => look(false)
    const timer = setTimeout(() => look(true), PATIENCE)
    this.#looking.add(now)
    return promise.finally(() => {
      clearTimeout(timer)
      this.#looking.delete(now)
    })
  }
}

/**
 * Starts a reading copy. It takes no lock, writes nothing, and brings nothing forward.
 * @throws DataError when the folder holds no followed file, or one of another version
 * @throws ListenError when the address cannot be listened on
 */
export async function startCopy(options: CopyOptions): Promise<Copy> {
  using started = new DisposableStack()
  const { log, primary } = options
  const file = databaseFile(options.follow)
  if (!isFollowed(file))
    throw new DataError(
      `${options.follow} holds no file that Litestream follows. Start its follower first: litestream restore -f -o ${file} REPLICA.`,
    )
  const followed = started.adopt(openWhole(file), (opened) => opened.close())
  const world = realWorld()
  const { server, port } = await listen(options.host, options.port)
  started.defer(() => server.close())

  const baseUrl = addressAt(options, port)
  const whose = whoseData(followed)
  const instance = createInstance({ db: followed, world, ...whose, basePath: basePathOf({ baseUrl }) })
  forgetWithOriginal(followed, instance)
  followed.setPatience(readPatienceMs)
  const original = options.forward ? passingThrough(primary, baseUrl, options.headersWithinMs) : sendingOn(primary)
  const reading = new Reading(followed, instance, original)
  const broken = Promise.withResolvers<void>()
  const looks = setInterval(() => {
    try {
      if (followed.isLost()) throw new DataError(`${file} is not the file any more that was opened. The copy ends; start it again.`)
      reading.look()
    } catch (error) {
      if (!(error instanceof DataError)) return
      log.fatal(error.message)
      broken.resolve()
    }
  }, LOOK).unref()
  started.defer(() => clearInterval(looks))

  const metrics = new Metrics()
  started.defer(() => metrics.close())
  const budgets = budgetsHere(options)
  const storage = () => ({ databaseBytes: null, walBytes: null, freeDiskBytes: null })
  metrics.watch({ budgets, openFeedWaits: () => instance.ledger.watch.waiting, storage })
  const readers = readerPool({ ...options, ...whose, file, follows: true, baseUrl })
  const renderer = new Renderer(readers ?? new OnThisThread())
  instance.ledger.onForget(() => renderer.forget())
  const whyNotReady = async () =>
    followed.look().isWhole ? null : "The copy is just being brought forward, or its follower was ended in the midst of it."
  const forward = (event: H3Event, route: PublicRoute) => reading.answer(event, route)
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
