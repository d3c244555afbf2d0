/**
 * Receipts, read from the journal by delivery id. A retry is compared with the stored request and answered from the
 * receipt.
 */
import type { Receipt } from "../../contract/answers/index.ts"
import { digestOf, extendJson, type Json, type Stored, stored, type Writable, writeJson } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { type Actor, senderId } from "./actor.ts"
import type { Db } from "../storage/database.ts"
import { requestDigestOf } from "./delivery.ts"
import type { Entry, Journal, Left } from "./journal.ts"
import { idOf, packedId, type Target, TARGET_HERE, targetText, unpackedDigest } from "./columns.ts"

/** A receipt whose result is plain JSON, not yet typed by its operation. */
export type KeptReceipt = Omit<Receipt, "result"> & { readonly result: Readonly<Record<string, Json>> }

/** A stored receipt. */
export interface Kept {
  readonly requestDigest: string
  readonly credentialId: string | null
  readonly body: Stored<KeptReceipt>
}

/** The fields of a receipt, from the columns of its write. */
export interface ReceiptFields extends Target, Omit<Left, "card"> {
  readonly at: string
  readonly warnings: readonly Writable[]
}

const messageResult = (entryId: string | null): string => `{"messageId":"${entryId}","label":null}`

const id = (value: string | null) => (value === null ? "null" : JSON.stringify(value))

export function receiptText({ schemaVersion, name, delivery }: Operation, fields: ReceiptFields): string {
  const { deliveryId, at, roomId, threadId, entryId, entrySequence, activity, warnings } = fields
  return (
    `{"schemaVersion":${schemaVersion},"operation":"${name}","${delivery}":${id(deliveryId)},"acceptedAt":"${at}"` +
    `,"roomId":${id(roomId)},"threadId":${id(threadId)},"target":${targetText(fields)},` +
    `"targetId":${id(fields.aboutId ?? fields.targetId ?? entryId)}` +
    `,"result":${fields.result ?? messageResult(entryId)},` +
    `"entry":${entrySequence === null ? "null" : `{"entryId":"${entryId}","sequence":${entrySequence}}`}` +
    `,"activity":${activity === null ? "null" : JSON.stringify(activity)},"warnings":${writeJson(warnings)}}`
  )
}

interface Row extends Omit<ReceiptFields, "deliveryId" | "at" | "activity" | "warnings"> {
  readonly position: number
  readonly sequence: number | null
  readonly digest: Buffer | null
}

const SELECT = `SELECT j.position, ${idOf("j.room")} AS roomId, ${idOf("j.thread")} AS threadId, ${TARGET_HERE},
    j.about_id AS aboutId, j.result,
    j.entry_sequence AS entrySequence, j.room_sequence AS sequence, j.activity_digest AS digest
  FROM journal j
  JOIN writers w ON w.writer = j.writer
  LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence
  WHERE j.delivery_id = +? AND j.operation = +? AND w.person_id = +?`

export type Receipts = ReturnType<typeof receipts>

/** @param beside restores the members that were returned beside the receipt and are not stored with it */
export function receipts(
  db: Db,
  journal: Journal,
  beside: (operation: Operation, entry: Entry, targetId: string) => Readonly<Record<string, Writable>>,
) {
  const ofPerson = db.prepare<Row>(`${SELECT} ORDER BY j.position LIMIT 1`)
  const ofSender = db.prepare<Row>(`${SELECT} AND w.sender = +? ORDER BY j.position LIMIT 1`)
  const ofMember = db.prepare<Row>(`${SELECT} ORDER BY w.sender = +? DESC, j.position LIMIT 1`)

  function kept(operation: Operation, deliveryId: string, row: Row | undefined): Kept | undefined {
    const entry = row && journal.at(row.position)
    if (row === undefined || entry === undefined) return undefined
    const { sequence, digest } = row
    const text = receiptText(operation, {
      ...row,
      deliveryId,
      at: entry.at,
      activity: sequence === null || digest === null ? null : { sequence, digest: unpackedDigest(digest) },
      warnings: entry.given.warnings ?? [],
    })
    return {
      requestDigest:
        entry.keptDigests?.requestDigest ??
        requestDigestOf(operation, entry.params, entry.content, digestOf(entry.content)),
      credentialId: entry.sender,
      body: stored(extendJson(text, beside(operation, entry, row.targetId ?? ""))),
    }
  }

  return {
    /**
     * Finds a member's receipt for an operation and a delivery id, from any of their senders: the actor's own first,
     * then the oldest.
     */
    ofMember: (operation: Operation, actor: Actor, deliveryId: string): Kept | undefined =>
      operation.receiptOf === "nobody"
        ? undefined
        : kept(
            operation,
            deliveryId,
            ofMember.get(packedId(deliveryId), operation.name, actor.userId, senderId(actor) ?? ""),
          ),

    /**
     * Finds the receipt that answers a retry. By rule 4 of the interface's delivery ids, Threads and messages are keyed
     * on member and credential.
     */
    find(operation: Operation, actor: Actor, deliveryId: string): Kept | undefined {
      if (operation.receiptOf === "nobody") return undefined
      const named = [packedId(deliveryId), operation.name, actor.userId] as const
      const row =
        operation.receiptOf === "credential"
          ? ofSender.get(...named, actor.grant?.credentialId ?? "")
          : ofPerson.get(...named)
      return kept(operation, deliveryId, row)
    },
  }
}
