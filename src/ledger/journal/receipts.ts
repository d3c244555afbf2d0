/** Receipts: what a retry is compared with, and answered from. They are read from the journal, by the id of their delivery. */
import type { Receipt } from "../../contract/answers/index.ts"
import { digestOf, extendJson, type Json, type Stored, stored, type Writable, writeJson } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { type Actor, senderId } from "./actor.ts"
import type { Db } from "../storage/database.ts"
import { requestDigestOf } from "./delivery.ts"
import type { Entry, Journal } from "./journal.ts"
import { idOf } from "./keys.ts"
import { packedId, unpackedDigest } from "./packed.ts"
import { type Target, TARGET_HERE, targetText } from "./target.ts"

/** A receipt, its result as JSON: not yet looked at as its operation's. */
export type KeptReceipt = Omit<Receipt, "result"> & { readonly result: Readonly<Record<string, Json>> }

/** A receipt as it is kept. */
export interface Kept {
  readonly requestDigest: string
  readonly credentialId: string | null
  readonly body: Stored<KeptReceipt>
}

/** What a receipt tells, as the columns of its write have it. */
export interface ReceiptFields extends Target {
  readonly deliveryId: string
  readonly at: string
  readonly roomId: string | null
  readonly threadId: string | null
  readonly aboutId: string | null
  readonly result: string | null
  readonly entrySequence: number | null
  readonly activity: { readonly sequence: number; readonly digest: string } | null
  readonly warnings: readonly Writable[]
}

/** The result that a message has: it names its entry. */
export const messageResult = (entryId: string | null): string => `{"messageId":"${entryId}","label":null}`

const id = (value: string | null) => (value === null ? "null" : JSON.stringify(value))

/** The text of a receipt. */
export function receiptText({ schemaVersion, name, delivery }: Operation, told: ReceiptFields): string {
  const { deliveryId, at, roomId, threadId, entryId, entrySequence, activity, warnings } = told
  return (
    `{"schemaVersion":${schemaVersion},"operation":"${name}","${delivery}":${id(deliveryId)},"acceptedAt":"${at}"` +
    `,"roomId":${id(roomId)},"threadId":${id(threadId)},"target":${targetText(told)},"targetId":${id(told.aboutId ?? told.targetId ?? entryId)}` +
    `,"result":${told.result ?? messageResult(entryId)},"entry":${entrySequence === null ? "null" : `{"entryId":"${entryId}","sequence":${entrySequence}}`}` +
    `,"activity":${activity === null ? "null" : JSON.stringify(activity)},"warnings":${writeJson(warnings)}}`
  )
}

interface Row extends Omit<ReceiptFields, "deliveryId" | "at" | "activity" | "warnings"> {
  readonly position: number
  readonly sequence: number | null
  readonly digest: Buffer | null
}

const SELECT = `SELECT j.position, ${idOf("j.room")} AS roomId, ${idOf("j.thread")} AS threadId, ${TARGET_HERE}, j.about_id AS aboutId, j.result,
    j.entry_sequence AS entrySequence, j.room_sequence AS sequence, j.activity_digest AS digest
  FROM journal j JOIN writers w ON w.writer = j.writer LEFT JOIN timeline_entries e ON e.thread = j.thread AND e.sequence = j.entry_sequence
  WHERE j.delivery_id = +? AND j.operation = +? AND w.person_id = +?`

export type Receipts = ReturnType<typeof receipts>

/** @param beside what stood beside the receipt of a write, which is not stored with it */
export function receipts(db: Db, journal: Journal, beside: (operation: Operation, entry: Entry) => Readonly<Record<string, Writable>>) {
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
      requestDigest: entry.sealed?.requestDigest ?? requestDigestOf(operation, entry.params, entry.content, digestOf(entry.content)),
      credentialId: entry.sender,
      body: stored(extendJson(text, beside(operation, entry))),
    }
  }

  return {
    /** What a member has of an operation under an id, whoever sent it for them: what the actor itself sent, else the oldest. */
    ofMember: (operation: Operation, actor: Actor, deliveryId: string): Kept | undefined =>
      operation.receiptOf === "nobody"
        ? undefined
        : kept(operation, deliveryId, ofMember.get(packedId(deliveryId), operation.name, actor.userId, senderId(actor) ?? "")),

    /** What a retry is answered from. Rule 4 of the interface's delivery ids: Threads and messages are keyed on member and credential. */
    find(operation: Operation, actor: Actor, deliveryId: string): Kept | undefined {
      if (operation.receiptOf === "nobody") return undefined
      const named = [packedId(deliveryId), operation.name, actor.userId] as const
      const row = operation.receiptOf === "credential" ? ofSender.get(...named, actor.grant?.credentialId ?? "") : ofPerson.get(...named)
      return kept(operation, deliveryId, row)
    },
  }
}
