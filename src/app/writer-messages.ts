/** What the serving thread and the writing thread say to each other. All of it can be cloned. */
import type { RefusalCode, RefusalDetails } from "../contract/refusals.ts"
import type { Admitted, CheckedWrite } from "../ledger/admit.ts"
import type { RepositorySettings } from "../repositories/configured.ts"

/** What the writing thread starts from. */
export interface WriterSettings {
  /** The database, open and up to date in the serving thread. */
  readonly file: string
  readonly instanceId: string
  /** Milliseconds since 1970 that its time starts from at the least. */
  readonly notBefore: number
  readonly repositories: Omit<RepositorySettings, "now">
}

/** A checked write, its operation named. */
export interface Sent {
  readonly id: number
  readonly operation: string
  readonly checked: CheckedWrite
  readonly rehearse: boolean
}

export type ToWriter =
  | { readonly kind: "writes"; readonly writes: readonly Sent[] }
  | { readonly kind: "probe"; readonly id: number; readonly touch: boolean }
  /** The serving thread wants to write alone: answer `held`, and write nothing until `release`. */
  | { readonly kind: "hold" }
  | { readonly kind: "release" }
  | { readonly kind: "end" }

export type Answer =
  | ({ readonly id: number } & Admitted)
  | { readonly id: number; readonly refusal: { readonly code: RefusalCode; readonly sentence: string; readonly details: RefusalDetails } }
  /** Something failed that no refusal foresaw, as it is to be logged. */
  | { readonly id: number; readonly fault: string }

/** A group of writes that shared a transaction, the milliseconds it took, and whether the storage failed it. */
export interface Group {
  readonly writes: number
  readonly milliseconds: number
  readonly failed: boolean
}

export type FromWriter =
  | {
      readonly kind: "answers"
      readonly answers: readonly Answer[]
      /** The Rooms in which something landed. */
      readonly landed: readonly string[]
      readonly groups: readonly Group[]
    }
  | { readonly kind: "held" }
