/** Turns for what takes long: of large bodies and pages that came at one moment, one is worked on in each turn of the thread. */
import { setImmediate as turn } from "node:timers/promises"

let last: Promise<void> = Promise.resolve()

/** Waits for a turn to do something long. Small requests and new connections are served between two turns. */
export function ownTurn(): Promise<void> {
  last = last.then(() => turn())
  return last
}
