/**
 * The serving thread's end of the reading threads. Pages and costly reads wait here for one that is free. A costly read is
 * given alone, and where there are several threads one of them is always left to the others: one long answer holds up nobody.
 */
import type { Logger } from "pino"
import type { Aside, Cost, Order, Told } from "../edge/aside.ts"
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Engine } from "../renderer/engines.ts"
import { Reader } from "./reader.ts"
import type { ReaderSettings } from "./reader-messages.ts"

/** How long an answer may take, in seconds; and milliseconds after which threads that nobody asks are ended: their memory goes with them. */
export interface ReadingTimes {
  readonly seconds: number
  readonly idle: number
}
const standardTimes: ReadingTimes = { seconds: limits.readingSeconds, idle: 60_000 }
/** Milliseconds for which a thread is not started again that ended before it was ready. */
const PAUSE = 5_000

export interface ReadingParts {
  readonly threads: number
  /** Left out, those of the contract. */
  readonly times?: ReadingTimes | undefined
  readonly settings: ReaderSettings
  readonly engine: Pick<Engine, "render">
  readonly log: Logger
}

/** The reading threads of a service that is to have some. */
export function readingBy({
  threads = 0,
  times,
  engine,
  log,
  entrance,
  lineage = [],
  file,
  follows,
  instanceId,
  baseUrl,
}: Omit<ReadingParts, "settings" | "threads"> &
  Omit<ReaderSettings, "entrance" | "lineage"> & {
    readonly threads?: number | undefined
    readonly lineage?: readonly string[] | undefined
    readonly entrance?: NonNullable<ReaderSettings["entrance"]> | undefined
  }): ReadingThreads | null {
  if (threads === 0) return null
  const told = entrance === undefined ? null : { passwords: entrance.passwords, invitations: entrance.invitations }
  return new ReadingThreads({
    threads,
    times,
    engine,
    log,
    settings: { file, follows, instanceId, lineage, baseUrl, entrance: told },
  })
}

/** One who waits for an answer. */
interface Waiting {
  readonly order: Order
  readonly cost: Cost
  readonly since: number
  readonly signal: AbortSignal
  readonly asked: PromiseWithResolvers<Told>
}

/** What is said to whoever has gone. */
const nobody: Told = { status: 503, headers: {}, body: null, refusal: null }

export class ReadingThreads implements Aside {
  readonly #parts: ReadingParts
  readonly #times: ReadingTimes
  #readers: Reader[] = []
  readonly #waiting: Readonly<Record<Cost, Waiting[]>> = { some: [], much: [] }
  /** Whether the last that was given away was a costly one: a page comes before the next of these. */
  #wasMuch = false
  #count = 0
  #notBefore = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: ReadingParts) {
    this.#parts = parts
    this.#times = parts.times ?? standardTimes
  }

  answer(order: Order, cost: Cost, signal: AbortSignal): Promise<Told> | null {
    if (this.#isClosed) return null
    if (this.#readers.length === 0) this.#add()
    if (this.#readers.length === 0) return null
    // A page is made here in less time than a thread takes to start.
    if (cost === "some" && !this.#readers.some(({ isReady }) => isReady)) return null
    const waiting: Waiting = { order, cost, since: ++this.#count, signal, asked: Promise.withResolvers() }
    const gone = () => {
      const at = this.#waiting[cost].indexOf(waiting)
      if (at >= 0) this.#waiting[cost].splice(at, 1)
      waiting.asked.resolve(nobody)
    }
    signal.addEventListener("abort", gone, { once: true })
    const done = () => signal.removeEventListener("abort", gone)
    waiting.asked.promise.then(done, done)
    this.#waiting[cost].push(waiting)
    this.#next()
    return waiting.asked.promise
  }

  /** Something was withheld. */
  forget(): void {
    for (const reader of this.#readers) reader.forget()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    for (const { asked } of [...this.#waiting.some.splice(0), ...this.#waiting.much.splice(0)])
      asked.reject(new Refusal("temporarily_unavailable", "The service is ending.", { retryAfter: 5 }))
    await this.#end()
  }

  /** Starts one more thread, where one may be started. */
  #add(): void {
    const { threads, settings, engine, log } = this.#parts
    if (this.#readers.length >= threads || performance.now() < this.#notBefore) return
    const { seconds, idle } = this.#times
    this.#idle ??= setTimeout(() => this.#rest(), idle).unref()
    const reader: Reader = new Reader(settings, {
      engine,
      log,
      seconds,
      free: () => {
        this.#idle?.refresh()
        this.#next()
      },
      ended: (error) => this.#ended(reader, error),
    })
    this.#readers.push(reader)
  }

  /** A thread ended by itself. The next one who asks starts another. */
  #ended(reader: Reader, error: Error): void {
    this.#readers = this.#readers.filter((each) => each !== reader)
    this.#parts.log.error({ err: error }, "a reading thread ended; another takes its place")
    if (!reader.isReady) this.#notBefore = performance.now() + PAUSE
    if (!this.#isAnybodyWaiting) return
    if (this.#readers.length === 0) this.#add()
    if (this.#readers.length > 0) return
    // None can be started: whoever waits is told so.
    for (const { asked } of [...this.#waiting.some.splice(0), ...this.#waiting.much.splice(0)]) asked.reject(error)
  }

  /** One that is still starting is not idle: whoever asked for it was answered by the thread that serves, and the next one asks it. */
  #rest(): void {
    if (this.#isAnybodyWaiting || this.#readers.some(({ isReady, orders }) => !isReady || orders > 0)) this.#idle?.refresh()
    else {
      this.#idle = undefined
      void this.#end()
    }
  }

  async #end(): Promise<void> {
    const readers = this.#readers
    this.#readers = []
    await Promise.all(readers.map((each) => each.end()))
  }

  /** Gives away whatever has a thread to go to. */
  #next(): void {
    for (;;) {
      const reader = this.#readers
        .filter((each) => each.isReady && each.mayTake)
        .reduce<Reader | undefined>((least, each) => (least === undefined || each.orders < least.orders ? each : least), undefined)
      const cost = reader && this.#due()
      const waiting = cost && this.#waiting[cost].shift()
      if (reader === undefined || waiting === undefined) break
      this.#wasMuch = cost === "much"
      this.#idle?.refresh()
      reader.take(waiting.order, waiting.cost, waiting.asked)
    }
    // One at a time, and only where somebody waits: each takes memory.
    if (this.#isAnybodyWaiting && this.#readers.every(({ isReady }) => isReady)) this.#add()
  }

  get #isAnybodyWaiting(): boolean {
    return this.#waiting.some.length + this.#waiting.much.length > 0
  }

  /** Whose turn it is: who came first, but one costly read after the other only where no page waits. */
  #due(): Cost | undefined {
    const [page] = this.#waiting.some
    const [long] = this.#waiting.much
    const atOnce = Math.max(1, this.#parts.threads - 1)
    if (long === undefined || this.#readers.filter(({ hasMuch }) => hasMuch).length >= atOnce) return page && "some"
    return page === undefined || (!this.#wasMuch && long.since < page.since) ? "much" : "some"
  }
}
