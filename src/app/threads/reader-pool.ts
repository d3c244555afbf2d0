/**
 * The reading threads of a service. Pages, expensive answers and texts to render wait here for a thread that is free. An expensive
 * answer has a thread to itself, and where there are several threads one of them is always left to the others: one long answer
 * holds up nobody.
 */
import type { Logger } from "pino"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Channel } from "../../channel/channel.ts"
import type { Cost, OffloadedRequest, OffloadedResponse, Readers } from "../../edge/limits/readers.ts"
import type { Text } from "../../renderer/as-written.ts"
import type { Engine } from "../../renderer/engines.ts"
import { type Loss, Reader, type ReadingTimes, type Task } from "./reader.ts"
import type { ReaderCalls, ReaderEvents, ReaderSettings } from "./reader-calls.ts"

const standardTimes: ReadingTimes = { seconds: limits.readingSeconds, rendering: limits.renderingMilliseconds, idle: 60_000 }
/** Milliseconds for which no thread is started after one that ended before it was ready. */
const PAUSE = 5_000
/** Threads that may be lost to the texts of one task. */
const LOSSES = 4
/** Texts known to take too much. */
const TOO_COSTLY = 1_000

export interface PoolParts {
  /** How many threads. */
  readonly threads: number
  /** Left out, those of the contract. */
  readonly times?: Partial<ReadingTimes> | undefined
  readonly settings: ReaderSettings
  readonly log: Logger
}

type ReaderChannel = Channel<ReaderCalls, ReaderEvents>

/** The response to a caller who has gone. */
const callerGone: OffloadedResponse = { status: 503, headers: {}, body: null, refusal: null }

export class ReaderPool implements Readers, Engine {
  readonly #parts: PoolParts
  readonly #times: ReadingTimes
  #readers: Reader[] = []
  readonly #waiting: Readonly<Record<Cost, Task[]>> = { page: [], expensive: [] }
  readonly #tooCostly = new Set<string>()
  /** Whether the last task that was given away was an expensive one: a page comes before the next of these. */
  #wasExpensive = false
  #count = 0
  #notBefore = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: PoolParts) {
    this.#parts = parts
    this.#times = { ...standardTimes, ...parts.times }
  }

  answer(request: OffloadedRequest, cost: Cost, signal: AbortSignal): Promise<OffloadedResponse> | null {
    if (!this.#hasReader()) return null
    // The serving thread makes a page in less time than a thread takes to start.
    if (cost === "page" && !this.#readers.some(({ isReady }) => isReady)) return null
    return this.#ask(cost, request.target, (channel) => channel.ask("answer", request), { signal, gone: callerGone })
  }

  /** Renders texts of pages that the serving thread makes. */
  async render(texts: readonly Text[]): Promise<readonly string[]> {
    if (!this.#hasReader()) throw new Error("No reading thread can be started.")
    return this.#ask("page", "texts of a page", (channel) => channel.ask("render", texts))
  }

  /** Something was withheld. */
  forget(): void {
    this.#tooCostly.clear()
    for (const reader of this.#readers) reader.forget()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    this.#failAll(new Refusal("temporarily_unavailable", "The service is ending.", { retryAfter: 5 }))
    await this.#end()
  }

  #ask<T>(
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
    this.#giveOut()
    return promise
  }

  /** Whether there is a thread, or one that starts. */
  #hasReader(): boolean {
    if (this.#isClosed) return false
    if (this.#readers.length === 0) this.#add()
    return this.#readers.length > 0
  }

  /** Starts one more thread, where one may be started. */
  #add(): void {
    const { threads, settings, log } = this.#parts
    // For as long as a text keeps one, another takes its place.
    const most = threads + Math.min(threads, this.#readers.filter(({ isSlow }) => isSlow).length)
    if (this.#readers.length >= most || performance.now() < this.#notBefore) return
    this.#idle ??= setTimeout(() => this.#rest(), this.#times.idle).unref()
    const reader: Reader = new Reader({
      settings,
      tooCostly: [...this.#tooCostly],
      log,
      times: this.#times,
      onFree: () => {
        this.#idle?.refresh()
        this.#giveOut()
      },
      onSlow: () => this.#giveOut(),
      onLost: (loss) => this.#lost(reader, loss),
    })
    this.#readers.push(reader)
  }

  /** A thread ended by itself, or took too long. The next task starts another. */
  #lost(reader: Reader, { error, task, text }: Loss): void {
    this.#readers = this.#readers.filter((each) => each !== reader)
    this.#parts.log.error({ err: error }, "a reading thread ended; another takes its place")
    if (!reader.isReady) this.#notBefore = performance.now() + PAUSE
    if (text !== null) this.#avoid(text)
    if (task !== null) {
      task.losses += 1
      // Without that text, another thread can do what this one could not.
      const isDone = text === null || task.isGone() || task.losses > LOSSES || performance.now() > (task.until ?? 0)
      if (isDone) task.fail(error)
      else this.#waiting[task.cost].unshift(task)
    }
    if (!this.#isAnybodyWaiting) return
    if (!this.#hasReader()) this.#failAll(error)
    else this.#giveOut()
  }

  /** From now on a text is shown as it was written. */
  #avoid(text: string): void {
    this.#tooCostly.add(text)
    if (this.#tooCostly.size > TOO_COSTLY) for (const oldest of this.#tooCostly.keys().take(1)) this.#tooCostly.delete(oldest)
    for (const reader of this.#readers) reader.avoid(text)
  }

  #failAll(error: Error): void {
    for (const task of [...this.#waiting.page.splice(0), ...this.#waiting.expensive.splice(0)]) task.fail(error)
  }

  /** A thread that is still starting is not idle: the serving thread made the page that started it, and the next page is its own. */
  #rest(): void {
    if (this.#isAnybodyWaiting || this.#readers.some(({ isFree }) => !isFree)) this.#idle?.refresh()
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

  /** Gives out every task that a thread is free for. */
  #giveOut(): void {
    for (;;) {
      const reader = this.#readers.find(({ isFree }) => isFree)
      const cost = reader && this.#due()
      const task = cost && this.#waiting[cost].shift()
      if (reader === undefined || task === undefined) break
      this.#wasExpensive = cost === "expensive"
      this.#idle?.refresh()
      reader.take(task)
    }
    // One at a time, and only where somebody waits: each takes memory.
    if (this.#isAnybodyWaiting && this.#readers.every(({ isReady }) => isReady)) this.#add()
  }

  get #isAnybodyWaiting(): boolean {
    return this.#waiting.page.length + this.#waiting.expensive.length > 0
  }

  /** Whose turn it is: who came first, but one expensive answer after the other only where no page waits. */
  #due(): Cost | undefined {
    const [page] = this.#waiting.page
    const [long] = this.#waiting.expensive
    const atOnce = Math.max(1, this.#parts.threads - 1)
    if (long === undefined || this.#readers.filter(({ hasExpensive }) => hasExpensive).length >= atOnce) return page && "page"
    return page === undefined || (!this.#wasExpensive && long.number < page.number) ? "expensive" : "page"
  }
}

/** The reading threads of a service; null for one that is to have none. */
export function readerPool({
  threads = 0,
  times,
  log,
  entrance,
  lineage = [],
  file,
  follows,
  instanceId,
  baseUrl,
}: Pick<PoolParts, "times" | "log"> &
  Omit<ReaderSettings, "entrance" | "lineage"> & {
    readonly threads?: number | undefined
    readonly lineage?: readonly string[] | undefined
    readonly entrance?: NonNullable<ReaderSettings["entrance"]> | undefined
  }): ReaderPool | null {
  if (threads === 0) return null
  const shown = entrance === undefined ? null : { passwords: entrance.passwords, invitations: entrance.invitations }
  return new ReaderPool({
    threads,
    times,
    log,
    settings: { file, follows, instanceId, lineage, baseUrl, entrance: shown },
  })
}
