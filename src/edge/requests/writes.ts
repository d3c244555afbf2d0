/** A write as it comes in from outside, by whatever door: told to the log, counted, and admitted by the ledger. */
import type { H3Event } from "h3"
import type { Operation } from "../../contract/definitions/operation.ts"
import { batch, type BatchedWrite } from "../../contract/operations/batch.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import type { Edge } from "../edge.ts"
import type { WriteOutcome } from "../telemetry/metrics.ts"
import { contextOf } from "../limits/request-context.ts"

/** What a door has decoded. */
export interface Decoded {
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  readonly rehearse?: boolean
}

/** What a door has decoded of a batch. */
export interface DecodedBatch {
  readonly writes: readonly BatchedWrite[]
  readonly rehearse: boolean
}

/** What a receipt tells of its write: members at its end, where no text of the write's own can look like them. */
const outcomeOf = (receipt: string): WriteOutcome =>
  receipt.includes('"rehearsed":true') ? "rehearsed" : receipt.includes('"replayed":true') ? "replayed" : "accepted"

/**
 * The one way for a write to come in. What cannot be decoded is a refused write too.
 * @returns the receipt as JSON text
 * @throws Refusal
 */
export async function sendWrite(
  { instance, metrics }: Edge,
  event: H3Event,
  operation: Operation,
  actor: Actor,
  decode: () => Decoded | Promise<Decoded>,
): Promise<string> {
  contextOf(event).operation = operation.name
  try {
    const receipt = await instance.ledger.admit({ operation, actor, ...(await decode()) })
    metrics?.wrote(operation.name, outcomeOf(receipt))
    return receipt
  } catch (error) {
    metrics?.wrote(operation.name, "refused", error instanceof Refusal ? error.code : "temporarily_unavailable")
    throw error
  }
}

/**
 * The one way for a batch to come in. Its writes are counted as each alone would be.
 * @returns the receipts as JSON texts, in order
 * @throws Refusal of the first write that is refused
 */
export async function sendBatch(
  { instance, metrics }: Edge,
  event: H3Event,
  actor: Actor,
  decode: () => Promise<DecodedBatch>,
): Promise<string[]> {
  contextOf(event).operation = batch.name
  try {
    const decoded = await decode()
    const receipts = await instance.ledger.admitBatch({ actor, ...decoded })
    receipts.forEach((receipt, index) => metrics?.wrote(decoded.writes[index]?.operation.name ?? batch.name, outcomeOf(receipt)))
    return receipts
  } catch (error) {
    metrics?.wrote(batch.name, "refused", error instanceof Refusal ? error.code : "temporarily_unavailable")
    throw error
  }
}
