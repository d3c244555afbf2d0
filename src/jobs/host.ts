/** What runs in a process for costly work: a thread with a bound on its memory, and this, which hands messages on. */
import { setPriority } from "node:os"
import { Worker } from "node:worker_threads"
import { threadCode } from "../packaged.ts"
import type { FromThread, ToThread } from "./job.ts"

/** MiB for objects that live shortly, and for the stack; what V8 takes beside them is not counted. */
const YOUNG = 16
const STACK = 4
/** Whoever answers small questions comes first. */
const PRIORITY = 5

/** Milliseconds between two looks at the time that was used. */
const INTERVAL = 50

/** Works until the process that started it goes. @param megabytes for objects that live on */
export function hostJobs(megabytes: number): void {
  const say = (message: FromThread) => process.send?.(message)
  try {
    setPriority(PRIORITY)
  } catch {
    // Some systems do not let it; the work is the same.
  }
  const { code, isText } = threadCode("jobs")
  const thread = new Worker(code, {
    eval: isText,
    name: "jobs",
    resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: YOUNG, stackSizeMb: STACK },
  })
  let watch: NodeJS.Timeout | undefined
  thread.on("message", (message: FromThread) => {
    clearInterval(watch)
    say(message)
  })
  thread.on("error", (error) => {
    const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
    say(isMemory ? { kind: "too_costly" } : { kind: "fault", fault: String(error) })
  })
  process.on("message", (message: ToThread) => {
    const begun = process.cpuUsage()
    watch = setInterval(() => {
      const { user, system } = process.cpuUsage(begun)
      if (user + system > message.seconds * 1e6) say({ kind: "too_costly" })
    }, INTERVAL)
    thread.postMessage(message)
  })
  // Also when the other process was killed.
  process.on("disconnect", () => process.exit(0))
  // A terminal sends its signals to all; the one that answers people decides when this one ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined)
}
