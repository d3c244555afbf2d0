/** Stored receipts: what a retry is compared with, and answered from. */
import type { Receipt } from "../contract/answers.ts"
import { extendJson, joinJson, type Json, type Stored, stored, type Writable, writeJson } from "../contract/json.ts"
import type { Operation } from "../contract/operation.ts"
import { type Actor, senderId } from "./actor.ts"
import type { Db } from "./database.ts"
import { requestDigestOf } from "./delivery.ts"
import type { Entry, History } from "./history.ts"

/** A receipt, its result as JSON: not yet looked at as its operation's. */
export type KeptReceipt = Omit<Receipt, "result"> & { readonly result: Readonly<Record<string, Json>> }

/** A receipt as it is kept. */
export interface Kept {
  readonly requestDigest: string
  readonly credentialId: string | null
  readonly body: Stored<KeptReceipt>
}

interface Row {
  delivery_id: string
  history_position: number
  request_digest: string | null
  body: string
}

/** What a receipt tells that is kept beside it: by its row, and by its write. */
interface Told {
  readonly deliveryId: string
  readonly at: string
  readonly warnings: readonly Writable[]
}

/** The text of a receipt, out of what of it is kept as its body. */
export const wholeReceipt = ({ schemaVersion, name, delivery }: Operation, { deliveryId, at, warnings }: Told, body: string): string =>
  extendJson(joinJson(writeJson({ schemaVersion, operation: name, [delivery]: deliveryId, acceptedAt: at }), body), { warnings })

export type Receipts = ReturnType<typeof receipts>

/** @param beside what stood beside the receipt of a write, which is not stored with it */
export function receipts(db: Db, history: History, beside: (operation: Operation, entry: Entry) => Readonly<Record<string, Writable>>) {
  const find = db.prepare<Row>(
    "SELECT delivery_id, history_position, request_digest, body FROM receipts WHERE user_id = ? AND operation = ? AND delivery_id = ? AND sender = ?",
  )
  const ofMember = db.prepare<Row>(
    `SELECT r.delivery_id, r.history_position, r.request_digest, r.body FROM receipts r JOIN history h ON h.position = r.history_position
     WHERE r.user_id = ? AND r.operation = ? AND r.delivery_id = ? ORDER BY h.sender IS ? DESC, r.history_position LIMIT 1`,
  )
  const insert = db.prepare(
    "INSERT INTO receipts (user_id, operation, delivery_id, sender, history_position, request_digest, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
  )
  /** Rule 4 of the interface's delivery ids: Threads and messages are keyed on member and credential. */
  const sender = (operation: Operation, { grant }: Actor) => (operation.receiptOf === "credential" ? (grant?.credentialId ?? "") : "")

  function kept(operation: Operation, row: Row | undefined): Kept | undefined {
    const entry = row && history.at(row.history_position)
    if (row === undefined || entry === undefined) return undefined
    const requestDigest = row.request_digest ?? requestDigestOf(operation, entry.params, entry.content)
    const told = { deliveryId: row.delivery_id, at: entry.at, warnings: entry.given.warnings ?? [] }
    const whole = wholeReceipt(operation, told, row.body)
    return { requestDigest, credentialId: entry.sender, body: stored(extendJson(whole, beside(operation, entry))) }
  }

  return {
    /** What a member has of an operation under an id, whoever sent it for them: what the actor itself sent, else the oldest. */
    ofMember: (operation: Operation, actor: Actor, deliveryId: string): Kept | undefined =>
      kept(operation, ofMember.get(actor.userId, operation.name, deliveryId, senderId(actor))),

    /** What a retry is answered from. */
    find: (operation: Operation, actor: Actor, deliveryId: string): Kept | undefined =>
      operation.receiptOf === "nobody"
        ? undefined
        : kept(operation, find.get(actor.userId, operation.name, deliveryId, sender(operation, actor))),

    /** @param requestDigest only where the history cannot tell it */
    store(operation: Operation, actor: Actor, deliveryId: string, position: number, requestDigest: string | null, body: string): void {
      if (operation.receiptOf === "nobody") return
      insert.run(actor.userId, operation.name, deliveryId, sender(operation, actor), position, requestDigest, body)
    },
  }
}
