/** Work on input that may be hostile: what it is given, what it makes, and how much of time and memory it may take. */
import type { Refusal } from "../contract/refusals.ts"

export interface Bounds {
  /** Seconds of a processor's time: a busy machine lets it take longer, up to `PATIENCE` times as long. */
  readonly seconds: number
  /** Memory for its objects, in MiB. */
  readonly megabytes: number
}

/** How much longer than its processor's time work may take by the clock. */
export const PATIENCE = 8

/** A kind of work, named as in `src/app/jobs-work.ts`. Input and output are JSON values. */
export interface Job<Input, Output> {
  readonly name: string
  readonly bounds: Bounds
  /** Characters of the output as JSON. */
  readonly output: number
  /** What the caller is told of input that takes more than it may. */
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

/** What the process is told, and the thread in it. A `stream` is made piece by piece as it is asked for. */
export type ToThread =
  | { readonly kind: "job"; readonly name: string; readonly input: unknown; readonly output: number; readonly seconds: number }
  | { readonly kind: "stream"; readonly name: string; readonly input: unknown; readonly seconds: number }
  | { readonly kind: "more"; readonly seconds: number }

export type FromThread =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly output: string }
  /** The output is longer than it may be. */
  | { readonly kind: "too_long" }
  | { readonly kind: "piece"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end" }
  /** It ran out of memory or time. */
  | { readonly kind: "too_costly" }
  /** Something failed that was not foreseen, as it is to be logged. */
  | { readonly kind: "fault"; readonly fault: string }
