/** A group of writes that share a transaction: its members, their outcomes, and the hooks around it. */
import { Refusal } from "../../contract/refusals/refusal.ts"

export interface Job {
  work: () => unknown
  /** A rehearsal is always rolled back, so it has a savepoint from the start. */
  rehearsal: boolean
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

export type Settled = { value: unknown } | { error: unknown }

export const isStorageFailure = (outcome: Settled): boolean =>
  "error" in outcome && outcome.error instanceof Refusal && outcome.error.code === "temporarily_unavailable"

export interface GroupHooks {
  /** Called before a group ends, to `run` the writes that have arrived meanwhile and may join it. */
  gather?(): void
  /** The last step of each group within its transaction. */
  beforeCommit?(): void
  /** Whether the data's files were replaced: then a commit would be lost, and no write may be reported as stored. */
  isLost?(): boolean
  /** Called after each group with the number of its writes, its duration in milliseconds, and whether the storage failed. */
  afterGroup?(writes: number, milliseconds: number, failed: boolean): void
}
