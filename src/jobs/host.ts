/** What runs in a process for costly work: a thread with a bound on its memory, and this, which watches the time it takes. */
import { setPriority } from "node:os"
import { Channel, type Message } from "../channel/channel.ts"
import { Thread } from "../channel/thread.ts"
import { type BoundedWork, TOO_COSTLY, type Work } from "./job.ts"

/** MiB for objects that live shortly, and for the stack; what V8 takes beside them is not counted. */
const YOUNG = 16
const STACK = 4
/** Small questions are answered first. */
const PRIORITY = 5

/** Milliseconds between two looks at the time that was used. */
const INTERVAL = 50

/** Works until the process that started this one goes. @param megabytes for objects that live on */
export function hostJobs(megabytes: number): void {
  try {
    setPriority(PRIORITY)
  } catch {
    // Some systems do not allow it; the work is the same.
  }
  const thread = new Thread<Work, object>({
    name: "jobs",
    settings: {},
    handlers: {},
    resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: YOUNG, stackSizeMb: STACK },
    // Any other end is the answer to the callers that wait for it.
    onLost: (error) => "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY" && process.exit(TOO_COSTLY),
  })

  async function watched<Answer>(seconds: number, work: Promise<Answer>): Promise<Answer> {
    const begun = process.cpuUsage()
    const watch = setInterval(() => {
      const { user, system } = process.cpuUsage(begun)
      if (user + system > seconds * 1e6) process.exit(TOO_COSTLY)
    }, INTERVAL)
    try {
      return await work
    } finally {
      clearInterval(watch)
    }
  }

  const port = {
    postMessage: (message: Message) => process.send?.(message),
    on: (event: "message", heard: (message: Message) => void) => process.on(event, heard),
  }
  new Channel<object, BoundedWork>(port, {
    ready: (seconds) => watched(seconds, thread.channel.ask("ready")),
    run: (seconds, ...given) => watched(seconds, thread.channel.ask("run", ...given)),
    open: (seconds, ...given) => watched(seconds, thread.channel.ask("open", ...given)),
    more: (seconds) => watched(seconds, thread.channel.ask("more")),
  })
  // Also when the other process was killed.
  process.on("disconnect", () => process.exit(0))
  // A terminal sends its signals to all; the process that answers people decides when this one ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined)
}
