/**
 * A few processes for work on hostile input, with a short queue. Work that exceeds its limits is refused with the job's
 * own refusal. If the queue is full, the caller is refused and may try again later. No call blocks the service.
 */
import { present } from "../contract/typed.ts"
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Job, StreamJob } from "./job.ts"
import { Child, ProcessLost, TooCostly } from "./child.ts"
import { trusted } from "../contract/json.ts"

/** Lets one process at a time run, of several pools. */
export class Turns {
  #isTaken = false
  readonly #waiting: (() => void)[] = []

  async take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isTaken = false
    else next()
  }
}

/** MiB below which the memory is short: two processes beside the service and its threads do not fit. */
const SHORT = 400
const bounded = process.constrainedMemory()
/** For the work of callers where the memory is short. */
export const turns = bounded > 0 && bounded < SHORT << 20 ? new Turns() : undefined

export interface PoolSize {
  readonly processes: number
  /** How many calls may wait for a process. */
  readonly waiting: number
  /** If given, a process ends with its work, and before one of another pool starts. */
  readonly turns?: Turns | undefined
}

/** Milliseconds after which an idle process is ended, to free its memory. */
const IDLE = 15_000
/** The `retryAfter`, in seconds, if the queue is full or a process was lost. */
const RETRY = 5

const tooMany = () =>
  new Refusal("temporarily_unavailable", "Too much work of this kind is in progress. Nothing was stored.", {
    retryAfter: RETRY,
  })

interface Idle {
  readonly child: Child
  readonly megabytes: number
  readonly timer: NodeJS.Timeout
}

export class Pool {
  readonly #size: PoolSize
  readonly #waiting: (() => void)[] = []
  /** The calls that wait for an earlier one of the same caller, by callers that have one in the queue. */
  readonly #callers = new Map<string, (() => void)[]>()
  #idle: Idle[] = []
  #busy = 0

  constructor(size: PoolSize) {
    this.#size = size
  }

  /**
   * Runs a job and returns its output.
   * @param caller who has at most one place in the queue; null for the service itself
   * @param signal ends the process of a job that runs; the promise is rejected when the process is gone
   * @throws Refusal the job's own if it exceeds its limits; 503 `temporarily_unavailable` if the queue is full or the
   * process is lost
   */
  async run<Input, Output>(
    job: Job<Input, Output>,
    input: Input,
    caller: string | null = null,
    signal?: AbortSignal,
  ): Promise<Output> {
    await this.#ownTurn(caller)
    try {
      await this.#acquire()
      try {
        return await this.#work(job, input, signal)
      } finally {
        this.#release()
      }
    } finally {
      this.#endTurn(caller)
    }
  }

  /** Waits for the earlier calls of the same caller. @throws Refusal 503 if too many wait */
  async #ownTurn(caller: string | null): Promise<void> {
    if (caller === null) return
    const before = this.#callers.get(caller)
    if (before === undefined) return void this.#callers.set(caller, [])
    if (before.length >= this.#size.waiting) throw tooMany()
    await new Promise<void>((resolve) => before.push(resolve))
  }

  #endTurn(caller: string | null): void {
    if (caller === null) return
    const next = this.#callers.get(caller)?.shift()
    if (next === undefined) this.#callers.delete(caller)
    else next()
  }

  /**
   * Produces bytes, each piece when it is read. If the caller stops reading, the generator's return ends the process.
   * @throws TooCostly if a piece exceeds its limits
   * @throws Refusal 503 `temporarily_unavailable` if the queue is full
   */
  async *stream<Input>(
    { name, bounds: { seconds, megabytes } }: StreamJob<Input>,
    input: Input,
  ): AsyncGenerator<Uint8Array> {
    await this.#acquire()
    let child: Child | undefined
    let isWhole = false
    await this.#size.turns?.take()
    try {
      child = this.#take(megabytes) ?? (await Child.start(megabytes))
      let piece = await child.ask(seconds, (work) => work.ask("open", seconds, name, input))
      while (piece !== null) {
        yield piece
        piece = await child.ask(seconds, (work) => work.ask("more", seconds))
      }
      isWhole = true
    } finally {
      // An unfinished stream ends its process, with all that it has open.
      if (isWhole && child !== undefined) this.#keep(child, megabytes)
      else child?.end()
      await this.#endTurns(child)
      this.#release()
    }
  }

  /** Ends the idle processes. The others end with the service. */
  close(): void {
    for (const { child, timer } of this.#idle) {
      clearTimeout(timer)
      child.end()
    }
    this.#idle = []
  }

  async #acquire(): Promise<void> {
    if (this.#busy < this.#size.processes) {
      this.#busy += 1
      return
    }
    if (this.#waiting.length >= this.#size.waiting) throw tooMany()
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #release(): void {
    // The place goes to the call that has waited longest.
    const next = this.#waiting.shift()
    if (next === undefined) this.#busy -= 1
    else next()
  }

  async #work<Input, Output>(
    { name, bounds, output, endsProcess, tooCostly }: Job<Input, Output>,
    input: Input,
    signal?: AbortSignal,
  ): Promise<Output> {
    let child: Child | undefined
    const end = () => child?.end()
    await this.#size.turns?.take()
    try {
      child = this.#take(bounds.megabytes) ?? (await Child.start(bounds.megabytes))
      signal?.throwIfAborted()
      signal?.addEventListener("abort", end)
      const made = await child.ask(bounds.seconds, (work) => work.ask("run", bounds.seconds, name, input, output))
      if (made === null) throw new TooCostly("the work made too much")
      return trusted<Output>(made)
    } catch (error) {
      if (error instanceof TooCostly) throw tooCostly()
      if (!(error instanceof ProcessLost)) throw error
      throw new Refusal("temporarily_unavailable", "The process for this work was lost. Nothing was stored.", {
        retryAfter: RETRY,
        cause: error,
      })
    } finally {
      signal?.removeEventListener("abort", end)
      if (child?.hasEnded === false) {
        // It was called off while its process started: nobody would end an idle one.
        if (endsProcess || signal?.aborted) child.end()
        else this.#keep(child, bounds.megabytes)
      }
      if (signal?.aborted) await child?.gone()
      await this.#endTurns(child)
    }
  }

  /** Lets the next process run once this one has given its memory back. */
  async #endTurns(child: Child | undefined): Promise<void> {
    if (this.#size.turns === undefined) return
    this.close()
    await child?.gone()
    this.#size.turns.give()
  }

  #take(megabytes: number): Child | undefined {
    const at = this.#idle.findIndex((idle) => idle.megabytes === megabytes && !idle.child.hasEnded)
    if (at === -1) return undefined
    const [{ child, timer }] = [present(this.#idle.splice(at, 1)[0])]
    clearTimeout(timer)
    return child
  }

  #keep(child: Child, megabytes: number): void {
    const timer = setTimeout(() => {
      this.#idle = this.#idle.filter((idle) => idle.child !== child)
      child.end()
    }, IDLE).unref()
    this.#idle.push({ child, megabytes, timer })
  }
}

/** Parses files in formats of other programs. */
export const parsing = new Pool({ processes: limits.parsingProcesses, waiting: limits.parsingWaiting, turns })

/**
 * Exports Rooms. No more exports start than there are processes; one in the queue may wait for a process that is
 * ending.
 */
export const exporting = new Pool({ processes: limits.exports, waiting: limits.exports, turns })
