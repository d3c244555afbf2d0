/** Selects the columns of experiments and turns rows into summaries, for lists and contexts. */
import { each } from "../../contract/each.ts"
import type { AttemptStatus, RoomState } from "../../contract/schema/enumerations.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import type { ExperimentAnswer, ExperimentSummary } from "../../contract/answers/work.ts"
import { WORK_STATE } from "../../rooms/imported.ts"
import { type ExperimentState, experimentAffordances, leaseOf } from "./admission.ts"
import { AGENT_AT, AGENT_OF_ENTRY, AGENT_OR_NONE_AT } from "../../ledger/journal/author.ts"

/** An experiment with its Room and Thread. */
export interface Experiment extends ExperimentState {
  readonly roomId: string
  readonly threadId: string
  /** The agent that took it: empty for a person in the browser; null if nobody holds it, or the agent is unknown. */
  readonly holdingAgent: string | null
}
export type Statement = ExperimentAnswer["handoff"]

export type Row = Omit<
  ExperimentSummary,
  "proposer" | "assignee" | "hypotheses" | "attempts" | "affordances" | "lease"
> &
  Omit<Experiment, "holdingAgent"> & {
    readonly proposerName: string
    readonly proposerAgent: string | null
    readonly assigneeName: string | null
    readonly assigneeAgent: string | null
    readonly hypotheses: Stored<string[]>
    readonly roomState: RoomState
    readonly attempts: Stored<Partial<Record<AttemptStatus, number>>>
    readonly proposerIsMember: number
    readonly assigneeIsMember: number
    readonly hasResults: number
    /** Whether its assignee accepted a plan. */
    readonly ownPlans: number
  }

/** The columns that only the read of one experiment shows. */
export interface Texts {
  readonly suggestedProtocol: Stored<unknown> | null
  readonly handoff: Stored<Statement> | null
  readonly conclusion: Stored<Statement> | null
}

function rollup(counts: Row["attempts"]) {
  const known = parse(counts)
  const byStatus = each(enumerations.attemptStatus, (status) => known[status] ?? 0)
  return { total: Object.values(byStatus).reduce((sum, count) => sum + count, 0), ...byStatus }
}

export const text = <T>(json: Stored<T> | null) => json && new JsonText(json)

/** Returns an experiment as lists and contexts show it. @param now milliseconds since 1970 */
export function summary(row: Row, basePath: string, now: number): ExperimentSummary {
  const attempts = rollup(row.attempts)
  const lease = leaseOf(row, now)
  const { proposerId, assigneeId } = row
  // Member by member, because it is serialised fastest.
  return {
    experimentId: row.experimentId,
    label: row.label,
    roomId: row.roomId,
    threadId: row.threadId,
    entryId: row.entryId,
    proposer: { userId: proposerId, username: row.proposerName, agent: row.proposerAgent },
    assigneeId,
    assignee:
      assigneeId === null ? null : { userId: assigneeId, username: row.assigneeName ?? "", agent: row.assigneeAgent },
    lease,
    status: row.status,
    revision: row.revision,
    question: row.question,
    scope: row.scope,
    // This list is short, and parsing it lets the whole experiment be serialised faster.
    hypotheses: parse(row.hypotheses),
    plans: row.plans,
    attempts,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    affordances: experimentAffordances(row, {
      basePath,
      roomIsActive: row.roomState === "active",
      leaseIsLapsed: lease?.lapsed === true,
      isMember: { proposer: row.proposerIsMember === 1, assignee: row.assigneeIsMember === 1, any_member: true },
      hasPlan: row.ownPlans === 1,
      hasAttempt: attempts.total > 0,
      hasResults: row.hasResults === 1,
    }),
  }
}

export const STATE = `e.experiment_id AS experimentId, e.label, e.room_id AS roomId, e.thread_id AS threadId, \
e.status, e.revision,
    e.proposer_id AS proposerId, e.assignee_id AS assigneeId, e.lease_minutes AS \
leaseMinutes, e.lease_until AS leaseUntil`
const TAKEN_LAST = `(SELECT v.history_position
  FROM experiment_revisions v
  WHERE v.experiment_id = e.experiment_id AND v.operation = 'take_experiment'
  ORDER BY v.revision DESC
  LIMIT 1)`
/** The agent that took the experiment for its assignee; null for a person in the browser. */
export const HOLDING_AGENT = `CASE WHEN e.assignee_id IS NOT NULL THEN ${AGENT_AT(TAKEN_LAST)} END`
/** The same, empty for a person in the browser. */
export const HOLDING_AGENT_OR_NONE = `CASE WHEN e.assignee_id IS NOT NULL THEN ${AGENT_OR_NONE_AT(TAKEN_LAST)} END`
export const COLUMNS = `${STATE}, e.entry_id AS entryId, e.question, e.scope, e.hypotheses, e.created_at AS createdAt,
    e.updated_at AS updatedAt,
    p.username AS proposerName, ${AGENT_OF_ENTRY("e.entry_id")} AS proposerAgent, a.username AS assigneeName,
    ${HOLDING_AGENT} AS assigneeAgent, ${WORK_STATE("r")} AS roomState,
    (SELECT json_group_object(c.status, c.attempts)
      FROM attempt_counts c
      WHERE c.experiment_id = e.experiment_id) AS attempts,
    (SELECT count(*) FROM plans n WHERE n.experiment_id = e.experiment_id) AS plans,
    EXISTS (SELECT 1 FROM members m WHERE m.room_id = e.room_id AND m.user_id = e.proposer_id) AS proposerIsMember,
    EXISTS (SELECT 1
      FROM plans n
      WHERE n.experiment_id = e.experiment_id AND n.accepted_by = e.assignee_id) AS ownPlans,
    EXISTS (SELECT 1 FROM members m WHERE m.room_id = e.room_id AND m.user_id = e.assignee_id) AS assigneeIsMember,
    (EXISTS (SELECT 1 FROM attempts t WHERE t.attempt_id > '')
      OR EXISTS (SELECT 1 FROM records f WHERE f.kind = 'finding')) AS hasResults`
export const TABLES = `experiments e
  JOIN people p ON p.user_id = e.proposer_id
  JOIN rooms r ON r.room_id = e.room_id
  LEFT JOIN people a ON a.user_id = e.assignee_id`
export const SUMMARY = `SELECT ${COLUMNS} FROM ${TABLES}`
