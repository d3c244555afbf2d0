/**
 * A batch: several writes of one caller, admitted in order in one transaction, or none of them. A write may take values from the receipt
 * of an earlier one, which are known only inside the transaction, so its schema is checked there. Before that, a placeholder id replaces
 * them to find the repositories to check and similar records.
 */
import { isObject, type Json, type JsonObject, trusted } from "../../contract/json.ts"
import { type BatchedWrite, jsonObject, partAt, refusedIn, resolved } from "../../contract/operations/batch.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import type { Actor } from "../journal/actor.ts"
import type { Delivery, Request } from "../journal/delivery.ts"

/** A batch as the edge passes it on. */
export interface BatchRequest {
  readonly actor: Actor
  readonly writes: readonly BatchedWrite[]
  readonly rehearse: boolean
}

/** A placeholder for an unknown id. It names nothing. */
const PLACEHOLDER_ID = "00000000-0000-0000-0000-000000000000"

/** Runs `work` for one write of a batch, and turns its refusal into the refusal of the batch. */
export function within<T>(writes: readonly BatchedWrite[], index: number, work: () => T, from?: string): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Refusal ? refusedIn(writes, index, error, from) : error
  }
}

const asRequest = (actor: Actor, { operation }: BatchedWrite, whole: Json): Request => {
  const { params, body } = jsonObject(whole)
  return {
    operation,
    actor,
    body,
    params: Object.fromEntries(Object.entries(jsonObject(params)).map(([name, value]) => [name, idIn(name, value)])),
  }
}

/** Normalises an id of a path to lower case, as a route does. */
function idIn(name: string, value: Json): string {
  if (typeof value === "string") return isUuid(value) ? value.toLowerCase() : value
  throw new Refusal("invalid_schema", `${name} must be a string.`, { issues: [{ path: `/params/${name}`, message: "must be a string" }] })
}

/** The part of a write that is known before the transaction. `isWhole` is false if it takes values from an earlier write. */
export function provisional(actor: Actor, write: BatchedWrite): { readonly request: Request; readonly isWhole: boolean } {
  let isWhole = true
  const { params, body } = write
  const whole = resolved({ params, body }, () => {
    isWhole = false
    return PLACEHOLDER_ID
  })
  return { request: asRequest(actor, write, whole), isWhole }
}

/**
 * Admits the writes of a batch in order. Called inside a transaction that is rolled back when it throws.
 * @param check steps 6 and 7 of one write
 * @param deliver steps 8 to 13 of one write
 * @throws Refusal of the first refused write, which names it
 */
export function deliverAll<Admitted extends { readonly receipt: string }>(
  { actor, writes }: BatchRequest,
  check: (request: Request, index: number) => Delivery,
  deliver: (delivery: Delivery) => Admitted,
): Admitted[] {
  const receipts = new Map<string, JsonObject>()
  return writes.map((write, index) => {
    const { params, body, as } = write
    const request = within(writes, index, () => asRequest(actor, write, resolved({ params, body }, partOf)), "")
    const admitted = within(writes, index, () => deliver(check(request, index)))
    if (as !== null) receipts.set(as, trusted<JsonObject>(admitted.receipt))
    return admitted
  })

  function partOf({ $from, path }: { readonly $from: string; readonly path: string }, at: string): Json {
    const part = partAt(receipts.get($from) ?? null, path)
    if (part !== undefined && (part === null || !isObject(part))) return part
    const issues = [{ path: at, message: `takes ${path} of ${$from}, where its receipt has no single value` }]
    throw new Refusal("invalid_schema", `The receipt of ${$from} has no single value at ${path}.`, { issues })
  }
}

/** The refusal of a pin that comes partly from another write, so that it could not be checked before the transaction. */
export const uncheckedPin = (): Refusal =>
  new Refusal("invalid_schema", "repository must be given in the write itself, because it is checked before the batch begins.", {
    issues: [{ path: "/repository", message: "must not come from another write of the batch" }],
  })
