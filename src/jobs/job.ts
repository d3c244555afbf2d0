/** Work on input that may be hostile: what it is given, what it makes, and how much of time and memory it may take. */
import type { Refusal } from "../contract/refusals.ts"

export interface Bounds {
  /** Seconds of work, not counting the wait for a process. */
  readonly seconds: number
  /** Memory for its objects, in MiB. */
  readonly megabytes: number
}

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

/** What the process is told, and the thread in it. A `stream` is made piece by piece as it is asked for. */
export type ToThread =
  | { readonly kind: "job"; readonly name: string; readonly input: unknown; readonly output: number }
  | { readonly kind: "stream"; readonly name: string; readonly input: unknown }
  | { readonly kind: "more" }

export type FromThread =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly output: string }
  /** The output is longer than it may be. */
  | { readonly kind: "too_long" }
  | { readonly kind: "piece"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end" }
  /** It ran out of memory. */
  | { readonly kind: "too_costly" }
  /** Something failed that was not foreseen, as it is to be logged. */
  | { readonly kind: "fault"; readonly fault: string }
