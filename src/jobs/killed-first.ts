/** When memory runs out, Linux kills one process. It should be a helper or a command, not the service. */
import { writeFileSync } from "node:fs"

/**
 * Makes the system kill a process, and the processes it starts, before others. Any user may do this, but not undo it.
 * @param pid a process of this user; defaults to this one
 */
export function killFirst(pid: number | "self" = "self"): void {
  if (process.platform !== "linux") return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000")
  } catch {
    // Not allowed in some containers; the work is the same.
  }
}
