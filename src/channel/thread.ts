/** Threads of this program, each with a channel to the thread that started it. */
import { parentPort, type ResourceLimits, Worker } from "node:worker_threads"
import { threadCode } from "../packaged.ts"
import { Channel, type Handlers } from "./channel.ts"

export interface ThreadParts<Ours> {
  /** The thread's program: a file in `src/app/threads` or `src/app/jobs`. */
  readonly name: string
  /** The thread's `workerData`. */
  readonly settings: object
  /** The functions that the thread may call here. */
  readonly handlers: Handlers<Ours>
  readonly resourceLimits?: ResourceLimits
  /** Whether the process may exit while the thread runs. */
  readonly isBackground?: boolean
  /** Called if the thread ends by itself. */
  readonly onLost: (error: Error) => void
  /** If the thread ends by itself, the errors for waiting and for later calls; defaults to its error. */
  readonly refusals?: () => readonly [waiting: Error, later: Error]
}

export class Thread<Theirs extends object, Ours extends object> {
  readonly channel: Channel<Theirs, Ours>
  readonly #worker: Worker
  readonly #exit: Promise<void>
  #hasEnded = false

  constructor({ name, settings, handlers, resourceLimits, isBackground = false, onLost, refusals }: ThreadParts<Ours>) {
    const { code, isText } = threadCode(name)
    this.#worker = new Worker(code, {
      workerData: settings,
      eval: isText,
      name,
      ...(resourceLimits && { resourceLimits }),
    })
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

  /** Waits for a thread that has been told to end. */
  async ends(): Promise<void> {
    this.#hasEnded = true
    await this.#exit
  }

  /** Terminates the thread, whatever it is doing. */
  async end(error = new Error("The service is ending.")): Promise<void> {
    this.#hasEnded = true
    this.channel.close(error)
    await this.#worker.terminate()
  }
}

/** Returns a thread's end of its channel. */
export function toStarter<Theirs extends object, Ours extends object>(handlers: Handlers<Ours>): Channel<Theirs, Ours> {
  if (parentPort === null) throw new Error("This file runs as a thread, and the service starts it.")
  return new Channel(parentPort, handlers)
}
