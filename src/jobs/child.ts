/**
 * One process for costly work as its owner sees it: asked one thing at a time, and killed when that takes too much. It is a
 * process because a thread that runs out of memory can take all others with it, and because no thread can be ended while it runs
 * the database's own code.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { Channel, type Message } from "../channel/channel.ts"
import { jobsProgram } from "../packaged.ts"
import { killFirst } from "./killed-first.ts"
import { type BoundedWork, PATIENCE, TOO_COSTLY } from "./job.ts"

/** The work took more time or memory than it may, or made more than it may. */
export class TooCostly extends Error {
  override readonly name = "TooCostly"
}

/** The process ended by itself, or never began: nothing is wrong with what it was asked. */
export class ProcessLost extends Error {
  override readonly name = "ProcessLost"
}

/** What the process needs of its surroundings to run at all. Tokens are no part of it. */
const KEPT = ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LANG", "TZ"] as const

const surroundings = (): NodeJS.ProcessEnv =>
  Object.fromEntries(KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))

/** Seconds of a processor's time in which a process has to start. */
const START = 10

export class Child {
  readonly #process: ChildProcess
  readonly #channel: Channel<BoundedWork, object>
  #hasEnded = false

  private constructor(megabytes: number) {
    const { command, args } = jobsProgram()
    const child = spawn(command, [...args, String(megabytes)], {
      // What V8 says before it gives up is no line of the log.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      env: surroundings(),
      windowsHide: true,
    })
    this.#process = child
    // At once: several that start together take more than the service, before any of them runs a line of its own.
    if (child.pid !== undefined) killFirst(child.pid)
    const port = {
      // Without file descriptors a process gets no channel, and nothing to send with; its error follows.
      postMessage: (message: Message) => void (child.channel && child.send(message, (error) => error && this.#fail(error))),
      on: (event: "message", heard: (message: Message) => void) => child.on(event, heard),
    }
    this.#channel = new Channel(port, {})
    child.on("error", (error) => this.#fail(error))
    child.once("exit", (code, signal) =>
      this.#fail(
        // V8 aborts a process that has no room left for objects. SIGKILL, where this process did not send it, is the system's: it had no
        // memory left, whatever took it.
        code === TOO_COSTLY || (signal !== null && signal !== "SIGKILL")
          ? new TooCostly(signal === null ? "the work took too much memory or time" : `the process ended with ${signal}`)
          : new ProcessLost(`A process for costly work ended with ${signal ?? code}.`),
      ),
    )
  }

  /** Starts a process and waits until it can work. */
  static async start(megabytes: number): Promise<Child> {
    const made = new Child(megabytes)
    try {
      await made.ask(START, (work) => work.ask("ready", START))
    } catch (error) {
      throw new ProcessLost("A process for costly work could not be started.", { cause: error })
    }
    return made
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Asks the process, and kills it when the answer takes too long. @throws TooCostly */
  async ask<Answer>(seconds: number, call: (work: Channel<BoundedWork, object>) => Promise<Answer>): Promise<Answer> {
    const timer = setTimeout(() => this.#fail(new TooCostly("the work took too long")), seconds * PATIENCE * 1000)
    this.#keepsOwner(true)
    try {
      return await call(this.#channel)
    } finally {
      clearTimeout(timer)
      this.#keepsOwner(false)
    }
  }

  end(): void {
    this.#fail(new Error("The process was ended."))
  }

  /** Whether the owner's process may end only after this one. */
  #keepsOwner(does: boolean): void {
    const { channel } = this.#process
    if (does) this.#process.ref()
    else this.#process.unref()
    if (does) channel?.ref()
    else channel?.unref()
  }

  #fail(error: Error): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#channel.close(error)
    this.#process.kill("SIGKILL")
  }
}
