/**
 * The main program of a process for costly work: it starts a thread with limited memory, and measures the time that the
 * thread takes.
 */
import { setPriority } from "node:os"
import { Channel, type Message, Thread } from "../channel/channel.ts"
import { type BoundedWork, TOO_COSTLY, type Work } from "./job.ts"

/** MiB for short-lived objects and for the stack; V8's own memory is not counted. */
const YOUNG = 16
const STACK = 4
/** A lower priority than the service's, so that small requests are answered first. */
const PRIORITY = 5

/** Milliseconds between measurements of the processor time. */
const INTERVAL = 50

/** Works until the parent process ends. @param megabytes for long-lived objects */
export function hostJobs(megabytes: number): void {
  try {
    setPriority(PRIORITY)
  } catch {
    // Not allowed on some systems; the work is the same.
  }
  const thread = new Thread<Work, object>({
    name: "jobs",
    settings: {},
    handlers: {},
    resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: YOUNG, stackSizeMb: STACK },
    // Any other error reaches the callers that wait for an answer.
    onLost: (error) => "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY" && process.exit(TOO_COSTLY),
  })

  async function limited<Answer>(seconds: number, work: Promise<Answer>): Promise<Answer> {
    const start = process.cpuUsage()
    const watch = setInterval(() => {
      const { user, system } = process.cpuUsage(start)
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
    on: (event: "message", listener: (message: Message) => void) => process.on(event, listener),
  }
  new Channel<object, BoundedWork>(port, {
    ready: (seconds) => limited(seconds, thread.channel.ask("ready")),
    run: (seconds, ...args) => limited(seconds, thread.channel.ask("run", ...args)),
    open: (seconds, ...args) => limited(seconds, thread.channel.ask("open", ...args)),
    more: (seconds) => limited(seconds, thread.channel.ask("more")),
  })
  // Also after the parent was killed.
  process.on("disconnect", () => process.exit(0))
  // A terminal sends its signals to all processes; the service decides when this one ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined)
}
