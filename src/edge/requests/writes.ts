/** Admits a write for every interface (HTTP, MCP, pages), and counts it. */
import type { H3Event } from "h3"
import type { Operation } from "../../contract/definitions/operation.ts"
import { batch, type BatchedWrite } from "../../contract/operations/batch.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import type { Edge } from "../edge.ts"
import type { WriteOutcome } from "../telemetry/metrics.ts"
import { contextOf } from "../limits/request-context.ts"

/** A decoded write. */
export interface Decoded {
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  readonly rehearse?: boolean
}

/** A decoded batch. */
export interface DecodedBatch {
  readonly writes: readonly BatchedWrite[]
  readonly rehearse: boolean
}

/** The outcome of a write, from the last members of its receipt. Text of the write cannot contain these strings: its quotes are escaped. */
const outcomeOf = (receipt: string): WriteOutcome =>
  receipt.includes('"rehearsed":true') ? "rehearsed" : receipt.includes('"replayed":true') ? "replayed" : "accepted"

/**
 * Admits a write. One that cannot be decoded counts as refused.
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
 * Admits a batch. Each of its writes counts as if sent alone.
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
