/**
 * One held feed for all tabs of a browser: six connections to a host are all that it opens over HTTP/1.1. Whichever tab was
 * looked at last holds it, and tells the others when it heard something. Where the browser has no locks (they need https, or
 * the machine itself), each visible tab holds its own.
 */
export interface Turn {
  /** Whether this tab may hold a feed now. */
  readonly holds: boolean
  /** Waits for the turn, once this tab is visible. @param now take it from the tab that has it */
  ask(now?: boolean): void
  /** Gives it up, and the place in the line. */
  give(): void
  /** Tells the other tabs that something landed in a Room, or that nothing did. */
  tell(room: string, after: number): void
}

/** @param base the path of the service @param changed called when this tab gets or loses the feed @param heard called with what another tab heard */
export function takeTurns(base: string, changed: () => void, heard: (room: string, after: number) => void): Turn {
  const name = `research-room feed ${base}`
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name)
  channel?.addEventListener("message", ({ data }: MessageEvent<{ room: string; after: number }>) => heard(data.room, data.after))
  // Of an earlier line that this tab stood in nothing counts any more.
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
      // Old browsers, and pages that came over plain http from elsewhere, have none, whatever the types say.
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
      // It is taken away by another tab that is looked at, or given up while it waits: both end here.
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
