/** The Rooms of other instances that a service follows, each by a follower of its own, as the data says at the time. */
import type { Logger } from "pino"
import { follow } from "./follow.ts"
import { repeat } from "../../ledger/storage/repeat.ts"
import type { Instance } from "../compose/instance.ts"

/** Milliseconds after which it is looked again which Rooms are to be followed: a command may have said so meanwhile. */
const LOOK = 1_000

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
    this.look()
    this.#timer = repeat(
      () => this.look(),
      LOOK,
      (err) => this.#log.warn({ err }, "which Rooms are followed could not be looked up"),
    )
  }

  /** Begins to follow what is new, and ends what is no longer to be followed. */
  look(): void {
    const due = this.#due()
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

  /** Where each Room is followed; null while the data cannot be read. */
  #due(): Map<string, string> | null {
    try {
      const followed = this.#instance.tables.mirrors.all().filter(({ stopped }) => stopped === null)
      return new Map(followed.map(({ roomId, baseUrl }) => [roomId, baseUrl]))
    } catch (error) {
      this.#log.warn({ err: error }, "which Rooms are followed cannot be read now")
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
