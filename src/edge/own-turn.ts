/** Turns for what takes long: large bodies that came whole at one moment are read one in each turn of the thread's work. */
import { setImmediate as turn } from "node:timers/promises"

/** Bytes of a body whose reading is no more work than any other request's. */
const SMALL = 64 * 1024

let last: Promise<void> = Promise.resolve()

/** Waits until a body of so many bytes may be read; others have their turn between two large ones. */
export async function ownTurn(bytes: number): Promise<void> {
  if (bytes <= SMALL) return
  const own = last.then(() => turn())
  last = own
  return own
}
