/**
 * How long a thread was ready to run and had to wait for a processor, in milliseconds since it began, as Linux counts it; null
 * where the system does not tell. On a busy machine this, and no fault of the service, is most of what somebody waits.
 */
import { readFileSync } from "node:fs"

/** @param pid of a process: its first thread is the one that serves */
export function queued(pid: number): number | null {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")
    return Number(waited) / 1e6
  } catch {
    return null
  }
}
