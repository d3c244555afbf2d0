/**
 * The behaviour of an operation, which its domain implements; the steps that follow it; and acts, which are changes
 * without an operation.
 */
import type { LabelledKind } from "../../contract/objects/objects.ts"
import { type Json, type JsonObject, type Writable, canonicalJson, digestOf } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { BodyOf, OperationName, ParamsOf, ResultOf } from "../../contract/operations/index.ts"
import type { Issue } from "../../contract/refusals.ts"
import type { Warning } from "../../contract/answers/receipts.ts"
import type { RepositoryPin } from "../../contract/definitions/work.ts"
import type { Actor } from "./actor.ts"
import type { EntryBody } from "./timeline.ts"
import type { Entry, Journal } from "./journal.ts"
import { type Chance, recordedChance, type Token } from "../world.ts"

/** One write as sent, after validation against its schema. */
export interface Call<Body = unknown, Params = Readonly<Record<string, string>>> {
  readonly actor: Actor
  /** The ids in the path, in lower case. */
  readonly params: Params
  readonly body: Body
  /** Canonical JSON of the body without `client`. */
  readonly content: string
  /** `sha256:` over `content`. */
  readonly contentDigest: string
  /** The entries that its batch wrote before in its Thread. */
  readonly ownBefore?: number
  /** The result of the behaviour's own `prepare`. */
  readonly prepared?: unknown
  /**
   * In a Room of another instance, the id of the person named in the body: usernames there belong to other people here.
   */
  readonly named?: string
}

/** Members returned with a receipt that describe the state before the write. */
export interface ReceiptExtras {
  /** JSON text of an object with these members. It is not stored. */
  readonly json: string
  /** The part that the journal stores: enough to restore the same members later, whatever has changed since. */
  readonly kept: JsonObject
}

/** The object that a receipt names, as its write made it. */
export interface ReceiptTarget {
  readonly id: string
  readonly label: string | null
}

/** What a write is about: its Room, and the Thread in which its subject was made. */
export interface Subject {
  /** null: the write makes its Room, or belongs to none. */
  readonly roomId: string | null
  /** null: not made in a Thread yet; undefined: Threads do not apply. */
  readonly threadId: string | null | undefined
}

/** What the ledger provides to a behaviour inside the transaction. */
export interface Change {
  /** The moment of acceptance. */
  readonly at: string
  /** The position of the write in the journal. */
  readonly position: number
  /** The id of the timeline entry that the ledger will write for it. */
  readonly entryId: string
  newId(): string
  /** Makes a token: the text for its holder, the digest to store. */
  token(mint: (bytes: (count: number) => Buffer) => string): Token
  /**
   * Reads a list that is not derived from the journal, such as what sources say about papers. A replay returns the list
   * that was read originally.
   */
  readList<T extends Json>(read: () => readonly T[]): readonly T[]
  /** The next label of a kind in the subject's Room. */
  label(kind: LabelledKind): string
  /** The next ordinal of a kind without labels. */
  ordinal(roomId: string, kind: string): number
}

/** The columns that most new objects share: their Room and Thread, their author, and the write that made them. */
export const madeBy = (
  { actor, contentDigest }: Pick<Call, "actor" | "contentDigest">,
  { roomId, threadId }: { readonly roomId: string; readonly threadId: string },
  { entryId, at, position }: Change,
) => ({ roomId, threadId, entryId, authorId: actor.userId, at, historyPosition: position, contentDigest })
export type Made = Readonly<ReturnType<typeof madeBy>>

export interface Outcome<Result = Readonly<Record<string, Writable>>> {
  /**
   * The object that the receipt names. `kind` defaults to the definition's. `labelFromOtherRoom` is set if another Room
   * gave the label.
   */
  readonly target: {
    readonly kind?: string
    readonly id: string
    readonly label: string | null
    readonly labelFromOtherRoom?: true
    readonly originRoomId?: string
  }
  /** Set if it differs from `target.id`. */
  readonly targetId?: string
  readonly result: Result
  /** Members of `result` that are part of this one answer and never stored. */
  readonly secret?: Readonly<Record<string, string>>
  /** Set if they differ from the subject's, as for a write that makes its Room or Thread. */
  readonly roomId?: string
  readonly threadId?: string
  /** The card of its timeline entry. Without one, the entry shows the message or the receipt. */
  readonly entry?: EntryBody
  readonly replyToEntryId?: string | null
  /** The entry of the message that follows its own entry in the same Thread: the body's `message`. */
  readonly messageEntryId?: string | null
  /** false: the write makes no entry in the Room's activity. */
  readonly activity?: false
  readonly warnings?: readonly Warning[]
}

/**
 * The part of an operation that its domain implements. Its functions are called in this order; all but `outside` and
 * `prepare` run inside the transaction.
 */
export interface Behaviour<
  Body = never,
  Result = Readonly<Record<string, Writable>>,
  S extends Subject = Subject,
  Params = Readonly<Record<string, string>>,
> {
  /** Finds the subject. @throws Refusal 404 for its kind */
  subject(call: Call<Body, Params>): S
  /**
   * Returns faults in the references that the schema cannot express. Missing objects and objects of the wrong kind are
   * reported before.
   */
  references?(call: Call<Body, Params>, subject: S): Issue[]
  /**
   * Finds the members returned beside the receipt from the state before the write. Runs on the thread that validates
   * the request, so that no other write waits for it, and only if nothing but the object's state can still refuse the
   * write.
   */
  findExtras?(call: Call<Body, Params>): ReceiptExtras
  /**
   * Reads members returned beside a receipt from the tables, after the write and for a retry. They are not stored with
   * it.
   */
  readExtras?(write: { readonly body: Body; readonly targetId: string }): Readonly<Record<string, Writable>>
  /** Restores the members returned beside a receipt from the part that was stored. */
  restoreExtras?(kept: JsonObject): Readonly<Record<string, Writable>>
  /** The repository and commit that must be public and exist. Their host is queried outside of any transaction. */
  outside?(call: Call<Body, Params>): RepositoryPin | null
  /** Slow work that depends on the body alone, done outside of any transaction. @throws Refusal 422 */
  prepare?(call: Call<Body, Params>): Promise<unknown>
  /** @param at the time of the write @throws Refusal 403 or 409 if the state or the actor does not allow the write */
  admit?(call: Call<Body, Params>, subject: S, at: string): void
  /**
   * For the answer to a retry: returns the current state of the receipt's subject, or undefined if it has not changed
   * since.
   */
  moved?(receipt: { readonly targetId: string; readonly result: Result }): JsonObject | undefined
  /** Writes the domain's own rows. */
  write(call: Call<Body, Params>, subject: S, change: Change): Outcome<Result>
}

/** A write that its behaviour has made, for the steps that follow. */
export interface WrittenSoFar {
  readonly operation: OperationName
  readonly call: Call & { readonly operation: Operation }
  readonly subject: Subject
  readonly change: Change
  readonly outcome: Outcome
}

/** Which of the writes of its operations a step follows, if not all. */
export interface FollowingSome {
  /** Only those that reply to an entry. */
  readonly ifReply?: true
  /** Only those in a Room in which claims or leases may concern them. */
  readonly ifWorkedOn?: true
  /** It only warns. A replay leaves it out: it keeps the warnings that were given. */
  readonly isAdvice?: true
}

/** A step that follows the own write of some operations, in the same transaction. */
export interface FollowingStep extends FollowingSome {
  readonly operations: ReadonlyMap<string, OperationName>
  /** @returns warnings for the receipt */
  readonly follow: (written: WrittenSoFar) => readonly Warning[]
}

/** A step of some operations. */
export const following = (
  names: readonly OperationName[],
  follow: FollowingStep["follow"],
  some: FollowingSome = {},
): FollowingStep => ({ operations: new Map(names.map((name) => [name, name])), ...some, follow })

export type Behaviours = { readonly [N in OperationName]: BehaviourOf<N> }
export type BehaviourOf<N extends OperationName, S extends Subject = Subject> = Behaviour<
  BodyOf<N>,
  ResultOf<N>,
  S,
  ParamsOf<N>
>

/** The members of a behaviour that find what is returned beside its receipt. */
export type ExtrasOf<N extends OperationName> = Pick<BehaviourOf<N>, "findExtras" | "restoreExtras">

/** Checks a behaviour against its operation's body and result, and accepts any type of subject. */
export const behaviour = <N extends OperationName, S extends Subject>(
  _name: N,
  made: BehaviourOf<N, S>,
): BehaviourOf<N> => made

// Acts: changes by people that are not operations and have no receipt, but that other rows refer to.

/** The person who acts (an empty id if nobody is signed in), and the source of time, ids and tokens. */
export interface ActCall {
  readonly userId: string
  readonly change: Pick<Chance, "newId" | "token"> & { readonly at: string }
}

interface AnyAct {
  /**
   * Each act takes its own type of input. It is declared as a method so that acts with different inputs fit one record.
   */
  act(call: ActCall, input: unknown): unknown
}
export type Acts = Readonly<Record<string, AnyAct["act"]>>
type By = { readonly userId: string; readonly username: string } | null
/** Each act as it is called, within an open transaction: by whom, and with what input. */
export type Done<A extends Acts> = {
  readonly [N in keyof A]: (by: By, input: Parameters<A[N]>[1]) => ReturnType<A[N]>
}

const callOf = (userId: string | null, at: string, chance: Chance): ActCall => ({
  userId: userId ?? "",
  change: { at, newId: chance.newId, token: chance.token },
})

/** Wraps acts so that each call is appended to the journal, even if it changes nothing. */
export function journalled<A extends Acts>(acts: A, journal: Journal, chance: () => Chance, at: () => string): Done<A> {
  const done = (name: string, act: Acts[string]) => (by: By, input: unknown) => {
    const given = chance()
    const now = at()
    const result = act(callOf(by?.userId ?? null, now, given), input)
    const content = canonicalJson(input)
    journal.append(
      {
        position: journal.next(),
        operation: name,
        userId: by?.userId ?? null,
        username: by?.username ?? null,
        sender: null,
        at: now,
        params: {},
        content,
        client: undefined,
        given: given.given(),
      },
      digestOf(content),
    )
    return result
  }
  return Object.fromEntries(Object.entries(acts).map(([name, act]) => [name, done(name, act)])) as Done<A>
}

/** Replays an act. */
export function actAgain(acts: Acts, entry: Entry): void {
  const chance = recordedChance(entry.given)
  acts[entry.operation]?.(callOf(entry.userId, entry.at, chance), JSON.parse(entry.content))
  chance.given()
}
