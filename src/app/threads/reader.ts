/** One reading thread as the serving thread sees it. */
import { levels, type Logger } from "pino"
import type { Channel } from "../../channel/channel.ts"
import { Thread } from "../../channel/thread.ts"
import type { Cost } from "../../edge/limits/readers.ts"
import { RenderingNote } from "../../renderer/rendering-note.ts"
import type { ReaderCalls, ReaderEvents, ReaderSettings } from "./reader-calls.ts"
import { repeat } from "../../ledger/storage/repeat.ts"

/** MiB of objects that live on, and of those that live shortly. */
const [OLD, YOUNG] = [256, 16]
/** Milliseconds between two looks at what a thread is doing. */
const LOOK = 100
/** Milliseconds for rendering one text after which another thread takes the place of this one, for as long as that lasts. */
const SLOW = 250

/** How long reading threads may take. */
export interface ReadingTimes {
  /** Seconds for an answer. */
  readonly seconds: number
  /** Milliseconds for rendering one text. */
  readonly rendering: number
  /** Milliseconds without work after which the threads are ended: their memory goes with them. */
  readonly idle: number
}

/** One piece of work for a reading thread. */
export interface Task {
  readonly cost: Cost
  /** Whose turn it is: who came first has the lowest number. */
  readonly number: number
  /** What it is, for the log. */
  readonly what: string
  /** @returns what delivers the outcome to the caller */
  run(channel: Channel<ReaderCalls, ReaderEvents>): Promise<() => void>
  fail(error: unknown): void
  /** Whether the caller has gone. */
  isGone(): boolean
  /** The moment by `performance.now()` when it has taken too long; set when a thread takes it first. */
  until?: number
  /** How many threads ended while they had it. */
  losses: number
}

/** How a thread ended by itself, or had to be ended. */
export interface Loss {
  readonly error: Error
  /** What it was doing. */
  readonly task: Task | null
  /** The name of the text that took it too much time or memory; null where it was no text. */
  readonly text: string | null
}

export interface ReaderParts {
  readonly settings: ReaderSettings
  /** The names of texts that took other threads too much. */
  readonly tooCostly: readonly string[]
  readonly log: Logger
  readonly times: ReadingTimes
  /** Told when it may take a task. */
  readonly onFree: () => void
  /** Told when it is slow. */
  readonly onSlow: () => void
  readonly onLost: (loss: Loss) => void
}

export class Reader {
  readonly #thread: Thread<ReaderCalls, ReaderEvents>
  readonly #parts: ReaderParts
  readonly #note = new RenderingNote()
  #task: Task | null = null
  readonly #looks: NodeJS.Timeout
  /** The step of the rendering that was seen last, and since when. */
  #seen = { step: 0, since: 0 }
  isReady = false
  /** Whether one text has kept it for long. */
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
    this.#looks = repeat(() => this.#look(), LOOK)
    this.#thread.channel.ask("ready").then(
      () => {
        this.isReady = true
        parts.onFree()
      },
      // It was already reported as lost.
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
      // The task of a thread that was lost is in other hands.
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

  async end(): Promise<void> {
    clearInterval(this.#looks)
    await this.#thread.end()
  }

  /** Ends the thread when a text or an answer takes too long. */
  #look(): void {
    const { rendering, seconds } = this.#parts.times
    const now = performance.now()
    const { step, name } = this.#note.read()
    if (step !== this.#seen.step) this.#seen = { step, since: now }
    const kept = name === null ? 0 : now - this.#seen.since
    const { until = now, what } = this.#task ?? {}
    const wasSlow = this.isSlow
    this.isSlow = kept > SLOW
    if (kept > rendering) this.#giveUp(new Error(`A reading thread took more than ${rendering} milliseconds to render a text.`), name)
    else if (until < now) this.#giveUp(new Error(`A reading thread took more than ${seconds} seconds for ${what}.`), null)
    else if (this.isSlow && !wasSlow) this.#parts.onSlow()
  }

  #giveUp(error: Error, text: string | null): void {
    void this.#thread.end(error)
    this.#lost(error, text)
  }

  #lost(error: Error, text: string | null): void {
    clearInterval(this.#looks)
    const task = this.#task
    this.#task = null
    this.#parts.onLost({ error, task, text })
  }

  #log(line: string): void {
    const { level, time: _, msg, ...members } = JSON.parse(line) as Record<string, unknown> & { level: number; msg: string }
    const name = levels.labels[level]
    if (name === "error" || name === "warn") this.#parts.log[name](members, msg)
    else this.#parts.log.info(members, msg)
  }
}
