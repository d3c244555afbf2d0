/** Work on input that may be hostile: what it is given, what it makes, and how much of time and memory it may take. */
import type { Refusal } from "../contract/refusals/refusal.ts"

export interface Bounds {
  /** Seconds of a processor's time: a busy machine lets it take longer, up to `PATIENCE` times as long. */
  readonly seconds: number
  /** Memory for its objects, in MiB. */
  readonly megabytes: number
}

/** How much longer than its processor's time work may take by the clock. */
export const PATIENCE = 8

/** A kind of work, named as in `src/app/jobs/jobs-work.ts`. Input and output are JSON values. */
export interface Job<Input, Output> {
  readonly name: string
  readonly bounds: Bounds
  /** Characters of the output as JSON. */
  readonly output: number
  /** Whether its process ends with it, and what it took outside of the thread's own memory; left out, the process is kept for a while. */
  readonly endsProcess?: true
  /** The sentence for input that takes more than it may. */
  readonly tooCostly: () => Refusal
  /** Only tells the types apart. */
  readonly types?: (input: Input) => Output
}

/** Work whose outcome is bytes, made piece by piece as they are read. Its seconds are those of one piece. */
export interface StreamJob<Input> {
  readonly name: string
  readonly bounds: Bounds
  /** Only tells the types apart. */
  readonly types?: (input: Input) => AsyncGenerator<Uint8Array>
}

/** What the thread offers that does the work. A stream is made piece by piece as it is asked for. */
export interface Work {
  /** Answers as soon as the thread has started. */
  ready(): void
  /** @returns the output as JSON; null where that has more characters than `most` */
  run(name: string, input: unknown, most: number): string | null
  /** @returns the first piece of a stream; null where it has none */
  open(name: string, input: unknown): Uint8Array<ArrayBuffer> | null
  /** @returns the next piece; null at the end */
  more(): Uint8Array<ArrayBuffer> | null
}

/** What the thread's process offers: the same, within seconds of a processor's time. */
export type BoundedWork = {
  readonly [Name in keyof Work]: (seconds: number, ...given: Parameters<Work[Name]>) => ReturnType<Work[Name]>
}

/** How a process ends whose work took too much time or memory. */
export const TOO_COSTLY = 9
