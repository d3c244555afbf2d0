/** Controls one reader thread from the serving thread. */
import { levels, type Logger } from "pino"
import { type Channel, Thread } from "../../channel/channel.ts"
import type { Cost, OffloadedRequest, OffloadedResponse } from "../../edge/edge.ts"
import { RenderingNote } from "../../renderer/renderer.ts"
import { repeat } from "../../ledger/world.ts"
import type { Entrance } from "../../edge/sign-in-options.ts"
import type { Text } from "../../renderer/as-written.ts"

// The calls between the serving thread and a reader thread.

/** The settings of all reader threads. */
export interface ReaderSettings {
  readonly file: string
  /** Whether Litestream's follower writes the file. */
  readonly follows: boolean
  readonly instanceId: string
  readonly lineage: readonly string[]
  readonly baseUrl: string
  /** The ways to sign in that pages offer. */
  readonly entrance: Pick<Entrance, "passwords" | "invitations"> | null
}

/** The `workerData` of a reader thread. */
export interface ReaderStart extends ReaderSettings {
  /** Shared memory in which it notes which text it renders. */
  readonly note: SharedArrayBuffer
  /** The names of texts that take too much time or memory. */
  readonly tooCostly: readonly string[]
}

/** The functions of a reader thread. */
export interface ReaderCalls {
  /** Returns when the thread has started. */
  ready(): void
  answer(request: OffloadedRequest): OffloadedResponse
  /** Reads what the first answer about a large Room would take long for. */
  readAhead(): void
  /** Renders texts for a page that the serving thread makes. */
  render(texts: readonly Text[]): readonly string[]
  /** Shows a text as it was written, because it took too much time or memory on another thread. */
  avoid(name: string): void
  /** Clears all caches after words were withheld. */
  forget(): void
  /** Closes a file beside the data that is about to be deleted. */
  leave(file: string): void
}

/** The functions of the serving thread. */
export interface ReaderEvents {
  log(line: string): void
}

/** MiB of heap for old and for young objects. More young ones make long texts cheaper to check, and take memory. */
const [OLD, YOUNG] = [256, 16]
/** Milliseconds between two checks of the thread. */
const INTERVAL = 100
/** Milliseconds for rendering one text after which the thread is slow, and another may replace it meanwhile. */
const SLOW = 250

/** The time limits of reader threads. */
export interface ReadingTimes {
  /** Seconds for a response. */
  readonly seconds: number
  /** Milliseconds for rendering one text. */
  readonly rendering: number
  /** Milliseconds without work after which the threads end, to free their memory. */
  readonly idle: number
}

/** A task for a reader thread. */
export interface Task {
  readonly cost: Cost
  /** Its number in the order of arrival. */
  readonly number: number
  /** Its description, for the log. */
  readonly what: string
  /** @returns a function that delivers the result to the caller */
  run(channel: Channel<ReaderCalls, ReaderEvents>): Promise<() => void>
  fail(error: unknown): void
  isGone(): boolean
  /** The deadline by `performance.now()`, set when a thread first takes the task. */
  until?: number
  /** How many threads ended while they had this task. */
  losses: number
}

/** Why a thread ended. */
export interface Loss {
  readonly error: Error
  /** Its task at that time. */
  readonly task: Task | null
  /** The name of the text that took too much time or memory; null if a text was not the cause. */
  readonly text: string | null
}

export interface ReaderParts {
  readonly settings: ReaderSettings
  /** The names of texts that took too much time or memory on other threads. */
  readonly tooCostly: readonly string[]
  readonly log: Logger
  readonly times: ReadingTimes
  /** Called when the thread is free for a task. */
  readonly onFree: () => void
  /** Called when the thread becomes slow. */
  readonly onSlow: () => void
  readonly onLost: (loss: Loss) => void
}

export class Reader {
  readonly #thread: Thread<ReaderCalls, ReaderEvents>
  readonly #parts: ReaderParts
  readonly #note = new RenderingNote()
  #task: Task | null = null
  readonly #timer: NodeJS.Timeout
  /** The last seen step of the rendering, and since when. */
  #seen = { step: 0, since: 0 }
  isReady = false
  /** Whether it has been rendering one text for too long. */
  isSlow = false

  constructor(parts: ReaderParts) {
    this.#parts = parts
    this.#thread = new Thread<ReaderCalls, ReaderEvents>({
      name: "reader",
      settings: { ...parts.settings, note: this.#note.memory, tooCostly: parts.tooCostly },
      handlers: { log: (line) => this.#log(line) },
      resourceLimits: { maxOldGenerationSizeMb: OLD, maxYoungGenerationSizeMb: YOUNG },
      isBackground: true,
      onLost: (error) => this.#lost(error, this.#note.read().name),
    })
    this.#timer = repeat(() => this.#check(), INTERVAL)
    this.#thread.channel.ask("ready").then(
      () => {
        this.isReady = true
        parts.onFree()
      },
      // The loss was already reported.
      () => undefined,
    )
  }

  get hasExpensive(): boolean {
    return this.#task?.cost === "expensive"
  }

  get isFree(): boolean {
    return this.isReady && this.#task === null
  }

  take(task: Task): void {
    task.until ??= performance.now() + this.#parts.times.seconds * 1000
    this.#task = task
    const settle = (done: () => void) => {
      // The pool has taken back the task of a lost thread.
      if (this.#task !== task) return
      this.#task = null
      done()
      this.#parts.onFree()
    }
    task.run(this.#thread.channel).then(settle, (error) => settle(() => task.fail(error)))
  }

  avoid(text: string): void {
    this.#thread.channel.tell("avoid", text)
  }

  forget(): void {
    this.#thread.channel.tell("forget")
  }

  async leave(file: string): Promise<void> {
    // A thread that ends closes all files.
    await this.#thread.channel.ask("leave", file).catch(() => undefined)
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#thread.end()
  }

  /** Ends the thread if a text or a response takes too long. */
  #check(): void {
    const { rendering, seconds } = this.#parts.times
    const now = performance.now()
    const { step, name } = this.#note.read()
    if (step !== this.#seen.step) this.#seen = { step, since: now }
    const renderingMs = name === null ? 0 : now - this.#seen.since
    const { until = now, what } = this.#task ?? {}
    const wasSlow = this.isSlow
    this.isSlow = renderingMs > SLOW
    if (renderingMs > rendering)
      this.#giveUp(new Error(`A reader thread took more than ${rendering} milliseconds to render a text.`), name)
    else if (until < now)
      this.#giveUp(new Error(`A reader thread took more than ${seconds} seconds for ${what}.`), null)
    else if (this.isSlow && !wasSlow) this.#parts.onSlow()
  }

  #giveUp(error: Error, text: string | null): void {
    void this.#thread.end(error)
    this.#lost(error, text)
  }

  #lost(error: Error, text: string | null): void {
    clearInterval(this.#timer)
    const task = this.#task
    this.#task = null
    this.#parts.onLost({ error, task, text })
  }

  #log(line: string): void {
    const {
      level,
      time: _,
      msg,
      ...members
    } = JSON.parse(line) as Record<string, unknown> & { level: number; msg: string }
    const name = levels.labels[level]
    if (name === "error" || name === "warn") this.#parts.log[name](members, msg)
    else this.#parts.log.info(members, msg)
  }
}
