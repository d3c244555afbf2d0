/** Tells which claimable work a write does. */
import type { OperationName } from "../../contract/operations/index.ts"
import { type ClaimedWork, enumerations } from "../../contract/schema/enumerations.ts"

/** Returns the claimable work that a write does; undefined for other writes. */
export function workOf(operation: OperationName, body: unknown): ClaimedWork | undefined {
  const members: Readonly<Record<string, unknown>> = typeof body === "object" && body !== null ? { ...body } : {}
  switch (operation) {
    case "claim_work":
      return enumerations.claimedWork.find((what) => what === members.what)
    case "propose_experiment":
    case "take_experiment":
      return "run"
    case "register_attempt":
      return members.intent === "reproduction" ? "reproduce" : "run"
    case "publish_finding":
      return "write_finding"
    case "post_research_checkpoint":
      return "write_checkpoint"
    case "submit_review":
      return "review"
    default:
      return undefined
  }
}
