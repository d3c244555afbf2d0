/** Where memory runs out, Linux kills one process. A service shall not be the one that its helpers and commands bring down. */
import { writeFileSync } from "node:fs"

/**
 * Has the system kill a process, and those that it starts, before others. Any user may do this, and not undo it.
 * @param pid a process of this user; left out, this one
 */
export function killFirst(pid: number | "self" = "self"): void {
  if (process.platform !== "linux") return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000")
  } catch {
    // Some containers do not let it be written; the work is the same.
  }
}
