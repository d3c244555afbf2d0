/** An accepted write, as the journal keeps it and a replay reads it. */
import type { Json, JsonObject } from "../../contract/json.ts"
import type { Writer } from "./columns.ts"

/** What a write took from the world, in the order of its requests. Empty members are left out. */
export type Given = {
  /** Ids, in the order they were requested. */
  readonly ids?: readonly string[]
  /** Digests of the tokens that it made. */
  readonly tokens?: readonly string[]
  /** Lists that it read from tables that are not derived from the journal; left out if all are empty. */
  readonly told?: readonly Json[][]
  /** The result of preparing its body outside of the transaction. */
  readonly prepared?: Json
  /** The stored part of the members beside its receipt, which describe the state before the write. */
  readonly foreseen?: JsonObject
  /** The warnings of its receipt: a later version might compute others. */
  readonly warnings?: readonly Json[]
  /** The Room that gave its target the label, if it is another Room: the feed shows it. */
  readonly labelledBy?: string
  /** The person named in its body by a username of another instance. */
  readonly named?: string
  /** The ids here of another instance's people, by their id there, if they differ. */
  readonly people?: Readonly<Record<string, string>>
}

/** One accepted write, as it is replayed. */
export interface Entry extends Writer {
  /** Counts up from 1 without a gap. */
  readonly position: number
  /** The name of an operation or of an act. */
  readonly operation: string
  readonly at: string
  /** The ids in the path. */
  readonly params: Readonly<Record<string, string>>
  /** Canonical JSON of the body without `client`. */
  readonly content: string
  readonly client: JsonObject | undefined
  readonly given: Given
  /** Set if part of the write was withheld: its digests from before. */
  readonly sealed?: Sealed
}

/**
 * The digests of a write from before parts of it were withheld: its content, the digest that a retry must match, and
 * the journal's own digest.
 */
export interface Sealed {
  readonly contentDigest: string
  readonly requestDigest: string
  /** Left out for a write of another instance that was already sealed when it arrived. */
  readonly digest?: string
}

/**
 * What a write stored: the places of its entries, and its answer. An act, which is not an operation, stores none of
 * these.
 */
export interface Left {
  readonly roomId: string | null
  readonly activity: { readonly sequence: number; readonly digest: string } | null
  readonly threadId: string | null
  readonly entryId: string | null
  readonly entrySequence: number | null
  /** null: it cannot be retried. */
  readonly deliveryId: string | null
  /** null: its own entry. */
  readonly targetKind: string | null
  readonly targetId: string | null
  readonly label: string | null
  readonly aboutId: string | null
  readonly result: string | null
  readonly card: string | null
}
