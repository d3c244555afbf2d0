/** What an operation does, beyond what its definition says: the part that its domain writes. */
import type { LabelledKind } from "../../contract/objects/labels.ts"
import type { Json, JsonObject, Writable } from "../../contract/json.ts"
import type { BodyOf, OperationName, ParamsOf, ResultOf } from "../../contract/operations/index.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import type { Warning } from "../../contract/answers/warnings.ts"
import type { RepositoryPin } from "../../contract/definitions/work.ts"
import type { Actor } from "./actor.ts"
import type { Token } from "./chance.ts"
import type { EntryBody } from "./timeline.ts"

/** One write as it was sent, checked against its schema. */
export interface Call<Body = unknown, Params = Readonly<Record<string, string>>> {
  readonly actor: Actor
  /** The ids in the path, in lower case. */
  readonly params: Params
  readonly body: Body
  /** Canonical JSON of the body without `client`. */
  readonly content: string
  /** `sha256:` over `content`. */
  readonly contentDigest: string
  /** What the behaviour's own `prepare` made of it. */
  readonly prepared?: unknown
  /** In a Room of another instance, the id of the person whom the body names: names of there mean others here. */
  readonly named?: string
}

/** What stands beside a receipt, told from what was there before its write. */
export interface ReceiptExtras {
  /** JSON text of an object: the members beside the receipt. They are stored nowhere. */
  readonly json: string
  /** What the journal keeps of it: as much as it takes to tell the same later, whatever has moved since. */
  readonly kept: JsonObject
  /** Told of the object once its write is stored: whoever looks at what is there may take it up without reading it. */
  onAccepted?(made: ReceiptTarget): void
}

/** What a receipt names, as its write made it. */
export interface ReceiptTarget {
  readonly id: string
  readonly label: string | null
}

/** What a write is about: the Room it belongs to, and the Thread in which its subject originated. */
export interface Subject {
  /** null: the write makes its Room, or belongs to none. */
  readonly roomId: string | null
  /** null: it originates in no Thread yet; undefined: Threads do not matter to it. */
  readonly threadId: string | null | undefined
}

/** What the ledger gives an operation to work with, inside the transaction. */
export interface Change {
  /** The moment of acceptance. */
  readonly at: string
  /** The place of the write in the journal. */
  readonly position: number
  /** The id of the timeline entry that the ledger will write for it. */
  readonly entryId: string
  newId(): string
  /** Makes a token: the text is for its holder alone, the digest for a table. */
  token(mint: (bytes: (count: number) => Buffer) => string): Token
  /** Reads a list of what no write makes, such as what sources say of papers. A replay gets what was read then. */
  told<T extends Json>(read: () => readonly T[]): readonly T[]
  /** The next label of a kind in the subject's Room. */
  label(kind: LabelledKind): string
  /** The next ordinal of a kind that carries no label. */
  ordinal(roomId: string, kind: string): number
}

/** What the rows of most new objects have in common: where they stand, whose they are, and the write that made them. */
export const madeBy = (
  { actor, contentDigest }: Pick<Call, "actor" | "contentDigest">,
  { roomId, threadId }: { readonly roomId: string; readonly threadId: string },
  { entryId, at, position }: Change,
) => ({ roomId, threadId, entryId, authorId: actor.userId, at, historyPosition: position, contentDigest })
export type Made = Readonly<ReturnType<typeof madeBy>>

export interface Outcome<Result = Readonly<Record<string, Writable>>> {
  /** What the receipt names; `kind` is the definition's unless given. With `labelFromOtherRoom` where another Room labelled it. */
  readonly target: {
    readonly kind?: string
    readonly id: string
    readonly label: string | null
    readonly labelFromOtherRoom?: true
    readonly originRoomId?: string
  }
  /** Where it differs from `target.id`. */
  readonly targetId?: string
  readonly result: Result
  /** Members of `result` that go into this one answer and are stored nowhere. */
  readonly secret?: Readonly<Record<string, string>>
  /** Where they differ from the subject's: for a write that makes its Room or Thread. */
  readonly roomId?: string
  readonly threadId?: string
  /** What its timeline entry shows, where that is a card; all others show what was written or answered. */
  readonly entry?: EntryBody
  readonly replyToEntryId?: string | null
  /** The entry of the message that follows its own in the same Thread: what the body calls `message`. */
  readonly messageEntryId?: string | null
  /** false: nothing happened that the Room should hear of. */
  readonly activity?: false
  readonly warnings?: readonly Warning[]
}

/** The part of an operation that its domain writes; called in this order, all but `outside` and `prepare` inside the transaction. */
export interface Behaviour<
  Body = never,
  Result = Readonly<Record<string, Writable>>,
  S extends Subject = Subject,
  Params = Readonly<Record<string, string>>,
> {
  /** Finds the subject. @throws Refusal 404 of its kind */
  subject(call: Call<Body, Params>): S
  /** What is wrong with its references beyond what the schema says: each that is not of that kind, or not there, is found already. */
  references?(call: Call<Body, Params>, subject: S): Issue[]
  /**
   * What stands beside its receipt, told from what is there before it is admitted, by the thread that checks it: none of it is
   * looked up while others wait to write. Only of what nothing but its state can still refuse.
   */
  findExtras?(call: Call<Body, Params>): ReceiptExtras
  /** The members that stood beside a receipt, of what was kept of them. */
  restoreExtras?(kept: JsonObject): Readonly<Record<string, Writable>>
  /** The repository and commit that must be public and exist; asked of their host outside of any transaction. */
  outside?(call: Call<Body, Params>): RepositoryPin | null
  /** Work that takes its time and looks at the body alone, done outside of any transaction. @throws Refusal 422 */
  prepare?(call: Call<Body, Params>): Promise<unknown>
  /** @param at the moment of the write @throws Refusal 403 or 409 when the state, or who asks, does not allow it now */
  admit?(call: Call<Body, Params>, subject: S, at: string): void
  /** The state the subject of a replayed receipt has now, where it moved since; undefined where it did not. */
  moved?(receipt: { readonly targetId: string; readonly result: Result }): JsonObject | undefined
  /** Writes the domain's own rows. */
  write(call: Call<Body, Params>, subject: S, change: Change): Outcome<Result>
}

/** A behaviour for each operation of the list, no more and no less. */
export type Behaviours = { readonly [N in OperationName]: BehaviourOf<N> }
export type BehaviourOf<N extends OperationName, S extends Subject = Subject> = Behaviour<BodyOf<N>, ResultOf<N>, S, ParamsOf<N>>

/** The members of a behaviour that find what stands beside its receipt. */
export type ExtrasOf<N extends OperationName> = Pick<BehaviourOf<N>, "findExtras" | "restoreExtras">

/** Checks a behaviour against its operation's body and result, and lets its subject be of any type. */
export const behaviour = <N extends OperationName, S extends Subject>(_name: N, made: BehaviourOf<N, S>): BehaviourOf<N> => made
