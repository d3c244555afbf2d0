/** `POST /web/metrics`: reports a pasted table as metrics of the visitor's own attempt, in one event, or shows its faults. */
import { randomUUID } from "node:crypto"
import { v5 } from "uuid"
import { limits } from "../../contract/limits.ts"
import { operationOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { isOver } from "../../contract/states.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import { pageCaller } from "../../edge/identity/callers.ts"
import { readFormBody } from "../../edge/limits/body.ts"
import { sendWrite } from "../../edge/requests/writes.ts"
import { readTable } from "../../research/measurements/read-table.ts"
import type { PastedTable } from "../parts/metrics-box.ts"
import { redirected } from "../redirect.ts"
import type { Visit, WebPage } from "../visit.ts"
import { attemptShown } from "./attempts.ts"

const operation = operationOf("report_attempt_event")

export async function submitMetrics(visit: Visit): Promise<Answer | WebPage> {
  const { edge, event } = visit
  const actor = pageCaller(edge, event)
  const form = await readFormBody(event, 3 * limits.pastedTable + limits.smallFormBytes)
  const attemptId = (form.get("attemptId") ?? "").toLowerCase()
  const [text, by, delivery] = [(form.get("text") ?? "").replaceAll("\r\n", "\n"), form.get("by") ?? "", form.get("requestId") ?? ""]
  const again =
    (pasted: Omit<PastedTable, "text" | "by">): WebPage =>
    (later) =>
      attemptShown(later, attemptId, { text, by, ...pasted })

  const { points, faults } = readTable(
    text,
    by.split(",").flatMap((name) => name.trim() || []),
  )
  if (faults.length > 0) return again({ faults })
  const { status, affordances } = visit.ask("attempt", { attemptId })
  const requestId = isUuid(delivery) ? v5(`${attemptId} ${by} ${text}`, delivery) : randomUUID()
  try {
    await sendWrite(edge, event, operation, actor, () => ({
      params: {},
      body: {
        schemaVersion: operation.schemaVersion,
        requestId,
        attemptId,
        ...affordances.expected,
        event: "progress",
        reportedAt: new Date().toISOString(),
        metrics: points,
        ...(isOver("attempt", status) && { late: true }),
      },
    }))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const issues = (error.details.issues ?? []).slice(0, 5).map(({ message }) => message)
    return again({ faults: [], refusal: [error.message, ...issues].join(" ") })
  }
  return redirected(visit, `/attempts/${attemptId}?done=${operation.name}#metrics`)
}
