/**
 * One process for costly work as its owner sees it: asked one thing at a time, and killed when that takes too much. It is a
 * process because a thread that runs out of memory can take all others with it, and because no thread can be ended while
 * it stands in the database's own code.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { jobsProgram } from "../packaged.ts"
import { type FromThread, PATIENCE, type ToThread } from "./job.ts"

/** The work took more time or memory than it may, or made more than it may. */
export class TooCostly extends Error {
  override readonly name = "TooCostly"
}

/** What the process needs of its surroundings to run at all. Tokens are no part of it. */
const KEPT = ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LANG", "TZ"] as const

const surroundings = (): NodeJS.ProcessEnv =>
  Object.fromEntries(KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))

export class Child {
  readonly #process: ChildProcess
  #waiting: PromiseWithResolvers<FromThread> = Promise.withResolvers()
  #failure: Error | null = null

  private constructor(megabytes: number) {
    const { command, args } = jobsProgram()
    this.#process = spawn(command, [...args, String(megabytes)], {
      // What V8 says before it gives up is no line of the log.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      env: surroundings(),
      windowsHide: true,
    })
    this.#process.on("message", (message: FromThread) => this.#heard(message))
    this.#process.on("error", (error) => this.#fail(error))
    // Ended by a signal that nobody here sent: it, or the system, had no memory left.
    this.#process.once("exit", (code, signal) =>
      this.#fail(
        signal === null && code === 0
          ? new Error("A process for costly work ended.")
          : new TooCostly(`the process ended with ${signal ?? code}`),
      ),
    )
    // Nobody may be asking when it fails; whoever asks next is told.
    this.#waiting.promise.catch(() => undefined)
  }

  /** Starts a process and waits until it listens. */
  static async start(megabytes: number): Promise<Child> {
    const made = new Child(megabytes)
    try {
      await made.#waiting.promise
    } catch (error) {
      throw new Error("A process for costly work could not be started.", { cause: error })
    }
    return made
  }

  get hasEnded(): boolean {
    return this.#failure !== null
  }

  /** Asks the process, and kills it when the answer takes too long. @throws TooCostly */
  async ask(message: ToThread): Promise<FromThread> {
    if (this.#failure !== null) throw this.#failure
    this.#waiting = Promise.withResolvers()
    const timer = setTimeout(() => this.#fail(new TooCostly("the work took too long")), message.seconds * PATIENCE * 1000)
    this.#holdsOn(true)
    this.#process.send(message, (error) => error && this.#fail(error))
    try {
      return await this.#waiting.promise
    } finally {
      clearTimeout(timer)
      this.#holdsOn(false)
    }
  }

  end(): void {
    this.#fail(new Error("The process was ended."))
  }

  #heard(message: FromThread): void {
    if (message.kind === "too_costly") this.#fail(new TooCostly("the work took too much memory or time"))
    else this.#waiting.resolve(message)
  }

  /** Whether this process may end only after that one. */
  #holdsOn(does: boolean): void {
    const { channel } = this.#process
    if (does) this.#process.ref()
    else this.#process.unref()
    if (does) channel?.ref()
    else channel?.unref()
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return
    this.#failure = error
    this.#waiting.reject(error)
    this.#process.kill("SIGKILL")
  }
}
