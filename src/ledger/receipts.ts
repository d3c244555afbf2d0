/** Stored receipts: what a retry is compared with, and answered from. */
import type { Receipt } from "../contract/answers.ts"
import type { Json, Stored } from "../contract/json.ts"
import type { Operation } from "../contract/operation.ts"
import { type Actor, senderId } from "./actor.ts"
import type { Db } from "./database.ts"

/** A receipt, its result as JSON: not yet looked at as its operation's. */
export type KeptReceipt = Omit<Receipt, "result"> & { readonly result: Readonly<Record<string, Json>> }

/** A receipt as it is kept. */
export interface Kept {
  readonly requestDigest: string
  readonly credentialId: string | null
  readonly body: Stored<KeptReceipt>
}

export type Receipts = ReturnType<typeof receipts>

export function receipts(db: Db) {
  const find = db.prepare<Kept>(
    "SELECT request_digest AS requestDigest, credential_id AS credentialId, body FROM receipts WHERE user_id = ? AND operation = ? AND delivery_id = ? AND sender = ?",
  )
  const ofMember = db.prepare<Kept>(
    `SELECT request_digest AS requestDigest, credential_id AS credentialId, body FROM receipts WHERE user_id = ? AND operation = ? AND delivery_id = ?
     ORDER BY credential_id IS ? DESC, accepted_at, rowid LIMIT 1`,
  )
  const insert = db.prepare(
    "INSERT INTO receipts (user_id, operation, delivery_id, sender, credential_id, request_digest, accepted_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  )
  /** Rule 4 of the interface's delivery ids: Threads and messages are keyed on member and credential. */
  const sender = (operation: Operation, { grant }: Actor) => (operation.receiptOf === "credential" ? (grant?.credentialId ?? "") : "")

  return {
    /** What a member has of an operation under an id, whoever sent it for them: what the actor itself sent, else the oldest. */
    ofMember: (operation: Operation, actor: Actor, deliveryId: string): Kept | undefined =>
      ofMember.get(actor.userId, operation.name, deliveryId, senderId(actor)),

    /** What a retry is answered from. */
    find: (operation: Operation, actor: Actor, deliveryId: string): Kept | undefined =>
      operation.receiptOf === "nobody" ? undefined : find.get(actor.userId, operation.name, deliveryId, sender(operation, actor)),

    store(operation: Operation, actor: Actor, deliveryId: string, requestDigest: string, acceptedAt: string, body: string): void {
      if (operation.receiptOf === "nobody") return
      insert.run(actor.userId, operation.name, deliveryId, sender(operation, actor), senderId(actor), requestDigest, acceptedAt, body)
    },
  }
}
