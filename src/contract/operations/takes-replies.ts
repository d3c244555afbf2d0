/** Which entries of a timeline accept replies. */
import { isOneOf, keysOf } from "../each.ts"
import { states } from "../states.ts"
import { type OperationName, receiptKinds } from "./index.ts"
import { linkKinds } from "./link-kinds.ts"

/** Receipts that show an object. */
const shown: ReadonlySet<string> = new Set<OperationName>([
  "propose_experiment",
  "register_attempt",
  "submit_review",
  ...keysOf(linkKinds).map((kind) => linkKinds[kind].operation),
])

/**
 * Whether an entry accepts replies: a message, a card, or the receipt of a proposal, a registration, the outcome of an
 * attempt, a research link, or a review.
 */
export function takesReplies(kind: string, result: Readonly<Record<string, unknown>> | undefined): boolean {
  if (!receiptKinds.has(kind) || shown.has(kind)) return true
  const status = result?.status
  return kind === "report_attempt_event" && typeof status === "string" && isOneOf(states.attempt.terminal, status)
}
