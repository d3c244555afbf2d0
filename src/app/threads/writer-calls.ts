/** The calls between the serving thread and the writer thread, and how writes are packed for them. */
import { type JsonObject, trusted } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { BatchedWrite } from "../../contract/operations/batch.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import type { Admitted, CheckedWrite } from "../../ledger/write/admission.ts"
import type { Changed } from "../../ledger/storage/database.ts"
import type { BatchRequest } from "../../ledger/write/admission.ts"
import type { RepositorySettings } from "../../repositories/configured.ts"

/** The `workerData` of the writer thread. */
export interface WriterSettings {
  /** The database, which the serving thread has opened and upgraded. */
  readonly file: string
  /** The file descriptor of the index of its log, which the serving thread keeps open. */
  readonly index: number | null
  readonly instanceId: string
  readonly repositories: Omit<RepositorySettings, "now">
}

/** The functions of the writer thread. */
export interface WriterCalls {
  write(...write: PackedWrite): Accepted
  batch(...batch: PackedBatch): readonly Accepted[]
  /** Tests whether writes work; with `touch` it also rewrites an existing value. */
  probe(touch: boolean): void
  /** Removes withheld words from the tables. */
  cleanse(): void
  /** Adds everything accepted so far to the search index. */
  index(): void
  /** Pauses writes until `release` or `apply`. Returns when no write is running. */
  hold(): void
  release(): void
  /**
   * Makes the changes that the serving thread has tried out, and resumes writes. Returns when they are on the disk;
   * false if another process has written since `hold`.
   */
  apply(changes: readonly Changed[]): boolean
  /** Empties the log if no reader needs it. */
  emptyLog(): void
  end(): void
}

/** The functions of the serving thread. */
export interface WriterEvents {
  /**
   * A group of writes was committed or failed: the milliseconds it took, whether the storage failed, and the Rooms it
   * wrote to.
   */
  grouped(writes: number, milliseconds: number, failed: boolean, roomIds: readonly string[]): void
  notIndexed(why: string): void
}

/**
 * A checked write as the arguments of a call. `others` is JSON text of the ids in its path, `client` and the extras to
 * keep.
 */
export type PackedWrite = readonly [
  operation: string,
  rehearse: boolean,
  actor: string,
  content: string,
  contentDigest: string,
  deliveryId: string,
  requestDigest: string,
  others: string,
]

/** Serializes an actor. The type requires every member. */
function actorText({ userId, username, knownAs, agent, grant, key }: Actor): string {
  const actor: { readonly [K in keyof Required<Actor>]: Listed<Actor[K]> | undefined } = {
    userId,
    username,
    knownAs,
    agent,
    grant: grant && {
      ...grant,
      permissions: [...grant.permissions],
      threadIds: grant.threadIds && [...grant.threadIds],
    },
    key: key && { ...key, permissions: [...key.permissions] },
  }
  return JSON.stringify(actor)
}

/** The most cached actors. The same credentials write repeatedly. */
const KEPT = 1_000
const actors = new Map<string, Actor>()
function actorOf(text: string): Actor {
  const found = actors.get(text)
  if (found !== undefined) return found
  if (actors.size >= KEPT) actors.clear()
  // The text was written by actorText.
  const { grant, key, ...person } = trusted<Listed<Actor>>(text)
  const actor: Actor = {
    ...person,
    grant: grant && {
      ...grant,
      permissions: new Set(grant.permissions),
      threadIds: grant.threadIds && new Set(grant.threadIds),
    },
    ...(key && { key: { ...key, permissions: new Set(key.permissions) } }),
  }
  actors.set(text, actor)
  return actor
}
/** A type with arrays in place of sets, for JSON. */
type Listed<T> =
  T extends ReadonlySet<infer Item> ? Item[] : T extends object ? { readonly [K in keyof T]: Listed<T[K]> } : T

type Others = Pick<CheckedWrite, "params" | "client" | "keptExtras">

export const packWrite = (
  operation: string,
  { actor, params, content, contentDigest, deliveryId, requestDigest, client, keptExtras }: CheckedWrite,
  rehearse: boolean,
): PackedWrite => {
  const others = JSON.stringify({ params, client, keptExtras })
  return [operation, rehearse, actorText(actor), content, contentDigest, deliveryId, requestDigest, others]
}

export function unpackWrite([
  ,
  ,
  actor,
  content,
  contentDigest,
  deliveryId,
  requestDigest,
  others,
]: PackedWrite): CheckedWrite {
  const { params, client, keptExtras } = trusted<Others>(others)
  // The type requires every member except those that the writer thread or a replay makes.
  const checked: Required<Omit<CheckedWrite, "keptExtras" | "prepared" | "named" | "sealed">> = {
    actor: actorOf(actor),
    params,
    content,
    contentDigest,
    deliveryId,
    requestDigest,
    client,
  }
  return keptExtras === undefined ? checked : { ...checked, keptExtras }
}

/** A batch as the arguments of a call. */
export type PackedBatch = readonly [rehearse: boolean, actor: string, writes: string, kept: string]

export const packBatch = (
  { actor, writes, rehearse }: BatchRequest,
  kept: readonly (JsonObject | undefined)[],
): PackedBatch => [
  rehearse,
  actorText(actor),
  JSON.stringify(writes.map((write) => ({ ...write, operation: write.operation.name }))),
  JSON.stringify(kept.map((each) => each ?? null)),
]

/** @param operationNamed finds an operation by its name */
export function unpackBatch(
  [rehearse, actor, writes, kept]: PackedBatch,
  operationNamed: (name: string) => Operation,
): { readonly batch: BatchRequest; readonly kept: readonly (JsonObject | undefined)[] } {
  const packed = trusted<(Omit<BatchedWrite, "operation"> & { operation: string })[]>(writes)
  return {
    batch: {
      rehearse,
      actor: actorOf(actor),
      writes: packed.map((write) => ({ ...write, operation: operationNamed(write.operation) })),
    },
    kept: trusted<(JsonObject | null)[]>(kept).map((each) => each ?? undefined),
  }
}

/** An admitted write. The object it made is left out if the write was a retry. */
export type Accepted = readonly [receipt: string, madeId?: string, madeLabel?: string | null]

export const packAdmitted = ({ receipt, made }: Admitted): Accepted =>
  made === undefined ? [receipt] : [receipt, made.id, made.label]

export const unpackAdmitted = ([receipt, madeId, madeLabel = null]: Accepted): Admitted =>
  madeId === undefined ? { receipt } : { receipt, made: { id: madeId, label: madeLabel } }
