/**
 * A typed channel between two threads or two processes. Each side declares its functions in an interface, and the other
 * side calls them by name. All calls of one turn travel in one message. A call is a flat list of its arguments, because
 * a list of texts is copied in half the time of an object.
 */
import { getCompileCacheDir } from "node:module"
import { dirname } from "node:path"
import { parentPort, type ResourceLimits, Worker } from "node:worker_threads"
import { Refusal, type RefusalCode, type RefusalDetails } from "../contract/refusals.ts"
import { threadCode } from "../packaged.ts"

type Arguments<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: infer Values) => unknown
  ? Values
  : never
type Answer<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: never[]) => infer Value ? Value : never

/** The functions that a side offers. A missing one does not compile. */
export type Handlers<Calls> = {
  readonly [Name in keyof Calls]: (
    ...args: Arguments<Calls, Name>
  ) => Answer<Calls, Name> | Moved<Answer<Calls, Name>> | Promise<Answer<Calls, Name> | Moved<Answer<Calls, Name>>>
}

/** An answer whose memory is transferred to the other side. */
export class Moved<Value> {
  readonly value: Value
  readonly memory: readonly ArrayBuffer[]
  constructor(value: Value, memory: readonly ArrayBuffer[]) {
    this.value = value
    this.memory = memory
  }
}

/** A call. An id of 0 means that the caller does not wait for an answer. */
type Call = readonly [id: number, name: string, ...args: unknown[]]
/** An answer, with the negated id of its call. */
type Reply = readonly [id: number, value: unknown, failure?: Failure]
/** A refusal, or the text of any other error. */
type Failure = readonly [code: RefusalCode, sentence: string, details: RefusalDetails] | string
export type Message = readonly (Call | Reply)[]

const isCall = (item: Call | Reply): item is Call => item[0] >= 0

/** A `Worker`, a `MessagePort`, or a process with the same two functions. */
export interface Port {
  postMessage(message: Message, moved: ArrayBuffer[]): void
  on(event: "message", listener: (message: Message) => void): unknown
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

const failureOf = (error: unknown): Failure => {
  if (error instanceof Refusal) return [error.code, error.message, error.details]
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const errorOf = (failure: Failure): Error =>
  typeof failure === "string" ? new Error(failure) : new Refusal(failure[0], failure[1], failure[2])

export class Channel<Theirs extends object, Ours extends object> {
  readonly #port: Port
  readonly #handlers: ReadonlyMap<string, (...args: readonly unknown[]) => unknown>
  readonly #waiting = new Map<number, Waiting>()
  #outbox: (Call | Reply)[] = []
  #moved: ArrayBuffer[] = []
  #isFlushing = false
  #last = 0
  #closed: Error | null = null

  constructor(port: Port, handlers: Handlers<Ours>) {
    this.#port = port
    this.#handlers = new Map(Object.entries(handlers))
    port.on("message", (message) => {
      for (const item of message)
        if (isCall(item)) this.#handle(item)
        else this.#settle(item)
    })
  }

  /**
   * Calls a function of the other side. @throws its refusals unchanged, and any other error as an error with the same
   * text
   */
  ask<Name extends keyof Theirs & string>(name: Name, ...args: Arguments<Theirs, Name>): Promise<Answer<Theirs, Name>> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== null) return reject(this.#closed)
      const id = ++this.#last
      this.#waiting.set(id, { resolve, reject })
      this.#send([id, name, ...args])
    })
  }

  /** Calls a function of the other side without waiting for an answer. */
  tell<Name extends keyof Theirs & string>(name: Name, ...args: Arguments<Theirs, Name>): void {
    this.#send([0, name, ...args])
  }

  /** Closes the channel. @param error rejects the waiting calls @param later rejects all later calls */
  close(error: Error, later = error): void {
    this.#closed ??= later
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #handle([id, name, ...args]: Call): void {
    const reply = (value: unknown) => {
      if (id > 0) this.#reply(-id, value)
    }
    const fail = (error: unknown) => {
      // No caller waits for the error.
      if (id === 0) throw error
      this.#send([-id, null, failureOf(error)])
    }
    try {
      const handler = this.#handlers.get(name)
      if (handler === undefined) throw new Error(`The other side does not offer ${name}.`)
      const result = handler(...args)
      if (result instanceof Promise) result.then(reply, fail)
      else reply(result)
    } catch (error) {
      fail(error)
    }
  }

  #settle([id, value, failure]: Reply): void {
    const waiting = this.#waiting.get(-id)
    this.#waiting.delete(-id)
    if (failure === undefined) waiting?.resolve(value)
    else waiting?.reject(errorOf(failure))
  }

  #reply(id: number, result: unknown): void {
    if (result instanceof Moved) this.#moved.push(...result.memory)
    this.#send([id, result instanceof Moved ? result.value : result])
  }

  #send(item: Call | Reply): void {
    this.#outbox.push(item)
    if (this.#isFlushing) return
    this.#isFlushing = true
    queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    const [items, moved] = [this.#outbox, this.#moved]
    this.#outbox = []
    this.#moved = []
    this.#isFlushing = false
    this.#port.postMessage(items, moved)
  }
}

// Threads of this program, each with a channel to the thread that started it.

/** Where the compiled code of the program is kept, if it is: a thread does not take it from the one that starts it. */
function cached(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir()
  // The folder has one inside for each version of Node.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

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
      env: { ...process.env, ...cached() },
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
