/** The rows of attempts, and lists of them. */
import type { Author } from "../../contract/answers/parts.ts"
import type { AttemptIntent, AttemptStatus } from "../../contract/schema/enumerations.ts"
import { each, keysOf } from "../../contract/typed.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import type { Cost } from "../../contract/answers/costs.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Made } from "../../ledger/journal/behaviour.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { filteredList } from "../../ledger/lists/paging.ts"
import { text } from "../experiments/experiments.ts"
import {
  type AttemptState,
  type Row,
  type ListedRow,
  shown,
  summary,
  ORDINAL,
  STATE,
  REPRODUCTION,
  SUMMARY,
  WHOLE,
  OF_FINDING,
  DIMENSIONS,
} from "./summary.ts"
import type { PlanMatch } from "../experiments/plans.ts"
import { AGENT } from "../../ledger/journal/actor.ts"
import type { AttemptAnswer } from "../../contract/nouns/attempt-answers.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import { compact, type Entity, ids, to } from "../export/entities.ts"
import type { Authored, ForExport, Parts } from "../export/parts.ts"
import { BY, linesOf, jsonLines, line, PAGE, paged, pathOf, places, rowsOf, WHO, withJson } from "../export/parts.ts"
import { csvLine } from "./table.ts"

/** An attempt with its Room, Thread and plan. */
export interface Attempt extends AttemptState {
  readonly roomId: string
  readonly threadId: string
  readonly intent: AttemptIntent
  readonly registeredAt: string
  /** The finding or attempt that it is to reproduce. */
  readonly reproduces: string | undefined
  readonly planId: string | null
}

export interface NewAttempt
  extends Made,
    Pick<NewRow<"attempts">, "attemptId" | "experimentId" | "label" | "intent" | "planId" | "rerunOf"> {
  readonly reproduces?: { readonly attemptId?: string; readonly findingVersionId?: string }
  readonly planMatch: PlanMatch | null
  readonly inputs: readonly { readonly materialId: string; readonly name: string }[]
}

type Filters = {
  readonly [N in "experimentId" | "roomId" | "status" | "intent" | "label" | "findingVersionId" | "agent"]?: string
}

const plain = {
  experimentId: "a.experiment_id",
  roomId: "a.room_id",
  status: "a.status",
  intent: "a.intent",
  label: "a.label",
}
const columns = { ...plain, agent: AGENT("a") }
// A plus keeps SQLite from using the index of that column: an experiment has fewer attempts than a Room has of one
// status. In a Room of 100,000 attempts, those of an experiment with a status take 0.5 ms, and 8 ms without it.
const compared = { ...each(keysOf(plain), (name) => `+${plain[name]}`), agent: AGENT("a") }
const summaries = { any: SUMMARY, ofFinding: OF_FINDING }

/**
 * Lists attempts in the order of a key, from the list that reads the fewest rows: that of a finding, of an experiment,
 * or of everything.
 * @param select the statement of all attempts (a), and of those that a finding names (t), up to their WHERE
 */
export function attemptList<Row, After extends string | number>(
  db: Db,
  select: { readonly any: string; readonly ofFinding: string },
  key: string,
  keyOfFinding: string,
) {
  const any = filteredList<Row>(db, select.any, columns, key)
  const ofExperiment = filteredList<Row>(db, select.any, { ...columns, roomId: compared.roomId }, key)
  const own = { ...compared, findingVersionId: "t.version_id" }
  const ofFinding = filteredList<Row>(db, select.ofFinding, own, keyOfFinding)
  return (filters: Filters, after: After | undefined, count: number): Row[] => {
    const { findingVersionId, experimentId, label } = filters
    const list =
      findingVersionId !== undefined
        ? ofFinding
        : experimentId !== undefined && label === undefined
          ? ofExperiment
          : any
    return list(filters, after, count)
  }
}

type Reproduction = NonNullable<BodyOf<"report_attempt_event">["reproduction"]>

export type Attempts = ReturnType<typeof attempts>

export function attempts(db: Db, basePath = "") {
  const summed =
    <After>(list: (filters: Filters, after: After, count: number) => ListedRow[]) =>
    (filters: Filters, after: After, count: number) =>
      list(filters, after, count).map((row) => summary(row, basePath))
  const insert = inserting(db, "attempts")
  const insertInput = inserting(db, "attempt_inputs")
  const updateMatch = db.prepare("UPDATE attempts SET plan_match = +? WHERE attempt_id = +?")
  const following = db.prepare<{
    attemptId: string
    status: AttemptStatus
    content: Stored<BodyOf<"register_attempt">>
  }>(
    `SELECT a.attempt_id AS attemptId, a.status, ${contentOf("a")} AS content
      FROM attempts a
      WHERE a.experiment_id = +? AND a.plan_id = +?
      ORDER BY a.attempt_id`,
  )
  const countFollowing = db.prepare<{ count: number }>(
    `SELECT count(*) AS count
     FROM (SELECT 1 FROM attempts WHERE experiment_id = +? AND plan_id = +? LIMIT ${limits.sealedAttempts})`,
  )
  const updateCost = db.prepare("UPDATE attempts SET cost = +? WHERE attempt_id = +?")
  const update = db.prepare(
    "UPDATE attempts SET status = +?, revision = revision + 1, updated_at = +? WHERE attempt_id = +?",
  )
  const insertReproduction = inserting(db, "reproductions")
  const reproducing = db.prepare<Pick<Row, "attemptId" | "label" | "roomId" | "status" | "reproduction"> & Author>(
    `SELECT a.attempt_id AS attemptId, a.label, a.room_id AS roomId, a.status, a.registrant_id AS userId, p.username,
        ${AGENT("a")} AS agent, ${REPRODUCTION}
     FROM attempts a
      JOIN people p ON p.user_id = a.registrant_id
      WHERE a.reproduces_attempt_id = +?
      ORDER BY a.attempt_id DESC
      LIMIT ${limits.pageItems}`,
  )
  const count = inserting(db, "attempt_counts", { onConflict: "DO UPDATE SET attempts = attempts + excluded.attempts" })
  const find = db.prepare<Omit<Attempt, "reproduces"> & { readonly reproduces: string | null }>(
    `SELECT ${STATE}, a.plan_id AS planId, coalesce(a.reproduces_attempt_id, a.reproduces_version_id) AS reproduces
      FROM attempts a
      WHERE a.attempt_id = +?`,
  )
  const match = db.prepare<{ planMatch: Stored<PlanMatch> | null }>(
    "SELECT plan_match AS planMatch FROM attempts WHERE attempt_id = +?",
  )
  const labels = db.prepare<{ attemptId: string; label: string; planId: string | null }>(
    `SELECT a.attempt_id AS attemptId, a.label, a.plan_id AS planId
      FROM attempts a
      WHERE a.experiment_id = +?
      ORDER BY ${ORDINAL}
      LIMIT +?`,
  )
  const implementation = db.prepare<{ implementation: Reproduction["implementation"] | null }>(
    "SELECT implementation FROM reproductions WHERE attempt_id = +?",
  )
  const one = db.prepare<Row & { content: Stored<BodyOf<"register_attempt">> }>(`${WHOLE} WHERE a.attempt_id = +?`)
  return {
    insert(attempt: NewAttempt): void {
      const { attemptId, experimentId, authorId, reproduces, planMatch, at } = attempt
      insert({
        ...attempt,
        registrantId: authorId,
        status: "registered",
        revision: 1,
        reproducesAttemptId: reproduces?.attemptId,
        reproducesVersionId: reproduces?.findingVersionId,
        registeredAt: at,
        updatedAt: at,
        planMatch: planMatch && JSON.stringify(planMatch),
      })
      attempt.inputs.forEach(({ materialId, name }, position) => insertInput({ attemptId, position, materialId, name }))
      count({ experimentId, status: "registered", attempts: 1 })
    },

    /** Advances an attempt by one revision. */
    advance({ attemptId, experimentId, status }: AttemptState, next: AttemptStatus, at: string): void {
      update.run(next, at, attemptId)
      if (next === status) return
      count({ experimentId, status, attempts: -1 })
      count({ experimentId, status: next, attempts: 1 })
    },

    /** Returns the attempts that follow a plan, with their registrations. */
    following: (experimentId: string, planId: string) =>
      following
        .all(experimentId, planId)
        .map(({ content, ...attempt }) => ({ ...attempt, registered: parse(content) })),
    /** Whether as many attempts follow a plan as may while it is sealed. */
    isFollowedByMost: (experimentId: string, planId: string): boolean =>
      countFollowing.one(experimentId, planId).count >= limits.sealedAttempts,
    /** Stores the comparison with a plan that was opened after the registration. */
    rematch: (attemptId: string, match: PlanMatch): void => void updateMatch.run(JSON.stringify(match), attemptId),
    /** Stores the latest reported cost. */
    setCost: (attemptId: string, cost: Cost): void => void updateCost.run(JSON.stringify(cost), attemptId),

    setReproduction: (attemptId: string, { verdict, explanation, implementation }: Reproduction): void =>
      void insertReproduction({ attemptId, verdict, explanation, implementation }),
    /** Returns the newest attempts registered to reproduce another one. */
    reproducing: (attemptId: string, seenFrom: string) =>
      reproducing.all(attemptId).map(({ userId, username, agent, reproduction, ...row }) => ({
        ...row,
        registrant: { userId, username, agent },
        reproduction: text(reproduction),
        ...fromOtherRoom(row.roomId, seenFrom),
      })),

    find(attemptId: string): Attempt | undefined {
      const row = find.get(attemptId)
      return row && { ...row, reproduces: row.reproduces ?? undefined }
    },
    /** Returns the comparison of an attempt with its plan; null if it names no plan. */
    matchOf(attemptId: string): PlanMatch | null {
      const row = match.get(attemptId)
      return row?.planMatch ? parse(row.planMatch) : null
    },
    /** Returns the first attempts of an experiment in the order of their labels, by label and plan alone. */
    labelsOf: (experimentId: string, count: number) => labels.all(experimentId, count),
    /** Returns which code a reproduction says it ran; undefined if it says nothing. */
    implementationOf: (attemptId: string): Reproduction["implementation"] | undefined =>
      implementation.get(attemptId)?.implementation ?? undefined,
    /** Returns an attempt with its registration, without its events. */
    read(attemptId: string) {
      const row = one.get(attemptId)
      return row && { ...shown(row, basePath), registration: new JsonText(row.content) }
    },
    /** Returns up to `count` attempts after an id that match the filters; for a finding, each with its role. */
    page: summed(attemptList<ListedRow, string>(db, summaries, "a.attempt_id", "t.attempt_id")),
    /**
     * The same in the order of labels, after the number of a label. A finding names few attempts, so sorting them is
     * cheap.
     */
    pageByLabel: summed(attemptList<ListedRow, number>(db, summaries, ORDINAL, ORDINAL)),
  }
}

// What the export of a Room has of its attempts: their lines, their points, and executions in the metadata.

/** The columns of a row have the names and the order of its line in the export. */
type ExportedRow = Authored<BodyOf<"register_attempt">> &
  Pick<AttemptAnswer, "attemptId" | "label" | "experimentLabel" | "intent" | "status"> & {
    readonly planLabel: string | null
    readonly events: Stored<AttemptAnswer["events"]>
    readonly outputs: Stored<AttemptAnswer["outputs"]>
  }
type PointRow = {
  readonly ordinal: number
  readonly metric: string
  readonly split: string | null
  readonly dimensions: string | null
  readonly unit: string | null
  readonly step: number | null
  readonly value: Stored<string | number>
  readonly reportedAt: string
}

const EXPORTED = `SELECT a.attempt_id AS attemptId, a.label, a.experiment_id AS experimentId,
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
const POINTS = `SELECT ordinal, name AS metric, split, ${DIMENSIONS("m")} AS dimensions, unit, step, value,
    reported_at AS reportedAt
  FROM attempt_metrics m
  WHERE attempt_id = +? AND ordinal > +?
  ORDER BY ordinal
  LIMIT ${PAGE}`

const lineOf = ({ userId: _id, username: _name, ...row }: ExportedRow) =>
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
function entitiesOf(row: ExportedRow, baseUrl: string): Entity[] {
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
  const rows = rowsOf<ExportedRow>(db, EXPORTED, roomId, ({ attemptId }) => attemptId)
  const measured = rowsOf<{ attemptId: string; label: string }>(db, MEASURED, roomId, ({ attemptId }) => attemptId)
  const pointsOf = db.prepare<PointRow>(POINTS)

  /** Every point of every metric series, attempt by attempt. */
  function* points() {
    for (const { attemptId, label } of measured()) {
      const after = (ordinal: number) => pointsOf.all(attemptId, ordinal)
      for (const point of paged(0, after, ({ ordinal }) => ordinal)) yield { attempt: label, attemptId, ...point }
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
    for (const { attempt, attemptId, ordinal, metric, split, dimensions, unit, step, value, reportedAt } of points())
      yield csvLine([attempt, attemptId, ordinal, metric, split, dimensions, unit, step, parse(value), reportedAt])
  }
  const measurements = () => points().map((point) => withJson(point, ["dimensions", "value"]))
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
      views: { attempts: () => linesOf(rows().map(lineOf)), measurements: () => linesOf(measurements()) },
    },
  } satisfies Partial<Parts>
}
