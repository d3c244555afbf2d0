/** Where texts are rendered: on a thread of their own, or, in tests and commands, on this one, a few in a turn. */
import { setImmediate as turn } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { limits } from "../contract/limits.ts"
import { threadCode } from "../packaged.ts"
import { rendered } from "./markdown.ts"
import type { Done, Order, Text } from "./messages.ts"

export interface Engine {
  /** Markup of texts, in their order. @throws Error when the rendering failed or took too long */
  render(texts: readonly Text[]): Promise<readonly string[]>
  close(): Promise<void>
}

/** Renders on this thread, one order a turn, so that others come in between. */
export class OnThisThread implements Engine {
  #last: Promise<unknown> = Promise.resolve()
  render(texts: readonly Text[]): Promise<readonly string[]> {
    const made = this.#last.then(() => turn()).then(() => texts.map(({ text, kind }) => rendered(text, kind)))
    this.#last = made.catch(() => undefined)
    return made
  }
  async close(): Promise<void> {
    await this.#last
  }
}

interface Waiting {
  readonly order: Order
  resolve(made: readonly string[]): void
  reject(error: Error): void
}

/** Renders on a thread that is started when it is first needed, one order after the other, and ended when one takes too long. */
export class OnThread implements Engine {
  readonly #waiting: Waiting[] = []
  #thread: Worker | null = null
  #clock: NodeJS.Timeout | undefined
  #last = 0
  #isClosed = false

  render(texts: readonly Text[]): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error("The service ends."))
      this.#waiting.push({ order: { id: ++this.#last, texts }, resolve, reject })
      if (this.#waiting.length === 1) this.#next()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const thread = this.#thread
    this.#stop(new Error("The service ends."))
    while (this.#waiting.length > 0) this.#waiting.shift()?.reject(new Error("The service ends."))
    await thread?.terminate()
  }

  #next(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    this.#thread ??= this.#start()
    this.#clock = setTimeout(() => this.#stop(new Error("A text took too long to render.")), limits.renderingMilliseconds)
    this.#thread.postMessage(first.order)
  }

  #start(): Worker {
    const { code, isText } = threadCode("renderer")
    const thread = new Worker(code, { eval: isText, name: "renderer", resourceLimits: { maxOldGenerationSizeMb: 128 } })
    thread.unref()
    thread.on("message", ({ id, made }: Done) => {
      const [first] = this.#waiting
      if (this.#thread !== thread || first?.order.id !== id) return
      clearTimeout(this.#clock)
      this.#waiting.shift()
      first.resolve(made)
      this.#next()
    })
    const ended = (error: Error) => this.#thread === thread && this.#stop(error)
    thread.on("error", (error) => ended(error instanceof Error ? error : new Error(String(error))))
    thread.on("exit", () => ended(new Error("The rendering thread ended.")))
    return thread
  }

  /** Ends the thread, and with it what it was at; the next order starts another. */
  #stop(error: Error): void {
    clearTimeout(this.#clock)
    const thread = this.#thread
    this.#thread = null
    void thread?.terminate()
    this.#waiting.shift()?.reject(error)
    if (!this.#isClosed) this.#next()
  }
}
