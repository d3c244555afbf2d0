/** Work on possibly hostile input: its input and output types, and its limits of time and memory. */
import type { Refusal } from "../contract/refusals.ts"

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
