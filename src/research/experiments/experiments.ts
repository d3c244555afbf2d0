/** The rows and revisions of experiments, and lists of them. */
import type { Author } from "../../contract/answers/index.ts"
import type { ExperimentStatus } from "../../contract/schema/enumerations.ts"
import { each, keysOf } from "../../contract/each.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import type { Revision } from "../../contract/answers/work.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import type { Made } from "../../ledger/journal/behaviour.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { filteredList } from "../../ledger/lists/filtered-list.ts"
import { AGENT, AGENT_OF_ENTRY } from "../../ledger/journal/author.ts"
import {
  type Experiment,
  type Statement,
  type Row,
  type Texts,
  text,
  summary,
  HOLDING_AGENT_OR_NONE,
  STATE,
  COLUMNS,
  TABLES,
  SUMMARY,
} from "./summary.ts"

/** The content of a proposed experiment. */
export interface Proposal {
  readonly question: string
  readonly scope: string
  readonly hypotheses: readonly string[]
  readonly suggestedProtocol?: unknown
}

export type NewExperiment = Proposal & Made & { readonly experimentId: string; readonly label: string }

/** The changes of one operation. Members that are left out stay as they are. */
export interface Step {
  readonly status?: ExperimentStatus
  readonly assigneeId?: string | null
  readonly lease?: { readonly minutes: number; readonly until: string } | null
  readonly proposal?: Partial<Proposal>
  readonly handoff?: Statement
  readonly conclusion?: Statement
  readonly planId?: string
}

export type Experiments = ReturnType<typeof experiments>

/** @param now milliseconds since 1970 */
export function experiments(db: Db, basePath = "", now = Date.now) {
  const summaryOf = (row: Row) => summary(row, basePath, now())
  const insert = inserting(db, "experiments")
  const update = db.prepare<Pick<Experiment, "revision" | "status" | "assigneeId">>(
    `UPDATE experiments SET revision = revision + 1, updated_at = +?, status = coalesce(+?, status),
       assignee_id = CASE +? WHEN 'keep' THEN assignee_id ELSE +? END,
       lease_minutes = CASE +? WHEN 'keep' THEN lease_minutes ELSE +? END,
        lease_until = CASE +? WHEN 'keep' THEN lease_until ELSE +? END,
       question = coalesce(+?, question), scope = coalesce(+?, scope), hypotheses = coalesce(+?, hypotheses),
        suggested_protocol = coalesce(+?, suggested_protocol),
       handoff = coalesce(+?, handoff), conclusion = coalesce(+?, conclusion)
     WHERE experiment_id = +? RETURNING revision, status, assignee_id AS assigneeId`,
  )
  const insertRevision = inserting(db, "experiment_revisions")
  const find = db.prepare<Experiment>(
    `SELECT ${STATE}, ${HOLDING_AGENT_OR_NONE} AS holdingAgent FROM experiments e WHERE e.experiment_id = +?`,
  )
  const addressed = db.prepare<Pick<Row, "hypotheses">>("SELECT hypotheses FROM experiments WHERE experiment_id = +?")
  const one = db.prepare<Row & Texts>(
    `SELECT ${COLUMNS}, e.suggested_protocol AS suggestedProtocol, e.handoff, e.conclusion
      FROM ${TABLES}
      WHERE e.experiment_id = +?`,
  )
  const revisions = db.prepare<
    Omit<Revision, "author" | "content"> & Author & { readonly content: Stored<Revision["content"]> }
  >(
    `SELECT v.revision, v.operation, v.at, v.author_id AS userId, p.username, ${AGENT("v")} AS agent, v.status,
        v.assignee_id AS assigneeId, v.plan_id AS planId, ${contentOf("v")} AS content
      FROM experiment_revisions v
      JOIN people p ON p.user_id = v.author_id
     WHERE v.experiment_id = +? AND v.revision > +? ORDER BY v.revision LIMIT +?`,
  )
  const assigned = db.prepare<Pick<Experiment, "experimentId" | "label" | "roomId" | "status">>(
    `SELECT experiment_id AS experimentId, label, room_id AS roomId, status
      FROM experiments
      WHERE assignee_id = +? AND status IN ('claimed', 'in_progress')
      ORDER BY experiment_id`,
  )
  const plain = { roomId: "e.room_id", label: "e.label", status: "e.status", assigneeId: "e.assignee_id" }
  const columns = { ...plain, agent: AGENT_OF_ENTRY("e.entry_id") }
  const list = filteredList<Row>(db, SUMMARY, columns, "e.experiment_id")
  // A plus keeps SQLite from using the index of that column: a person holds fewer experiments than a Room has, and a
  // hypothesis has fewer still.
  const ofAssignee = filteredList<Row>(db, SUMMARY, { ...columns, roomId: "+e.room_id" }, "e.experiment_id")
  const ofHypothesis = filteredList<Row>(
    db,
    SUMMARY.replace(
      "FROM experiments e\n",
      "FROM record_uses u CROSS JOIN experiments e ON e.experiment_id = u.by_id AND u.how = 'addressed'\n",
    ),
    { hypothesisVersionId: "u.target_id", ...each(keysOf(plain), (name) => `+${plain[name]}`), agent: columns.agent },
    "u.by_id",
  )
  const newestOf = db.prepare<Row>(`${SUMMARY} WHERE e.room_id = +? ORDER BY e.experiment_id DESC LIMIT +?`)
  const newestOfThread = db.prepare<Row>(
    `${SUMMARY} WHERE e.room_id = +? AND e.thread_id = +? ORDER BY e.experiment_id DESC LIMIT +?`,
  )
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

  return {
    insert(proposed: NewExperiment): void {
      const { experimentId, authorId, hypotheses, suggestedProtocol, at, historyPosition } = proposed
      insert({
        ...proposed,
        proposerId: authorId,
        status: "open",
        revision: 1,
        hypotheses: JSON.stringify(hypotheses),
        suggestedProtocol: json(suggestedProtocol),
        createdAt: at,
        updatedAt: at,
      })
      insertRevision({
        experimentId,
        revision: 1,
        operation: "propose_experiment",
        status: "open",
        authorId,
        at,
        historyPosition,
      })
    },

    /** Advances an experiment by one revision. @param position the write's position in the journal */
    advance(experimentId: string, operation: string, authorId: string, at: string, step: Step, position: number) {
      const { proposal = {}, status = null, assigneeId, lease, handoff, conclusion, planId = null } = step
      const leased = lease === undefined ? "keep" : "set"
      const updated = update.one(
        at,
        status,
        assigneeId === undefined ? "keep" : "set",
        assigneeId ?? null,
        leased,
        lease?.minutes ?? null,
        leased,
        lease?.until ?? null,
        proposal.question ?? null,
        proposal.scope ?? null,
        json(proposal.hypotheses),
        json(proposal.suggestedProtocol),
        json(handoff),
        json(conclusion),
        experimentId,
      )
      insertRevision({ experimentId, operation, authorId, at, ...updated, planId, historyPosition: position })
      return { revision: updated.revision, status: updated.status }
    },

    find: (experimentId: string): Experiment | undefined => find.get(experimentId),
    /** Returns the hypotheses that an experiment addresses now. */
    hypothesesOf(experimentId: string): string[] {
      const row = addressed.get(experimentId)
      return row === undefined ? [] : parse(row.hypotheses)
    },

    /** Returns a whole experiment, without its plans and costs. */
    read(experimentId: string) {
      const row = one.get(experimentId)
      if (row === undefined) return undefined
      const { suggestedProtocol, handoff, conclusion } = row
      return {
        ...summaryOf(row),
        suggestedProtocol: text(suggestedProtocol),
        handoff: text(handoff),
        conclusion: text(conclusion),
      }
    },

    /** Returns up to `count` experiments after an id. */
    page(
      filters: { readonly [N in keyof typeof columns | "hypothesisVersionId"]?: string },
      after: string | undefined,
      count: number,
    ) {
      const { hypothesisVersionId, assigneeId, label } = filters
      const found =
        hypothesisVersionId !== undefined
          ? ofHypothesis
          : assigneeId !== undefined && label === undefined
            ? ofAssignee
            : list
      return found(filters, after, count).map(summaryOf)
    },

    /** Returns the newest experiments of a Room, newest first. */
    newestOf: (roomId: string, count: number) => newestOf.all(roomId, count).map(summaryOf),
    newestOfThread: (roomId: string, threadId: string, count: number) =>
      newestOfThread.all(roomId, threadId, count).map(summaryOf),

    /** Returns up to `count` revisions after a revision, each with its number as its sequence. */
    history: (experimentId: string, after: number, count: number) =>
      revisions.all(experimentId, after, count).map(({ userId, username, agent, content, ...row }) => ({
        sequence: row.revision,
        ...row,
        author: { userId, username, agent },
        content: new JsonText(content),
      })),

    /** Returns the experiments that a person holds now, in all Rooms. */
    assignedTo: (userId: string) => assigned.all(userId),
  }
}
