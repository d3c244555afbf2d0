/** The rows and revisions of experiments, and lists of them. */
import { each, keysOf } from "../../contract/typed.ts"
import {
  type AttemptStatus,
  type RoomState,
  enumerations,
  type ExperimentStatus,
} from "../../contract/schema/enumerations.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import type { ExperimentAnswer, ExperimentSummary, Revision } from "../../contract/nouns/experiments.ts"
import { WORK_STATE } from "../../rooms/imported.ts"
import { type Experiment, experimentAffordances, HOLDING_AGENT, HOLDING_AGENT_OR_NONE, leaseOf } from "./holders.ts"
import { AGENT_OF_ENTRY, AGENT } from "../../ledger/journal/actor.ts"
import type { Author } from "../../contract/answers/parts.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import type { Made } from "../../ledger/journal/behaviour.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { filteredList } from "../../ledger/lists/paging.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { escapeHtml } from "../../contract/text.ts"
import { authorship, compact, type Entity, ids, to } from "../export/entities.ts"
import type { Authored, ForExport, Parts } from "../export/parts.ts"
import { accepted, BY, linesOf, jsonLines, PAGE, pathOf, places, rowsOf, WHO, withJson } from "../export/parts.ts"

// Selects the columns of experiments and turns rows into summaries, for lists and contexts.

type Statement = ExperimentAnswer["handoff"]

type Row = Omit<ExperimentSummary, "proposer" | "assignee" | "hypotheses" | "attempts" | "affordances" | "lease"> &
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
interface Texts {
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
function summary(row: Row, basePath: string, now: number): ExperimentSummary {
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

const STATE = `e.experiment_id AS experimentId, e.label, e.room_id AS roomId, e.thread_id AS threadId, \
e.status, e.revision,
    e.proposer_id AS proposerId, e.assignee_id AS assigneeId, e.lease_minutes AS \
leaseMinutes, e.lease_until AS leaseUntil`
const COLUMNS = `${STATE}, e.entry_id AS entryId, e.question, e.scope, e.hypotheses, e.created_at AS createdAt,
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
const TABLES = `experiments e
  JOIN people p ON p.user_id = e.proposer_id
  JOIN rooms r ON r.room_id = e.room_id
  LEFT JOIN people a ON a.user_id = e.assignee_id`
const SUMMARY = `SELECT ${COLUMNS} FROM ${TABLES}`

/** The content of a proposed experiment. */
export interface Proposal {
  readonly question: string
  readonly scope: string
  readonly hypotheses: readonly string[]
  readonly suggestedProtocol?: unknown
}

type NewExperiment = Proposal & Made & { readonly experimentId: string; readonly label: string }

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
  const assigned = db.prepare<
    Pick<Experiment, "experimentId" | "label" | "roomId" | "status"> & { agent: string | null }
  >(
    `SELECT e.experiment_id AS experimentId, e.label, e.room_id AS roomId, e.status, ${HOLDING_AGENT} AS agent
      FROM experiments e
      WHERE e.assignee_id = +? AND e.status IN ('claimed', 'in_progress')
      ORDER BY e.experiment_id`,
  )
  const plain = { roomId: "e.room_id", label: "e.label", status: "e.status", assigneeId: "e.assignee_id" }
  const columns = { ...plain, agent: AGENT_OF_ENTRY("e.entry_id") }
  const list = filteredList<Row>(db, SUMMARY, columns, "e.experiment_id")
  // A plus keeps SQLite from using the index of that column: a hypothesis has fewer experiments than a Room.
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
      const found = filters.hypothesisVersionId === undefined ? list : ofHypothesis
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

// What the export of a Room has of its experiments and plans.

/** The columns of a row have the names and the order of its line in the export. */
type ExportedRow = Omit<Authored, "content"> &
  Pick<ExperimentSummary, "experimentId" | "label" | "threadId" | "createdAt" | "status" | "question" | "scope"> & {
    readonly hypotheses: Stored<string[]>
    /** The ids of its attempts. */
    readonly attempts: Stored<string[]>
  }
type ExportedPlan = Authored<BodyOf<"accept_plan">> &
  Pick<AnswerOf<"plan">, "planId" | "label" | "experimentLabel" | "acceptedAt" | "contentDigest">

const EXPORTED = `SELECT e.experiment_id AS experimentId, e.label, e.thread_id AS threadId, ${BY} AS proposer,
    e.created_at AS createdAt, e.status, e.question, e.scope, e.hypotheses, e.handoff, e.conclusion,
    (SELECT json_group_array(json_object('revision', v.revision, 'operation', v.operation, 'at', v.at, 'author',
      json_object('userId', u.user_id, 'username', u.username),
       'status', v.status, 'assigneeId', v.assignee_id, 'planId', v.plan_id, 'content', json(${contentOf("v")}))
      ORDER BY v.revision)
      FROM experiment_revisions v
      JOIN people u ON u.user_id = v.author_id
      WHERE v.experiment_id = e.experiment_id) AS revisions,
    (SELECT json_group_array(a.attempt_id ORDER BY a.attempt_id)
      FROM attempts a
      WHERE a.experiment_id = e.experiment_id) AS attempts, ${WHO}
  FROM experiments e
  JOIN people p ON p.user_id = e.proposer_id
  WHERE e.room_id = +? AND e.experiment_id > +?
  ORDER BY e.experiment_id
  LIMIT ${PAGE}`

const EXPORTED_PLANS = `SELECT n.plan_id AS planId, n.label, e.label AS experimentLabel, p.username AS acceptedBy,
    n.accepted_at AS acceptedAt, ${contentOf("n")} AS content, n.content_digest AS contentDigest, ${WHO}
  FROM plans n JOIN people p ON p.user_id = n.accepted_by JOIN experiments e ON e.experiment_id = n.experiment_id
  WHERE n.room_id = +? AND n.plan_id > +? ORDER BY n.plan_id LIMIT ${PAGE}`

const lineOf = ({ attempts: _attempts, userId: _id, username: _name, ...row }: ExportedRow) =>
  withJson(row, ["proposer", "hypotheses", "handoff", "conclusion", "revisions"])
const planLineOf = ({ userId: _id, username: _name, ...row }: ExportedPlan) => withJson(row, ["content"])

const entityOf = (row: ExportedRow, baseUrl: string): Entity => ({
  "@id": ids.experiment(row.label),
  "@type": "CreativeWork",
  additionalType: "experiment",
  name: `${row.label}: ${row.question}`,
  description: row.scope,
  ...authorship("experiment", row.experimentId, row.userId, row.createdAt, baseUrl),
  creativeWorkStatus: row.status,
  ...compact({ mentions: parse(row.attempts).map((attemptId) => to(ids.attempt(attemptId))) }),
})

export function exportedExperiments({ db, record: { roomId, baseUrl, atHome, mentioned } }: ForExport) {
  const rows = rowsOf<ExportedRow>(db, EXPORTED, roomId, ({ experimentId }) => experimentId)
  const plans = rowsOf<ExportedPlan>(db, EXPORTED_PLANS, roomId, ({ planId }) => planId)
  return {
    experiments: {
      *files() {
        yield jsonLines(
          places.experiment,
          "Experiments",
          "The current state of every experiment, with the content of each revision.",
          linesOf(rows().map(lineOf)).map(atHome),
        )
      },
      entities: () => rows().map((row) => entityOf(row, baseUrl)),
      *attemptIds() {
        for (const { attempts } of rows()) yield* parse(attempts)
      },
      previewed: () =>
        rows().map(
          ({ label, question, status, username, attempts }) =>
            `<tr><td>${label}</td><td>${escapeHtml(question)}</td><td>${status.replace("_", " ")}</td><td>` +
            `${parse(attempts).length}</td><td>${escapeHtml(username)}</td></tr>`,
        ),
      views: { experiments: () => linesOf(rows().map(lineOf)).map(atHome) },
    },
    plans: {
      *files() {
        for (const { planId, label, experimentLabel, userId, acceptedAt, content } of plans()) {
          const { repository } = parse(content)
          mentioned.software.set(ids.software(repository), repository)
          yield accepted(pathOf.plan(label), `${label}, a plan for ${experimentLabel}`, content, () => ({
            members: {
              ...authorship("plan", planId, userId, acceptedAt, baseUrl),
              about: to(ids.experiment(experimentLabel)),
              isBasedOn: to(ids.software(repository)),
            },
          }))
        }
      },
      views: { plans: () => linesOf(plans().map(planLineOf)) },
    },
  } satisfies Partial<Parts>
}
