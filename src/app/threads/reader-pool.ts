/**
 * The reader threads of a service. Pages, expensive responses and texts to render wait here for a free thread. An
 * expensive response has a thread to itself, and if there are several threads, one is always left for other tasks, so
 * that a long response blocks nothing else.
 */
import { setFlagsFromString } from "node:v8"
import type { Logger } from "pino"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Channel } from "../../channel/channel.ts"
import type { Cost, OffloadedRequest, OffloadedResponse, Readers } from "../../edge/edge.ts"
import type { Text } from "../../renderer/as-written.ts"
import type { Engine } from "../../renderer/renderer.ts"
import {
  type Loss,
  Reader,
  type ReadingTimes,
  type Task,
  type ReaderCalls,
  type ReaderEvents,
  type ReaderSettings,
} from "./reader.ts"

const standardTimes: ReadingTimes = {
  seconds: limits.readingSeconds,
  rendering: limits.renderingMilliseconds,
  idle: 60_000,
}
/** Milliseconds before a new thread is started after one ended before it was ready. */
const PAUSE = 5_000
/** The most threads that may be lost to the texts of one task. */
const LOSSES = 4
/** The most texts that are remembered as too costly. */
const TOO_COSTLY = 1_000

/**
 * MiB of heap that a thread fills before V8 looks for garbage in all of it. By default it does so while a thread starts
 * and again within the first costly answer, and finds next to nothing: a quarter of the time of both. When the thread
 * has answered, `releaseMemory` gives back what is not in use.
 */
const FILLED_FIRST = 80
/** MiB of memory for all, below which V8 looks as early as by default. */
const ROOMY = 1_024
const bounded = process.constrainedMemory()
const isRoomy = bounded === 0 || bounded >= ROOMY << 20

export interface PoolParts {
  readonly threads: number
  /** Time limits, if not those of the contract. */
  readonly times?: Partial<ReadingTimes> | undefined
  readonly settings: ReaderSettings
  readonly log: Logger
  /** Whether a thread is kept ready, because a first answer would take long; by default none is. */
  readonly isKeptReady?: (() => boolean) | undefined
}

type ReaderChannel = Channel<ReaderCalls, ReaderEvents>

/** The response to a caller who has disconnected. */
const callerGone: OffloadedResponse = { status: 503, headers: {}, body: null, refusal: null }

export class ReaderPool implements Readers, Engine {
  readonly #parts: PoolParts
  readonly #times: ReadingTimes
  #readers: Reader[] = []
  readonly #waiting: Readonly<Record<Cost, Task[]>> = { page: [], expensive: [] }
  readonly #tooCostly = new Set<string>()
  /** Whether the last task was expensive. Then a page comes before the next expensive one. */
  #wasExpensive = false
  #count = 0
  #notBefore = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: PoolParts) {
    this.#parts = parts
    this.#times = { ...standardTimes, ...parts.times }
    // It is read when a thread starts, and changes nothing in this one.
    if (isRoomy) setFlagsFromString(`--initial-heap-size=${FILLED_FIRST}`)
    if (this.#keepsOne())
      this.#run("expensive", "large Rooms before they are asked for", (channel) => channel.ask("readAhead")).catch(
        (err: unknown) => {
          if (!this.#isClosed) parts.log.warn({ err }, "large Rooms could not be read ahead")
        },
      )
  }

  answer(request: OffloadedRequest, cost: Cost, signal: AbortSignal): Promise<OffloadedResponse> | null {
    if (!this.#hasReader()) return null
    // The serving thread makes a page in less time than a thread takes to start.
    if (cost === "page" && !this.#readers.some(({ isReady }) => isReady)) return null
    return this.#run(cost, request.target, (channel) => channel.ask("answer", request), { signal, gone: callerGone })
  }

  /** Renders texts of pages that the serving thread makes. */
  async render(texts: readonly Text[]): Promise<readonly string[]> {
    if (!this.#hasReader()) throw new Error("No reader thread can be started.")
    return this.#run("page", "texts of a page", (channel) => channel.ask("render", texts))
  }

  /** Clears the caches of all threads after words were withheld. */
  forget(): void {
    this.#tooCostly.clear()
    for (const reader of this.#readers) reader.forget()
  }

  /** Has all threads close a file that is about to be deleted. */
  async leave(file: string): Promise<void> {
    await Promise.all(this.#readers.map((each) => each.leave(file)))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    this.#failAll(new Refusal("temporarily_unavailable", "The service is ending.", { retryAfter: 5 }))
    await this.#end()
  }

  #run<T>(
    cost: Cost,
    what: string,
    call: (channel: ReaderChannel) => Promise<T>,
    caller?: { readonly signal: AbortSignal; readonly gone: T },
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const task: Task = {
      cost,
      what,
      number: ++this.#count,
      losses: 0,
      run: async (channel) => {
        const value = await call(channel)
        return () => resolve(value)
      },
      fail: reject,
      isGone: () => caller?.signal.aborted ?? false,
    }
    if (caller !== undefined) {
      const { signal, gone } = caller
      const leave = () => {
        const at = this.#waiting[cost].indexOf(task)
        if (at >= 0) this.#waiting[cost].splice(at, 1)
        resolve(gone)
      }
      signal.addEventListener("abort", leave, { once: true })
      const done = () => signal.removeEventListener("abort", leave)
      promise.then(done, done)
    }
    this.#waiting[cost].push(task)
    this.#distribute()
    return promise
  }

  /** Whether there is a thread. Starts one if there is none. */
  #hasReader(): boolean {
    if (this.#isClosed) return false
    if (this.#readers.length === 0) this.#add()
    return this.#readers.length > 0
  }

  /** Starts one more thread, if the limits allow it. */
  #add(): void {
    const { threads, settings, log } = this.#parts
    // A thread that renders a slow text is replaced until it is done.
    const most = threads + Math.min(threads, this.#readers.filter(({ isSlow }) => isSlow).length)
    if (this.#readers.length >= most || performance.now() < this.#notBefore) return
    this.#idle ??= setTimeout(() => this.#endIfIdle(), this.#times.idle).unref()
    const reader: Reader = new Reader({
      settings,
      tooCostly: [...this.#tooCostly],
      log,
      times: this.#times,
      onFree: () => {
        this.#idle?.refresh()
        this.#distribute()
      },
      onSlow: () => this.#distribute(),
      onLost: (loss) => this.#lost(reader, loss),
    })
    this.#readers.push(reader)
  }

  /** Handles a thread that ended or took too long. The next task starts another. */
  #lost(reader: Reader, { error, task, text }: Loss): void {
    this.#readers = this.#readers.filter((each) => each !== reader)
    this.#parts.log.error({ err: error }, "a reader thread ended; another replaces it")
    if (!reader.isReady) this.#notBefore = performance.now() + PAUSE
    if (text !== null) this.#avoid(text)
    if (task !== null) {
      task.losses += 1
      // Without the text, another thread can complete the task.
      const isDone = text === null || task.isGone() || task.losses > LOSSES || performance.now() > (task.until ?? 0)
      if (isDone) task.fail(error)
      else this.#waiting[task.cost].unshift(task)
    }
    if (!this.#hasWaiting) return
    if (!this.#hasReader()) this.#failAll(error)
    else this.#distribute()
  }

  /** Makes all threads show a text as it was written from now on. */
  #avoid(text: string): void {
    this.#tooCostly.add(text)
    if (this.#tooCostly.size > TOO_COSTLY)
      for (const oldest of this.#tooCostly.keys().take(1)) this.#tooCostly.delete(oldest)
    for (const reader of this.#readers) reader.avoid(text)
  }

  #failAll(error: Error): void {
    for (const task of [...this.#waiting.page.splice(0), ...this.#waiting.expensive.splice(0)]) task.fail(error)
  }

  /** Whether a thread stays ready. Where memory is short, none does. */
  #keepsOne(): boolean {
    return isRoomy && this.#parts.isKeptReady?.() === true
  }

  /**
   * Ends all threads if they are idle, but one where a thread is kept ready. A thread that is still starting is not
   * idle: it will make the next page.
   */
  #endIfIdle(): void {
    if (this.#hasWaiting || this.#readers.some(({ isFree }) => !isFree)) this.#idle?.refresh()
    else {
      const kept = this.#keepsOne() ? 1 : 0
      // The next thread to start asks again.
      this.#idle = undefined
      void this.#end(kept)
    }
  }

  /** @param kept how many of the oldest threads stay */
  async #end(kept = 0): Promise<void> {
    const ended = this.#readers.slice(kept)
    this.#readers = this.#readers.slice(0, kept)
    await Promise.all(ended.map((each) => each.end()))
  }

  #distribute(): void {
    for (;;) {
      const reader = this.#readers.find(({ isFree }) => isFree)
      const cost = reader && this.#nextCost()
      const task = cost && this.#waiting[cost].shift()
      if (reader === undefined || task === undefined) break
      this.#wasExpensive = cost === "expensive"
      this.#idle?.refresh()
      reader.take(task)
    }
    // Threads start one at a time, and only for waiting tasks, because each takes memory.
    if (this.#hasWaiting && this.#readers.every(({ isReady }) => isReady)) this.#add()
  }

  get #hasWaiting(): boolean {
    return this.#waiting.page.length + this.#waiting.expensive.length > 0
  }

  /** Returns the kind of the next task: the oldest first, but never two expensive ones in a row while a page waits. */
  #nextCost(): Cost | undefined {
    const [page] = this.#waiting.page
    const [expensive] = this.#waiting.expensive
    const atOnce = Math.max(1, this.#parts.threads - 1)
    if (expensive === undefined || this.#readers.filter(({ hasExpensive }) => hasExpensive).length >= atOnce)
      return page && "page"
    return page === undefined || (!this.#wasExpensive && expensive.number < page.number) ? "expensive" : "page"
  }
}

/** Creates the reader threads of a service; null without threads. */
export function readerPool(
  {
    threads = 0,
    ...parts
  }: Pick<PoolParts, "times" | "log" | "isKeptReady"> & { readonly threads?: number | undefined },
  settings: Omit<ReaderSettings, "entrance">,
  entrance?: NonNullable<ReaderSettings["entrance"]>,
): ReaderPool | null {
  if (threads === 0) return null
  // Its other members cannot be sent to a thread.
  const shown = entrance === undefined ? null : { passwords: entrance.passwords, invitations: entrance.invitations }
  return new ReaderPool({ ...parts, threads, settings: { ...settings, entrance: shown } })
}
