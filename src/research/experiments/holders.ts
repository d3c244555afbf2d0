/**
 * What its state lets a member do with an experiment, and who holds it and on which terms: leases, their renewal and
 * lapse, takeovers, and the warnings for the agents concerned.
 */
import { type Author, writerName } from "../../contract/answers/parts.ts"
import type { Warning } from "../../contract/answers/receipts.ts"
import { limits } from "../../contract/limits.ts"
import { type Actor, type Agent, AGENT_OR_NONE_AT, AGENT_AT, IS_AGENT } from "../../ledger/journal/actor.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { later } from "../../ledger/world.ts"
import type { ExperimentStatus } from "../../contract/schema/enumerations.ts"
import { picked } from "../../contract/typed.ts"
import type { JsonObject } from "../../contract/json.ts"
import { type OperationName, operationOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import { experimentStates, isOver } from "../../contract/states.ts"
import { orOf } from "../../contract/text.ts"

// Checks writes about experiments against the state table. Admission and affordances read the same rows.

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

/** An experiment with its Room and Thread. */
export interface Experiment extends ExperimentState {
  readonly roomId: string
  readonly threadId: string
  /** The agent that took it: empty for a person in the browser; null if nobody holds it, or the agent is unknown. */
  readonly holdingAgent: string | null
}

/** The position of the last taking of an experiment. @param which SQL for more conditions on the revision `v` */
const TAKEN = (which = ""): string => `(SELECT v.history_position
  FROM experiment_revisions v
  WHERE v.experiment_id = e.experiment_id AND v.operation = 'take_experiment'${which}
  ORDER BY v.revision DESC
  LIMIT 1)`
const TAKEN_LAST = TAKEN()
/** The agent that took the experiment for its assignee; null for a person in the browser. */
export const HOLDING_AGENT = `CASE WHEN e.assignee_id IS NOT NULL THEN ${AGENT_AT(TAKEN_LAST)} END`
/** The same, empty for a person in the browser. */
export const HOLDING_AGENT_OR_NONE = `CASE WHEN e.assignee_id IS NOT NULL THEN ${AGENT_OR_NONE_AT(TAKEN_LAST)} END`

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

/** SQL for the agent that holds an experiment `e`, and on which terms. */
export const HOLDING = `${HOLDING_AGENT} AS agent, e.lease_minutes AS leaseMinutes, e.lease_until AS leaseUntil`
/** The terms on which an experiment is held. */
export type Terms = Pick<Experiment, "leaseMinutes" | "leaseUntil">

/** Returns a row with the terms as answers show them. @param now milliseconds since 1970 */
export function withTerms<Row extends Terms>({ leaseMinutes, leaseUntil, ...row }: Row, now: number) {
  const lease = leaseOf({ leaseMinutes, leaseUntil }, now)
  return { ...row, ...(lease && { lease }) }
}

/** Whether others may take an experiment over. @param now milliseconds since 1970 */
export const isLost = (terms: Terms, now: number): boolean => leaseOf(terms, now)?.lapsed === true

/** Why an experiment that its holder lost is free. */
export const lostInWords = (holder: { username: string; agent: string | null }, { leaseUntil }: Terms): string =>
  `${writerName(holder)} held it; the lease lapsed at ${leaseUntil}`

export type Holders = ReturnType<typeof holders>

export function holders(db: Db) {
  const anyOf = db.prepare(
    "SELECT 1 FROM experiments WHERE assignee_id = +? AND room_id = +? AND lease_until IS NOT NULL LIMIT 1",
  )
  // If a person took the experiment in the browser, any agent of theirs renews the lease.
  const held = db.prepare<{ experimentId: string; minutes: number }>(
    `SELECT e.experiment_id AS experimentId, e.lease_minutes AS minutes FROM experiments e
     WHERE e.experiment_id IN (SELECT value FROM json_each(+?)) AND e.assignee_id = +? AND e.lease_until IS NOT NULL
        AND coalesce(${HOLDING_AGENT_OR_NONE}, '') IN ('', +?)`,
  )
  const renew = db.prepare("UPDATE experiments SET lease_until = +? WHERE experiment_id = +?")
  const takeover = db.prepare<Author & { at: string; label: string }>(
    `SELECT v.at, v.author_id AS userId, p.username, ${AGENT_OR_NONE_AT("v.history_position")} AS agent, e.label
     FROM experiment_revisions v JOIN people p ON p.user_id = v.author_id JOIN experiments e USING (experiment_id)
     WHERE v.experiment_id = +? AND v.operation = 'take_experiment'
        AND v.history_position > (SELECT a.history_position FROM attempts a WHERE a.attempt_id = +?)
       AND EXISTS (SELECT 1
         FROM experiment_revisions b
         WHERE b.experiment_id = v.experiment_id AND b.revision = v.revision - 1 AND b.assignee_id IS NOT NULL)
     ORDER BY v.revision DESC LIMIT 1`,
  )
  const holder = db.prepare<{ username: string; agent: string | null }>(
    `SELECT p.username, ${HOLDING_AGENT} AS agent
      FROM experiments e
      JOIN people p ON p.user_id = e.assignee_id
      WHERE e.experiment_id = +?`,
  )
  const unended = db.prepare<{ label: string }>(
    `SELECT label FROM attempts WHERE experiment_id = +? AND status IN ('registered', 'started')
        AND intent <> 'reproduction' ORDER BY attempt_id LIMIT ${limits.claimWarnings}`,
  )

  const heldBy = db.prepare<{ id: string; label: string }>(
    `SELECT e.experiment_id AS id, e.label
      FROM experiments e
      WHERE e.experiment_id IN (SELECT value FROM json_each(+?)) AND e.assignee_id = +? AND ${IS_AGENT(HOLDING_AGENT)}`,
  )
  const heldAt = db.prepare<{ label: string }>(
    `SELECT e.label FROM experiment_revisions b JOIN experiments e ON e.experiment_id = b.experiment_id
     WHERE b.experiment_id = +? AND b.revision = +? AND b.assignee_id = +?
       AND ${IS_AGENT(AGENT_AT(TAKEN(" AND v.revision <= b.revision")))}`,
  )

  return {
    /** Returns the labels of the experiments among some ids that an agent holds, or held when they ended. */
    heldBy: (ids: Iterable<string>, { userId, name }: Agent): ReadonlyMap<string, string> =>
      new Map(heldBy.all(JSON.stringify([...ids]), userId, name, name).map(({ id, label }) => [id, label])),

    /** Tells an agent that held an experiment at a revision that it was taken over; undefined if it did not hold it. */
    takenFrom(experimentId: string, revision: number, { userId, name }: Agent) {
      const label = heldAt.get(experimentId, revision, userId, name, name)?.label
      const sentence = `${label} was yours; your lease had lapsed, and it was taken over.`
      return label === undefined ? undefined : { label, sentence }
    },

    /** Whether a person holds an experiment of a Room on a lease. */
    anyOf: (userId: string, roomId: string): boolean => anyOf.get(userId, roomId) !== undefined,

    /** Renews the leases of an agent on some experiments. @param ids a JSON list */
    renew(ids: string, { userId, agent = "" }: Actor, at: string): void {
      for (const { experimentId, minutes } of held.all(ids, userId, agent)) renew.run(later(at, minutes), experimentId)
    },

    /** Warns an agent that another agent of the same person holds the experiment. */
    heldByOther(
      { experimentId, label, assigneeId, holdingAgent }: Experiment,
      { userId, username, agent = "" }: Actor,
    ): Warning[] {
      if (assigneeId !== userId || !holdingAgent || holdingAgent === agent) return []
      const message =
        `${label} is held by another agent of the same person: ` + `${writerName({ username, agent: holdingAgent })}.`
      return [{ code: "held_by_other_agent", message, experimentId, label, by: username, agent: holdingAgent }]
    },

    /** Warns an agent that takes an experiment over: from whom, and which attempts are unfinished. */
    tookOver({ experimentId, label, assigneeId, leaseUntil }: Experiment): Warning[] {
      const from = assigneeId === null ? undefined : holder.get(experimentId)
      if (from === undefined || leaseUntil === null) return []
      const running = unended.all(experimentId).map((attempt) => attempt.label)
      const still = running.length === 0 ? "" : ` No outcome was reported for ${running.join(", ")}.`
      const message = `${label} was held by ${writerName(from)}, whose lease lapsed at ${leaseUntil}.${still}`
      return [
        { code: "lease_lapsed", message, experimentId, label, by: from.username, agent: from.agent, until: leaseUntil },
      ]
    },

    /** Warns the sender of a report if another agent took the experiment over since the attempt was registered. */
    takenOver(experimentId: string, attemptId: string, { userId, agent = "" }: Actor): Warning[] {
      const found = takeover.get(experimentId, attemptId)
      if (found === undefined || (found.userId === userId && found.agent === agent)) return []
      const { at, label, username } = found
      const holder = { username, agent: found.agent || null }
      const message =
        `${label} was taken over by ${writerName(holder)} at ${at}, after your lease had ` +
        "lapsed. This report is marked late."
      return [{ code: "taken_over", message, experimentId, label, by: username, agent: holder.agent }]
    },
  }
}
