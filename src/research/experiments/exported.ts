/** What the export of a Room has of its experiments and plans. */
import type { ExperimentSummary } from "../../contract/nouns/experiments.ts"
import { parse, type Stored } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { escapeHtml } from "../../contract/text.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import {
  accepted,
  type Authored,
  authorship,
  BY,
  compact,
  each,
  type Entity,
  type ForExport,
  ids,
  jsonLines,
  PAGE,
  type Parts,
  pathOf,
  places,
  rowsOf,
  to,
  WHO,
  withJson,
} from "../export/parts.ts"

/** The columns of a row have the names and the order of its line in the export. */
type Row = Omit<Authored, "content"> &
  Pick<ExperimentSummary, "experimentId" | "label" | "threadId" | "createdAt" | "status" | "question" | "scope"> & {
    readonly hypotheses: Stored<string[]>
    /** The ids of its attempts. */
    readonly attempts: Stored<string[]>
  }
type PlanRow = Authored<BodyOf<"accept_plan">> &
  Pick<AnswerOf<"plan">, "planId" | "label" | "experimentLabel" | "acceptedAt" | "contentDigest">

const ROWS = `SELECT e.experiment_id AS experimentId, e.label, e.thread_id AS threadId, ${BY} AS proposer,
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

const PLANS = `SELECT n.plan_id AS planId, n.label, e.label AS experimentLabel, p.username AS acceptedBy,
    n.accepted_at AS acceptedAt, ${contentOf("n")} AS content, n.content_digest AS contentDigest, ${WHO}
  FROM plans n JOIN people p ON p.user_id = n.accepted_by JOIN experiments e ON e.experiment_id = n.experiment_id
  WHERE n.room_id = +? AND n.plan_id > +? ORDER BY n.plan_id LIMIT ${PAGE}`

const lineOf = ({ attempts: _attempts, userId: _id, username: _name, ...row }: Row) =>
  withJson(row, ["proposer", "hypotheses", "handoff", "conclusion", "revisions"])
const planLineOf = ({ userId: _id, username: _name, ...row }: PlanRow) => withJson(row, ["content"])

const entityOf = (row: Row, baseUrl: string): Entity => ({
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
  const rows = rowsOf<Row>(db, ROWS, roomId, ({ experimentId }) => experimentId)
  const plans = rowsOf<PlanRow>(db, PLANS, roomId, ({ planId }) => planId)
  return {
    experiments: {
      *files() {
        yield jsonLines(
          places.experiment,
          "Experiments",
          "The current state of every experiment, with the content of each revision.",
          each(rows().map(lineOf)).map(atHome),
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
      views: { experiments: () => each(rows().map(lineOf)).map(atHome) },
    },
    plans: {
      *files() {
        for (const { label, experimentLabel, content } of plans()) {
          const { repository } = parse(content)
          mentioned.software.set(ids.software(repository), repository)
          yield accepted(pathOf.plan(label), `${label}, a plan for ${experimentLabel}`, content)
        }
      },
      described: () =>
        plans().map((row) => ({
          path: pathOf.plan(row.label),
          members: {
            ...authorship("plan", row.planId, row.userId, row.acceptedAt, baseUrl),
            about: to(ids.experiment(row.experimentLabel)),
            isBasedOn: to(ids.software(parse(row.content).repository)),
          },
        })),
      views: { plans: () => each(plans().map(planLineOf)) },
    },
  } satisfies Partial<Parts>
}
