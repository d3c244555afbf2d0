/** Reads the rows of an export page by page, with everything that belongs to each row. */
import { DIMENSIONS } from "../attempts/summary.ts"
import type { StaleReason } from "../../contract/answers/evidence.ts"
import type { Stored } from "../../contract/json.ts"
import { filedKinds } from "../../contract/objects/objects.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AttemptAnswer } from "../../contract/answers/attempts.ts"
import type { ExperimentSummary, MaterialSummary } from "../../contract/answers/experiments.ts"
import type { CheckpointSummary } from "../../contract/answers/records.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { STALE_REASONS } from "../../threads/threads.ts"
import { RESTS } from "../evidence/verdict.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { SUMMARY_COLUMNS, SUMMARY_TABLES, type SummaryRow } from "../records/records.ts"

/** Rows held in memory at a time. */
export const PAGE = 200

/** An object with its author and accepted content. */
type Authored<Content = { readonly [member: string]: unknown }> = {
  readonly userId: string
  readonly username: string
  readonly content: Stored<Content>
}

/** A record that another one names. */
export interface Named {
  /** Whether the record rests on it, and does not only mention it. */
  readonly rests: boolean
  readonly versionId: string
  readonly label: string
  readonly kind: string
  readonly roomId: string
  readonly wording: string
}
export interface RecordRow extends SummaryRow {
  content: Stored<{
    readonly paper?: { arxivId: string }
    readonly evidence?: readonly { readonly arxivId?: string }[]
  }>
  /** The records and the attempts that it names. */
  named: Stored<Named[]>
  attempts: Stored<string[]>
}
/** The columns of a row have the names and the order of its line in the export. */
export type ExperimentRow = Omit<Authored, "content"> &
  Pick<ExperimentSummary, "experimentId" | "label" | "threadId" | "createdAt" | "status" | "question" | "scope"> & {
    readonly hypotheses: Stored<string[]>
    /** The ids of its attempts. */
    readonly attempts: Stored<string[]>
  }
export type PlanRow = Authored<BodyOf<"accept_plan">> &
  Pick<AnswerOf<"plan">, "planId" | "label" | "experimentLabel" | "acceptedAt" | "contentDigest">
export type AttemptRow = Authored<BodyOf<"register_attempt">> &
  Pick<AttemptAnswer, "attemptId" | "label" | "experimentLabel" | "intent" | "status"> & {
    readonly planLabel: string | null
    readonly events: Stored<AttemptAnswer["events"]>
    readonly outputs: Stored<AttemptAnswer["outputs"]>
  }
export type MaterialRow = Authored &
  Pick<
    MaterialSummary,
    | "materialId"
    | "label"
    | "materialOriginRoom"
    | "reference"
    | "name"
    | "description"
    | "mediaType"
    | "sizeBytes"
    | "registeredAt"
  > & {
    /** Location reports, oldest first. */
    readonly locations: Stored<{ readonly uri: string; readonly state: string }[]>
  }
export type CheckpointRow = Authored &
  Pick<CheckpointSummary, "checkpointId" | "threadId" | "at" | "state" | "synthesis" | "conclusion"> & {
    readonly openQuestions: Stored<string[]>
    readonly selected: number
    readonly staleReasons: Stored<StaleReason[]>
  }
/** An object of which the export has no more than its file. */
export type FiledRow = Authored & {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly at: string
}
export interface MetricRow {
  readonly ordinal: number
  readonly name: string
  readonly split: string | null
  readonly dimensions: string | null
  readonly unit: string | null
  readonly step: number | null
  readonly value: Stored<string | number>
  readonly reportedAt: string
}

/** The author, from the table `p`: as JSON in a line, and as separate columns. */
const BY = "json_object('userId', p.user_id, 'username', p.username)"
const WHO = "p.user_id AS userId, p.username"

const RECORDS = `SELECT ${SUMMARY_COLUMNS}, ${contentOf("r")} AS content,
    (SELECT json_group_array(json_object('rests', json(iif(${RESTS}, 'true', 'false')), 'versionId', q.version_id,
      'label', q.label, 'kind', q.kind, 'roomId', q.room_id, 'wording', q.wording) ORDER BY x.part, x.position)
      FROM record_references x
      JOIN records q ON q.version_id = x.to_version_id
      WHERE x.version_id = r.version_id AND x.part <> 'plan') AS named,
    (SELECT json_group_array(a.attempt_id)
      FROM finding_attempts t
      JOIN attempts a ON a.attempt_id = t.attempt_id
      WHERE t.version_id = r.version_id AND +a.room_id = r.room_id) AS attempts
  FROM ${SUMMARY_TABLES} WHERE r.room_id = +? AND r.version_id > +? ORDER BY r.version_id LIMIT ${PAGE}`

const EXPERIMENTS = `SELECT e.experiment_id AS experimentId, e.label, e.thread_id AS threadId, ${BY} AS proposer,
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

const ATTEMPTS = `SELECT a.attempt_id AS attemptId, a.label, a.experiment_id AS experimentId,
    e.label AS experimentLabel, n.label AS planLabel, a.thread_id AS threadId, ${BY} AS registrant,
    a.registered_at AS registeredAt, a.intent, a.status, a.rerun_of AS rerunOf,
    coalesce(a.reproduces_attempt_id, a.reproduces_version_id) AS reproduces,
    (SELECT json_object('verdict', q.verdict, 'explanation', q.explanation)
      FROM reproductions q
      WHERE q.attempt_id = a.attempt_id) AS reproduction,
    a.plan_match AS planMatch, a.content_digest AS contentDigest, ${contentOf("a")} AS content,
    (SELECT json_group_array(json(v.body) ORDER BY v.revision)
      FROM attempt_events v
      WHERE v.attempt_id = a.attempt_id) AS events,
    (SELECT json_group_array(json(o.body) ORDER BY o.revision, o.position)
      FROM attempt_outputs o
      WHERE o.attempt_id = a.attempt_id) AS outputs, ${WHO}
  FROM attempts a
  JOIN people p ON p.user_id = a.registrant_id
  JOIN experiments e ON e.experiment_id = a.experiment_id
  LEFT JOIN plans n ON n.plan_id = a.plan_id
  WHERE a.room_id = +? AND a.attempt_id > +? ORDER BY a.attempt_id LIMIT ${PAGE}`

const MATERIALS = `SELECT m.material_id AS materialId, m.label, m.origin_room_id AS materialOriginRoom, m.reference,
    m.name, m.description, m.media_type AS mediaType, m.size_bytes AS sizeBytes,
    m.values_digest AS valuesDigest, ${BY} AS registeredBy, m.registered_at AS registeredAt,
    m.content_digest AS contentDigest,
    (SELECT json_group_array(json_object('reporterId', y.reporter_id, 'reporter', u.username, 'at', y.at, 'uri', y.uri,
      'state', y.state, 'observedDigest', y.observed_digest, 'explanation', y.explanation) ORDER BY y.sequence)
      FROM material_reports y
      JOIN people u ON u.user_id = y.reporter_id
      WHERE y.material_id = m.material_id) AS locations, ${contentOf("m")} AS content, ${WHO}
  FROM json_each(+?) x
  JOIN materials m ON m.material_id = x.value
  JOIN people p ON p.user_id = m.registered_by
  ORDER BY m.material_id`
/** The materials that the Room registered, and those of other Rooms that it names. */
const MATERIAL_IDS = `WITH here (room_id) AS (VALUES (+?))
  SELECT x.material_id AS id FROM here JOIN room_materials x USING (room_id)
  UNION SELECT i.material_id FROM here JOIN attempts a USING (room_id) JOIN attempt_inputs i USING (attempt_id)
  UNION SELECT o.material_id
  FROM here
  JOIN attempts a USING (room_id)
  JOIN attempt_outputs o USING (attempt_id)
  WHERE o.material_id IS NOT NULL
  UNION SELECT q.material_id FROM here JOIN plans n USING (room_id) JOIN plan_materials q USING (plan_id)
  UNION SELECT f.material_id FROM here JOIN records r USING (room_id) JOIN finding_materials f USING (version_id)
  UNION SELECT v.material_id
  FROM here
  JOIN records r USING (room_id)
  JOIN finding_evidence v USING (version_id)
  WHERE v.material_id IS NOT NULL
  ORDER BY id`

const CHECKPOINTS = `SELECT c.checkpoint_id AS checkpointId, c.thread_id AS threadId, c.at, c.state,
    ${contentOf("c")} ->> '$.synthesis' AS synthesis, c.conclusion, c.open_questions AS openQuestions,
    t.selected_checkpoint_id = c.checkpoint_id AS selected, ${STALE_REASONS} AS staleReasons,
    ${contentOf("c")} AS content, ${WHO}
  FROM checkpoints c
  JOIN people p ON p.user_id = c.author_id
  JOIN threads t ON t.thread_id = c.thread_id
  JOIN rooms o ON o.room_id = c.room_id
  WHERE c.room_id = +? AND c.checkpoint_id > +? ORDER BY c.checkpoint_id LIMIT ${PAGE}`

const FILED = ({ table, key, line }: (typeof filedKinds)[number]): string =>
  `SELECT x.${key} AS id, x.label, ${line} AS title, x.at, ${contentOf("x")} AS content, ${WHO}
  FROM ${table} x
  JOIN people p ON p.user_id = x.author_id
  WHERE x.room_id = +? AND x.${key} > +?
  ORDER BY x.${key} LIMIT ${PAGE}`

const MEASURED = `SELECT a.attempt_id AS attemptId, a.label FROM attempts a
  WHERE a.room_id = +? AND a.attempt_id > +?
    AND EXISTS (SELECT 1 FROM attempt_metrics m WHERE m.attempt_id = a.attempt_id) ORDER BY a.attempt_id LIMIT ${PAGE}`
const METRICS = `SELECT ordinal, name, split, ${DIMENSIONS("m")} AS dimensions, unit, step, value,
    reported_at AS reportedAt
  FROM attempt_metrics m
  WHERE attempt_id = +? AND ordinal > +?
  ORDER BY ordinal
  LIMIT ${PAGE}`

/** Yields rows page by page. @param pageAfter reads up to `PAGE` rows after a key @param keyOf the key of a row */
export function* paged<Row, Key>(
  start: Key,
  pageAfter: (after: Key) => readonly Row[],
  keyOf: (row: Row) => Key,
): Generator<Row> {
  for (let after = start; ; ) {
    const page = pageAfter(after)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = keyOf(last)
  }
}

export const sequenceOf = ({ sequence }: { readonly sequence: number }): number => sequence
export const linkIdOf = ({ linkId }: { readonly linkId: string }): string => linkId
const ordinalOf = ({ ordinal }: MetricRow): number => ordinal

/** @param db a snapshot, so that all pages are from the same moment */
export function rows(db: Db, roomId: string) {
  function listed<Row>(sql: string, key: (row: Row) => string): () => Generator<Row> {
    const statement = db.prepare<Row>(sql)
    return () => paged("", (after) => statement.all(roomId, after), key)
  }

  const materialIds = db.prepare<{ id: string }>(MATERIAL_IDS)
  const named = db.prepare<MaterialRow>(MATERIALS)
  const measured = listed<{ attemptId: string; label: string }>(MEASURED, ({ attemptId }) => attemptId)
  const points = db.prepare<MetricRow>(METRICS)

  return {
    records: listed<RecordRow>(RECORDS, ({ versionId }) => versionId),
    experiments: listed<ExperimentRow>(EXPERIMENTS, ({ experimentId }) => experimentId),
    plans: listed<PlanRow>(PLANS, ({ planId }) => planId),
    attempts: listed<AttemptRow>(ATTEMPTS, ({ attemptId }) => attemptId),
    *materials(): Generator<MaterialRow> {
      const all = materialIds.all(roomId).map(({ id }) => id)
      for (let from = 0; from < all.length; from += PAGE) yield* named.all(JSON.stringify(all.slice(from, from + PAGE)))
    },
    checkpoints: listed<CheckpointRow>(CHECKPOINTS, ({ checkpointId }) => checkpointId),
    /** The objects of the kinds that have one file each. */
    *filed() {
      for (const kind of filedKinds)
        for (const row of listed<FiledRow>(FILED(kind), ({ id }) => id)()) yield { ...kind, row }
    },
    /** Every point of every metric series, attempt by attempt. */
    *metrics(): Generator<MetricRow & { readonly label: string; readonly attemptId: string }> {
      for (const attempt of measured())
        for (const point of paged(0, (after) => points.all(attempt.attemptId, after), ordinalOf))
          yield { ...attempt, ...point }
    },
  }
}
