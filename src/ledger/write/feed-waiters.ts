/** Lets readers of an activity feed wait until something lands in their Room. */
export class Watch {
  readonly #waiting = new Map<string, Set<() => void>>()
  /** Nobody waits any longer once the service is closing. */
  closed = false

  /** How many wait now. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Told of every Room in which something landed: for a thread whose readers wait elsewhere. */
  everywhere: ((roomId: string) => void) | null = null

  /** Wakes everyone who waits for a Room. Called after the commit, never before. */
  landed(roomId: string): void {
    this.everywhere?.(roomId)
    const waiting = this.#waiting.get(roomId)
    if (waiting === undefined) return
    this.#waiting.delete(roomId)
    for (const wake of waiting) wake()
  }

  /** Resolves when something lands in the Room, when `milliseconds` are over, or when the reader has gone. */
  wait(roomId: string, milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const waiting = this.#waiting.get(roomId) ?? new Set()
      this.#waiting.set(roomId, waiting)
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", wake)
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiting.get(roomId) === waiting) this.#waiting.delete(roomId)
        resolve()
      }
      const timer = setTimeout(wake, milliseconds)
      signal?.addEventListener("abort", wake)
      waiting.add(wake)
    })
  }

  /**
   * Waits for what lands next in a Room.
   * @param until by the clock of `performance.now`
   * @returns false once nobody should look again: the time is over, the reader has gone, or the service is closing
   */
  async next(roomId: string, until: number, signal?: AbortSignal): Promise<boolean> {
    const left = until - performance.now()
    if (this.closed || signal?.aborted || left <= 0) return false
    await this.wait(roomId, left, signal)
    return true
  }

  /** Wakes everyone, whatever they wait for: something may have landed anywhere. */
  anywhere(): void {
    for (const roomId of [...this.#waiting.keys()]) this.landed(roomId)
  }

  /** Wakes everyone: the service is closing. */
  close(): void {
    this.closed = true
    this.anywhere()
  }
}
