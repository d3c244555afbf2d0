/** An accepted write, as the journal keeps it and a replay reads it. */
import type { Json, JsonObject } from "../../contract/json.ts"
import type { Writer } from "./keys.ts"

/** What a write got from the world, in the order it asked. Members that would be empty are left out. */
export type Given = {
  /** Ids it was given; the first one asked for comes first. */
  readonly ids?: readonly string[]
  /** Digests of the tokens that were made for it. */
  readonly tokens?: readonly string[]
  /** Lists of what it read in tables that no write makes; left out where all are empty. */
  readonly told?: readonly Json[][]
  /** What was made of its body outside of the transaction. */
  readonly prepared?: Json
  /** What its receipt is told beside from what was there before it: as its behaviour keeps it. */
  readonly foreseen?: JsonObject
  /** The warnings of its receipt: later versions may see more in the same grounds. */
  readonly warnings?: readonly Json[]
  /** The Room that gave its target the label, where that is another one: the feed says so. */
  readonly labelledBy?: string
  /** The person whom its body calls by a name of another instance. */
  readonly named?: string
  /** People of another instance who have another id here, by their id there. */
  readonly people?: Readonly<Record<string, string>>
}

/** One accepted write, as it is replayed. */
export interface Entry extends Writer {
  /** Counts up from 1 without a gap. */
  readonly position: number
  /** The operation, or an act of a person that is none. */
  readonly operation: string
  readonly at: string
  /** The ids in the path. */
  readonly params: Readonly<Record<string, string>>
  /** Canonical JSON of the body without `client`. */
  readonly content: string
  readonly client: JsonObject | undefined
  readonly given: Given
  /** Of a write of which something was withheld: what stands for what it was. */
  readonly sealed?: Sealed
}

/** What is kept of a write whose words are not: the digest of its content, what a retry must equal, and the journal's own digest. */
export interface Sealed {
  readonly contentDigest: string
  readonly requestDigest: string
  /** Left out of a write of another instance that came so. */
  readonly digest?: string
}

/** What a write left: where its entries stand, and what it answered. */
export interface Left {
  readonly roomId: string | null
  readonly activity: { readonly sequence: number; readonly digest: string } | null
  readonly threadId: string | null
  readonly entry: { readonly entryId: string; readonly sequence: number } | null
  /** null: no retry is known. */
  readonly deliveryId: string | null
  /** null: it is its entry. */
  readonly target: { readonly kind: string; readonly id: string } | null
  readonly label: string | null
  readonly aboutId: string | null
  readonly result: string | null
  readonly card: string | null
}
/** What an act leaves, which is no operation. */
export const nothingLeft: Left = {
  roomId: null,
  activity: null,
  threadId: null,
  entry: null,
  deliveryId: null,
  target: null,
  label: null,
  aboutId: null,
  result: null,
  card: null,
}
