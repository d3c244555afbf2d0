/** What the serving thread and the writing thread say to each other. All of it can be cloned. */
import { type JsonObject, trusted } from "../contract/json.ts"
import type { RefusalCode, RefusalDetails } from "../contract/refusals.ts"
import type { Actor } from "../ledger/actor.ts"
import type { Admitted, CheckedWrite } from "../ledger/admit.ts"
import type { RepositorySettings } from "../repositories/configured.ts"

/** What the writing thread starts from. */
export interface WriterSettings {
  /** The database, open and up to date in the serving thread. */
  readonly file: string
  readonly instanceId: string
  readonly repositories: Omit<RepositorySettings, "now">
}

/** A checked write, its operation named. */
export interface Sent {
  readonly id: number
  readonly operation: string
  readonly checked: CheckedWrite
  readonly rehearse: boolean
}

/** A checked write on its way, a message of its own: texts in a list are copied in half the time that objects take. */
export type Packed = readonly [
  id: number,
  operation: string,
  rehearse: boolean,
  actor: string,
  params: string,
  content: string,
  contentDigest: string,
  deliveryId: string,
  requestDigest: string,
  client: string | null,
  foreseen: string | null,
]

const json = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value))
const object = (text: string | null): JsonObject | undefined => (text === null ? undefined : trusted<JsonObject>(text))

/** Of who writes, no more goes over than admission looks at; but all of that, or it does not compile. */
function actorText({ userId, username, knownAs, grant, key }: Actor): string {
  const actor: { readonly [K in keyof Required<Actor>]: Listed<Actor[K]> | undefined } = {
    userId,
    username,
    knownAs,
    grant: grant && { ...grant, permissions: [...grant.permissions], threadIds: grant.threadIds && [...grant.threadIds] },
    key: key && { ...key, permissions: [...key.permissions] },
  }
  return JSON.stringify(actor)
}

/** The same credentials write again and again: so many are known. */
const KNOWN = 1_000
const known = new Map<string, Actor>()
function actorOf(text: string): Actor {
  const found = known.get(text)
  if (found !== undefined) return found
  if (known.size >= KNOWN) known.clear()
  // The other thread has just written it.
  const { grant, key, ...person } = trusted<Listed<Actor>>(text)
  const actor: Actor = {
    ...person,
    grant: grant && { ...grant, permissions: new Set(grant.permissions), threadIds: grant.threadIds && new Set(grant.threadIds) },
    ...(key && { key: { ...key, permissions: new Set(key.permissions) } }),
  }
  known.set(text, actor)
  return actor
}
/** With lists in place of sets, as JSON has it. */
type Listed<T> = T extends ReadonlySet<infer Item> ? Item[] : T extends object ? { readonly [K in keyof T]: Listed<T[K]> } : T

export const packed = (
  id: number,
  operation: string,
  { actor, params, content, contentDigest, deliveryId, requestDigest, client, foreseen }: CheckedWrite,
  rehearse: boolean,
): Packed => [
  id,
  operation,
  rehearse,
  actorText(actor),
  JSON.stringify(params),
  content,
  contentDigest,
  deliveryId,
  requestDigest,
  json(client),
  json(foreseen),
]

export function unpacked(write: Packed): Sent {
  const [id, operation, rehearse, actor, params, content, contentDigest, deliveryId, requestDigest, client, foreseen] = write
  const told = object(foreseen)
  // What is not named here is made by the writing thread or by replays; a member that is forgotten does not compile.
  const checked: Required<Omit<CheckedWrite, "foreseen" | "prepared" | "named" | "sealed">> = {
    actor: actorOf(actor),
    params: trusted<CheckedWrite["params"]>(params),
    content,
    contentDigest,
    deliveryId,
    requestDigest,
    client: object(client),
  }
  return { id, operation, rehearse, checked: told === undefined ? checked : { ...checked, foreseen: told } }
}

export type ToWriter = Packed | Request

export type Request =
  | { readonly kind: "probe"; readonly id: number; readonly touch: boolean }
  /** Something was withheld elsewhere, of which the tables may still tell. */
  | { readonly kind: "cleanse"; readonly id: number }
  /** The serving thread wants to write alone: answer `held`, and write nothing until `release`. */
  | { readonly kind: "hold" }
  | { readonly kind: "release" }
  | { readonly kind: "end" }

/** What was admitted, as a list for the same reason; what it made is left out of a write that was accepted before. */
export type Accepted = readonly [id: number, receipt: string, madeId?: string, madeLabel?: string | null]

export const accepted = (id: number, { receipt, made }: Admitted): Accepted =>
  made === undefined ? [id, receipt] : [id, receipt, made.id, made.label]

export const admittedAs = ([, receipt, madeId, madeLabel = null]: Accepted): Admitted =>
  madeId === undefined ? { receipt } : { receipt, made: { id: madeId, label: madeLabel } }

export type Failed =
  | { readonly id: number; readonly refusal: { readonly code: RefusalCode; readonly sentence: string; readonly details: RefusalDetails } }
  /** Something failed that no refusal foresaw, as it is to be logged. */
  | { readonly id: number; readonly fault: string }

/** How a write or a look ended. */
export type Answer = Accepted | Failed

/** A group of writes that shared a transaction, the milliseconds it took, and whether the storage failed it. */
export type Group = readonly [writes: number, milliseconds: number, failed: boolean]

export type FromWriter =
  /** Answers, the Rooms in which something landed, and the groups they were in. */
  readonly [answers: readonly Answer[], landed: readonly string[], groups: readonly Group[]] | "held"
