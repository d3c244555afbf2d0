/** What the state table lets happen to an experiment, and from whom: admission and affordances read the same rows. */
import type { ExperimentStatus } from "../../contract/schema/enumerations.ts"
import type { JsonObject } from "../../contract/json.ts"
import { type OperationName, operationOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { experimentStates, isOver } from "../../contract/states.ts"
import { orOf } from "../../contract/text.ts"

/** What admission has to know of an experiment. */
export interface ExperimentState {
  readonly experimentId: string
  readonly label: string
  readonly status: ExperimentStatus
  readonly revision: number
  readonly proposerId: string
  readonly assigneeId: string | null
  /** Both null without a lease. */
  readonly leaseMinutes: number | null
  readonly leaseUntil: string | null
}

export interface Expected {
  readonly expectedRevision?: number
  readonly expectedStatus?: string
}

/** A row of the table, its lists open to any word. */
interface Row {
  readonly from: readonly string[]
  readonly operation: OperationName
  readonly by: "proposer" | "assignee" | "any_member"
  readonly to: string | { readonly status: readonly string[] }
  readonly values?: { readonly intent: readonly string[] }
  readonly needs?: "lapsed_lease"
}
const rows: readonly Row[] = experimentStates

/** How long the holder of an experiment has it without a sign; null without a lease. @param now milliseconds since 1970 */
export const leaseOf = ({ leaseMinutes: minutes, leaseUntil: until }: Pick<ExperimentState, "leaseMinutes" | "leaseUntil">, now: number) =>
  minutes === null || until === null ? null : { minutes, until, lapsed: Date.parse(until) <= now }

/** The state of an experiment as refusals show it, with the block to copy into the next try. */
export const currentExperiment = (experiment: ExperimentState): JsonObject => {
  const { experimentId, label, status, revision, assigneeId, leaseUntil } = experiment
  return {
    experimentId,
    label,
    status,
    revision,
    assigneeId,
    ...(leaseUntil !== null && { leaseUntil }),
    expected: { expectedRevision: revision, expectedStatus: status },
  }
}

const heldByAnother = ({ label, leaseUntil }: ExperimentState): string =>
  `${label} is held by someone else${leaseUntil === null ? "" : `; the lease lasts until ${leaseUntil} if its holder writes nothing more about it`}.`

const isStale = (experiment: ExperimentState, expected: Expected) =>
  (expected.expectedRevision !== undefined && expected.expectedRevision !== experiment.revision) ||
  (expected.expectedStatus !== undefined && expected.expectedStatus !== experiment.status)

/**
 * Lets a write about an experiment through, or throws.
 * @param at the moment of the write
 * @param which the rows meant, where an operation has several that differ by a value
 * @throws Refusal 403 for another one's work to amend; then, in the protocol's order, `experiment_not_open`,
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
  const meant = rows.filter((row) => row.operation === operation && which(row) && (row.needs === undefined || isLapsed))
  const by = meant[0]?.by
  const current = currentExperiment(experiment)
  const { status, assigneeId } = experiment
  if (by === "proposer" && experiment.proposerId !== userId) {
    throw new Refusal("role_required", "Only the proposer of an experiment does this.", { current: { ...current, needed: ["proposer"] } })
  }
  const from = meant.flatMap((row) => row.from)
  if (isOver("experiment", status) && !from.includes(status))
    throw new Refusal("experiment_not_open", `${experiment.label} is ${status}; nothing more happens to it.`, { current })
  if (by === "assignee" && assigneeId !== userId) {
    throw new Refusal(
      "assignment_conflict",
      assigneeId === null ? `Nobody holds ${experiment.label}; take it first.` : heldByAnother(experiment),
      { current },
    )
  }
  if (by !== "assignee" && !from.includes(status) && assigneeId !== userId)
    throw new Refusal("assignment_conflict", heldByAnother(experiment), { current })
  if (isStale(experiment, expected)) throw new Refusal("state_conflict", `${experiment.label} has changed since you read it.`, { current })
  if (!from.includes(status)) throw new Refusal("experiment_not_open", `${experiment.label} is ${status}, not open.`, { current })
}

/** Lets a reported status through, or throws. @throws Refusal 409 */
export function admitReport(experiment: ExperimentState, userId: string, reported: string, expected: Expected, at: string): void {
  admitToExperiment("report_experiment_status", experiment, userId, expected, at)
  const reachable = rows.flatMap((row) =>
    row.operation === "report_experiment_status" && row.from.includes(experiment.status) && typeof row.to === "object" ? row.to.status : [],
  )
  if (!reachable.includes(reported))
    throw new Refusal(
      "state_conflict",
      `${experiment.label} is ${experiment.status}: ${reported} does not follow; ${orOf(reachable)} does.`,
      { current: currentExperiment(experiment) },
    )
}

/** What besides the state of an experiment decides what can follow: who can still act, and what there is to build on. */
export interface Grounds {
  /** What the paths of operations start with. */
  readonly basePath: string
  readonly roomIsActive: boolean
  readonly leaseIsLapsed: boolean
  /** Whether they belong to the Room: somebody who left it acts no more, whatever they proposed or hold. */
  readonly isMember: { readonly proposer: boolean; readonly assignee: boolean; readonly any_member: true }
  /** Whether its assignee accepted a plan: what somebody else accepted is not carried out by others. */
  readonly hasPlan: boolean
  readonly hasAttempt: boolean
  /** Whether there is anything to reproduce: an attempt of any experiment, or a finding. */
  readonly hasResults: boolean
}

/** The values of an affordance: the states it may lead to, or the intents it may have; null when none is left. */
function valuesOf(row: Row, { hasPlan, hasAttempt, hasResults }: Grounds): Record<string, string[]> | undefined | null {
  if (typeof row.to === "object") return { status: [...row.to.status] }
  if (row.values === undefined) return undefined
  const needs: Record<string, boolean> = { planned: hasPlan, rerun: hasAttempt, reproduction: hasResults }
  const intent = row.values.intent.filter((value) => needs[value] ?? true)
  return intent.length === 0 ? null : { intent }
}

/** What the server would accept next about an experiment, and from whom. They grant nothing. */
export function experimentAffordances(experiment: ExperimentState, grounds: Grounds) {
  const people = { proposer: experiment.proposerId, assignee: experiment.assigneeId, any_member: null }
  const afforded = rows.flatMap((row) => {
    const values = valuesOf(row, grounds)
    if (!grounds.roomIsActive || !grounds.isMember[row.by] || values === null || !row.from.includes(experiment.status)) return []
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
  return { expected: { expectedRevision: experiment.revision, expectedStatus: experiment.status }, operations: afforded }
}
