/**
 * The record of a run, to be judged: everything the clients sent and saw, each with its start and end, and the contents
 * of the Room when all was over.
 */
import type { ItemOf } from "research-room/client"
import type { ActivityEntry } from "../../../src/contract/reads/activity.ts"
import type { Receipt as Stored } from "../support/journal.ts"

export type Members = Readonly<Record<string, unknown>>

/** One try of a write. `rehearsal`: sent to see what would happen; nothing may be stored. */
export interface Write {
  /** The client that sent it. */
  readonly client: number
  readonly person: string
  /** null: a person in the browser, with every permission. */
  readonly credential: { readonly id: string; readonly permissions: readonly string[] } | null
  readonly operation: string
  readonly params: Readonly<Record<string, string>>
  readonly body: Members
  readonly rehearsal: boolean
  /** Milliseconds on the one clock of the run; `end` is Infinity if no whole answer came. */
  readonly start: number
  readonly end: number
  /** 0 if no answer came. */
  readonly status: number
  readonly answer: string
}

export interface Read {
  readonly client: number
  readonly person: string
  readonly name: string
  readonly params: Members
  /** For a request for a delivery's receipt: which delivery, by `deliveryOf`. */
  readonly delivery?: string
  readonly start: number
  readonly end: number
  readonly status: number
  readonly answer: string
}

/** A Room as it was after all clients had finished, all of it at one watermark. */
export interface Truth {
  readonly roomId: string
  readonly openingThreadId: string
  readonly ownerId: string
  /** The number of entries in the feed before the clients began. */
  readonly founded: number
  readonly feed: readonly ActivityEntry[]
  readonly timelines: Readonly<Record<string, readonly ItemOf<"thread_timeline">[]>>
  /** The stored receipt of each delivery ever sent, by `deliveryOf`; null if there is none. */
  readonly receipts: Readonly<Record<string, string | null>>
}

export interface History {
  readonly writes: readonly Write[]
  readonly reads: readonly Read[]
  readonly truth: Truth
}

/** Threads and messages belong to the credential that sent them, everything else to the member. */
export const ofCredential: ReadonlySet<string> = new Set(["create_thread", "post_message"])

export const deliveryIdOf = ({ body }: Pick<Write, "body">): string => String(body.clientMessageId ?? body.requestId)

/** The identity of a delivery: two tries with the same are the same delivery. */
export const deliveryOf = (write: Pick<Write, "operation" | "person" | "credential" | "body">): string =>
  [
    write.operation,
    write.person,
    ofCredential.has(write.operation) ? (write.credential?.id ?? "") : "",
    deliveryIdOf(write),
  ].join(" ")

/** A receipt, as far as the check reads it. */
export interface Receipt extends Stored {
  readonly rehearsed?: true
  readonly credentialChanged?: true
  readonly current?: unknown
}

export const parsed = <T>(text: string): T => JSON.parse(text) as T
