/** Lets readers of an activity feed wait for the next entry of their Room. */
export class Watch {
  readonly #waiting = new Map<string, Set<() => void>>()
  /** Whether the service is shutting down, so that waiting ends. */
  closed = false

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Called with every Room that has a new entry, for a thread whose readers wait in another one. */
  everywhere: ((roomId: string) => void) | null = null

  /** Wakes everyone who waits for a Room. Must be called after the commit. */
  notify(roomId: string): void {
    this.everywhere?.(roomId)
    const waiting = this.#waiting.get(roomId)
    if (waiting === undefined) return
    this.#waiting.delete(roomId)
    for (const wake of waiting) wake()
  }

  /** Resolves at the next entry of the Room, after `milliseconds`, or when the client disconnects. */
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
   * Waits for the next entry of a Room.
   * @param until by the clock of `performance.now`
   * @returns false if the time is over, the client has disconnected, or the service is shutting down
   */
  async next(roomId: string, until: number, signal?: AbortSignal): Promise<boolean> {
    const left = until - performance.now()
    if (this.closed || signal?.aborted || left <= 0) return false
    await this.wait(roomId, left, signal)
    return true
  }

  /** Wakes everyone: any Room may have new entries. */
  anywhere(): void {
    for (const roomId of [...this.#waiting.keys()]) this.notify(roomId)
  }

  /** Wakes everyone, because the service is shutting down. */
  close(): void {
    this.closed = true
    this.anywhere()
  }
}
