/** Admits the writes of a batch: first the checks outside of the transaction, then all writes in one transaction. */
import { canonicalJson, type JsonObject } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { RepositoryPin } from "../../contract/definitions/work.ts"
import { type BatchedWrite, refusedIn } from "../../contract/operations/batch.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { check } from "../../contract/schema/validation.ts"
import type { Actor } from "../journal/actor.ts"
import type { AnyBehaviour, Delivery } from "../journal/delivery.ts"
import type { Receipts } from "../journal/receipts.ts"
import { grantRefusal } from "./access.ts"
import { type Admission, type Admitted, asWritten } from "./admission.ts"
import { type BatchRequest, deliverAll, provisional, uncheckedPin, within } from "./batch.ts"
import { type CommitQueue, RollbackWith } from "./commit-queue.ts"

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
   * Steps 6 and 7 of each write, as far as they are possible before the transaction.
   * @returns undefined for a write that takes a value from an earlier write and is not valid without it
   * @throws Refusal of the first write that fails and takes no value from another
   */
  check({ actor, writes }: BatchRequest): (Delivery | undefined)[] {
    return writes.map((write, index) => {
      const { request, isWhole } = within(writes, index, () => provisional(actor, write), "")
      try {
        return this.#parts.admission.check(request)
      } catch (error) {
        if (isWhole && error instanceof Refusal) throw refusedIn(writes, index, error)
        return undefined
      }
    })
  }

  /** Admits a batch. @param kept for each write, the part of its extras that the journal stores */
  async admit(batch: BatchRequest, kept: readonly (JsonObject | undefined)[]): Promise<readonly Admitted[]> {
    const { admission, receipts } = this.#parts
    const { actor, rehearse } = batch
    const checkedPins = await this.#lookUp(batch)
    const isPinChecked = ({ behaviour, operation, deliveryId, ...call }: Delivery) => {
      const pin = behaviour.outside?.(call) ?? null
      return pin === null || checkedPins.has(canonicalJson(pin)) || receipts.find(operation, actor, deliveryId) !== undefined
    }
    return this.#parts.queue.run(
      () => {
        const admitted = deliverAll(
          batch,
          (request, index) => {
            const keptExtras = kept[index]
            const delivery = asWritten(admission.check(request))
            if (!isPinChecked(delivery)) throw uncheckedPin()
            return keptExtras === undefined ? delivery : { ...delivery, keptExtras }
          },
          (delivery) => admission.deliver(delivery),
        )
        if (rehearse) throw new RollbackWith(admitted)
        return admitted
      },
      { rehearsal: rehearse },
    )
  }

  /** Step 11 for the writes of a batch, outside of any transaction. @returns the pins of public repositories, as canonical JSON */
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

  /** The pin to check for one write of a batch; null for a retry, and for a write that the transaction will refuse. @throws Refusal of steps 6 to 10 */
  #pinOf(actor: Actor, write: BatchedWrite): RepositoryPin | null {
    const { admission, receipts, behaviourOf } = this.#parts
    const { operation } = write
    const { outside } = behaviourOf(operation)
    if (outside === undefined) return null
    const { request, isWhole } = provisional(actor, write)
    if (isWhole) {
      const delivery = asWritten(admission.check(request))
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
