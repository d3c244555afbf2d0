/**
 * A typed line between two threads or two processes. Each side says in an interface which functions it offers; the other side
 * calls them by name. All that is sent in one turn travels in one message. A call is a flat list of its arguments: a list of
 * texts is copied in half the time that an object takes.
 */
import { MessagePort, receiveMessageOnPort } from "node:worker_threads"
import { Refusal, type RefusalCode, type RefusalDetails } from "../contract/refusals/refusal.ts"

type Given<Calls, Name extends keyof Calls> = Calls[Name] extends (...given: infer Values) => unknown ? Values : never
type Answer<Calls, Name extends keyof Calls> = Calls[Name] extends (...given: never[]) => infer Value ? Value : never

/** What each function of a side does. One that is missing does not compile. */
export type Handlers<Calls> = {
  readonly [Name in keyof Calls]: (
    ...given: Given<Calls, Name>
  ) => Answer<Calls, Name> | Moved<Answer<Calls, Name>> | Promise<Answer<Calls, Name> | Moved<Answer<Calls, Name>>>
}

/** An answer whose memory goes over to the other side. */
export class Moved<Value> {
  readonly value: Value
  readonly memory: readonly ArrayBuffer[]
  constructor(value: Value, memory: readonly ArrayBuffer[]) {
    this.value = value
    this.memory = memory
  }
}

/** A call. The caller does not wait for an answer if the id is 0. */
type Call = readonly [id: number, name: string, ...given: unknown[]]
/** The answer to the call of that id, negated. */
type Reply = readonly [id: number, value: unknown, failure?: Failure]
/** A refusal, or a fault as the log shows it. */
type Failure = readonly [code: RefusalCode, sentence: string, details: RefusalDetails] | string
export type Message = readonly (Call | Reply)[]

const isCall = (sent: Call | Reply): sent is Call => sent[0] >= 0

/** A `Worker`, a `MessagePort`, or a process behind the same two functions. */
export interface Port {
  postMessage(message: Message, moved: ArrayBuffer[]): void
  on(event: "message", heard: (message: Message) => void): unknown
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
  readonly #handlers: ReadonlyMap<string, (...given: readonly unknown[]) => unknown>
  readonly #waiting = new Map<number, Waiting>()
  readonly #inbox: (Call | Reply)[] = []
  #outbox: (Call | Reply)[] = []
  #moved: ArrayBuffer[] = []
  #isFlushing = false
  #last = 0
  #closed: Error | null = null

  constructor(port: Port, handlers: Handlers<Ours>) {
    this.#port = port
    this.#handlers = new Map(Object.entries(handlers))
    port.on("message", (message) => {
      this.#inbox.push(...message)
      this.#handleAll()
    })
  }

  /** Calls a function of the other side. @throws what it throws there: refusals as they are, anything else as an error with its text */
  ask<Name extends keyof Theirs & string>(name: Name, ...given: Given<Theirs, Name>): Promise<Answer<Theirs, Name>> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== null) return reject(this.#closed)
      const id = ++this.#last
      this.#waiting.set(id, { resolve, reject })
      this.#send([id, name, ...given])
    })
  }

  /** Calls a function of the other side whose answer nobody waits for. */
  tell<Name extends keyof Theirs & string>(name: Name, ...given: Given<Theirs, Name>): void {
    this.#send([0, name, ...given])
  }

  /** The same, for what can wait until something else is sent: both travel in one message. */
  tellAlong<Name extends keyof Theirs & string>(name: Name, ...given: Given<Theirs, Name>): void {
    this.#outbox.push([0, name, ...given])
  }

  /**
   * Handles the calls that arrived while another one is being handled, in their order, up to the first that `mayJoin` declines.
   * That one and those behind it are handled afterwards.
   */
  takeIn(mayJoin: (name: string, given: readonly unknown[]) => boolean): void {
    for (;;) {
      if (this.#inbox.length === 0) this.#inbox.push(...this.#arrived())
      const [first] = this.#inbox
      if (first === undefined) return
      if (!isCall(first) || !mayJoin(first[1], first.slice(2))) {
        setImmediate(() => this.#handleAll())
        return
      }
      this.#inbox.shift()
      this.#handle(first)
    }
  }

  /** Ends the line. @param error what everybody gets who waits for an answer @param later what everybody gets who asks from now on */
  close(error: Error, later = error): void {
    this.#closed ??= later
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #arrived(): Message {
    if (!(this.#port instanceof MessagePort)) return []
    const found: { readonly message: Message } | undefined = receiveMessageOnPort(this.#port)
    return found?.message ?? []
  }

  #handleAll(): void {
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
      if (isCall(next)) this.#handle(next)
      else this.#settle(next)
    }
  }

  #handle([id, name, ...given]: Call): void {
    const reply = (value: unknown) => {
      if (id > 0) this.#reply(-id, value)
    }
    const fail = (error: unknown) => {
      // Nothing waits for it any more.
      if (id === 0) throw error
      this.#send([-id, null, failureOf(error)])
    }
    try {
      const handler = this.#handlers.get(name)
      if (handler === undefined) throw new Error(`The other side does not offer ${name}.`)
      const made = handler(...given)
      if (made instanceof Promise) made.then(reply, fail)
      else reply(made)
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

  #reply(id: number, made: unknown): void {
    if (made instanceof Moved) this.#moved.push(...made.memory)
    this.#send([id, made instanceof Moved ? made.value : made])
  }

  #send(sent: Call | Reply): void {
    this.#outbox.push(sent)
    if (this.#isFlushing) return
    this.#isFlushing = true
    queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    const [sent, moved] = [this.#outbox, this.#moved]
    this.#outbox = []
    this.#moved = []
    this.#isFlushing = false
    this.#port.postMessage(sent, moved)
  }
}
