/** What every accepted write leaves behind, whatever it was: timeline entries, an activity entry, and its receipt. */
import type { ActivityEntry } from "../contract/answers.ts"
import { type JsonObject, type Writable, writeJson } from "../contract/json.ts"
import { senderId } from "./actor.ts"
import type { Activity } from "./activity.ts"
import type { Change, Made, Outcome, Subject } from "./behaviour.ts"
import type { Delivery } from "./delivery.ts"
import type { Given, History } from "./history.ts"
import { type Receipts, wholeReceipt } from "./receipts.ts"
import type { Sequences } from "./sequences.ts"
import type { Timeline } from "./timeline.ts"

export interface RecorderParts {
  readonly timeline: Timeline
  readonly activity: Activity
  readonly receipts: Receipts
  readonly history: History
  readonly sequences: Sequences
}

/** What became of a write. */
export interface Recorded {
  readonly answer: string
  readonly made: Made
  readonly roomId: string | null
  /** Its entry of the Room's activity; null where it has none. */
  readonly activity: { readonly sequence: number; readonly digest: string } | null
}

export class Recorder {
  readonly #parts: RecorderParts

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  /**
   * Step 13. @param given what the world gave to it
   * @returns the answer: the stored receipt, with what goes into this one answer only
   */
  record(delivery: Delivery, subject: Subject, change: Change, outcome: Outcome, given: Given): Recorded {
    const { operation, actor, contentDigest, deliveryId } = delivery
    // In the record people of another instance have their ids there.
    const ids = new Map(Object.entries(given.people ?? {}).map(([there, here]) => [here, there]))
    const there = (id: string) => ids.get(id) ?? id
    const params = delivery.params.userId === undefined ? delivery.params : { ...delivery.params, userId: there(delivery.params.userId) }
    const warnings = given.warnings ?? outcome.warnings ?? []
    const roomId = outcome.roomId ?? subject.roomId
    const threadId = outcome.threadId ?? subject.threadId ?? null
    const target = { ...outcome.target, kind: outcome.target.kind ?? operation.target }

    const entry = operation.entry === null || threadId === null ? null : this.#appendEntries(delivery, threadId, change, outcome, target)
    const landed =
      operation.activity === null || outcome.activity === false || roomId === null
        ? null
        : this.#parts.activity.append(roomId, change.position, delivery.content, {
            kind: operation.activity,
            at: change.at,
            actor: { userId: there(actor.userId), username: actor.knownAs ?? actor.username },
            operation: operation.name,
            target: {
              kind: target.kind,
              id: there(target.id),
              label: target.label,
              // Entries from before this was said stay as their digests seal them.
              ...(given.labelledBy === undefined ? {} : { labelFromOtherRoom: true, originRoomId: given.labelledBy }),
            },
            threadId,
            entryId: entry?.entryId ?? null,
            contentDigest,
          } satisfies Omit<ActivityEntry, "sequence" | "digest" | "previousDigest">)

    const receipt: Record<string, Writable> = {
      roomId,
      threadId,
      target,
      targetId: outcome.targetId ?? target.id,
      result: outcome.result,
      entry,
      activity: landed,
    }
    const told = { deliveryId, at: change.at, warnings }
    const body = writeJson(receipt)
    const requestDigest = delivery.sealed?.requestDigest ?? null
    this.#parts.receipts.store(operation, actor, deliveryId, change.position, requestDigest, body)
    this.#parts.history.append(
      {
        position: change.position,
        operation: operation.name,
        userId: there(actor.userId),
        username: actor.knownAs ?? actor.username,
        sender: senderId(actor),
        at: change.at,
        params,
        content: delivery.content,
        client: delivery.client,
        given: warnings.length === 0 ? given : { ...given, warnings },
        ...(delivery.sealed && { sealed: delivery.sealed }),
      },
      contentDigest,
    )
    const own = outcome.secret === undefined ? body : writeJson({ ...receipt, result: { ...outcome.result, ...outcome.secret } })
    return { answer: wholeReceipt(operation, told, own), made: { id: target.id, label: target.label }, roomId, activity: landed }
  }

  /** Writes the timeline entry of a write, and the messages that came with it. */
  #appendEntries(
    delivery: Delivery,
    threadId: string,
    { at, entryId, position }: Change,
    outcome: Outcome,
    target: JsonObject,
  ): { entryId: string; sequence: number } {
    const { operation, actor, client } = delivery
    const author = { userId: actor.userId, username: actor.username }
    const sequence = this.#parts.sequences.entry(threadId, at)
    const said = client === undefined ? {} : { client }
    const body = outcome.entry ?? { receipt: { operation: operation.name, target, result: outcome.result, ...said } }
    this.#parts.timeline.append({
      entryId,
      threadId,
      sequence,
      kind: operation.entry?.kind ?? operation.name,
      at,
      author,
      replyToEntryId: outcome.replyToEntryId ?? null,
      position,
      body,
    })
    for (const { entryId: messageId, message } of outcome.messages ?? []) {
      this.#parts.timeline.append({
        entryId: messageId,
        threadId,
        sequence: this.#parts.sequences.entry(threadId, at),
        kind: "message",
        at,
        author,
        replyToEntryId: null,
        position,
        body: { message: { ...message, ...said } },
      })
    }
    return { entryId, sequence }
  }
}
