/** What attempts reported: the dimensions and last values of their metrics, their events, outputs and series. */
import { picked } from "../../contract/typed.ts"
import { logKinds } from "../../contract/definitions/attachments.ts"
import { limits } from "../../contract/limits.ts"
import { fitting, JsonText, type Stored, writeJson, canonicalJson, parse } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AttemptAnswer } from "../../contract/nouns/attempt-answers.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { DIMENSIONS } from "./summary.ts"
import { curves, type NewPoint } from "./curves.ts"
import { type Issue, Refusal } from "../../contract/refusals.ts"

// Stores the dimensions of reported values, each set once, and the last values of an attempt in blocks, so that a table
// of many attempts reads only a few rows of each.

type Dimensions = NonNullable<NonNullable<BodyOf<"report_attempt_event">["metrics"]>[number]["dimensions"]>

/** The distinct values of each dimension in a block; the names are sorted. */
export type BlockScalars = Readonly<Record<string, readonly Dimensions[string][]>>

/** The number of dimension ids in one block, and so the most values in it. A new value rewrites its block. */
export const OF_BLOCK = 128

/**
 * Encodes the dimensions of some values, at most OF_BLOCK. `codes` has, for each name in turn, one byte for each value:
 * 0 if it lacks the dimension, else the index in `scalars`, counted from 1.
 */
export function blockOf(each: readonly Dimensions[]) {
  const names = [...new Set(each.flatMap((dimensions) => Object.keys(dimensions)))].sort()
  const columns = names.map((name) => {
    const own = each.map((dimensions) => (Object.hasOwn(dimensions, name) ? dimensions[name] : undefined))
    const scalars = [...new Set(own.flatMap((scalar) => scalar ?? []))]
    return { name, scalars, codes: own.map((scalar) => (scalar === undefined ? 0 : scalars.indexOf(scalar) + 1)) }
  })
  const scalars: BlockScalars = Object.fromEntries(columns.map((column) => [column.name, column.scalars]))
  return { scalars, codes: Uint8Array.from(columns.flatMap(({ codes }) => codes)) }
}

/** The sets of dimensions that were reported. */
function dimensionSets(db: Db) {
  const find = db.prepare<{ id: number }>("SELECT dimensions_id AS id FROM dimension_sets WHERE dimensions = +?")
  const insert = db.prepare<{ id: number }>(
    "INSERT INTO dimension_sets (dimensions) VALUES (+?) RETURNING dimensions_id AS id",
  )
  /** Returns the id of a stored set; 0 for no dimensions, undefined if it is not stored. */
  const known = (dimensions: Dimensions = {}): number | undefined =>
    Object.keys(dimensions).length === 0 ? 0 : find.get(canonicalJson(dimensions))?.id
  return {
    known,
    /** Returns the id of a set, and stores a new one; 0 for no dimensions. */
    idOf: (dimensions: Dimensions | undefined): number => known(dimensions) ?? insert.one(canonicalJson(dimensions)).id,
  }
}

function valueBlocks(db: Db) {
  const series = db.prepare<{
    value: Stored<number | string>
    unit: string | null
    dimensions: Stored<Dimensions> | null
  }>(
    `SELECT l.value, l.unit, s.dimensions FROM attempt_last_metrics l LEFT JOIN dimension_sets s USING (dimensions_id)
     WHERE l.attempt_id = +? AND l.name = +? AND l.split = +? AND l.dimensions_id BETWEEN +? AND +?
      ORDER BY l.dimensions_id`,
  )
  const put = inserting(db, "attempt_values", {
    onConflict:
      "DO UPDATE SET units = excluded.units, dimensions = excluded.dimensions, codes = excluded.codes, " +
      "told = excluded.told",
  })
  const blocks = db.prepare<{ block: number }>(
    "SELECT block FROM attempt_values WHERE attempt_id = +? AND name = +? AND split = +?",
  )

  function keep(attemptId: string, name: string, split: string, block: number): void {
    const rows = series.all(attemptId, name, split, block * OF_BLOCK, (block + 1) * OF_BLOCK - 1)
    const { scalars, codes } = blockOf(rows.map(({ dimensions }) => (dimensions === null ? {} : parse(dimensions))))
    put({
      attemptId,
      name,
      split,
      block,
      units: JSON.stringify([...new Set(rows.flatMap(({ unit }) => unit ?? []))].sort()),
      dimensions: canonicalJson(scalars),
      codes: Buffer.from(codes.buffer),
      told: Buffer.from(Float64Array.from(rows, ({ value }) => Number(parse(value))).buffer),
    })
  }

  return {
    /** Rewrites the blocks of some values of a metric. @param dimensionsIds 0 for a value without dimensions */
    keep(attemptId: string, name: string, split: string, dimensionsIds: readonly number[]): void {
      for (const block of new Set(dimensionsIds.map((id) => Math.floor(id / OF_BLOCK))))
        keep(attemptId, name, split, block)
    },
    /** Rewrites all blocks of a metric. */
    keepAll(attemptId: string, name: string, split: string): void {
      for (const { block } of blocks.all(attemptId, name, split)) keep(attemptId, name, split, block)
    },
  }
}

// Values that an attempt reports twice at the same dimensions and step. An equal value counts once; a different one
// must be a correction.

type Reported = BodyOf<"report_attempt_event">
type Metric = NonNullable<Reported["metrics"]>[number]
/** A metric with its split, at given dimensions. */
export interface Cell {
  readonly name: string
  readonly split?: string | undefined
  readonly dimensions?: Metric["dimensions"] | undefined
}

/** The last value that an attempt reported for a cell, as JSON. */
export interface LastValue {
  readonly step: number | null
  readonly value: string
}

type LastOf = (cell: Cell) => LastValue | undefined

const keyOf = ({ name, split = "", dimensions = {} }: Cell): string => canonicalJson([name, split, dimensions])
const hasDimensions = ({ dimensions = {} }: Cell): boolean => Object.keys(dimensions).length > 0

/**
 * Returns the values of an event, each with the earlier value of its cell at the same step. A value without dimensions
 * never has one: it is a point of a curve.
 */
function withEarlier(metrics: readonly Metric[], lastOf: LastOf) {
  const seen = new Map<string, LastValue & { readonly index: number | null }>()
  return metrics.map((metric, index) => {
    const [key, step, value] = [keyOf(metric), metric.step ?? null, JSON.stringify(metric.value)]
    if (!hasDimensions(metric)) return { metric, index, value, earlier: undefined }
    const stored = seen.has(key) ? undefined : lastOf(metric)
    const last = seen.get(key) ?? (stored && { ...stored, index: null })
    const earlier = last?.step === step ? last : undefined
    seen.set(key, earlier?.value === value ? earlier : { step, value, index })
    return { metric, index, value, earlier }
  })
}

/** Returns the values of an event that were not reported before. */
const newMetrics = (metrics: readonly Metric[], lastOf: LastOf): Metric[] =>
  withEarlier(metrics, lastOf).flatMap(({ metric, value, earlier }) => (earlier?.value === value ? [] : [metric]))

const inWords = ({ name, dimensions = {} }: Cell): string =>
  `${name} at ${Object.entries(dimensions)
    .map(([dimension, value]) => `${dimension}=${String(value)}`)
    .join(", ")}`

/** @throws Refusal `invalid_schema`, naming both values, if a cell has two values and `corrects` does not name it */
export function mustBeOneValue(label: string, { metrics = [], corrects = [] }: Reported, lastOf: LastOf): void {
  const corrected = new Set(corrects.map(({ metric, split, dimensions }) => keyOf({ name: metric, split, dimensions })))
  const issues = withEarlier(metrics, lastOf).flatMap(({ metric, index, value, earlier }): Issue[] => {
    if (earlier === undefined || earlier.value === value) return []
    if (earlier.index === null && corrected.has(keyOf(metric))) return []
    const by =
      earlier.index === null
        ? `${label} reported as ${earlier.value} before; name it in corrects to correct it`
        : `/metrics/${earlier.index} gives as ${earlier.value}`
    return [{ path: `/metrics/${index}/value`, message: `is ${value} for ${inWords(metric)}, which ${by}` }]
  })
  if (issues.length > 0)
    throw new Refusal("invalid_schema", "A metric has one value at the same dimensions and step.", {
      issues: issues.slice(0, limits.issues),
    })
}

/**
 * @throws Refusal `invalid_schema` for a correction of a value that the attempt has not reported, or one that changes
 * nothing
 */
export function mustCorrect(
  label: string,
  { metrics = [], corrects = [] }: Reported,
  hasReported: (metric: string, split: string | undefined) => boolean,
  lastOf: LastOf,
): void {
  const reported = new Set(metrics.map(keyOf))
  const issues = corrects.flatMap(({ metric, split, dimensions, unit }, index): Issue[] => {
    const cell = { name: metric, split, dimensions }
    if (!hasReported(metric, split))
      return [
        { path: `/corrects/${index}/metric`, message: `names no metric that ${label} reported in an earlier event` },
      ]
    if (dimensions !== undefined && lastOf(cell) === undefined)
      return [
        {
          path: `/corrects/${index}/dimensions`,
          message: `match no value of ${metric} that ${label} reported in an earlier event`,
        },
      ]
    if (unit !== undefined || reported.has(keyOf(cell))) return []
    return [{ path: `/corrects/${index}`, message: "has neither a unit nor a new value in metrics" }]
  })
  if (issues.length > 0) throw new Refusal("invalid_schema", "Only reported values can be corrected.", { issues })
}

/** The most outputs and last values in the read of an attempt. Of the outputs, these are the newest. */
const SHOWN = 10 * limits.attemptEvents

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
