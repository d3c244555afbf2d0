/** A group of writes that share a transaction: who is in it, how each ended, and what is called as it goes by. */
import { Refusal } from "../../contract/refusals/refusal.ts"

export interface Job {
  work: () => unknown
  /** It undoes itself whatever happens, so it has a savepoint from the start. */
  rehearsal: boolean
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

export type Settled = { value: unknown } | { error: unknown }

export const isStorageFailure = (outcome: Settled): boolean =>
  "error" in outcome && outcome.error instanceof Refusal && outcome.error.code === "temporarily_unavailable"

export interface GroupHooks {
  /** Called before a group ends: hands over, with `run`, what has come meanwhile and can join it. */
  gather?(): void
  /** What a whole group needs once, as its last step within the transaction. */
  beforeCommit?(): void
  /** Whether what is committed goes into files that nobody will find again; then nobody is told that it was stored. */
  isLost?(): boolean
  /** Told of each group: how many writes it held, how long it took in milliseconds, and whether the storage failed it. */
  afterGroup?(writes: number, milliseconds: number, failed: boolean): void
}
