/**
 * A group of writes that share a transaction: its members, their outcomes, the hooks around it, and the refusals when
 * the storage fails.
 */
import { Refusal } from "../../contract/refusals/refusal.ts"

export interface JobOptions {
  /** A rehearsal is always rolled back, so it has a savepoint from the start. */
  readonly rehearsal?: boolean
  /** Whether the work calls its argument before its first change. Otherwise it counts as changing at once. */
  readonly saysWhen?: boolean
  /** Whether it may change the title of an object. */
  readonly mayRetitle?: boolean
}

export interface Job extends JobOptions {
  work: (changes: () => void) => unknown
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

export type Settled = { value: unknown } | { error: unknown }

export const isStorageFailure = (outcome: Settled): boolean =>
  "error" in outcome && outcome.error instanceof Refusal && outcome.error.code === "temporarily_unavailable"

export interface GroupHooks {
  /** The last step of each group within its transaction. @param mayRetitle whether an object may have a new title */
  beforeCommit?(mayRetitle: boolean): void
  /** Whether the data's files were replaced: then a commit would be lost, and no write may be reported as stored. */
  isLost?(): boolean
  /**
   * Called after each group with the number of its writes, its duration in milliseconds, and whether the storage
   * failed.
   */
  afterGroup?(writes: number, milliseconds: number, failed: boolean): void
}

/** The storage rejected the write. */
export const notStored = () =>
  new Refusal(
    "temporarily_unavailable",
    "The database could not take the write; nothing was stored. Send the same request again.",
    {
      retryAfter: 2,
    },
  )
/** The storage may have stored the write. */
export const uncertain = () =>
  new Refusal(
    "temporarily_unavailable",
    "The write could not be finished for certain. Keep its id and body and send it again.",
    {
      retryAfter: 2,
      committed: null,
    },
  )
