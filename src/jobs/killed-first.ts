/** Where memory runs out, Linux kills one process. A service shall not be the one that its helpers and commands bring down. */
import { writeFileSync } from "node:fs"

/** Has the system kill this process, and those that it starts, before others. It may be called by any user, and not be undone. */
export function beKilledFirst(): void {
  if (process.platform !== "linux") return
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000")
  } catch {
    // Some containers do not let it be written; the work is the same.
  }
}
