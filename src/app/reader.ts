/** One reading thread as the serving thread sees it. */
import { Worker } from "node:worker_threads"
import { levels, type Logger } from "pino"
import type { Cost, Order, Told } from "../edge/aside.ts"
import { threadCode } from "../packaged.ts"
import type { Engine } from "../renderer/engines.ts"
import type { FromReader, ReaderSettings, ToReader } from "./reader-messages.ts"

/** Pages that a thread has at a time: one that it makes, and one that is there when that one waits for its texts or is done. */
const AT_ONCE = 2
/** MiB of objects that live on, and of those that live shortly. */
const [OLD, YOUNG] = [256, 16]

export interface ReaderParts {
  readonly engine: Pick<Engine, "render">
  readonly log: Logger
  /** Seconds after which an answer is given up, and the thread with it. */
  readonly seconds: number
  /** Told when it may take more. */
  readonly free: () => void
  /** Told when it ended by itself. */
  readonly ended: (error: Error) => void
}

interface Taken {
  readonly cost: Cost
  readonly asked: PromiseWithResolvers<Told>
  readonly clock: NodeJS.Timeout
}

export class Reader {
  readonly #thread: Worker
  readonly #parts: ReaderParts
  readonly #taken = new Map<number, Taken>()
  #last = 0
  #hasEnded = false
  isReady = false

  constructor(settings: ReaderSettings, parts: ReaderParts) {
    this.#parts = parts
    const { code, isText } = threadCode("reader")
    const resourceLimits = { maxOldGenerationSizeMb: OLD, maxYoungGenerationSizeMb: YOUNG }
    this.#thread = new Worker(code, { workerData: settings, eval: isText, name: "reader", resourceLimits })
    this.#thread.unref()
    this.#thread.on("message", <Kind extends FromReader["kind"]>(message: { readonly kind: Kind } & Extract<FromReader, { kind: Kind }>) =>
      this.#handlers[message.kind](message),
    )
    this.#thread.on("error", (error) => this.#fail(error instanceof Error ? error : new Error(String(error))))
    this.#thread.on("exit", () => this.#fail(new Error("A reading thread ended.")))
  }

  /** How many it has in hand. */
  get orders(): number {
    return this.#taken.size
  }

  get hasMuch(): boolean {
    return [...this.#taken.values()].some(({ cost }) => cost === "much")
  }

  /** Nothing is put behind a costly one. */
  get mayTake(): boolean {
    return this.#taken.size < AT_ONCE && !this.hasMuch
  }

  take(order: Order, cost: Cost, asked: PromiseWithResolvers<Told>): void {
    const id = ++this.#last
    const { seconds } = this.#parts
    const late = () => this.#fail(new Error(`A reading thread took more than ${seconds} seconds for ${order.target}.`))
    this.#taken.set(id, { cost, asked, clock: setTimeout(late, seconds * 1000).unref() })
    this.#say({ kind: "order", id, order })
  }

  forget(): void {
    this.#say({ kind: "forget" })
  }

  async end(): Promise<void> {
    this.#hasEnded = true
    this.#reject(new Error("The service ends."))
    await this.#thread.terminate()
  }

  #say(message: ToReader): void {
    this.#thread.postMessage(message)
  }

  /** What is done with each kind of message; a kind that is missing does not compile. */
  readonly #handlers: { readonly [Kind in FromReader["kind"]]: (message: Extract<FromReader, { kind: Kind }>) => void } = {
    ready: () => {
      this.isReady = true
      this.#parts.free()
    },
    told: ({ id, told }) => this.#settle(id, ({ asked }) => asked.resolve(told)),
    failed: ({ id, fault }) => this.#settle(id, ({ asked }) => asked.reject(new Error(fault))),
    render: ({ id, texts }) => {
      const rendered = (made: readonly string[] | null) => this.#say({ kind: "rendered", id, made })
      this.#parts.engine.render(texts).then(rendered, () => rendered(null))
    },
    line: ({ line }) => this.#log(line),
  }

  #settle(id: number, settle: (taken: Taken) => void): void {
    const taken = this.#taken.get(id)
    if (taken === undefined) return
    this.#taken.delete(id)
    clearTimeout(taken.clock)
    settle(taken)
    this.#parts.free()
  }

  #log(line: string): void {
    const { level, time: _, msg, ...members } = JSON.parse(line) as Record<string, unknown> & { level: number; msg: string }
    const name = levels.labels[level]
    if (name === "error" || name === "warn") this.#parts.log[name](members, msg)
    else this.#parts.log.info(members, msg)
  }

  #reject(error: Error): void {
    for (const { asked, clock } of this.#taken.values()) {
      clearTimeout(clock)
      asked.reject(error)
    }
    this.#taken.clear()
  }

  #fail(error: Error): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#reject(error)
    void this.#thread.terminate()
    this.#parts.ended(error)
  }
}
