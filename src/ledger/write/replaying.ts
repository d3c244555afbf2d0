/** Replays accepted writes in another database, with their recorded ids and chance (see replay.ts). */
import { digestOf } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { recordedOperation } from "../../contract/operations/index.ts"
import type { Gate } from "../journal/actor.ts"
import { actAgain, type Acts } from "../journal/acts.ts"
import { recordedChance } from "../journal/chance.ts"
import { type AnyBehaviour, bodyOf, checkRequest, type Delivery } from "../journal/delivery.ts"
import type { Entry, Journal } from "../journal/journal.ts"
import type { Receipts } from "../journal/receipts.ts"
import type { Recorded, Writing } from "./writing.ts"

export interface ReplayingParts {
  readonly gate: Gate
  readonly journal: Journal
  readonly receipts: Receipts
  readonly writing: Writing
  readonly acts: Acts
  readonly behaviourOf: (operation: Operation) => AnyBehaviour
  /** The last step of each group of writes. */
  readonly settle: () => void
}

/**
 * Makes a sender for the second of two credentials of one member that used the same delivery id on their instance: here
 * the Room's id stands for all their credentials. The id comes from a digest, so that another instance cannot choose
 * one that belongs to a credential here.
 */
function standIn(roomId: string, deliveryId: string, { given }: Pick<Entry, "given">): string {
  const digest = digestOf(`${roomId} ${deliveryId} ${given.ids?.[0] ?? ""}`).slice("sha256:".length)
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")
}

export class Replaying {
  readonly #parts: ReplayingParts

  constructor(parts: ReplayingParts) {
    this.#parts = parts
  }

  /**
   * Replays an accepted write. Nothing can refuse it: no repository is checked, and neither are permissions nor the
   * state of its subject. Within an open transaction.
   * @returns its result; null for an act
   * @throws OtherChance, or whatever the behaviour throws, if it cannot be replayed
   */
  entry(entry: Entry): Recorded | null {
    const { gate, journal, writing, acts, behaviourOf } = this.#parts
    const operation = recordedOperation(entry.operation)
    if (operation === undefined) {
      if (acts[entry.operation] === undefined) throw new Error(`${entry.operation} is unknown to this program`)
      actAgain(acts, entry)
      // If earlier writes were dropped, its position changes.
      journal.append({ ...entry, position: journal.next() }, digestOf(entry.content))
      return null
    }
    const { given, content, client } = entry
    const here = <Id extends string | null | undefined>(id: Id) => (id == null ? id : (given.people?.[id] ?? id)) as Id
    const params =
      entry.params.userId === undefined ? entry.params : { ...entry.params, userId: here(entry.params.userId) }
    const body = bodyOf(content, client)
    const contentDigest = entry.keptDigests?.contentDigest ?? digestOf(content)
    const delivery: Delivery = {
      operation,
      behaviour: behaviourOf(operation),
      actor: gate.actorOf({ ...entry, userId: here(entry.userId) }, operation),
      params,
      body,
      content,
      contentDigest,
      client,
      deliveryId: String(body[operation.delivery]),
      prepared: given.prepared,
      ...(given.foreseen && { storedExtras: given.foreseen }),
      ...(given.named !== undefined && { named: here(given.named) }),
      ...(entry.keptDigests && { keptDigests: entry.keptDigests }),
    }
    return writing.replay(delivery, delivery.behaviour.subject(delivery), entry.at, recordedChance(given))
  }

  /**
   * Replays an accepted write of another instance, as `entry` does, within an open transaction. Its body is validated
   * like that of a new write.
   * @param roomId the Room it should belong to
   * @throws Refusal for an invalid body, or whatever keeps it from being replayed
   */
  received(entry: Omit<Entry, "position" | "sender">, roomId: string): Recorded | null {
    const { gate, receipts, behaviourOf } = this.#parts
    const operation = recordedOperation(entry.operation)
    if (operation === undefined) throw new Error(`${entry.operation} is unknown to this program`)
    const { userId, username, agent, params, client } = entry
    const actor = gate.actorOf(
      { userId: entry.given.people?.[userId ?? ""] ?? userId, username, agent, sender: roomId },
      operation,
    )
    const body = bodyOf(entry.content, client)
    const { deliveryId, content } = checkRequest(
      { operation, actor, params, body },
      behaviourOf(operation),
      entry.keptDigests !== undefined,
    )
    if (content !== entry.content) throw new Error("its body is not in canonical form")
    const isTaken = receipts.find(operation, actor, deliveryId) !== undefined
    if (isTaken && operation.receiptOf === "member")
      throw new Error(`its ${operation.delivery} was used before, by an earlier ${operation.name} of the same person`)
    return this.entry({ ...entry, position: 0, sender: isTaken ? standIn(roomId, deliveryId, entry) : roomId })
  }

  /** Completes a group of replayed writes, as the queue does before a commit. */
  settle(): void {
    this.#parts.settle()
  }
}
