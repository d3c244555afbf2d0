/** What was reported of attempts: events, outputs and metric series. */
import { limits } from "../../contract/limits.ts"
import { fitting, JsonText, type Stored, type Writable, writeJson } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AttemptAnswer } from "../../contract/answers/work.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { DIMENSIONS } from "./summary.ts"
import { curves, type NewPoint } from "./curves.ts"
import { dimensionSets } from "./dimension-sets.ts"
import { type Cell, type LastTold, newMetrics } from "./doubled-cells.ts"
import { valueBlocks } from "./value-blocks.ts"

/** Outputs and last values that an attempt read shows: of more, the newest outputs. */
const SHOWN = 10 * limits.attemptEvents

type Reported = BodyOf<"report_attempt_event">

/** One point of a metric series as it is stored. */
export interface MetricPoint {
  readonly ordinal: number
  readonly name: string
  readonly split: string | null
  /** Canonical JSON. */
  readonly dimensions: Stored<NonNullable<AttemptAnswer["metrics"][number]["dimensions"]>> | null
  readonly unit: string | null
  readonly step: number | null
  /** JSON text: a number, or the name of one that JSON has no digits for. */
  readonly value: Stored<AttemptAnswer["metrics"][number]["value"]>
  readonly reported_at: string
}

interface OutputRow {
  readonly body: Stored<AttemptAnswer["outputs"][number]>
}

export type Events = ReturnType<typeof events>

export function events(db: Db) {
  const lines = curves(db)
  const places = dimensionSets(db)
  const blocks = valueBlocks(db)
  const insert = inserting(db, "attempt_events")
  const insertOutput = inserting(db, "attempt_outputs")
  const lastOrdinal = db.prepare<{ last: number }>("SELECT coalesce(max(ordinal), 0) AS last FROM attempt_metrics WHERE attempt_id = +?")
  const insertMetric = inserting(db, "attempt_metrics")
  const setLast = inserting(db, "attempt_last_metrics", {
    onConflict: `DO UPDATE SET ordinal = excluded.ordinal, unit = excluded.unit, step = excluded.step, value = excluded.value,
      points = excluded.points, from_step = excluded.from_step, to_step = excluded.to_step, stretch = excluded.stretch`,
  })
  const setUnit = db.prepare("UPDATE attempt_last_metrics SET unit = +? WHERE attempt_id = +? AND name = +? AND split = +?")
  const told = db.prepare<{ unit: string | null }>(
    "SELECT unit FROM attempt_last_metrics WHERE attempt_id = +? AND name = +? AND split = +?",
  )
  const lastTold = db.prepare<LastTold>(
    "SELECT step, value FROM attempt_last_metrics WHERE attempt_id = +? AND name = +? AND split = +? AND dimensions_id = +?",
  )
  const newest = db.prepare<{ body: Stored<AttemptAnswer["events"][number]> }>(
    `SELECT body FROM attempt_events WHERE attempt_id = +? ORDER BY revision DESC LIMIT ${limits.attemptEvents}`,
  )
  const count = db.prepare<{ total: number }>("SELECT count(*) AS total FROM attempt_events WHERE attempt_id = +?")
  const output = db.prepare("SELECT 1 FROM attempt_outputs WHERE attempt_id = +? AND output_label = +?")
  const outputDigest = db.prepare<{ digest: string }>("SELECT digest FROM attempt_outputs WHERE attempt_id = +? AND output_label = +?")
  const toldLate = db.prepare("UPDATE attempts SET late_reports = late_reports + 1 WHERE attempt_id = +?")
  const outputsOf = db.prepare<OutputRow>(
    `SELECT body FROM attempt_outputs WHERE attempt_id = +? ORDER BY revision DESC, position DESC LIMIT ${SHOWN + 1}`,
  )
  const lasts = db.prepare<MetricPoint>(
    `SELECT m.ordinal, m.name, m.split, ${DIMENSIONS("m")} AS dimensions, l.unit, m.step, m.value, m.reported_at
     FROM attempt_last_metrics l JOIN attempt_metrics m ON m.attempt_id = l.attempt_id AND m.ordinal = l.ordinal
     WHERE l.attempt_id = +? ORDER BY l.name, l.split, l.dimensions_id LIMIT ${SHOWN + 1}`,
  )
  const series = db.prepare<MetricPoint>(
    `SELECT m.*, ${DIMENSIONS("m")} AS dimensions FROM attempt_metrics m WHERE m.attempt_id = +? AND m.ordinal > +? ORDER BY m.ordinal LIMIT +?`,
  )
  const seriesOf = db.prepare<MetricPoint>(
    `SELECT m.*, ${DIMENSIONS("m")} AS dimensions FROM attempt_metrics m WHERE m.attempt_id = +? AND m.ordinal > +? AND m.name = +? ORDER BY m.ordinal LIMIT +?`,
  )

  /** An event as it is served: what was said, with the registrant's time beside the server's. */
  const served = (event: string, receivedAt: string, more: { readonly [member: string]: Writable }) =>
    writeJson({ event, receivedAt, ...more })

  /** The last value that an attempt reported of a metric at its dimensions. */
  function lastOf(attemptId: string, { name, split = "", dimensions }: Cell) {
    const place = places.known(dimensions)
    return place === undefined ? undefined : lastTold.get(attemptId, name, split, place)
  }

  return {
    lastOf,

    /** The first event of every attempt. */
    registered: (attemptId: string, at: string) =>
      insert({ attemptId, revision: 1, body: served("registered", at, { revision: 1, reportedAt: null }) }),

    report(attemptId: string, revision: number, at: string, body: Reported): void {
      const {
        event,
        reportedAt,
        message,
        late,
        exitCode,
        failure,
        reproduction,
        corrects,
        cost,
        figures,
        client,
        outputs: made = [],
      } = body
      const metrics = newMetrics(body.metrics ?? [], (cell) => lastOf(attemptId, cell))
      const said = {
        message,
        late,
        exitCode,
        cost,
        failure,
        reproduction,
        corrects,
        figures,
        client,
        metricPoints: metrics.length,
        outputLabels: made.map(({ outputLabel }) => outputLabel),
      }
      insert({ attemptId, revision, body: served(event, at, { revision, reportedAt, ...said }) })
      if (late === true) toldLate.run(attemptId)
      made.forEach((one, position) =>
        insertOutput({ ...one, attemptId, revision, position, body: writeJson({ ...one, reportedAt, receivedAt: at }) }),
      )
      for (const { metric, split = "", unit } of corrects ?? [])
        if (unit !== undefined) {
          setUnit.run(unit, attemptId, metric, split)
          blocks.keepAll(attemptId, metric, split)
        }
      if (metrics.length === 0) return
      const before = lastOrdinal.one(attemptId).last
      const landed = metrics.map((metric, index) => ({
        ...metric,
        ordinal: before + index + 1,
        place: places.idOf(metric.dimensions),
        text: JSON.stringify(metric.value),
      }))
      for (const { ordinal, name, split, place, unit, step, text } of landed)
        insertMetric({ attemptId, ordinal, name, split, dimensionsId: place, unit, step, value: text, reportedAt })
      const byMetric = Map.groupBy(landed, ({ name, split }) => JSON.stringify([name, split]))
      for (const series of Map.groupBy(landed, ({ name, split, place }) => JSON.stringify([name, split, place])).values()) {
        const last = series.at(-1)
        if (last === undefined) continue
        const { name, split = "", place, ordinal, step, text } = last
        const unit = last.unit ?? told.get(attemptId, name, split)?.unit
        const points = series.map((point): NewPoint => [point.step ?? point.ordinal, Number(point.value)])
        const kept = lines.add([attemptId, name, split, place], points)
        setLast({ attemptId, name, split, dimensionsId: place, ordinal, unit, step, value: text, ...kept })
      }
      for (const own of byMetric.values())
        blocks.keep(
          attemptId,
          own[0]?.name ?? "",
          own[0]?.split ?? "",
          own.map(({ place }) => place),
        )
    },

    hasMetric: (attemptId: string, name: string, split = ""): boolean => told.get(attemptId, name, split) !== undefined,
    hasOutput: (attemptId: string, outputLabel: string): boolean => output.get(attemptId, outputLabel) !== undefined,
    /** The digest of an output; undefined when the attempt has none under this label. */
    outputDigest: (attemptId: string, outputLabel: string): string | undefined => outputDigest.get(attemptId, outputLabel)?.digest,

    /** What an attempt's read shows of its events. */
    of(attemptId: string) {
      const shown = newest.all(attemptId).map(({ body }) => new JsonText(body))
      const known = lasts.all(attemptId).map(({ name, split, dimensions, unit, step, value, reported_at: reportedAt }) => ({
        name,
        split,
        dimensions: dimensions && new JsonText(dimensions),
        unit,
        step,
        value: new JsonText(value),
        reportedAt,
      }))
      const events = fitting(shown, limits.innerListBytes).reverse()
      const metrics = fitting(known.slice(0, SHOWN), limits.innerListBytes)
      const made = outputsOf.all(attemptId).map(({ body }) => new JsonText(body))
      const outputs = fitting(made.slice(0, SHOWN), limits.innerListBytes)
      return {
        events,
        eventsTruncated: count.one(attemptId).total > events.length,
        metrics,
        metricsTruncated: known.length > metrics.length,
        outputs: outputs.reverse(),
        outputsTruncated: made.length > outputs.length,
      }
    },

    /** Up to `count` points after an ordinal; of one metric or of all. */
    series: (attemptId: string, after: number, name: string | undefined, count: number): MetricPoint[] =>
      name === undefined ? series.all(attemptId, after, count) : seriesOf.all(attemptId, after, name, count),
  }
}
