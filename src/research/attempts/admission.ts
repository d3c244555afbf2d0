/** Which events the state table allows for an attempt. Admission and affordances read the same rows. */
import type { AttemptStatus } from "../../contract/schema/enumerations.ts"
import type { JsonObject } from "../../contract/json.ts"
import { operationOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { attemptStates } from "../../contract/states.ts"
import { orOf } from "../../contract/text.ts"
import type { AttemptSummary } from "../../contract/answers/work.ts"

/** What admission has to know of an attempt. */
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

/** The state of an attempt as refusals show it, with the block to copy into the next try. */
export const currentAttempt = ({ attemptId, label, experimentId, status, revision }: AttemptState): JsonObject => ({
  attemptId,
  label,
  experimentId,
  status,
  revision,
  expected: { expectedRevision: revision, expectedStatus: status },
})

/**
 * Admits an event and returns the status it leads to.
 * @throws Refusal 403 for an attempt of another person, 409 `state_conflict`
 */
export function admitEvent(
  attempt: AttemptState,
  userId: string,
  body: { event: string; expectedRevision: number; expectedStatus: string; corrects?: readonly unknown[]; late?: boolean },
): AttemptStatus {
  const current = currentAttempt(attempt)
  if (attempt.registrantId !== userId)
    throw new Refusal("role_required", "Only the registrant of an attempt can report its events.", {
      current: { ...current, needed: ["registrant"] },
    })
  if (body.expectedRevision !== attempt.revision || body.expectedStatus !== attempt.status)
    throw new Refusal("state_conflict", `${attempt.label} has changed since you read it.`, { current })
  const following = stepsFrom(attempt.status)
  const given = { corrects: (body.corrects ?? []).length > 0, late: body.late === true }
  const row = rowsFrom(attempt.status).find((each) => each.event === body.event && (!("needs" in each) || given[each.needs]))
  if (row === undefined) {
    const steps = following.length === 0 ? "nothing more does" : `${orOf(following.map(({ event }) => event))} does`
    throw new Refusal("state_conflict", `${attempt.label} is ${attempt.status}: ${body.event} does not follow; ${steps}.`, { current })
  }
  return row.to === "unchanged" ? attempt.status : row.to
}

/** What an attempt's next event needs besides its state. */
export interface Grounds {
  /** What the paths of operations start with. */
  readonly basePath: string
  readonly roomIsActive: boolean
  /** Whether the registrant is a member of the Room; former members cannot report. */
  readonly registrantIsMember: boolean
}

/** What the server would accept next about an attempt, and from whom. */
export function attemptAffordances(attempt: AttemptState, { basePath, roomIsActive, registrantIsMember }: Grounds) {
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
    operations: roomIsActive && registrantIsMember && event.length > 0 ? [afforded] : [],
  }
}

/** How an attempt ended, as far as was reported; null before it started. */
export const outcomeOf = (status: AttemptStatus): AttemptSummary["outcome"] =>
  status === "registered" ? null : status === "started" ? "unknown" : status
