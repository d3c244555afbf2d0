/** A write as it comes in from outside, by whatever door: told to the log, counted, and admitted by the ledger. */
import type { H3Event } from "h3"
import type { Operation } from "../../contract/definitions/operation.ts"
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
