/** What an export reads, page by page, each page with everything that belongs to its rows. */
import { DIMENSIONS } from "../attempts/summary.ts"
import type { AttemptIntent, AttemptStatus } from "../../contract/schema/enumerations.ts"
import type { StaleReason } from "../../contract/answers/evidence.ts"
import type { Stored } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AttemptAnswer } from "../../contract/answers/work.ts"
import type { Db, Statement } from "../../ledger/storage/database.ts"
import { STALE_REASONS } from "../../threads/stale.ts"
import { RESTS } from "../evidence/grounds.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { SUMMARY_COLUMNS, SUMMARY_TABLES, type SummaryRow } from "../records/shown.ts"

/** Rows that are in memory at once. */
const PAGE = 200

interface Authored {
  label: string
  author_id: string
  username: string
  at: string
  content: Stored<{ readonly [member: string]: unknown }>
  content_digest: string
}

/** A record that another one names. */
export interface Named {
  /** Whether the record rests on it, rather than speak of it. */
  readonly rests: boolean
  readonly versionId: string
  readonly label: string
  readonly kind: string
  readonly roomId: string
  readonly wording: string
}
export interface RecordRow extends SummaryRow {
  content: Stored<{ readonly paper?: { arxivId: string }; readonly evidence?: readonly { readonly arxivId?: string }[] }>
  /** The records it names, and the attempts. */
  named: Stored<Named[]>
  attempts: Stored<string[]>
}
export interface ExperimentRow extends Omit<Authored, "content" | "content_digest"> {
  experiment_id: string
  thread_id: string
  status: string
  question: string
  scope: string
  hypotheses: Stored<string[]>
  handoff: Stored<unknown> | null
  conclusion: Stored<unknown> | null
  /** Its revisions with what was sent, and the ids of its attempts. */
  revisions: Stored<unknown[]>
  attempts: Stored<string[]>
}
export interface PlanRow extends Omit<Authored, "content"> {
  plan_id: string
  content: Stored<BodyOf<"accept_plan">>
  experiment_label: string
}
export interface AttemptRow extends Omit<Authored, "content"> {
  attempt_id: string
  experiment_id: string
  experiment_label: string
  thread_id: string
  plan_label: string | null
  intent: AttemptIntent
  status: AttemptStatus
  rerun_of: string | null
  reproduces_attempt_id: string | null
  reproduces_version_id: string | null
  plan_match: Stored<unknown> | null
  /** What it said of what it reproduces. */
  reproduction: Stored<NonNullable<AttemptAnswer["reproduction"]>> | null
  /** As they are served. */
  events: Stored<AttemptAnswer["events"]>
  outputs: Stored<AttemptAnswer["outputs"]>
  content: Stored<BodyOf<"register_attempt">>
}
export interface MaterialRow extends Authored {
  material_id: string
  origin_room_id: string
  reference: string
  name: string
  description: string | null
  media_type: string | null
  size_bytes: number | null
  values_digest: string | null
  /** Location reports, oldest first. */
  locations: Stored<{ readonly uri: string; readonly state: string }[]>
}
export interface CheckpointRow extends Omit<Authored, "label"> {
  checkpoint_id: string
  thread_id: string
  sequence: number
  state: string
  synthesis: string
  open_questions: Stored<string[]>
  conclusion: string | null
  selected: number
  opening: number
  stale_reasons: Stored<StaleReason[]>
}
export interface BoardRow extends Authored {
  board_id: string
  title: string
}
export interface MetricRow {
  ordinal: number
  name: string
  split: string | null
  dimensions: string | null
  unit: string | null
  step: number | null
  value: Stored<string | number>
  reported_at: string
}

const RECORDS = `SELECT ${SUMMARY_COLUMNS}, ${contentOf("r")} AS content,
    (SELECT json_group_array(json_object('rests', json(iif(${RESTS}, 'true', 'false')), 'versionId', q.version_id, 'label', q.label, 'kind', q.kind, 'roomId', q.room_id, 'wording', q.wording) ORDER BY x.part, x.position)
      FROM record_references x JOIN records q ON q.version_id = x.to_version_id WHERE x.version_id = r.version_id AND x.part <> 'plan') AS named,
    (SELECT json_group_array(a.attempt_id) FROM finding_attempts t JOIN attempts a ON a.attempt_id = t.attempt_id WHERE t.version_id = r.version_id AND +a.room_id = r.room_id) AS attempts
  FROM ${SUMMARY_TABLES} WHERE r.room_id = +? AND r.version_id > +? ORDER BY r.version_id LIMIT ${PAGE}`

const EXPERIMENTS = `SELECT e.*, e.proposer_id AS author_id, p.username, e.created_at AS at,
    (SELECT json_group_array(json_object('revision', v.revision, 'operation', v.operation, 'at', v.at, 'author', json_object('userId', u.user_id, 'username', u.username),
       'status', v.status, 'assigneeId', v.assignee_id, 'planId', v.plan_id, 'content', json(${contentOf("v")})) ORDER BY v.revision)
      FROM experiment_revisions v JOIN people u ON u.user_id = v.author_id WHERE v.experiment_id = e.experiment_id) AS revisions,
    (SELECT json_group_array(a.attempt_id ORDER BY a.attempt_id) FROM attempts a WHERE a.experiment_id = e.experiment_id) AS attempts
  FROM experiments e JOIN people p ON p.user_id = e.proposer_id WHERE e.room_id = +? AND e.experiment_id > +? ORDER BY e.experiment_id LIMIT ${PAGE}`

const PLANS = `SELECT n.*, ${contentOf("n")} AS content, n.accepted_by AS author_id, p.username, n.accepted_at AS at, e.label AS experiment_label
  FROM plans n JOIN people p ON p.user_id = n.accepted_by JOIN experiments e ON e.experiment_id = n.experiment_id
  WHERE n.room_id = +? AND n.plan_id > +? ORDER BY n.plan_id LIMIT ${PAGE}`

const ATTEMPTS = `SELECT a.*, ${contentOf("a")} AS content, a.registrant_id AS author_id, p.username, a.registered_at AS at, e.label AS experiment_label, n.label AS plan_label,
    (SELECT json_object('verdict', q.verdict, 'explanation', q.explanation) FROM reproductions q WHERE q.attempt_id = a.attempt_id) AS reproduction,
    (SELECT json_group_array(json(v.body) ORDER BY v.revision) FROM attempt_events v WHERE v.attempt_id = a.attempt_id) AS events,
    (SELECT json_group_array(json(o.body) ORDER BY o.revision, o.position) FROM attempt_outputs o WHERE o.attempt_id = a.attempt_id) AS outputs
  FROM attempts a JOIN people p ON p.user_id = a.registrant_id JOIN experiments e ON e.experiment_id = a.experiment_id LEFT JOIN plans n ON n.plan_id = a.plan_id
  WHERE a.room_id = +? AND a.attempt_id > +? ORDER BY a.attempt_id LIMIT ${PAGE}`

const MATERIALS = `SELECT m.*, ${contentOf("m")} AS content, m.registered_by AS author_id, p.username, m.registered_at AS at,
    (SELECT json_group_array(json_object('reporterId', y.reporter_id, 'reporter', u.username, 'at', y.at, 'uri', y.uri, 'state', y.state, 'observedDigest', y.observed_digest, 'explanation', y.explanation) ORDER BY y.sequence)
      FROM material_reports y JOIN people u ON u.user_id = y.reporter_id WHERE y.material_id = m.material_id) AS locations
  FROM json_each(+?) x JOIN materials m ON m.material_id = x.value JOIN people p ON p.user_id = m.registered_by ORDER BY m.material_id`
/** Those that the Room registered, and those of others that something in it names. */
const MATERIAL_IDS = `WITH here (room_id) AS (VALUES (+?))
  SELECT x.material_id AS id FROM here JOIN room_materials x USING (room_id)
  UNION SELECT i.material_id FROM here JOIN attempts a USING (room_id) JOIN attempt_inputs i USING (attempt_id)
  UNION SELECT o.material_id FROM here JOIN attempts a USING (room_id) JOIN attempt_outputs o USING (attempt_id) WHERE o.material_id IS NOT NULL
  UNION SELECT q.material_id FROM here JOIN plans n USING (room_id) JOIN plan_materials q USING (plan_id)
  UNION SELECT f.material_id FROM here JOIN records r USING (room_id) JOIN finding_materials f USING (version_id)
  UNION SELECT v.material_id FROM here JOIN records r USING (room_id) JOIN finding_evidence v USING (version_id) WHERE v.material_id IS NOT NULL
  ORDER BY id`

const CHECKPOINTS = `SELECT c.*, p.username, ${contentOf("c")} AS content, ${contentOf("c")} ->> '$.synthesis' AS synthesis, t.selected_checkpoint_id = c.checkpoint_id AS selected, o.opening_thread_id = c.thread_id AS opening, ${STALE_REASONS} AS stale_reasons
  FROM checkpoints c JOIN people p ON p.user_id = c.author_id JOIN threads t ON t.thread_id = c.thread_id JOIN rooms o ON o.room_id = c.room_id
  WHERE c.room_id = +? AND c.checkpoint_id > +? ORDER BY c.checkpoint_id LIMIT ${PAGE}`

const BOARDS = `SELECT g.*, p.username, ${contentOf("g")} AS content, ${contentOf("g")} ->> '$.title' AS title FROM boards g JOIN people p ON p.user_id = g.author_id
  WHERE g.room_id = +? AND g.board_id > +? ORDER BY g.board_id LIMIT ${PAGE}`

const MEASURED = `SELECT a.attempt_id, a.label FROM attempts a
  WHERE a.room_id = +? AND a.attempt_id > +? AND EXISTS (SELECT 1 FROM attempt_metrics m WHERE m.attempt_id = a.attempt_id) ORDER BY a.attempt_id LIMIT ${PAGE}`
const METRICS = `SELECT ordinal, name, split, ${DIMENSIONS("m")} AS dimensions, unit, step, value, reported_at FROM attempt_metrics m WHERE attempt_id = +? AND ordinal > +? ORDER BY ordinal LIMIT ${PAGE}`

/** @param db a snapshot: what is read page by page is of one moment */
export function rows(db: Db, roomId: string) {
  /** All rows of a list, page by page, going on from the last one's `key`. */
  function* walk<Row>(statement: Statement<Row>, within: string, start: string | number, key: keyof Row): Generator<Row> {
    for (let after = start; ; ) {
      const page = statement.all(within, after)
      yield* page
      const last = page.at(-1)
      if (last == null || page.length < PAGE) return
      after = last[key] as string | number
    }
  }

  function listed<Row>(sql: string, key: keyof Row): () => Generator<Row> {
    const statement = db.prepare<Row>(sql)
    return () => walk(statement, roomId, "", key)
  }

  const materialIds = db.prepare<{ id: string }>(MATERIAL_IDS)
  const named = db.prepare<MaterialRow>(MATERIALS)
  const measured = listed<{ attempt_id: string; label: string }>(MEASURED, "attempt_id")
  const points = db.prepare<MetricRow>(METRICS)

  return {
    records: listed<RecordRow>(RECORDS, "versionId"),
    experiments: listed<ExperimentRow>(EXPERIMENTS, "experiment_id"),
    plans: listed<PlanRow>(PLANS, "plan_id"),
    attempts: listed<AttemptRow>(ATTEMPTS, "attempt_id"),
    *materials(): Generator<MaterialRow> {
      const all = materialIds.all(roomId).map(({ id }) => id)
      for (let from = 0; from < all.length; from += PAGE) yield* named.all(JSON.stringify(all.slice(from, from + PAGE)))
    },
    checkpoints: listed<CheckpointRow>(CHECKPOINTS, "checkpoint_id"),
    boards: listed<BoardRow>(BOARDS, "board_id"),
    /** Every point of every metric series, attempt by attempt. */
    *metrics(): Generator<MetricRow & { readonly label: string; readonly attempt_id: string }> {
      for (const attempt of measured()) for (const point of walk(points, attempt.attempt_id, 0, "ordinal")) yield { ...attempt, ...point }
    },
  }
}
