/**
 * Shares one event stream among all tabs of a browser, which opens only six connections to a host over HTTP/1.1. The
 * tab that was viewed last holds the stream, and tells the others when something arrives. If the browser has no locks
 * (they need https or localhost), each visible tab holds its own stream.
 */
export interface Turn {
  /** Whether this tab may hold the stream now. */
  readonly holds: boolean
  /** Requests the turn. @param now whether to take it from the tab that has it */
  ask(now?: boolean): void
  /** Gives up the turn, or the request for it. */
  give(): void
  /** Tells the other tabs the last entry of a Room. */
  tell(room: string, after: number): void
}

/**
 * @param base the path of the service @param changed called when this tab gets or loses its turn @param heard called
 * with what another tab tells
 */
export function takeTurns(base: string, changed: () => void, heard: (room: string, after: number) => void): Turn {
  const name = `research-room feed ${base}`
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name)
  channel?.addEventListener("message", ({ data }: MessageEvent<{ room: string; after: number }>) =>
    heard(data.room, data.after),
  )
  // Callbacks of an earlier request compare their number with this one, and do nothing.
  let line = 0
  let holds = false
  let waits = false
  let leave = () => {}
  const set = (now: boolean) => {
    if (holds === now) return
    holds = now
    changed()
  }
  const give = () => {
    line += 1
    waits = false
    leave()
    leave = () => {}
    set(false)
  }
  return {
    get holds() {
      return holds
    },
    ask(now = false) {
      if (holds || (waits && !now)) return
      give()
      waits = true
      const own = line
      // Old browsers, and pages over plain http from another machine, have no locks, although the types say so.
      const { locks }: { readonly locks?: LockManager } = navigator
      if (locks === undefined) return set(true)
      const left = new AbortController()
      const over = new Promise<void>((resolve) => {
        leave = () => {
          left.abort()
          resolve()
        }
      })
      const granted = () => {
        if (own !== line) return undefined
        set(true)
        return over
      }
      // The lock was stolen by another tab, or the request was aborted.
      locks.request(name, now ? { steal: true } : { signal: left.signal }, granted).catch(() => {
        if (own !== line) return
        give()
        this.ask()
      })
    },
    give,
    tell: (room, after) => channel?.postMessage({ room, after }),
  }
}
