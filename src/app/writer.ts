/** The serving thread's end of the writing thread: hands each write over as soon as it is checked, and brings the answers back. */
import { Worker } from "node:worker_threads"
import { Refusal } from "../contract/refusals.ts"
import type { Admitted, OtherWriter } from "../ledger/admit.ts"
import { notStored, uncertain } from "../ledger/commit-queue.ts"
import type { Delivery } from "../ledger/delivery.ts"
import { threadCode } from "../packaged.ts"
import { type Answer, admittedAs, type FromWriter, type Group, packed, type ToWriter, type WriterSettings } from "./writer-messages.ts"

export interface WriterEvents {
  /** Something landed in a Room. */
  landed(roomId: string): void
  grouped(group: Group): void
  /** The thread ended by itself. Nothing can be written any more. */
  failed(error: Error): void
}

interface Waiting {
  resolve(admitted: Admitted): void
  reject(error: unknown): void
}

export class Writer implements OtherWriter {
  readonly #thread: Worker
  readonly #events: WriterEvents
  readonly #waiting = new Map<number, Waiting>()
  readonly #ended: Promise<void>
  #last = 0
  /** Settles when everybody has written who asked to write alone. */
  #alone: Promise<unknown> = Promise.resolve()
  #held: PromiseWithResolvers<void> | null = null
  #failure: Error | null = null
  #isEnding = false

  constructor(settings: WriterSettings, events: WriterEvents) {
    this.#events = events
    const { code, isText } = threadCode("writer")
    this.#thread = new Worker(code, { workerData: settings, eval: isText, name: "writer" })
    this.#thread.on("message", (message: FromWriter) => this.#heard(message))
    this.#thread.on("error", (error) => this.#fail(error instanceof Error ? error : new Error(String(error))))
    this.#ended = new Promise((resolve) =>
      this.#thread.once("exit", () => {
        if (!this.#isEnding) this.#fail(new Error("The writing thread ended."))
        resolve()
      }),
    )
  }

  admit(delivery: Delivery, rehearse: boolean): Promise<Admitted> {
    if (this.#failure !== null) return Promise.reject(notStored())
    return new Promise((resolve, reject) => {
      const id = ++this.#last
      this.#waiting.set(id, { resolve, reject })
      this.#say(packed(id, delivery.operation.name, delivery, rehearse))
    })
  }

  probe(touch: boolean): Promise<unknown> {
    return this.#ask((id) => ({ kind: "probe", id, touch }))
  }

  cleanse(): Promise<unknown> {
    return this.#ask((id) => ({ kind: "cleanse", id }))
  }

  #ask(message: (id: number) => ToWriter): Promise<unknown> {
    if (this.#failure !== null) return Promise.reject(notStored())
    return new Promise((resolve, reject) => {
      const id = ++this.#last
      this.#waiting.set(id, { resolve, reject })
      this.#say(message(id))
    })
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#alone.then(async () => {
      if (this.#failure !== null) throw notStored()
      this.#held = Promise.withResolvers()
      this.#say({ kind: "hold" })
      await this.#held.promise
      try {
        return await work()
      } finally {
        this.#say({ kind: "release" })
      }
    })
    this.#alone = turn.catch(() => undefined)
    return turn
  }

  /** Ends the thread. What was handed over must have been answered by then. */
  async close(): Promise<void> {
    await this.#alone
    this.#isEnding = true
    this.#say({ kind: "end" })
    await this.#ended
  }

  #say(message: ToWriter): void {
    this.#thread.postMessage(message)
  }

  #heard(message: FromWriter): void {
    if (message === "held") {
      this.#held?.resolve()
      return
    }
    const [answers, landed, groups] = message
    for (const roomId of landed) this.#events.landed(roomId)
    for (const group of groups) this.#events.grouped(group)
    for (const answer of answers) this.#answer(answer)
  }

  #answer(answer: Answer): void {
    const id = "id" in answer ? answer.id : answer[0]
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (!("id" in answer)) waiting?.resolve(admittedAs(answer))
    else if ("refusal" in answer) waiting?.reject(new Refusal(answer.refusal.code, answer.refusal.sentence, answer.refusal.details))
    else waiting?.reject(new Error(answer.fault))
  }

  /** Of what was handed over it is not known whether it was stored. */
  #fail(error: Error): void {
    if (this.#failure !== null) return
    this.#failure = error
    for (const { reject } of this.#waiting.values()) reject(uncertain())
    this.#waiting.clear()
    this.#held?.reject(notStored())
    this.#events.failed(error)
  }
}
