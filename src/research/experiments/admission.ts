/** Checks writes about experiments against the state table. Admission and affordances read the same rows. */
import type { ExperimentStatus } from "../../contract/schema/enumerations.ts"
import { picked } from "../../contract/typed.ts"
import type { JsonObject } from "../../contract/json.ts"
import { type OperationName, operationOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import { experimentStates, isOver } from "../../contract/states.ts"
import { orOf } from "../../contract/text.ts"

/** The state of an experiment that admission needs. */
export interface ExperimentState {
  readonly experimentId: string
  readonly label: string
  readonly status: ExperimentStatus
  readonly revision: number
  readonly proposerId: string
  readonly assigneeId: string | null
  /** Null without a lease, and so is `leaseUntil`. */
  readonly leaseMinutes: number | null
  readonly leaseUntil: string | null
}

export interface Expected {
  readonly expectedRevision?: number
  readonly expectedStatus?: string
}

/** A row of the state table, with its lists widened to strings. */
interface Row {
  readonly from: readonly string[]
  readonly operation: OperationName
  readonly by: "proposer" | "assignee" | "any_member"
  readonly to: string | { readonly status: readonly string[] }
  readonly values?: { readonly intent: readonly string[] }
  readonly needs?: "lapsed_lease"
}
const rows: readonly Row[] = experimentStates

/** Returns the lease of an experiment; null without one. @param now milliseconds since 1970 */
export const leaseOf = (
  { leaseMinutes: minutes, leaseUntil: until }: Pick<ExperimentState, "leaseMinutes" | "leaseUntil">,
  now: number,
) => (minutes === null || until === null ? null : { minutes, until, lapsed: Date.parse(until) <= now })

/** Returns the state of an experiment for a refusal, with the `expected` block to copy into the next request. */
export const currentExperiment = (experiment: ExperimentState): JsonObject => ({
  ...picked(experiment, "experimentId", "label", "status", "revision", "assigneeId"),
  ...(experiment.leaseUntil !== null && { leaseUntil: experiment.leaseUntil }),
  expected: { expectedRevision: experiment.revision, expectedStatus: experiment.status },
})

const heldByAnother = ({ label, leaseUntil }: ExperimentState): string =>
  `${label} is held by someone ` +
  `else${
    leaseUntil === null ? "" : `; the lease lasts until ${leaseUntil} if its holder writes nothing more about it`
  }.`

const isStale = (experiment: ExperimentState, expected: Expected) =>
  (expected.expectedRevision !== undefined && expected.expectedRevision !== experiment.revision) ||
  (expected.expectedStatus !== undefined && expected.expectedStatus !== experiment.status)

/**
 * Admits a write about an experiment.
 * @param at the time of the write
 * @param which picks rows, for an operation with several that differ by a value
 * @throws Refusal 403 if only the proposer can do this; then, in the protocol's order, `experiment_not_open`,
 * `assignment_conflict`, `state_conflict`
 */
export function admitToExperiment(
  operation: string,
  experiment: ExperimentState,
  userId: string,
  expected: Expected,
  at: string,
  which: (row: Row) => boolean = () => true,
): void {
  const isLapsed = leaseOf(experiment, Date.parse(at))?.lapsed === true
  const matching = rows.filter(
    (row) => row.operation === operation && which(row) && (row.needs === undefined || isLapsed),
  )
  const by = matching[0]?.by
  const current = currentExperiment(experiment)
  const { status, assigneeId } = experiment
  if (by === "proposer" && experiment.proposerId !== userId) {
    throw new Refusal("role_required", "Only the proposer of an experiment can do this.", {
      current: { ...current, needed: ["proposer"] },
    })
  }
  const from = matching.flatMap((row) => row.from)
  if (isOver("experiment", status) && !from.includes(status))
    throw new Refusal("experiment_not_open", `${experiment.label} is ${status} and cannot change any more.`, {
      current,
    })
  if (by === "assignee" && assigneeId !== userId) {
    throw new Refusal(
      "assignment_conflict",
      assigneeId === null ? `Nobody holds ${experiment.label}; take it first.` : heldByAnother(experiment),
      { current },
    )
  }
  if (by !== "assignee" && !from.includes(status) && assigneeId !== userId)
    throw new Refusal("assignment_conflict", heldByAnother(experiment), { current })
  if (isStale(experiment, expected))
    throw new Refusal("state_conflict", `${experiment.label} has changed since you read it.`, { current })
  if (!from.includes(status))
    throw new Refusal("experiment_not_open", `${experiment.label} is ${status}, not open.`, { current })
}

/** Admits a reported status. @throws Refusal 409 */
export function admitReport(
  experiment: ExperimentState,
  userId: string,
  reported: string,
  expected: Expected,
  at: string,
): void {
  admitToExperiment("report_experiment_status", experiment, userId, expected, at)
  const reachable = rows.flatMap((row) =>
    row.operation === "report_experiment_status" && row.from.includes(experiment.status) && typeof row.to === "object"
      ? row.to.status
      : [],
  )
  if (!reachable.includes(reported))
    throw new Refusal(
      "state_conflict",
      `${experiment.label} is ${experiment.status}, so ${reported} cannot be reported now. ` +
        `Accepted now: ${orOf(reachable)}.`,
      { current: currentExperiment(experiment) },
    )
}

/** What decides, besides its state, which operations an experiment affords. */
export interface Grounds {
  readonly basePath: string
  readonly roomIsActive: boolean
  readonly leaseIsLapsed: boolean
  /** Whether they are members of the Room. A former member cannot act, even as proposer or assignee. */
  readonly isMember: { readonly proposer: boolean; readonly assignee: boolean; readonly any_member: true }
  /** Whether its assignee accepted a plan. A plan that somebody else accepted does not count. */
  readonly hasPlan: boolean
  readonly hasAttempt: boolean
  /** Whether the instance has an attempt or a finding that could be reproduced. */
  readonly hasResults: boolean
}

/** Returns the statuses or intents that an affordance allows; null if none is possible. */
function valuesOf(row: Row, { hasPlan, hasAttempt, hasResults }: Grounds): Record<string, string[]> | undefined | null {
  if (typeof row.to === "object") return { status: [...row.to.status] }
  if (row.values === undefined) return undefined
  const needs: Record<string, boolean> = { planned: hasPlan, rerun: hasAttempt, reproduction: hasResults }
  const intent = row.values.intent.filter((value) => needs[value] ?? true)
  return intent.length === 0 ? null : { intent }
}

/** Returns the operations that the server would accept next about an experiment, and from whom. */
export function experimentAffordances(experiment: ExperimentState, grounds: Grounds) {
  const people = { proposer: experiment.proposerId, assignee: experiment.assigneeId, any_member: null }
  const afforded = rows.flatMap((row) => {
    const values = valuesOf(row, grounds)
    if (!grounds.roomIsActive || !grounds.isMember[row.by] || values === null || !row.from.includes(experiment.status))
      return []
    if (row.needs !== undefined && !grounds.leaseIsLapsed) return []
    const { path, permissions } = operationOf(row.operation)
    return [
      {
        operation: row.operation,
        path: `${grounds.basePath}${path}`,
        permission: permissions[0] ?? null,
        by: row.by,
        userId: people[row.by],
        ...(values && { values }),
      },
    ]
  })
  return {
    expected: { expectedRevision: experiment.revision, expectedStatus: experiment.status },
    operations: afforded,
  }
}
