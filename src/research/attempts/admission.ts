/** Checks the events of attempts against the state table. Admission and affordances read the same rows. */
import type { AttemptStatus } from "../../contract/schema/enumerations.ts"
import { picked } from "../../contract/typed.ts"
import type { JsonObject } from "../../contract/json.ts"
import { type BodyOf, operationOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { attemptStates } from "../../contract/states.ts"
import { orOf } from "../../contract/text.ts"
import type { AttemptSummary } from "../../contract/answers/attempts.ts"

/** The state of an attempt that admission needs. */
export interface AttemptState {
  readonly attemptId: string
  readonly label: string
  readonly experimentId: string
  readonly status: AttemptStatus
  readonly revision: number
  readonly registrantId: string
}

const rowsFrom = (status: string) => attemptStates.filter(({ from }) => from.some((state) => state === status))
/** Events that change the status; a correction does not. */
const stepsFrom = (status: string) => rowsFrom(status).filter((row) => !("needs" in row))

/** Returns the state of an attempt for a refusal, with the `expected` block to copy into the next request. */
export const currentAttempt = (attempt: AttemptState): JsonObject => ({
  ...picked(attempt, "attemptId", "label", "experimentId", "status", "revision"),
  expected: { expectedRevision: attempt.revision, expectedStatus: attempt.status },
})

/**
 * Admits an event and returns the next status.
 * @throws Refusal 403 for an attempt of another person, 409 `state_conflict`
 */
export function admitEvent(attempt: AttemptState, userId: string, body: BodyOf<"report_attempt_event">): AttemptStatus {
  const current = currentAttempt(attempt)
  if (attempt.registrantId !== userId)
    throw new Refusal("role_required", "Only the registrant of an attempt can report its events.", {
      current: { ...current, needed: ["registrant"] },
    })
  if (body.expectedRevision !== attempt.revision || body.expectedStatus !== attempt.status)
    throw new Refusal("state_conflict", `${attempt.label} has changed since you read it.`, { current })
  const sent = { corrects: (body.corrects ?? []).length > 0, late: body.late === true }
  const row = rowsFrom(attempt.status).find(
    (each) => each.event === body.event && (!("needs" in each) || sent[each.needs]),
  )
  if (row === undefined) {
    const following = orOf(stepsFrom(attempt.status).map(({ event }) => event))
    throw new Refusal(
      "state_conflict",
      attempt.status === "registered"
        ? `${attempt.label} has not started: report that it started first. Accepted now: ${following}.`
        : `${attempt.label} is ${attempt.status}, so ${body.event} cannot be reported` +
            `${following === "" ? "." : ` now. Accepted now: ${following}.`}`,
      { current },
    )
  }
  return row.to === "unchanged" ? attempt.status : row.to
}

/**
 * Returns the operations that the server would accept next about an attempt, and from whom.
 * @param isOpen whether the Room is active and the registrant is still a member; former members cannot report
 */
export function attemptAffordances(attempt: AttemptState, basePath: string, isOpen: boolean) {
  const event = stepsFrom(attempt.status).map((row) => row.event)
  const { name, path, permissions } = operationOf("report_attempt_event")
  const afforded = {
    operation: name,
    path: `${basePath}${path}`,
    permission: permissions[0] ?? null,
    by: "registrant",
    userId: attempt.registrantId,
    values: { event },
  }
  return {
    expected: { expectedRevision: attempt.revision, expectedStatus: attempt.status },
    operations: isOpen && event.length > 0 ? [afforded] : [],
  }
}

/** Returns the reported outcome of an attempt; null before it started. */
export const outcomeOf = (status: AttemptStatus): AttemptSummary["outcome"] =>
  status === "registered" ? null : status === "started" ? "unknown" : status
