/** Background work of a service: one task for each item of a list that others may change, such as the followed Rooms and the webhooks. */
import { setTimeout } from "node:timers/promises"

/** Milliseconds between two reads of the list. */
const INTERVAL = 1_000

/** Pauses between attempts, each twice as long as the one before up to the longest, until they are reset. */
export class Pauses {
  readonly #first: number
  readonly #longest: number
  #next: number

  /** @param first in milliseconds @param longest likewise */
  constructor(first: number, longest: number) {
    this.#first = first
    this.#longest = longest
    this.#next = first
  }

  /** Pauses, or until `signal` is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    const milliseconds = this.#next
    this.#next = Math.min(milliseconds * 2, this.#longest)
    await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined)
  }

  reset(): void {
    this.#next = this.#first
  }
}

export interface Task {
  /** Works until the end or until it is aborted. Never throws. */
  run(): Promise<void>
}

export interface TaskParts<Item, T extends Task> {
  /** Returns the present items by their ids. @throws if the data cannot be read */
  readonly list: () => ReadonlyMap<string, Item>
  readonly make: (id: string, item: Item, signal: AbortSignal) => T
  /** Called at each read of the list with the present item of a running task. @returns whether the task goes on */
  readonly goesOn: (task: T, item: Item) => boolean
  readonly onFault: (fault: unknown) => void
}

export class Tasks<Item, T extends Task> {
  readonly #parts: TaskParts<Item, T>
  readonly #running = new Map<string, { readonly task: T; readonly ending: AbortController; readonly ended: Promise<void> }>()
  readonly #timer: NodeJS.Timeout

  /** Starts the tasks at once, and those of new items later. */
  constructor(parts: TaskParts<Item, T>) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#update(), INTERVAL).unref()
    this.#update()
  }

  #update(): void {
    try {
      this.#match(this.#parts.list())
    } catch (fault) {
      this.#parts.onFault(fault)
    }
  }

  /** Ends the tasks whose items are gone, and starts those of new items. */
  #match(items: ReadonlyMap<string, Item>): void {
    const { make, goesOn } = this.#parts
    for (const [id, { task, ending }] of this.#running) {
      const item = items.get(id)
      if (item === undefined || !goesOn(task, item)) ending.abort()
    }
    for (const [id, item] of items) {
      if (this.#running.has(id)) continue
      const ending = new AbortController()
      const task = make(id, item, ending.signal)
      const ended = task.run().finally(() => this.#running.delete(id))
      this.#running.set(id, { task, ending, ended })
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    const running = [...this.#running.values()]
    for (const { ending } of running) ending.abort()
    await Promise.all(running.map(({ ended }) => ended))
  }
}
