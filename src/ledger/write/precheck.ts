/** Steps 8 to 10 of a write: what can be answered without changing anything. */
import { extendJson, parse } from "../../contract/json.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { type Gate, senderId } from "../journal/actor.ts"
import type { Subject } from "../journal/behaviour.ts"
import type { Delivery } from "../journal/delivery.ts"
import { grantRefusal, roomRefusal } from "./access.ts"
import type { Receipts } from "../journal/receipts.ts"
import type { References } from "./references.ts"

export class Approach {
  readonly #gate: Gate
  readonly #receipts: Receipts
  readonly #references: References

  constructor(gate: Gate, receipts: Receipts, references: References) {
    this.#gate = gate
    this.#receipts = receipts
    this.#references = references
  }

  /** @returns the receipt of a write that was accepted before, or what a new one is about @throws Refusal of the first check it fails */
  walk(delivery: Delivery, at: string): { replayed: string } | { subject: Subject } {
    const { operation, behaviour, actor } = delivery
    this.#gate.confirm(actor, at)
    const replayed = this.#replay(delivery)
    if (replayed !== undefined) return { replayed }

    const lacking = grantRefusal(operation, actor)
    if (lacking) throw lacking
    const subject = this.#subject(delivery)
    if (subject.roomId !== null) this.#enter(delivery, subject.roomId, subject.threadId)
    const unknown = this.#references.faults(operation, delivery.body)
    const further = behaviour.references?.(delivery, subject) ?? []
    const faults = [...unknown, ...further.filter(({ path }) => unknown.every((fault) => fault.path !== path))]
    const [first] = faults
    if (first === undefined) return { subject }
    const others =
      faults.length === 1 ? "" : ` ${faults.length - 1} more of its references ${faults.length === 2 ? "is" : "are"} wrong: see issues.`
    throw new Refusal("unknown_reference", `${first.path} ${first.message}.${others}`, { issues: faults })
  }

  /** @throws Refusal 404 */
  #subject(delivery: Delivery): Subject {
    try {
      return delivery.behaviour.subject(delivery)
    } catch (error) {
      throw this.#references.explained(error, delivery.operation, delivery.params, delivery.body)
    }
  }

  /** Step 8: a known id answers its first receipt, or refuses other content. */
  #replay({ operation, behaviour, actor, deliveryId, requestDigest }: Delivery): string | undefined {
    const known = this.#receipts.find(operation, actor, deliveryId)
    if (known === undefined) return undefined
    if (known.requestDigest !== requestDigest) {
      const { acceptedAt, target } = parse(known.body)
      throw new Refusal(
        "request_conflict",
        `This ${operation.delivery} was used before with other content. A new contribution needs a new id.`,
        {
          // What a Library's receipt names may be out of this key's reach.
          current: {
            operation: operation.name,
            acceptedAt,
            ...(actor.key === undefined ? { target } : {}),
          },
        },
      )
    }
    const changed = known.credentialId !== senderId(actor)
    const current = behaviour.moved?.(parse(known.body))
    return extendJson(known.body, { replayed: true, ...(changed ? { credentialChanged: true } : {}), ...(current && { current }) })
  }

  /** Step 9: membership, scope, role and archive of the Room. */
  #enter({ operation, actor }: Delivery, roomId: string, threadId: string | null | undefined): void {
    const standing = this.#gate.standing(roomId, actor.userId)
    if (standing === undefined) throw noSuch("room")
    const refusal = roomRefusal(operation, actor, standing, threadId)
    if (refusal) throw refusal
  }
}
