/** What the export of a Room has of its attempts: their lines, their points, and executions in the metadata. */
import type { AttemptAnswer } from "../../contract/nouns/attempt-answers.ts"
import { JsonText, parse, stored, type Stored } from "../../contract/json.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AttemptStatus } from "../../contract/schema/enumerations.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import {
  type Authored,
  BY,
  compact,
  each,
  type Entity,
  type ForExport,
  ids,
  jsonLines,
  line,
  PAGE,
  paged,
  type Parts,
  pathOf,
  places,
  rowsOf,
  to,
  WHO,
  withJson,
} from "../export/parts.ts"
import { DIMENSIONS } from "./summary.ts"
import { csvLine } from "./table.ts"

/** The columns of a row have the names and the order of its line in the export. */
type Row = Authored<BodyOf<"register_attempt">> &
  Pick<AttemptAnswer, "attemptId" | "label" | "experimentLabel" | "intent" | "status"> & {
    readonly planLabel: string | null
    readonly events: Stored<AttemptAnswer["events"]>
    readonly outputs: Stored<AttemptAnswer["outputs"]>
  }
interface PointRow {
  readonly ordinal: number
  readonly name: string
  readonly split: string | null
  readonly dimensions: string | null
  readonly unit: string | null
  readonly step: number | null
  readonly value: Stored<string | number>
  readonly reportedAt: string
}

const ROWS = `SELECT a.attempt_id AS attemptId, a.label, a.experiment_id AS experimentId,
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

const MEASURED = `SELECT a.attempt_id AS attemptId, a.label FROM attempts a
  WHERE a.room_id = +? AND a.attempt_id > +?
    AND EXISTS (SELECT 1 FROM attempt_metrics m WHERE m.attempt_id = a.attempt_id) ORDER BY a.attempt_id LIMIT ${PAGE}`
const POINTS = `SELECT ordinal, name, split, ${DIMENSIONS("m")} AS dimensions, unit, step, value,
    reported_at AS reportedAt
  FROM attempt_metrics m
  WHERE attempt_id = +? AND ordinal > +?
  ORDER BY ordinal
  LIMIT ${PAGE}`

const lineOf = ({ userId: _id, username: _name, ...row }: Row) =>
  withJson(row, ["registrant", "reproduction", "planMatch", "content", "events", "outputs"])

// Describes attempts as executions in the Process Run Crate profile.

const actionStatus: Readonly<Record<AttemptStatus, string>> = {
  registered: "PotentialActionStatus",
  started: "ActiveActionStatus",
  succeeded: "CompletedActionStatus",
  failed: "FailedActionStatus",
  preflight_failed: "FailedActionStatus",
  cancelled: "FailedActionStatus",
}

/** Entities for the statuses, so that the crate explains itself. */
const statusEntities: readonly Entity[] = [...new Set(Object.values(actionStatus))].map((status) => ({
  "@id": `http://schema.org/${status}`,
  "@type": "ActionStatusType",
  name: status.replace("ActionStatus", ""),
}))

function errorOf(status: AttemptStatus, last: AttemptAnswer["events"][number] | undefined): string | undefined {
  if (actionStatus[status] !== "FailedActionStatus") return undefined
  if (last?.failure !== undefined) return `${last.failure.stage}: ${last.failure.explanation}`
  return last?.message === undefined ? status : `${status}: ${last.message}`
}

/** Describes an attempt, and those of its outputs that are not registered materials. */
function entitiesOf(row: Row, baseUrl: string): Entity[] {
  const { repository, argv, inputs } = parse(row.content)
  const events = parse(row.events)
  const outputs = parse(row.outputs)
  const hasEnded = row.status !== "registered" && row.status !== "started"
  const last = events.at(-1)
  const produced = outputs.map(({ materialId }, index) =>
    materialId === undefined ? ids.output(row.attemptId, index) : ids.material(materialId),
  )
  const action: Entity = {
    "@id": ids.attempt(row.attemptId),
    "@type": "CreateAction",
    name: `${row.label}: ${row.intent} attempt of ${row.experimentLabel}`,
    description: JSON.stringify(argv),
    identifier: row.attemptId,
    url: `${baseUrl}${pageOf("attempt", row.attemptId)}`,
    agent: to(ids.person(row.userId)),
    instrument: to(ids.software(repository)),
    actionStatus: to(`http://schema.org/${actionStatus[row.status]}`),
    subjectOf: to("attempts.jsonl"),
    ...compact({
      object: [
        ...new Set(inputs.map(({ materialId }) => ids.material(materialId))),
        ...(row.planLabel === null ? [] : [pathOf.plan(row.planLabel)]),
      ].map(to),
      result: [...new Set(produced)].map(to),
      startTime: events.find(({ event }) => event === "started")?.reportedAt ?? undefined,
      endTime: hasEnded ? (last?.reportedAt ?? undefined) : undefined,
      error: errorOf(row.status, last),
    }),
  }
  const files = outputs.flatMap(
    ({ outputLabel, digest, mediaType, sizeBytes, materialId, description }, index): Entity[] => {
      if (materialId !== undefined) return []
      const file = {
        "@id": ids.output(row.attemptId, index),
        "@type": "File",
        name: `${outputLabel} of ${row.label}`,
        localPath: outputLabel,
        sha256: digest.slice("sha256:".length),
        ...compact({
          description,
          encodingFormat: mediaType,
          contentSize: sizeBytes === undefined ? undefined : String(sizeBytes),
        }),
      }
      return [file]
    },
  )
  return [action, ...files]
}

export function exportedAttempts({ db, record: { roomId, baseUrl, mentioned } }: ForExport) {
  const rows = rowsOf<Row>(db, ROWS, roomId, ({ attemptId }) => attemptId)
  const measured = rowsOf<{ attemptId: string; label: string }>(db, MEASURED, roomId, ({ attemptId }) => attemptId)
  const pointsOf = db.prepare<PointRow>(POINTS)

  /** Every point of every metric series, attempt by attempt. */
  function* points() {
    for (const attempt of measured()) {
      const after = (ordinal: number) => pointsOf.all(attempt.attemptId, ordinal)
      for (const point of paged(0, after, ({ ordinal }) => ordinal)) yield { ...attempt, ...point }
    }
  }
  /** Yields the attempts line by line, and notes the repositories that they pin. */
  function* attemptLines(): Generator<string> {
    for (const row of rows()) {
      const { repository } = parse(row.content)
      mentioned.software.set(ids.software(repository), repository)
      yield line(lineOf(row))
    }
  }
  function* pointLines(): Generator<string> {
    yield "attempt,attemptId,ordinal,metric,split,dimensions,unit,step,value,reportedAt\r\n"
    for (const { label, attemptId, ordinal, name, split, dimensions, unit, step, value, reportedAt } of points())
      yield csvLine([label, attemptId, ordinal, name, split, dimensions, unit, step, parse(value), reportedAt])
  }
  const measurements = () =>
    points().map(({ attemptId, label, ordinal, name, split, dimensions, unit, step, value, reportedAt }) => ({
      attemptId,
      attempt: label,
      ordinal,
      metric: name,
      split,
      unit,
      step,
      reportedAt,
      dimensions: dimensions === null ? null : new JsonText(stored(dimensions)),
      value: new JsonText(value),
    }))
  return {
    attempts: {
      *files() {
        yield jsonLines(
          places.attempt,
          "Attempts",
          "Every attempt: its registration as it was accepted, its events with both times, and its outputs.",
          attemptLines(),
        )
        yield {
          path: "metrics.csv",
          name: "Metrics",
          mediaType: "text/csv",
          description: "Every point of every metric series, in the order reported.",
          text: pointLines(),
        }
      },
      statusEntities,
      entities: () => rows().flatMap((row) => entitiesOf(row, baseUrl)),
      views: { attempts: () => each(rows().map(lineOf)), measurements: () => each(measurements()) },
    },
  } satisfies Partial<Parts>
}
