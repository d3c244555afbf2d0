/**
 * Step 13 of a write: the operation's own changes, and what every accepted write has: its row of the journal and the
 * places of its entries.
 */
import { extendJson, type Json, writeJson, digestOf } from "../../contract/json.ts"
import type { Warning } from "../../contract/answers/receipts.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { label as labelText } from "../../contract/objects/objects.ts"
import type { Activity } from "../journal/activity.ts"
import type { Known, Gate } from "../journal/actor.ts"
import {
  type Change,
  type FollowingStep,
  type Outcome,
  type ReceiptTarget,
  type Subject,
  actAgain,
  type Acts,
} from "../journal/behaviour.ts"
import {
  type Delivery,
  receiptText,
  senderId,
  type AnyBehaviour,
  bodyOf,
  checkRequest,
  type Receipts,
} from "../journal/delivery.ts"
import { headsOf, type Journal, type Entry } from "../journal/journal.ts"
import { attachments } from "../journal/attachments.ts"
import type { Timeline } from "../journal/timeline.ts"
import type { Db } from "../storage/database.ts"
import { type Chance, type Given, OtherChance, recordedChance } from "../world.ts"
import { recordedOperation } from "../../contract/operations/index.ts"

export interface WritingParts {
  readonly db: Db
  readonly journal: Journal
  readonly timeline: Timeline
  readonly activity: Activity
  /** Called with a Room that has a new entry; valid only if the transaction commits. */
  readonly notify: (roomId: string) => void
  /** What follows each operation's own write, in this order. */
  readonly steps: readonly FollowingStep[]
}

/** The result of a stored write. */
export interface Recorded {
  readonly answer: string
  readonly made: ReceiptTarget
  readonly roomId: string | null
  /** Its entry in the Room's activity; null if it has none. */
  readonly activity: { readonly sequence: number; readonly digest: string } | null
}

/** The numbers that the ledger assigns, from 1. None is skipped. */
function sequences(db: Db) {
  const next = db.prepare<{ last: number }>(
    `INSERT INTO counters (room_id, kind, last)
      VALUES (+?, +?, 1)
      ON CONFLICT DO UPDATE SET last = last + 1
      RETURNING last`,
  )
  const entry = db.prepare<{ timeline_sequence: number }>(
    `INSERT INTO thread_heads (thread_id, timeline_sequence, last_activity_at) VALUES (+?, 1, +?)
     ON CONFLICT DO UPDATE SET timeline_sequence = timeline_sequence + 1, last_activity_at = excluded.last_activity_at
     RETURNING timeline_sequence`,
  )
  const advance = db.prepare(
    "UPDATE thread_heads SET timeline_sequence = +?, last_activity_at = +? WHERE thread_id = +?",
  )
  const heads = headsOf(db)
  return {
    ordinal: (roomId: string, kind: string): number => next.one(roomId, kind).last,
    entry(threadId: string, at: string): number {
      const newest = heads.thread(threadId)
      // Without RETURNING, which takes as long again.
      if (newest !== undefined) advance.run(newest + 1, at, threadId)
      const sequence = newest === undefined ? entry.one(threadId, at).timeline_sequence : newest + 1
      heads.setThread(threadId, sequence)
      return sequence
    },
  }
}

export class Writing {
  readonly #parts: WritingParts
  readonly #sequences: ReturnType<typeof sequences>
  readonly #attachments: ReturnType<typeof attachments>

  constructor(parts: WritingParts) {
    this.#parts = parts
    this.#sequences = sequences(parts.db)
    this.#attachments = attachments(parts.db)
  }

  /** Makes an admitted write. Within an open transaction. */
  write(delivery: Delivery, subject: Subject, at: string, chance: Chance, known: Known): Recorded {
    const { actor, operation } = delivery
    const written =
      operation.family === "library" ? delivery : { ...delivery, actor: { ...actor, agent: actor.agent ?? "" } }
    const recorded = this.#do(written, subject, at, chance, known)
    if (recorded.activity !== null && recorded.roomId !== null) this.#parts.notify(recorded.roomId)
    return recorded
  }

  /** Replays a write, without waking readers of the feed. */
  replay(delivery: Delivery, subject: Subject, at: string, chance: Chance): Recorded {
    return this.#do(delivery, subject, at, chance, null)
  }

  /** @param known what is known of the caller; null for a replay */
  #do(delivery: Delivery, subject: Subject, at: string, chance: Chance, known: Known | null): Recorded {
    const { behaviour, prepared, storedExtras } = delivery
    const isNew = known !== null
    const change = this.#change(at, subject.roomId, chance)
    const outcome = this.#followed(delivery, subject, change, behaviour.write(delivery, subject, change), known)
    const { originRoomId } = outcome.target
    const given = chance.given()
    if (!isNew && given.labelledBy !== originRoomId)
      throw new OtherChance(
        `its label was given by Room ${originRoomId ?? subject.roomId}, and was recorded as given by ` +
          `${given.labelledBy ?? "its own"}`,
      )
    const labelledBy = isNew ? originRoomId : undefined
    const stored = {
      ...given,
      ...(prepared !== undefined && { prepared: prepared as Json }),
      ...(storedExtras !== undefined && { foreseen: storedExtras }),
      ...(labelledBy !== undefined && { labelledBy }),
    }
    return this.#record(delivery, subject, change, outcome, stored, known)
  }

  /** Does the steps that follow the operation's own write, and adds their warnings. */
  #followed(call: Delivery, subject: Subject, change: Change, outcome: Outcome, known: Known | null): Outcome {
    const { name } = call.operation
    const roomId = outcome.roomId ?? subject.roomId
    const isWorkedOn = known?.room?.access.roomId === roomId ? known.room.isWorkedOn : true
    const isReply = outcome.replyToEntryId != null
    const added: Warning[] = []
    for (const { operations, ifReply, ifWorkedOn, isAdvice, follow } of this.#parts.steps) {
      const operation = operations.get(name)
      if (operation === undefined) continue
      if ((ifReply && !isReply) || (ifWorkedOn && !isWorkedOn) || (isAdvice && known === null)) continue
      added.push(...follow({ operation, call, subject, change, outcome }))
    }
    return added.length === 0 ? outcome : { ...outcome, warnings: [...(outcome.warnings ?? []), ...added] }
  }

  #change(at: string, roomId: string | null, { newId, token, readList }: Chance): Change {
    const { ordinal } = this.#sequences
    return {
      at,
      position: this.#parts.journal.next(),
      entryId: newId(),
      newId,
      token,
      readList,
      label: (kind) => {
        if (roomId === null) throw new Error("only a Room can give a label")
        return labelText(kind, ordinal(roomId, kind))
      },
      ordinal,
    }
  }

  /**
   * Stores the journal's row and the entries. @param given what the write took from the world
   * @returns the result with the receipt, which includes the secrets of this one answer
   */
  #record(
    delivery: Delivery,
    subject: Subject,
    change: Change,
    outcome: Outcome,
    given: Given,
    known: Known | null,
  ): Recorded {
    const { operation, actor, content, contentDigest, deliveryId } = delivery
    const { at, position, entryId } = change
    // The record keeps the ids that people of another instance have there.
    const ids = new Map(Object.entries(given.people ?? {}).map(([there, here]) => [here, there]))
    const there = (id: string) => ids.get(id) ?? id
    const params =
      delivery.params.userId === undefined
        ? delivery.params
        : { ...delivery.params, userId: there(delivery.params.userId) }
    // A replay keeps those that were given: a later version computes others.
    const warnings = given.warnings ?? (known === null ? [] : outcome.warnings) ?? []
    const roomId = outcome.roomId ?? subject.roomId
    const threadId = outcome.threadId ?? subject.threadId ?? null
    const kind = outcome.target.kind ?? operation.target
    const { id, label } = outcome.target
    const isMessage = operation.entry?.kind === "message"
    const entrySequence = operation.entry === null || threadId === null ? null : this.#sequences.entry(threadId, at)
    const author = { userId: there(actor.userId), username: actor.knownAs ?? actor.username }

    const fields = {
      entryId: entrySequence === null ? null : entryId,
      targetKind: isMessage ? null : kind,
      targetId: isMessage ? null : id,
      label,
      labelledBy: given.labelledBy ?? null,
      threadId,
      at,
    }
    const targetId = isMessage ? null : there(id)
    const activity =
      operation.activity === null || outcome.activity === false || roomId === null
        ? null
        : this.#parts.activity.advance(
            roomId,
            content,
            {
              ...fields,
              ...author,
              targetId,
              operation: operation.name,
              kind: operation.activity,
              agent: actor.agent ?? null,
              contentDigest,
            },
            known?.room?.access.roomId === roomId ? known.room.head : undefined,
          )
    const stored = {
      ...fields,
      roomId,
      activity,
      entrySequence,
      deliveryId: operation.receiptOf === "nobody" ? null : deliveryId,
      aboutId: outcome.targetId === undefined || outcome.targetId === id ? null : outcome.targetId,
      result: isMessage ? null : writeJson(outcome.result),
    }
    const card = outcome.entry === undefined ? null : writeJson(outcome.entry.card)
    this.#parts.journal.append(
      {
        ...author,
        position,
        operation: operation.name,
        here: { userId: actor.userId, username: actor.username },
        agent: actor.agent,
        sender: senderId(actor),
        at,
        params,
        content,
        client: delivery.client,
        given: warnings.length === 0 ? given : { ...given, warnings },
        ...(delivery.keptDigests && { keptDigests: delivery.keptDigests }),
      },
      contentDigest,
      { ...stored, targetId, card },
    )
    this.#attachments.name(position, delivery.body)
    if (entrySequence !== null && threadId !== null)
      this.#appendEntries(threadId, entrySequence, operation, change, outcome)
    const result = outcome.secret === undefined ? stored.result : writeJson({ ...outcome.result, ...outcome.secret })
    const text = receiptText(operation, { ...stored, deliveryId, result, warnings })
    const extras = known === null ? undefined : delivery.behaviour.readExtras?.({ body: delivery.body, targetId: id })
    return {
      answer: extras === undefined ? text : extendJson(text, extras),
      made: { id, label },
      roomId,
      activity,
    }
  }

  /** Adds the write's own entry to its Thread, and the message that came with it. */
  #appendEntries(
    threadId: string,
    sequence: number,
    operation: Operation,
    { at, position, entryId }: Change,
    outcome: Outcome,
  ): void {
    const { timeline } = this.#parts
    const kind = operation.entry?.kind ?? operation.name
    const { entry, replyToEntryId = null, messageEntryId = null } = outcome
    timeline.append({
      entryId,
      threadId,
      sequence,
      kind,
      replyToEntryId,
      standingOf: entry?.standingOf ?? null,
      position,
    })
    if (messageEntryId === null) return
    const next = this.#sequences.entry(threadId, at)
    timeline.append({
      entryId: messageEntryId,
      threadId,
      sequence: next,
      kind: "message",
      replyToEntryId: null,
      standingOf: null,
      position,
    })
  }
}

// Replays accepted writes in another database, with their recorded ids and chance (see replay.ts).

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
