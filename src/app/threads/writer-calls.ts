/** What the serving thread and the writing thread ask each other, and how a write travels. */
import { type JsonObject, trusted } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { BatchedWrite } from "../../contract/operations/batch.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import type { Admitted, CheckedWrite } from "../../ledger/write/admission.ts"
import type { Changed } from "../../ledger/storage/database.ts"
import type { Leave } from "../../ledger/cut.ts"
import type { BatchRequest } from "../../ledger/write/batch.ts"
import type { RepositorySettings } from "../../repositories/configured.ts"

/** What the writing thread starts from. */
export interface WriterSettings {
  /** The database, open and up to date in the serving thread. */
  readonly file: string
  /** The index of its log, which the serving thread keeps open. */
  readonly index: number | null
  readonly instanceId: string
  readonly repositories: Omit<RepositorySettings, "now">
}

/** What the writing thread offers. */
export interface WriterCalls {
  write(...write: PackedWrite): Accepted
  batch(...batch: PackedBatch): readonly Accepted[]
  /** Goes the way of a write; with `touch` it writes what is there already. */
  probe(touch: boolean): void
  /** Takes out of the tables what was withheld elsewhere. */
  cleanse(): void
  /** Puts into the index of words what was accepted before. */
  index(): void
  /** Has Rooms of other instances leave. */
  leave(leave: Leave): void
  /** The serving thread wants nothing to be written: answers once that is so, until `release` or `apply`. */
  hold(): void
  /** It has what it wanted: what waited goes on. */
  release(): void
  /** Makes the changes that it has tried out, and releases. Answers once they are safe on the disk; false where another process has written since. */
  apply(changes: readonly Changed[]): boolean
  /** Works the log off where nobody reads it. */
  emptyLog(): void
  end(): void
}

/** What the serving thread offers to it. */
export interface WriterEvents {
  /** A group of writes shared a transaction: the milliseconds it took, whether the storage failed it, and the Rooms it wrote to. */
  grouped(writes: number, milliseconds: number, failed: boolean, roomIds: readonly string[]): void
  /** Texts could not be indexed, and why. */
  notIndexed(why: string): void
}

/** A checked write as the arguments of a call. */
export type PackedWrite = readonly [
  operation: string,
  rehearse: boolean,
  actor: string,
  params: string,
  content: string,
  contentDigest: string,
  deliveryId: string,
  requestDigest: string,
  client: string | null,
  keptExtras: string | null,
]

const json = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value))
const object = (text: string | null): JsonObject | undefined => (text === null ? undefined : trusted<JsonObject>(text))

/** The actor as text: all that admission looks at, or it does not compile. */
function actorText({ userId, username, knownAs, agent, grant, key }: Actor): string {
  const actor: { readonly [K in keyof Required<Actor>]: Listed<Actor[K]> | undefined } = {
    userId,
    username,
    knownAs,
    agent,
    grant: grant && { ...grant, permissions: [...grant.permissions], threadIds: grant.threadIds && [...grant.threadIds] },
    key: key && { ...key, permissions: [...key.permissions] },
  }
  return JSON.stringify(actor)
}

/** The same credentials write again and again: so many actors are kept. */
const KEPT = 1_000
const actors = new Map<string, Actor>()
function actorOf(text: string): Actor {
  const found = actors.get(text)
  if (found !== undefined) return found
  if (actors.size >= KEPT) actors.clear()
  // The other thread has just written it.
  const { grant, key, ...person } = trusted<Listed<Actor>>(text)
  const actor: Actor = {
    ...person,
    grant: grant && { ...grant, permissions: new Set(grant.permissions), threadIds: grant.threadIds && new Set(grant.threadIds) },
    ...(key && { key: { ...key, permissions: new Set(key.permissions) } }),
  }
  actors.set(text, actor)
  return actor
}
/** With lists in place of sets, as JSON has it. */
type Listed<T> = T extends ReadonlySet<infer Item> ? Item[] : T extends object ? { readonly [K in keyof T]: Listed<T[K]> } : T

export const packWrite = (
  operation: string,
  { actor, params, content, contentDigest, deliveryId, requestDigest, client, keptExtras }: CheckedWrite,
  rehearse: boolean,
): PackedWrite => [
  operation,
  rehearse,
  actorText(actor),
  JSON.stringify(params),
  content,
  contentDigest,
  deliveryId,
  requestDigest,
  json(client),
  json(keptExtras),
]

export function unpackWrite([
  ,
  ,
  actor,
  params,
  content,
  contentDigest,
  deliveryId,
  requestDigest,
  client,
  keptExtras,
]: PackedWrite): CheckedWrite {
  const known = object(keptExtras)
  // The writing thread or a replay makes what is not named here. A member that is forgotten does not compile.
  const checked: Required<Omit<CheckedWrite, "keptExtras" | "prepared" | "named" | "sealed">> = {
    actor: actorOf(actor),
    params: trusted<CheckedWrite["params"]>(params),
    content,
    contentDigest,
    deliveryId,
    requestDigest,
    client: object(client),
  }
  return known === undefined ? checked : { ...checked, keptExtras: known }
}

/** A batch as the arguments of a call. */
export type PackedBatch = readonly [rehearse: boolean, actor: string, writes: string, kept: string]

export const packBatch = ({ actor, writes, rehearse }: BatchRequest, kept: readonly (JsonObject | undefined)[]): PackedBatch => [
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
    batch: { rehearse, actor: actorOf(actor), writes: packed.map((write) => ({ ...write, operation: operationNamed(write.operation) })) },
    kept: trusted<(JsonObject | null)[]>(kept).map((each) => each ?? undefined),
  }
}

/** What was admitted. What the write made is left out of one that was accepted before. */
export type Accepted = readonly [receipt: string, madeId?: string, madeLabel?: string | null]

export const packAdmitted = ({ receipt, made }: Admitted): Accepted => (made === undefined ? [receipt] : [receipt, made.id, made.label])

export const unpackAdmitted = ([receipt, madeId, madeLabel = null]: Accepted): Admitted =>
  madeId === undefined ? { receipt } : { receipt, made: { id: madeId, label: madeLabel } }
