/** Waits until the files of a service no longer hold what was withheld. */
import { setTimeout as pause } from "node:timers/promises"
import { openReadConnection } from "../../src/ledger/storage/opening.ts"
import { isUnclean } from "../../src/ledger/storage/clearing.ts"

/** @param file the database of a running service @throws Error if it takes too long */
export async function untilClean(file: string, seconds = 120): Promise<void> {
  for (const until = Date.now() + seconds * 1_000; Date.now() < until; await pause(200)) {
    const db = openReadConnection(file)
    const isDone = !isUnclean(db)
    db.close()
    if (isDone) return
  }
  throw new Error(`${file} is not clean after ${seconds} s`)
}
