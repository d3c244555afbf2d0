/** Experiments: their rows and revisions, and how they are shown. */
import type { ExperimentStatus, RoomState } from "../../contract/enumerations.ts"
import { enumerations } from "../../contract/enumerations.ts"
import { JsonText } from "../../contract/json.ts"
import type { Db } from "../../ledger/database.ts"
import { filteredList } from "../../ledger/filtered-list.ts"
import { type ExperimentState, experimentAffordances } from "./admission.ts"

/** An experiment as admission sees it, with where it belongs. */
export interface Experiment extends ExperimentState {
  readonly roomId: string
  readonly threadId: string
}

/** What an experiment asks. */
export interface Proposal {
  readonly question: string
  readonly scope: string
  readonly hypotheses: readonly string[]
  readonly suggestedProtocol?: unknown
}

export interface NewExperiment extends Proposal {
  readonly experimentId: string
  readonly label: string
  readonly roomId: string
  readonly threadId: string
  readonly entryId: string
  readonly proposerId: string
  readonly at: string
}

/** What one accepted operation changes; what is left out stays. */
export interface Step {
  readonly status?: ExperimentStatus
  readonly assigneeId?: string | null
  readonly proposal?: Partial<Proposal>
  readonly handoff?: { readonly text: string; readonly by: { readonly userId: string; readonly username: string }; readonly at: string }
  readonly conclusion?: { readonly text: string; readonly by: { readonly userId: string; readonly username: string }; readonly at: string }
  readonly planId?: string
}

interface Row {
  experiment_id: string
  room_id: string
  thread_id: string
  label: string
  entry_id: string
  proposer_id: string
  proposer_name: string
  assignee_id: string | null
  assignee_name: string | null
  status: ExperimentStatus
  revision: number
  question: string
  scope: string
  hypotheses: string
  suggested_protocol: string | null
  handoff: string | null
  conclusion: string | null
  created_at: string
  updated_at: string
  room_state: RoomState
  /** A JSON object: attempts by status. */
  attempts: string
  plans: number
  proposer_is_member: number
  assignee_is_member: number
  has_results: number
}

const state = (row: Pick<Row, "experiment_id" | "label" | "status" | "revision" | "proposer_id" | "assignee_id">): ExperimentState => ({
  experimentId: row.experiment_id,
  label: row.label,
  status: row.status,
  revision: row.revision,
  proposerId: row.proposer_id,
  assigneeId: row.assignee_id,
})

/** How many attempts there are, in all and in each status. */
function rollup(counts: string) {
  const known = JSON.parse(counts) as Record<string, number>
  const byStatus = Object.fromEntries(enumerations.attemptStatus.map((status) => [status, known[status] ?? 0]))
  return { total: Object.values(byStatus).reduce((sum, count) => sum + count, 0), ...byStatus }
}

const text = (json: string | null) => (json === null ? null : new JsonText(json))

/** An experiment as lists and contexts show it. */
function summary(row: Row) {
  const attempts = rollup(row.attempts)
  return {
    experimentId: row.experiment_id,
    label: row.label,
    roomId: row.room_id,
    threadId: row.thread_id,
    entryId: row.entry_id,
    proposer: { userId: row.proposer_id, username: row.proposer_name },
    assigneeId: row.assignee_id,
    assignee: row.assignee_id === null ? null : { userId: row.assignee_id, username: row.assignee_name },
    status: row.status,
    revision: row.revision,
    question: row.question,
    scope: row.scope,
    // A short list: with a text inside, the whole experiment would be written more slowly.
    hypotheses: JSON.parse(row.hypotheses) as string[],
    plans: row.plans,
    attempts,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    affordances: experimentAffordances(state(row), {
      roomIsActive: row.room_state === "active",
      isMember: { proposer: row.proposer_is_member === 1, assignee: row.assignee_is_member === 1, any_member: true },
      hasPlan: row.plans > 0,
      hasAttempt: attempts.total > 0,
      hasResults: row.has_results === 1,
    }),
  }
}

const SUMMARY = `
  SELECT e.*, p.username AS proposer_name, a.username AS assignee_name, r.state AS room_state,
    (SELECT json_group_object(c.status, c.attempts) FROM attempt_counts c WHERE c.experiment_id = e.experiment_id) AS attempts,
    (SELECT count(*) FROM plans n WHERE n.experiment_id = e.experiment_id) AS plans,
    EXISTS (SELECT 1 FROM members m WHERE m.room_id = e.room_id AND m.user_id = e.proposer_id) AS proposer_is_member,
    EXISTS (SELECT 1 FROM members m WHERE m.room_id = e.room_id AND m.user_id = e.assignee_id) AS assignee_is_member,
    (EXISTS (SELECT 1 FROM attempts t WHERE t.attempt_id > '') OR EXISTS (SELECT 1 FROM records f WHERE f.kind = 'finding')) AS has_results
  FROM experiments e
  JOIN people p ON p.user_id = e.proposer_id
  JOIN rooms r ON r.room_id = e.room_id
  LEFT JOIN people a ON a.user_id = e.assignee_id`

export type Experiments = ReturnType<typeof experiments>

export function experiments(db: Db) {
  const insert = db.prepare(
    `INSERT INTO experiments (experiment_id, room_id, thread_id, label, entry_id, proposer_id, status, revision, question, scope, hypotheses, suggested_protocol, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, 'open', 1, ?, ?, ?, ?, ?, ?)`,
  )
  const update = db.prepare<{ revision: number; status: ExperimentStatus; assignee_id: string | null }>(
    `UPDATE experiments SET revision = revision + 1, updated_at = ?, status = coalesce(?, status),
       assignee_id = CASE ? WHEN 'keep' THEN assignee_id ELSE ? END,
       question = coalesce(?, question), scope = coalesce(?, scope), hypotheses = coalesce(?, hypotheses), suggested_protocol = coalesce(?, suggested_protocol),
       handoff = coalesce(?, handoff), conclusion = coalesce(?, conclusion)
     WHERE experiment_id = ? RETURNING revision, status, assignee_id`,
  )
  const insertRevision = db.prepare(
    "INSERT INTO experiment_revisions (experiment_id, revision, operation, author_id, at, status, assignee_id, plan_id, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const find = db.prepare<Row>("SELECT * FROM experiments WHERE experiment_id = ?")
  const one = db.prepare<Row>(`${SUMMARY} WHERE e.experiment_id = ?`)
  const revisions = db.prepare<{
    revision: number
    operation: string
    at: string
    author_id: string
    username: string
    status: string
    assignee_id: string | null
    plan_id: string | null
    content: string
  }>(
    `SELECT v.*, p.username FROM experiment_revisions v JOIN people p ON p.user_id = v.author_id
     WHERE v.experiment_id = ? AND v.revision > ? ORDER BY v.revision LIMIT ?`,
  )
  const assigned = db.prepare<{ experiment_id: string; label: string; room_id: string; status: string }>(
    "SELECT experiment_id, label, room_id, status FROM experiments WHERE assignee_id = ? AND status IN ('claimed', 'in_progress') ORDER BY experiment_id",
  )
  const list = filteredList<Row>(db, SUMMARY, { roomId: "e.room_id", label: "e.label" }, "e.experiment_id")
  const newestOf = db.prepare<Row>(`${SUMMARY} WHERE e.room_id = ? ORDER BY e.experiment_id DESC LIMIT ?`)
  const newestOfThread = db.prepare<Row>(`${SUMMARY} WHERE e.room_id = ? AND e.thread_id = ? ORDER BY e.experiment_id DESC LIMIT ?`)
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

  return {
    insert(
      { experimentId, roomId, threadId, label, entryId, proposerId, question, scope, hypotheses, suggestedProtocol, at }: NewExperiment,
      content: string,
    ): void {
      insert.run(
        experimentId,
        roomId,
        threadId,
        label,
        entryId,
        proposerId,
        question,
        scope,
        JSON.stringify(hypotheses),
        json(suggestedProtocol),
        at,
        at,
      )
      insertRevision.run(experimentId, 1, "propose_experiment", proposerId, at, "open", null, null, content)
    },

    /** Takes an experiment one revision further. @param content the body that was accepted, kept with the revision */
    advance(
      experimentId: string,
      operation: string,
      authorId: string,
      at: string,
      step: Step,
      content: string,
    ): { revision: number; status: ExperimentStatus } {
      const { proposal = {}, status = null, assigneeId, handoff, conclusion, planId = null } = step
      const now = update.get(
        at,
        status,
        assigneeId === undefined ? "keep" : "set",
        assigneeId ?? null,
        proposal.question ?? null,
        proposal.scope ?? null,
        json(proposal.hypotheses),
        json(proposal.suggestedProtocol),
        json(handoff),
        json(conclusion),
        experimentId,
      ) as { revision: number; status: ExperimentStatus; assignee_id: string | null }
      insertRevision.run(experimentId, now.revision, operation, authorId, at, now.status, now.assignee_id, planId, content)
      return { revision: now.revision, status: now.status }
    },

    /** The hypotheses that an experiment addresses now. */
    hypothesesOf: (experimentId: string): string[] => JSON.parse(find.get(experimentId)?.hypotheses ?? "[]") as string[],
    find(experimentId: string): Experiment | undefined {
      const row = find.get(experimentId)
      return row && { ...state(row), roomId: row.room_id, threadId: row.thread_id }
    },

    /** An experiment whole, but for what other tables hold of it. */
    read(experimentId: string) {
      const row = one.get(experimentId)
      if (row === undefined) return undefined
      return {
        ...summary(row),
        suggestedProtocol: text(row.suggested_protocol),
        handoff: text(row.handoff),
        conclusion: text(row.conclusion),
        hypothesisIds: JSON.parse(row.hypotheses) as string[],
      }
    },

    /** Up to `count` experiments after an id. */
    page: (filters: { roomId?: string; label?: string }, after: string | undefined, count: number) =>
      list(filters, after, count).map(summary),

    /** The newest experiments of a Room, newest first. */
    newestOf: (roomId: string, count: number) => newestOf.all(roomId, count).map(summary),
    newestOfThread: (roomId: string, threadId: string, count: number) => newestOfThread.all(roomId, threadId, count).map(summary),

    /** Up to `count` revisions after one. */
    history: (experimentId: string, after: number, count: number) =>
      revisions.all(experimentId, after, count).map((row) => ({
        sequence: row.revision,
        revision: row.revision,
        operation: row.operation,
        at: row.at,
        author: { userId: row.author_id, username: row.username },
        status: row.status,
        assigneeId: row.assignee_id,
        planId: row.plan_id,
        content: new JsonText(row.content),
      })),

    /** What a person holds now, across Rooms. */
    assignedTo: (userId: string) =>
      assigned.all(userId).map((row) => ({ experimentId: row.experiment_id, label: row.label, roomId: row.room_id, status: row.status })),
  }
}
