/** Follows all mirrored Rooms of a service, each independently. */
import type { Logger } from "pino"
import { follow } from "./follow.ts"
import { repeat } from "../../ledger/storage/repeat.ts"
import type { Instance } from "../compose/instance.ts"

/** Milliseconds between two reads of the list of mirrors, which a command may have changed. */
const INTERVAL = 1_000

interface Running {
  readonly baseUrl: string
  readonly ending: AbortController
  readonly ended: Promise<void>
}

export class Mirroring {
  readonly #instance: Instance
  readonly #log: Logger
  readonly #running = new Map<string, Running>()
  #timer: NodeJS.Timeout | undefined

  constructor(instance: Instance, log: Logger) {
    this.#instance = instance
    this.#log = log
  }

  start(): void {
    this.update()
    this.#timer = repeat(
      () => this.update(),
      INTERVAL,
      (err) => this.#log.warn({ err }, "the list of followed Rooms could not be read"),
    )
  }

  /** Starts following new mirrors and stops following removed ones. */
  update(): void {
    const due = this.#listed()
    if (due === null) return
    for (const [roomId, { baseUrl, ending }] of this.#running) if (due.get(roomId) !== baseUrl) ending.abort()
    for (const [roomId, baseUrl] of due) {
      if (this.#running.has(roomId)) continue
      const ending = new AbortController()
      const ended = follow({ instance: this.#instance, log: this.#log, roomId, baseUrl, signal: ending.signal }).finally(() =>
        this.#running.delete(roomId),
      )
      this.#running.set(roomId, { baseUrl, ending, ended })
    }
  }

  /** Returns the address of each followed Room; null while the data cannot be read. */
  #listed(): Map<string, string> | null {
    try {
      const followed = this.#instance.tables.mirrors.all().filter(({ stopped }) => stopped === null)
      return new Map(followed.map(({ roomId, baseUrl }) => [roomId, baseUrl]))
    } catch (error) {
      this.#log.warn({ err: error }, "the list of followed Rooms cannot be read now")
      return null
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    const running = [...this.#running.values()]
    for (const { ending } of running) ending.abort()
    await Promise.all(running.map(({ ended }) => ended))
  }
}
