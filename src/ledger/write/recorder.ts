/** Stores the parts that all accepted writes have: the row of the journal, and the places of its entries. */
import { writeJson } from "../../contract/json.ts"
import { senderId } from "../journal/actor.ts"
import type { Activity } from "../journal/activity.ts"
import type { Change, ReceiptTarget, Outcome, Subject } from "../journal/behaviour.ts"
import type { Delivery } from "../journal/delivery.ts"
import type { Figures } from "../journal/figures.ts"
import type { Given, Journal, Left } from "../journal/journal.ts"
import { receiptText } from "../journal/receipts.ts"
import type { Sequences } from "./sequences.ts"
import type { Timeline } from "../journal/timeline.ts"

export interface RecorderParts {
  readonly figures: Figures
  readonly timeline: Timeline
  readonly activity: Activity
  readonly journal: Journal
  readonly sequences: Sequences
}

/** The result of a stored write. */
export interface Recorded {
  readonly answer: string
  readonly made: ReceiptTarget
  readonly roomId: string | null
  /** Its entry in the Room's activity; null if it has none. */
  readonly activity: { readonly sequence: number; readonly digest: string } | null
}

export class Recorder {
  readonly #parts: RecorderParts

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  /**
   * Step 13. @param given what the write took from the world
   * @returns the result with the receipt, which includes the secrets of this one answer
   */
  record(delivery: Delivery, subject: Subject, change: Change, outcome: Outcome, given: Given): Recorded {
    const { operation, actor, content, contentDigest, deliveryId } = delivery
    const { at, position, entryId } = change
    // The record keeps the ids that people of another instance have there.
    const ids = new Map(Object.entries(given.people ?? {}).map(([there, here]) => [here, there]))
    const there = (id: string) => ids.get(id) ?? id
    const params = delivery.params.userId === undefined ? delivery.params : { ...delivery.params, userId: there(delivery.params.userId) }
    const warnings = given.warnings ?? outcome.warnings ?? []
    const roomId = outcome.roomId ?? subject.roomId
    const threadId = outcome.threadId ?? subject.threadId ?? null
    const kind = outcome.target.kind ?? operation.target
    const { id, label } = outcome.target
    const isMessage = operation.entry?.kind === "message"
    const sequence = operation.entry === null || threadId === null ? null : this.#parts.sequences.entry(threadId, at)
    const entry = sequence === null ? null : { entryId, sequence }

    const fields = {
      entryId: entry?.entryId ?? null,
      targetKind: isMessage ? null : kind,
      targetId: isMessage ? null : id,
      label,
      labelledBy: given.labelledBy ?? null,
      at,
      threadId,
    }
    const activity =
      operation.activity === null || outcome.activity === false || roomId === null
        ? null
        : this.#parts.activity.advance(roomId, content, {
            ...fields,
            targetId: isMessage ? null : there(id),
            operation: operation.name,
            userId: there(actor.userId),
            username: actor.knownAs ?? actor.username,
            agent: actor.agent ?? null,
            contentDigest,
          })
    const aboutId = outcome.targetId === undefined || outcome.targetId === id ? null : outcome.targetId
    const result = isMessage ? null : writeJson(outcome.result)
    const left: Left = {
      roomId,
      activity,
      threadId,
      entry,
      deliveryId: operation.receiptOf === "nobody" ? null : deliveryId,
      target: isMessage ? null : { kind, id: there(id) },
      label,
      aboutId,
      result,
      card: outcome.entry === undefined ? null : writeJson(outcome.entry.card),
    }
    this.#parts.journal.append(
      {
        position,
        operation: operation.name,
        userId: there(actor.userId),
        username: actor.knownAs ?? actor.username,
        here: { userId: actor.userId, username: actor.username },
        agent: actor.agent,
        sender: senderId(actor),
        at,
        params,
        content,
        client: delivery.client,
        given: warnings.length === 0 ? given : { ...given, warnings },
        ...(delivery.sealed && { sealed: delivery.sealed }),
      },
      contentDigest,
      left,
    )
    this.#parts.figures.name(position, delivery.body)
    if (entry !== null && threadId !== null) this.#appendEntries(threadId, entry, delivery, change, outcome)
    const answeredResult = outcome.secret === undefined ? result : writeJson({ ...outcome.result, ...outcome.secret })
    const receipt = { ...fields, deliveryId, roomId, aboutId, result: answeredResult, entrySequence: sequence, activity, warnings }
    return { answer: receiptText(operation, receipt), made: { id, label }, roomId, activity }
  }

  /** Adds the write's own entry to its Thread, and the message that came with it. */
  #appendEntries(
    threadId: string,
    entry: { readonly entryId: string; readonly sequence: number },
    { operation }: Delivery,
    { at, position }: Change,
    outcome: Outcome,
  ): void {
    const { timeline, sequences } = this.#parts
    const kind = operation.entry?.kind ?? operation.name
    const standingOf = outcome.entry?.standingOf ?? null
    timeline.append({ ...entry, threadId, kind, replyToEntryId: outcome.replyToEntryId ?? null, standingOf, position })
    const messageEntryId = outcome.messageEntryId ?? null
    if (messageEntryId === null) return
    const sequence = sequences.entry(threadId, at)
    timeline.append({ entryId: messageEntryId, threadId, sequence, kind: "message", replyToEntryId: null, standingOf: null, position })
  }
}
