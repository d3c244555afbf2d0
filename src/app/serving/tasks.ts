/**
 * Background work of a service: one task for each item of a list that others may change, such as the followed Rooms and
 * the webhooks.
 */
import { setTimeout } from "node:timers/promises"

/** Milliseconds between two reads of the list. */
const INTERVAL = 1_000

/**
 * Pauses between attempts, each twice as long as the one before up to the longest, until they are reset. @param first
 * in milliseconds @param longest likewise
 */
export function growingPauses(first: number, longest: number) {
  let milliseconds = first
  return {
    /** Pauses, or until `signal` is aborted. */
    async next(signal: AbortSignal): Promise<void> {
      const pause = setTimeout(milliseconds, undefined, { signal })
      milliseconds = Math.min(milliseconds * 2, longest)
      await pause.catch(() => undefined)
    },
    reset(): void {
      milliseconds = first
    },
  }
}
export type Pauses = ReturnType<typeof growingPauses>

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
  readonly #running = new Map<
    string,
    { readonly task: T; readonly ending: AbortController; readonly ended: Promise<void> }
  >()
  readonly #timer: NodeJS.Timeout

  /** Starts the tasks at once, and those of new items later. */
  constructor(parts: TaskParts<Item, T>) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#update(), INTERVAL).unref()
    this.#update()
  }

  /** Ends the tasks whose items are gone, and starts those of new items. */
  #update(): void {
    const { list, make, goesOn, onFault } = this.#parts
    try {
      const items = list()
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
    } catch (fault) {
      onFault(fault)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    const running = [...this.#running.values()]
    for (const { ending } of running) ending.abort()
    await Promise.all(running.map(({ ended }) => ended))
  }
}
