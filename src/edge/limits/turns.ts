/** Turns for what takes long: of large bodies and pages that came at one moment, one is worked on in each turn of the thread. */
import { setImmediate as turn } from "node:timers/promises"

let last: Promise<void> = Promise.resolve()

/** Waits until what takes long may be done; small requests, and those who come anew, are seen to between two that wait here. */
export function ownTurn(): Promise<void> {
  last = last.then(() => turn())
  return last
}
