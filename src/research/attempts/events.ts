/** The events, outputs and metric series that attempts reported. */
import { picked } from "../../contract/typed.ts"
import { logKinds } from "../../contract/definitions/attachments.ts"
import { limits } from "../../contract/limits.ts"
import { fitting, JsonText, type Stored, writeJson } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AttemptAnswer } from "../../contract/answers/attempts.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { DIMENSIONS } from "./summary.ts"
import { curves, type NewPoint } from "./curves.ts"
import { type Cell, type LastValue, newMetrics, dimensionSets, valueBlocks } from "./values.ts"

/** The most outputs and last values in the read of an attempt. Of the outputs, these are the newest. */
const SHOWN = 10 * limits.attemptEvents

type Reported = BodyOf<"report_attempt_event">

type LastMetric = AttemptAnswer["metrics"][number]
export interface MetricPoint extends Readonly<Pick<LastMetric, "split" | "unit" | "step" | "reportedAt">> {
  readonly ordinal: number
  readonly metric: string
  readonly dimensions: Stored<NonNullable<LastMetric["dimensions"]>> | null
  readonly value: Stored<LastMetric["value"]>
}

/** A row that is ready-made JSON. */
interface Body<T> {
  readonly body: Stored<T>
}
const textsOf = <T>(rows: readonly Body<T>[]): JsonText<T>[] => rows.map(({ body }) => new JsonText(body))

export type Events = ReturnType<typeof events>

export function events(db: Db) {
  const storedCurves = curves(db)
  const sets = dimensionSets(db)
  const blocks = valueBlocks(db)
  const insert = inserting(db, "attempt_events")
  const insertOutput = inserting(db, "attempt_outputs")
  const insertLog = inserting(db, "attempt_logs")
  const lastOrdinal = db.prepare<{ last: number }>(
    "SELECT coalesce(max(ordinal), 0) AS last FROM attempt_metrics WHERE attempt_id = +?",
  )
  const insertMetric = inserting(db, "attempt_metrics")
  const setLast = inserting(db, "attempt_last_metrics", {
    onConflict: `DO UPDATE SET ordinal = excluded.ordinal, unit = excluded.unit, step = excluded.step, \
value = excluded.value,
      points = excluded.points, from_step = excluded.from_step, to_step = excluded.to_step, stretch = excluded.stretch`,
  })
  const setUnit = db.prepare(
    "UPDATE attempt_last_metrics SET unit = +? WHERE attempt_id = +? AND name = +? AND split = +?",
  )
  const unitOf = db.prepare<{ unit: string | null }>(
    "SELECT unit FROM attempt_last_metrics WHERE attempt_id = +? AND name = +? AND split = +?",
  )
  const lastValue = db.prepare<LastValue>(
    `SELECT step, value
      FROM attempt_last_metrics
      WHERE attempt_id = +? AND name = +? AND split = +? AND dimensions_id = +?`,
  )
  const newest = db.prepare<Body<AttemptAnswer["events"][number]>>(
    `SELECT body FROM attempt_events WHERE attempt_id = +? ORDER BY revision DESC LIMIT ${limits.attemptEvents}`,
  )
  const count = db.prepare<{ total: number }>("SELECT count(*) AS total FROM attempt_events WHERE attempt_id = +?")
  const output = db.prepare("SELECT 1 FROM attempt_outputs WHERE attempt_id = +? AND output_label = +?")
  const countLate = db.prepare("UPDATE attempts SET late_reports = late_reports + 1 WHERE attempt_id = +?")
  const outputsOf = db.prepare<Body<AttemptAnswer["outputs"][number]>>(
    `SELECT body FROM attempt_outputs WHERE attempt_id = +? ORDER BY revision DESC, position DESC LIMIT ${SHOWN + 1}`,
  )
  const lasts = db.prepare<Body<LastMetric>>(
    `SELECT json_object('name', m.name, 'split', m.split, 'dimensions', json(${DIMENSIONS("m")}), 'unit', l.unit,
      'step', m.step, 'value', json(m.value), 'reportedAt', m.reported_at) AS body
     FROM attempt_last_metrics l JOIN attempt_metrics m ON m.attempt_id = l.attempt_id AND m.ordinal = l.ordinal
     WHERE l.attempt_id = +? ORDER BY l.name, l.split, l.dimensions_id LIMIT ${SHOWN + 1}`,
  )
  const SERIES = `SELECT m.ordinal, m.name AS metric, m.split, m.unit, m.step, ${DIMENSIONS("m")} AS dimensions,
      m.value, m.reported_at AS reportedAt
    FROM attempt_metrics m WHERE m.attempt_id = +? AND m.ordinal > +?`
  const series = db.prepare<MetricPoint>(`${SERIES} ORDER BY m.ordinal LIMIT +?`)
  const seriesOf = db.prepare<MetricPoint>(`${SERIES} AND m.name = +? ORDER BY m.ordinal LIMIT +?`)

  /** Returns the last value that an attempt reported for a cell. */
  function lastOf(attemptId: string, { name, split = "", dimensions }: Cell) {
    const id = sets.known(dimensions)
    return id === undefined ? undefined : lastValue.get(attemptId, name, split, id)
  }

  return {
    lastOf,

    /** Stores the first event of an attempt. */
    registered: (attemptId: string, at: string) =>
      insert({
        attemptId,
        revision: 1,
        body: writeJson({ event: "registered", receivedAt: at, revision: 1, reportedAt: null }),
      }),

    report(attemptId: string, revision: number, at: string, body: Reported): void {
      const { event, reportedAt, late, corrects, outputs = [] } = body
      const metrics = newMetrics(body.metrics ?? [], (cell) => lastOf(attemptId, cell))
      const served = writeJson({
        event,
        receivedAt: at,
        revision,
        reportedAt,
        ...picked(
          body,
          "message",
          "late",
          "exitCode",
          "cost",
          "failure",
          "reproduction",
          "corrects",
          "figures",
          "log",
          "session",
          "client",
        ),
        metricPoints: metrics.length,
        outputLabels: outputs.map(({ outputLabel }) => outputLabel),
      })
      insert({ attemptId, revision, body: served })
      if (late === true) countLate.run(attemptId)
      for (const kind of logKinds) {
        const named = body[kind]
        if (named !== undefined)
          insertLog({
            attemptId,
            kind,
            revision,
            digest: named.digest,
            format: "format" in named ? named.format : null,
          })
      }
      outputs.forEach((output, position) =>
        insertOutput({
          ...output,
          attemptId,
          revision,
          position,
          body: writeJson({ ...output, reportedAt, receivedAt: at }),
        }),
      )
      for (const { metric, split = "", unit } of corrects ?? [])
        if (unit !== undefined) {
          setUnit.run(unit, attemptId, metric, split)
          blocks.keepAll(attemptId, metric, split)
        }
      if (metrics.length === 0) return
      const before = lastOrdinal.one(attemptId).last
      const points = metrics.map((metric, index) => ({
        ...metric,
        ordinal: before + index + 1,
        dimensionsId: sets.idOf(metric.dimensions),
        text: JSON.stringify(metric.value),
      }))
      for (const { ordinal, name, split, dimensionsId, unit, step, text } of points)
        insertMetric({ attemptId, ordinal, name, split, dimensionsId, unit, step, value: text, reportedAt })
      for (const series of Map.groupBy(points, ({ name, split, dimensionsId }) =>
        JSON.stringify([name, split, dimensionsId]),
      ).values()) {
        const last = series.at(-1)
        if (last === undefined) continue
        const { name, split = "", dimensionsId, ordinal, step, text } = last
        const unit = last.unit ?? unitOf.get(attemptId, name, split)?.unit
        const added = series.map((point): NewPoint => [point.step ?? point.ordinal, Number(point.value)])
        const state = storedCurves.add([attemptId, name, split, dimensionsId], added)
        setLast({ attemptId, name, split, dimensionsId, ordinal, unit, step, value: text, ...state })
      }
      for (const own of Map.groupBy(points, ({ name, split }) => JSON.stringify([name, split])).values()) {
        const ids = own.map(({ dimensionsId }) => dimensionsId)
        blocks.keep(attemptId, own[0]?.name ?? "", own[0]?.split ?? "", ids)
      }
    },

    hasMetric: (attemptId: string, name: string, split = ""): boolean =>
      unitOf.get(attemptId, name, split) !== undefined,
    hasOutput: (attemptId: string, outputLabel: string): boolean => output.get(attemptId, outputLabel) !== undefined,

    /** Returns the newest events, last values and newest outputs for the read of an attempt. */
    of(attemptId: string) {
      const events = fitting(textsOf(newest.all(attemptId)), limits.innerListBytes).reverse()
      const lastValues = textsOf(lasts.all(attemptId))
      const metrics = fitting(lastValues.slice(0, SHOWN), limits.innerListBytes)
      const newestOutputs = textsOf(outputsOf.all(attemptId))
      const outputs = fitting(newestOutputs.slice(0, SHOWN), limits.innerListBytes)
      return {
        events,
        eventsTruncated: count.one(attemptId).total > events.length,
        metrics,
        metricsTruncated: lastValues.length > metrics.length,
        outputs: outputs.reverse(),
        outputsTruncated: newestOutputs.length > outputs.length,
      }
    },

    /** Returns up to `count` points after an ordinal, of one metric or of all. */
    series: (attemptId: string, after: number, name: string | undefined, count: number): MetricPoint[] =>
      name === undefined ? series.all(attemptId, after, count) : seriesOf.all(attemptId, after, name, count),
  }
}
