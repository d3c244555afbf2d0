/**
 * A batch: several writes of one caller, admitted in order in one transaction, or none of them. A write may take values
 * from the receipt of an earlier one, which are known only inside the transaction, so its schema is checked there.
 * Before that, a placeholder id replaces them to find the repositories to check and similar records.
 */
import { setImmediate as turn } from "node:timers/promises"
import { canonicalJson, isObject, type Json, type JsonObject, jsonObject, trusted } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { RepositoryPin } from "../../contract/definitions/work.ts"
import { partAt, resolved } from "../../contract/definitions/references.ts"
import { type BatchedWrite, refusedIn, watermarked } from "../../contract/operations/batch.ts"
import { present } from "../../contract/typed.ts"
import { Refusal } from "../../contract/refusals.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { check } from "../../contract/schema/validation.ts"
import type { Actor } from "../journal/actor.ts"
import type { AnyBehaviour, Delivery, Request, Receipts } from "../journal/delivery.ts"
import { grantRefusal } from "./admission.ts"
import type { Admission, Admitted, BatchRequest } from "./admission.ts"
import { type CommitQueue, RollbackWith } from "./commit-queue.ts"

/** A placeholder for an unknown id. It names nothing. */
const PLACEHOLDER_ID = "00000000-0000-0000-0000-000000000000"

/** Runs `work` for one write of a batch, and turns its refusal into the refusal of the batch. */
function within<T>(writes: readonly BatchedWrite[], index: number, work: () => T, from?: string): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Refusal ? refusedIn(writes, index, error, from) : error
  }
}

const asRequest = (
  actor: Actor,
  { operation }: BatchedWrite,
  whole: Json,
  written: (threadId: string) => number = () => 0,
): Request => {
  const { params, body } = jsonObject(whole)
  const { threadId } = jsonObject(body)
  return {
    operation,
    actor,
    body: watermarked(jsonObject(body), written),
    ...(typeof threadId === "string" && { ownBefore: written(threadId.toLowerCase()) }),
    params: Object.fromEntries(Object.entries(jsonObject(params)).map(([name, value]) => [name, idIn(name, value)])),
  }
}

/** Normalises an id of a path to lower case, as a route does. */
function idIn(name: string, value: Json): string {
  if (typeof value === "string") return isUuid(value) ? value.toLowerCase() : value
  throw new Refusal("invalid_schema", `${name} must be a string.`, {
    issues: [{ path: `/params/${name}`, message: "must be a string" }],
  })
}

interface Provisional {
  readonly request: Request
  /** false: it takes values from an earlier write. */
  readonly isWhole: boolean
  /** Whether the transaction will find the same: it does not count the entries of earlier writes either. */
  readonly isFinal: boolean
}

/** A write of a batch before the transaction; the delivery is undefined if it is not valid without an earlier write. */
export interface Checked {
  readonly delivery: Delivery | undefined
  readonly isFinal: boolean
}

/** The part of a write that is known before the transaction. */
function provisional(actor: Actor, write: BatchedWrite): Provisional {
  let isWhole = true
  const { params, body } = write
  const whole = resolved({ params, body }, () => {
    isWhole = false
    return PLACEHOLDER_ID
  })
  const request = asRequest(actor, write, whole)
  return { request, isWhole, isFinal: isWhole && request.body === jsonObject(whole).body }
}

/** Milliseconds for which the work before the transaction holds the thread. */
const HELD_MS = 10

/** Returns a function that lets others have the thread if it was held for long. */
export function takingTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < HELD_MS) return
    await turn()
    since = performance.now()
  }
}

/**
 * Admits the writes of a batch in order. Called inside a transaction that is rolled back when it throws.
 * @param known the writes that were checked before and do not depend on others
 * @param check steps 6 and 7 of one write
 * @param deliver steps 8 to 13 of one write
 * @throws Refusal of the first refused write, which names it
 */
function deliverAll<Admitted extends { readonly receipt: string }>(
  { actor, writes }: BatchRequest,
  known: (index: number) => Delivery | undefined,
  check: (request: Request) => Delivery,
  deliver: (delivery: Delivery, index: number) => Admitted,
): Admitted[] {
  const receipts = new Map<string, JsonObject>()
  const entries = new Map<string, number>()
  const written = (threadId: string): number => entries.get(threadId) ?? 0
  return writes.map((write, index) => {
    const { params, body, as } = write
    const request = () => asRequest(actor, write, resolved({ params, body }, partOf), written)
    const checked = known(index)
    const given = checked === undefined ? within(writes, index, request, "") : null
    const admitted = within(writes, index, () => deliver(given === null ? present(checked) : check(given), index))
    const receipt = trusted<JsonObject>(admitted.receipt)
    const { threadId, entry } = receipt
    if (typeof threadId === "string" && entry !== null) entries.set(threadId, written(threadId) + 1)
    if (as !== null) receipts.set(as, receipt)
    return admitted
  })

  function partOf({ $from, path }: { readonly $from: string; readonly path: string }, at: string): Json {
    const part = partAt(receipts.get($from) ?? null, path)
    if (part !== undefined && (part === null || !isObject(part))) return part
    const issues = [{ path: at, message: `takes ${path} of ${$from}, where its receipt has no single value` }]
    throw new Refusal("invalid_schema", `The receipt of ${$from} has no single value at ${path}.`, { issues })
  }
}

/**
 * The refusal of a pin that comes partly from another write, so that it could not be checked before the transaction.
 */
const uncheckedPin = (): Refusal =>
  new Refusal(
    "invalid_schema",
    "repository must be given in the write itself, because it is checked before the batch begins.",
    {
      issues: [{ path: "/repository", message: "must not come from another write of the batch" }],
    },
  )

export interface BatchAdmissionParts {
  readonly admission: Admission
  readonly queue: CommitQueue
  readonly receipts: Receipts
  readonly behaviourOf: (operation: Operation) => AnyBehaviour
}

export class BatchAdmission {
  readonly #parts: BatchAdmissionParts

  constructor(parts: BatchAdmissionParts) {
    this.#parts = parts
  }

  /**
   * Steps 6 and 7 of each write, as far as they are possible before the transaction. Others get the thread in between.
   * @throws Refusal of the first write that fails and takes no value from another
   */
  async check({ actor, writes }: BatchRequest): Promise<Checked[]> {
    const rest = takingTurns()
    const checked: Checked[] = []
    for (const [index, write] of writes.entries()) {
      const { request, isWhole, isFinal } = within(writes, index, () => provisional(actor, write), "")
      try {
        checked.push({ delivery: this.#parts.admission.check(request), isFinal })
      } catch (error) {
        if (isWhole && error instanceof Refusal) throw refusedIn(writes, index, error)
        checked.push({ delivery: undefined, isFinal: false })
      }
      await rest()
    }
    return checked
  }

  /** Admits a batch. @param kept for each write, the part of its extras that the journal stores */
  async admit(
    batch: BatchRequest,
    checked: readonly Checked[],
    kept: readonly (JsonObject | undefined)[],
  ): Promise<readonly Admitted[]> {
    const { admission, receipts } = this.#parts
    const { actor, rehearse } = batch
    const checkedPins = await this.#lookUp(batch)
    const isPinChecked = ({ behaviour, operation, deliveryId, ...call }: Delivery) => {
      const pin = behaviour.outside?.(call) ?? null
      return (
        pin === null || checkedPins.has(canonicalJson(pin)) || receipts.find(operation, actor, deliveryId) !== undefined
      )
    }
    return this.#parts.queue.run(
      (changes) => {
        const admitted = deliverAll(
          batch,
          (index) => (checked[index]?.isFinal ? checked[index].delivery : undefined),
          (request) => admission.check(request),
          (delivery, index) => {
            if (!isPinChecked(delivery)) throw uncheckedPin()
            const storedExtras = kept[index]
            return admission.deliver(storedExtras === undefined ? delivery : { ...delivery, storedExtras }, changes)
          },
        )
        if (rehearse) throw new RollbackWith(admitted)
        return admitted
      },
      { rehearsal: rehearse, saysWhen: true },
    )
  }

  /**
   * Step 11 for the writes of a batch, outside of any transaction. @returns the pins of public repositories, as
   * canonical JSON
   */
  async #lookUp({ actor, writes }: BatchRequest): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for (const [index, write] of writes.entries()) {
      try {
        const pin = this.#pinOf(actor, write)
        if (pin === null || found.has(canonicalJson(pin))) continue
        await this.#parts.admission.lookUp(pin)
        found.add(canonicalJson(pin))
      } catch (error) {
        throw error instanceof Refusal ? refusedIn(writes, index, error) : error
      }
    }
    return found
  }

  /**
   * The pin to check for one write of a batch; null for a retry, and for a write that the transaction will refuse.
   * @throws Refusal of steps 6 to 10
   */
  #pinOf(actor: Actor, write: BatchedWrite): RepositoryPin | null {
    const { admission, receipts, behaviourOf } = this.#parts
    const { operation } = write
    const { outside } = behaviourOf(operation)
    if (outside === undefined) return null
    const { request, isWhole } = provisional(actor, write)
    if (isWhole) {
      const delivery = admission.check(request)
      return admission.answeredBefore(delivery) === undefined ? (delivery.behaviour.outside?.(delivery) ?? null) : null
    }
    const lacking = grantRefusal(operation, actor)
    if (lacking !== null) throw lacking
    if (receipts.find(operation, actor, String(write.body[operation.delivery])) !== undefined) return null
    const { repository } = operation.body.entries
    const pinned = repository === undefined ? null : check(repository, write.body.repository)
    if (pinned?.ok !== true) return null
    return outside({ ...request, body: { repository: pinned.value }, content: "", contentDigest: "" })
  }
}
