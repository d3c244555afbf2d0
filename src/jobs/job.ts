/**
 * Work on possibly hostile input: its input and output types, its limits of time and memory, and the process that it
 * runs in.
 */
import { setPriority } from "node:os"
import type { Refusal } from "../contract/refusals.ts"
import { Channel, type Message, Thread } from "../channel/channel.ts"

export interface Bounds {
  /** Seconds of processor time. By the clock, work may take up to `PATIENCE` times as long. */
  readonly seconds: number
  /** Memory for its objects, in MiB. */
  readonly megabytes: number
}

/** How many times its processor time a job may take by the clock. */
export const PATIENCE = 8

/** A kind of work, named as in `src/app/jobs/jobs-thread.ts`. Input and output are JSON values. */
export interface Job<Input, Output> {
  readonly name: string
  readonly bounds: Bounds
  /** The most characters of the output as JSON. */
  readonly output: number
  /**
   * Whether the process ends after the job, which releases memory outside of the thread's heap; if left out, it is
   * reused for a while.
   */
  readonly endsProcess?: true
  /** The refusal of input that exceeds the limits. */
  readonly tooCostly: () => Refusal
  /** For type inference only. */
  readonly types?: (input: Input) => Output
}

/** Work that produces bytes in pieces, on demand. Its limit of seconds is for one piece. */
export interface StreamJob<Input> {
  readonly name: string
  readonly bounds: Bounds
  /** For type inference only. */
  readonly types?: (input: Input) => AsyncGenerator<Uint8Array>
}

/** The functions of the working thread. */
export interface Work {
  /** Answers as soon as the thread has started. */
  ready(): void
  /** @returns the output as JSON; null if it has more than `most` characters */
  run(name: string, input: unknown, most: number): string | null
  /** @returns the first piece of a stream; null if it is empty */
  open(name: string, input: unknown): Uint8Array<ArrayBuffer> | null
  /** @returns the next piece; null at the end */
  more(): Uint8Array<ArrayBuffer> | null
}

/** The functions of the thread's process: the same, each with a limit of processor time in seconds. */
export type BoundedWork = {
  readonly [Name in keyof Work]: (seconds: number, ...args: Parameters<Work[Name]>) => ReturnType<Work[Name]>
}

/** The exit code of a process whose work exceeded its time or memory. */
export const TOO_COSTLY = 9

// The main program of such a process: it starts a thread with limited memory, and measures the time that the thread
// takes.

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
