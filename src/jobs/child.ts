/**
 * A process for costly work, as seen by its owner: it runs one call at a time, and is killed when that exceeds its
 * limits. It is a process because a thread that runs out of memory can end the whole process, and because a thread
 * cannot be terminated while it runs SQLite.
 */
import { writeFileSync } from "node:fs"
import { type ChildProcess, spawn } from "node:child_process"
import { Channel, type Message } from "../channel/channel.ts"
import { jobsProgram } from "../packaged.ts"
import { type BoundedWork, PATIENCE, TOO_COSTLY } from "./job.ts"

// When memory runs out, Linux kills one process. It should be a helper or a command, not the service.

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

/** The work exceeded its limit of time, memory or output. */
export class TooCostly extends Error {
  override readonly name = "TooCostly"
}

/** The process ended by itself or did not start. The input is not at fault. */
export class ProcessLost extends Error {
  override readonly name = "ProcessLost"
}

/** The environment variables that the process needs. They contain no tokens. */
const INHERITED = ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LANG", "TZ"] as const

const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))

/** Seconds of processor time in which a process has to start. */
const START_SECONDS = 10

export class Child {
  readonly #process: ChildProcess
  readonly #channel: Channel<BoundedWork, object>
  readonly #gone: Promise<void>
  #hasEnded = false

  private constructor(megabytes: number) {
    const { command, args } = jobsProgram()
    const child = spawn(command, [...args, String(megabytes)], {
      // V8's last messages before it aborts do not belong in the log.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      env: environment(),
      windowsHide: true,
    })
    this.#process = child
    // At once: several processes that start together may exhaust the memory before any of them runs its own code.
    if (child.pid !== undefined) killFirst(child.pid)
    const port = {
      // If no file descriptor is left, the process has no channel to send to; its error event follows.
      postMessage: (message: Message) =>
        void (child.channel && child.send(message, (error) => error && this.#fail(error))),
      on: (event: "message", listener: (message: Message) => void) => child.on(event, listener),
    }
    this.#channel = new Channel(port, {})
    this.#gone = new Promise((resolve) => child.once("error", () => resolve()).once("exit", () => resolve()))
    child.on("error", (error) => this.#fail(error))
    child.once("exit", (code, signal) =>
      this.#fail(
        // V8 aborts a process that is out of memory. A SIGKILL that this process did not send comes from the system,
        // which was out of memory for whatever reason.
        code === TOO_COSTLY || (signal !== null && signal !== "SIGKILL")
          ? new TooCostly(
              signal === null ? "the work took too much memory or time" : `the process ended with ${signal}`,
            )
          : new ProcessLost(`A process for costly work ended with ${signal ?? code}.`),
      ),
    )
  }

  /** Starts a process and waits until it is ready. */
  static async start(megabytes: number): Promise<Child> {
    const made = new Child(megabytes)
    try {
      await made.ask(START_SECONDS, (work) => work.ask("ready", START_SECONDS))
    } catch (error) {
      throw new ProcessLost("A process for costly work could not be started.", { cause: error })
    }
    return made
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Calls the process, and kills it if the answer takes too long. @throws TooCostly */
  async ask<Answer>(seconds: number, call: (work: Channel<BoundedWork, object>) => Promise<Answer>): Promise<Answer> {
    const timer = setTimeout(() => this.#fail(new TooCostly("the work took too long")), seconds * PATIENCE * 1000)
    this.#setRef(true)
    try {
      return await call(this.#channel)
    } finally {
      clearTimeout(timer)
      this.#setRef(false)
    }
  }

  end(): void {
    this.#fail(new Error("The process was ended."))
  }

  /** Waits until the ended process is gone, with all that it had open. */
  async gone(): Promise<void> {
    this.#process.ref()
    await this.#gone
  }

  /** Sets whether this process waits for the child before it exits. */
  #setRef(isReferenced: boolean): void {
    const { channel } = this.#process
    if (isReferenced) this.#process.ref()
    else this.#process.unref()
    if (isReferenced) channel?.ref()
    else channel?.unref()
  }

  #fail(error: Error): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#channel.close(error)
    this.#process.kill("SIGKILL")
  }
}
