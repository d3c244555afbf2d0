/** Which write does which work that can be claimed. */
import type { OperationName } from "../../contract/operations/index.ts"
import { type ClaimedWork, enumerations } from "../../contract/schema/enumerations.ts"

/** The work that a write does; undefined where nobody can claim it. */
export function workOf(operation: OperationName, body: unknown): ClaimedWork | undefined {
  const said: Readonly<Record<string, unknown>> = typeof body === "object" && body !== null ? { ...body } : {}
  switch (operation) {
    case "claim_work":
      return enumerations.claimedWork.find((what) => what === said.what)
    case "propose_experiment":
    case "take_experiment":
      return "run"
    case "register_attempt":
      return said.intent === "reproduction" ? "reproduce" : "run"
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
