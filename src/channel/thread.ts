/** Threads of this program, each with a channel to the one that started it. */
import { parentPort, type ResourceLimits, Worker } from "node:worker_threads"
import { threadCode } from "../packaged.ts"
import { Channel, type Handlers } from "./channel.ts"

export interface ThreadParts<Ours> {
  /** Which program it runs: its file is in `src/app/threads` or `src/app/jobs`. */
  readonly name: string
  /** What it finds in `workerData`. */
  readonly settings: object
  /** What it may call here. */
  readonly handlers: Handlers<Ours>
  readonly resourceLimits?: ResourceLimits
  /** Whether the process may end while the thread runs. */
  readonly isBackground?: boolean
  /** What is done when it ends by itself. */
  readonly onLost: (error: Error) => void
  /** What those get who wait for an answer then, and those who ask later; left out, the error. */
  readonly refusals?: () => readonly [waiting: Error, later: Error]
}

export class Thread<Theirs extends object, Ours extends object> {
  readonly channel: Channel<Theirs, Ours>
  readonly #worker: Worker
  readonly #exit: Promise<void>
  #hasEnded = false

  constructor({ name, settings, handlers, resourceLimits, isBackground = false, onLost, refusals }: ThreadParts<Ours>) {
    const { code, isText } = threadCode(name)
    this.#worker = new Worker(code, { workerData: settings, eval: isText, name, ...(resourceLimits && { resourceLimits }) })
    if (isBackground) this.#worker.unref()
    this.channel = new Channel(this.#worker, handlers)
    const lost = (error: Error) => {
      if (this.#hasEnded) return
      this.#hasEnded = true
      const [waiting, later] = refusals?.() ?? [error, error]
      this.channel.close(waiting, later)
      onLost(error)
    }
    this.#worker.on("error", (error) => lost(error instanceof Error ? error : new Error(String(error))))
    this.#exit = new Promise((resolve) =>
      this.#worker.once("exit", () => {
        lost(new Error(`The ${name} thread ended.`))
        resolve()
      }),
    )
  }

  /** Waits for a thread that ends as it was told to. */
  async ends(): Promise<void> {
    this.#hasEnded = true
    await this.#exit
  }

  /** Ends the thread, whatever it is doing. */
  async end(error = new Error("The service is ending.")): Promise<void> {
    this.#hasEnded = true
    this.channel.close(error)
    await this.#worker.terminate()
  }
}

/** A thread's end of its channel. */
export function toStarter<Theirs extends object, Ours extends object>(handlers: Handlers<Ours>): Channel<Theirs, Ours> {
  if (parentPort === null) throw new Error("This file is the program of a thread; the service starts it.")
  return new Channel(parentPort, handlers)
}
