/**
 * Verifies every receipt: that it is what its Room's activity tells, that its timeline entry is there, and that a content
 * which is not kept whole, put together again from where it is kept, has the digest it was accepted with.
 */
import type { ActivityEntry } from "../contract/answers.ts"
import { canonicalJson, digestOf, type JsonObject } from "../contract/json.ts"
import { operations } from "../contract/operations/index.ts"
import { type Accepted, nameOf, parsed } from "./accepted.ts"
import { reassembly, type StoredReceipt } from "./reassembled.ts"
import type { Db } from "../ledger/database.ts"

/** How many rows are held in memory at once. */
const STEP = 500

interface Row {
  id: number
  user_id: string
  operation: string
  delivery_id: string
  request_digest: string
  accepted_at: string
  body: string
}

const same = (one: unknown, other: unknown): boolean => canonicalJson({ value: one }) === canonicalJson({ value: other })

/** Reads every receipt, oldest first. */
export function receipts(db: Db, add: (problem: string) => void, feed: Accepted, onReceipts: (receipts: number) => void): void {
  const page = db.prepare<Row>(
    `SELECT rowid AS id, user_id, operation, delivery_id, request_digest, accepted_at, body FROM receipts WHERE rowid > ? ORDER BY rowid LIMIT ${STEP}`,
  )
  const entryOf = db.prepare<{ body: string }>("SELECT body FROM activity_entries WHERE room_id = ? AND sequence = ?")
  const placeOf = db.prepare<{ thread_id: string; sequence: number; body: string }>(
    "SELECT thread_id, sequence, body FROM timeline_entries WHERE entry_id = ?",
  )
  const contents = reassembly(db)
  const answered = new Map<string, number>()
  const definitions = new Map(operations.map((operation) => [operation.name, operation]))

  /** The feed's entry of a receipt; undefined, and told, where they differ. */
  function entry(row: Row, receipt: StoredReceipt): ActivityEntry | undefined {
    const { roomId, activity, operation, target, acceptedAt } = receipt
    const found = activity && roomId !== null ? entryOf.get(roomId, activity.sequence) : undefined
    const told = found && parsed<ActivityEntry>(found.body)
    const agrees =
      told !== undefined &&
      told.digest === activity?.digest &&
      told.operation === operation &&
      told.at === acceptedAt &&
      told.actor?.userId === row.user_id &&
      same(told.target, target) &&
      told.entryId === (receipt.entry?.entryId ?? null)
    if (!agrees) add(`The receipt of ${operation} ${row.delivery_id} is not what the Room's activity tells.`)
    return agrees ? told : undefined
  }

  /** The timeline entry that a receipt names, which repeats what the receipt says. */
  function place({ threadId, entry, operation, target, result }: StoredReceipt, name: string): void {
    if (entry === null) return
    const found = placeOf.get(entry.entryId)
    const shown = found && parsed<{ receipt?: JsonObject }>(found.body)
    const agrees =
      shown !== undefined &&
      found?.thread_id === threadId &&
      found.sequence === entry.sequence &&
      (shown.receipt === undefined ||
        (shown.receipt.operation === operation && same(shown.receipt.target, target) && same(shown.receipt.result, result)))
    if (!agrees) add(`The timeline entry of ${name} is not what was accepted.`)
  }

  function check(row: Row): void {
    const receipt = parsed<StoredReceipt>(row.body)
    const definition = definitions.get(row.operation)
    if (
      receipt === undefined ||
      definition === undefined ||
      receipt.operation !== row.operation ||
      receipt.acceptedAt !== row.accepted_at ||
      receipt[definition.delivery] !== row.delivery_id
    ) {
      add(`The receipt of ${row.operation} ${row.delivery_id} does not hold together.`)
      return
    }
    // Of the Library, and of what a Room does not hear of, nothing else tells.
    if (receipt.activity === null) return
    answered.set(row.operation, (answered.get(row.operation) ?? 0) + 1)
    const told = entry(row, receipt)
    if (told === undefined) return
    place(receipt, nameOf(told))
    const candidates = contents(receipt, row.user_id)
    if (candidates === undefined) return
    const content = candidates.map((candidate) => canonicalJson(candidate)).find((text) => digestOf(text) === told.contentDigest)
    if (content === undefined) add(`The content of ${nameOf(told)}, by ${row.operation}, is not what was accepted.`)
  }

  let done = 0
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0)) {
    rows.forEach(check)
    done += rows.length
    onReceipts(done)
  }
  if (!feed.isWhole) return
  for (const { name, receiptOf } of operations) {
    const [made, kept] = [feed.made.get(name) ?? 0, answered.get(name) ?? 0]
    if (receiptOf !== "nobody" && made !== kept) add(`There are ${kept} receipts of ${name}; the Rooms' activity tells of ${made}.`)
  }
}
