/**
 * Spreads long work: of large bodies and pages that arrive together, the thread handles one per turn of its event loop.
 */
import { setImmediate as turn } from "node:timers/promises"

let last: Promise<void> = Promise.resolve()

/** Waits for a turn to do long work. Small requests and new connections are served between turns. */
export function ownTurn(): Promise<void> {
  last = last.then(() => turn())
  return last
}
