/** How much the bench does: enough for reliable figures, or a first look. */
import type { Loaded, Load } from "./load/load.ts"
import type { Helper } from "./process.ts"
import type { Report } from "./report.ts"

export interface Amounts {
  readonly rounds: number
  /**
   * Requests of each measurement of a kind of write: on one connection, and on several; and before, for the service to
   * warm up.
   */
  readonly one: number
  readonly many: number
  readonly warmUp: number
  /** The same for `post_message`, which has aims. */
  readonly headline: { readonly rounds: number; readonly one: number; readonly many: number; readonly warmUp: number }
  /** Seconds of each measurement of the mixed load. */
  readonly seconds: number
  /** Rows of each list; the others are compared with the first. */
  readonly sizes: readonly number[]
  /** Reads of each measurement of a page. */
  readonly reads: number
  readonly readRounds: number
  readonly starts: number
  /** An hour's worth of requests, and the seconds in which they are sent. */
  readonly hour: { readonly requests: number; readonly seconds: number }
  /** Entries of the histories that are checked. */
  readonly histories: readonly number[]
}

export const whole: Amounts = {
  rounds: 2,
  one: 500,
  many: 1_600,
  warmUp: 800,
  headline: { rounds: 5, one: 2_000, many: 8_000, warmUp: 12_000 },
  seconds: 2,
  sizes: [1_000, 100_000, 1_000_000],
  reads: 150,
  readRounds: 3,
  starts: 7,
  hour: { requests: 36_000, seconds: 120 },
  histories: [20_000, 200_000],
}

export const quick: Amounts = {
  rounds: 1,
  one: 150,
  many: 480,
  warmUp: 320,
  headline: { rounds: 3, one: 400, many: 1_600, warmUp: 800 },
  seconds: 0.5,
  sizes: [1_000, 20_000],
  reads: 60,
  readRounds: 1,
  starts: 3,
  hour: { requests: 3_600, seconds: 12 },
  histories: [10_000, 20_000],
}

/** Shared by all parts. */
export interface Bench extends Amounts {
  /** A folder on disk that is removed when the bench ends. */
  readonly scratch: string
  /** The folder of the demo's data. */
  readonly demo: string
  readonly loader: Helper<Load, Loaded>
  /** A second one, for reads beside writes. */
  readonly reader: Helper<Load, Loaded>
  readonly report: Report
  /** Measures only cases whose name contains this. */
  readonly matching: string
  /** A folder that keeps filled data for the next run, which must have the same schema. */
  readonly keep: string | undefined
}

/** Whether this round measures in the opposite order. */
export const backwards = (round: number): boolean => round % 2 === 1
