/** Reads of attempts and their metric series. */
import { limits } from "../../contract/limits.ts"
import { fitting, JsonText, parse, parsed, stored } from "../../contract/json.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { badParameter } from "../../contract/refusals/refusal.ts"
import type { AttemptSummary } from "../../contract/answers/work.ts"
import { keysetPage, pageSize, sequenceCursor, uuidCursor } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Materials } from "../materials/materials.ts"
import type { Attempts } from "./attempts.ts"
import { type Cells, fileOf, markdownRow } from "./rows.ts"
import type { Events, MetricPoint } from "./events.ts"
import { metricKey, type Value } from "./table.ts"

type Summary = ReturnType<Attempts["page"]>[number]

/** Returns the columns of a metric series, lists of equal length. */
const columnsOf = (points: readonly MetricPoint[]) => ({
  ordinal: points.map(({ ordinal }) => ordinal),
  metric: points.map(({ name }) => name),
  split: points.map(({ split }) => split),
  dimensions: points.map(({ dimensions }) => dimensions && new JsonText(dimensions)),
  unit: points.map(({ unit }) => unit),
  step: points.map(({ step }) => step),
  value: new JsonText(stored<Value[]>(`[${points.map(({ value }) => value).join(",")}]`)),
  reportedAt: points.map(({ reported_at }) => reported_at),
})

const PAGE = 50

/** Names a series in one line, such as `error (test) arm=shift seed=3`. */
const nameOfSeries = (name: string, split: string | null, dimensions: Readonly<Record<string, unknown>> | null): string =>
  [metricKey(name, split), ...Object.entries(dimensions ?? {}).map(([key, value]) => `${key}=${String(value)}`)].join(" ")

/** Metric points as rows. */
const pointTable = {
  columns: ["ordinal", "metric", "split", "dimensions", "unit", "step", "value", "reportedAt"],
  row: ({ ordinal, name, split, dimensions, unit, step, value, reported_at }: MetricPoint) => {
    const measured: Value = parse(value)
    return [ordinal, name, split, dimensions, unit, step, measured, reported_at]
  },
  json: ({ ordinal, name, split, dimensions, unit, step, value, reported_at }: MetricPoint) => ({
    ordinal,
    metric: name,
    split,
    unit,
    step,
    dimensions: dimensions && new JsonText(dimensions),
    value: new JsonText(value),
    reportedAt: reported_at,
  }),
}

/** Attempts as rows. Lists in a cell are JSON. */
const attemptTable = {
  columns: [
    ...["attemptId", "label", "roomId", "experimentId", "experimentLabel", "registrant", "intent", "status", "outcome"],
    ...["planId", "rerunOf", "registeredAt", "updatedAt", "argv", "metrics", "failureStage", "failureExplanation"],
  ],
  row(item: Summary) {
    const { failure, registrant, argv, metrics, ...rest } = parsed<AttemptSummary>(item)
    const { attemptId, label, roomId, experimentId, experimentLabel, intent, status, outcome, planId, rerunOf, registeredAt, updatedAt } =
      rest
    const last = metrics.map(({ name, split, dimensions, value }) => [nameOfSeries(name, split, dimensions), value])
    return [
      ...[attemptId, label, roomId, experimentId, experimentLabel, registrant.username, intent, status, outcome, planId, rerunOf],
      ...[registeredAt, updatedAt, JSON.stringify(argv), JSON.stringify(Object.fromEntries(last))],
      ...[failure?.stage ?? null, failure?.explanation ?? null],
    ]
  },
  json: (item: Summary) => item,
}

/** Writes points as a Markdown table. @param next the value of `after` for the next page */
function pointsAsMarkdown(columns: readonly string[], rows: readonly Cells[], next: number | undefined): string {
  const more = next === undefined ? [] : [`There are more: after=${next}.`, ""]
  return [markdownRow(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(markdownRow), "", ...more].join("\n")
}

export function attemptReads(rooms: Rooms, attempts: Attempts, events: Events, materials: Materials, evidence: Evidence) {
  /** @throws Refusal 404 */
  function mustRead(attemptId: string) {
    const attempt = attempts.read(attemptId)
    if (attempt === undefined) throw noSuch("attempt")
    return attempt
  }

  return {
    attempts({ query }) {
      rooms.mustFitLabel(query)
      const { format, limit, after } = query
      if (format === "csv" || format === "jsonl") {
        if (query.order === "label") throw badParameter("order", "cannot be used with csv or jsonl, which are in the order of ids")
        const file = query.roomId === undefined ? "attempts" : `attempts-${query.roomId}`
        return fileOf(file, format, attemptTable, (last) => attempts.page(query, last?.attemptId ?? uuidCursor(after), PAGE), limit)
      }
      if (query.order === "label") {
        if (query.roomId === undefined && query.experimentId === undefined) throw badParameter("order", "needs roomId or experimentId")
        const found = attempts.pageByLabel(query, sequenceCursor(query.after), pageSize(query) + 1)
        return keysetPage(found, query, ({ label }) => label.slice(1))
      }
      return keysetPage(attempts.page(query, uuidCursor(query.after), pageSize(query) + 1), query, ({ attemptId }) => attemptId)
    },

    attempt({ params }) {
      const { registration, ...attempt } = mustRead(params.attemptId)
      const difference = evidence.differing(attempt.attemptId)
      const { repository, argv, configuration, environment = null, intendedDeviation = null, inputs } = parsed(registration)
      return {
        ...attempt,
        repository,
        argv,
        configuration,
        environment,
        intendedDeviation,
        inputs: inputs.map(({ materialId, name }) => ({
          name,
          material: materials.summary(materialId, attempt.roomId) ?? null,
        })),
        ...events.of(attempt.attemptId),
        reproductions: attempts
          .reproducing(attempt.attemptId, attempt.roomId)
          .map((reproduction) => ({ ...reproduction, independence: difference(reproduction.attemptId) })),
        content: registration,
      }
    },

    attempt_metrics({ params, query }) {
      const { attemptId } = mustRead(params.attemptId)
      const { format, metric, limit, after = 0 } = query
      if (format === "csv" || format === "jsonl")
        return fileOf(
          `metrics-${attemptId}`,
          format,
          pointTable,
          (last) => events.series(attemptId, last?.ordinal ?? after, metric, limits.metricPoints),
          limit,
        )
      const size = query.limit ?? limits.metricPoints
      if (format === "markdown") {
        const found = events.series(attemptId, after, metric, size + 1)
        const next = found.length > size ? found[size - 1]?.ordinal : undefined
        return pointsAsMarkdown(pointTable.columns, found.slice(0, size).map(pointTable.row), next)
      }
      const points = events.series(attemptId, query.after ?? 0, query.metric, size + 1)
      const shown = points.slice(0, fitting(points.slice(0, size).map(pointTable.json), limits.listBytes).length)
      return {
        attemptId,
        columns: columnsOf(shown),
        nextCursor: shown.at(-1)?.ordinal ?? query.after ?? 0,
        hasMore: points.length > shown.length,
      }
    },
  } satisfies Partial<Readers>
}
