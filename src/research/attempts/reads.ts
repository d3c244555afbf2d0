/** Reads of attempts, their metric series and their logs. */
import { limits } from "../../contract/limits.ts"
import { fitting, JsonText, parse, parsed, stored } from "../../contract/json.ts"
import { known } from "../../ledger/write/references.ts"
import { badParameter, Refusal } from "../../contract/refusals.ts"
import type { AttemptSummary } from "../../contract/answers/attempts.ts"
import { idPage, keysetPage, pageSize, sequenceCursor, uuidCursor } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Materials } from "../materials/materials.ts"
import type { Attempts } from "./attempts.ts"
import { text } from "../experiments/experiments.ts"
import { type Cells, fileOf, markdownTable, metricKey, type Value } from "./table.ts"
import type { Events, MetricPoint } from "./reported.ts"
import type { LogKind } from "../../contract/definitions/attachments.ts"
import { logPage, type LogQuery, logText } from "../../attachments/log.ts"
import type { Attachments } from "../../ledger/journal/attachments.ts"
import type { Db } from "../../ledger/storage/database.ts"

// The logs and sessions that attempts reported.

interface Row {
  readonly digest: string
  readonly format: string | null
  readonly receivedAt: string
}

type Logs = ReturnType<typeof logs>

export function logs(db: Db, attachments: Pick<Attachments, "logIndex" | "logPiece">) {
  const reported = db.prepare<Row>(
    `SELECT l.digest, l.format, e.body ->> '$.receivedAt' AS receivedAt
     FROM attempt_logs l JOIN attempt_events e USING (attempt_id, revision)
     WHERE l.attempt_id = +? AND l.kind = +? ORDER BY l.revision DESC LIMIT 50`,
  )
  /** Returns the logs of an attempt that are here, the newest first. One that was withheld is not. */
  const of = (attemptId: string, kind: LogKind) =>
    reported.all(attemptId, kind).flatMap((row) => {
      const log = attachments.logIndex(row.digest)
      return log === undefined ? [] : [{ ...row, bytes: log.bytes, lines: log.lines, cut: log.cut }]
    })
  return {
    of,
    newest: (attemptId: string, kind: LogKind) => of(attemptId, kind)[0] ?? null,
    /** @throws Refusal 404 if the attempt has no such log */
    page(attemptId: string, kind: LogKind, { digest, ...query }: LogQuery & { readonly digest?: string }) {
      const all = of(attemptId, kind)
      const place = digest === undefined ? 0 : all.findIndex((each) => each.digest === digest)
      const chosen = all[place]
      const log = chosen && attachments.logIndex(chosen.digest)
      if (chosen === undefined || log === undefined)
        throw new Refusal(
          "unknown_log",
          `The attempt has no ${digest === undefined ? kind : `${kind} with this digest`}.`,
        )
      const page = logPage(log, (piece) => attachments.logPiece(chosen.digest, piece), query)
      return { chosen, earlier: all.slice(place + 1), page, text: () => logText(page.lines) }
    },
  }
}

export function logReads({ attempts, logs: kept }: { attempts: Attempts; logs: Logs }) {
  const read = (
    kind: LogKind,
    given: string,
    { format, ...query }: LogQuery & { format?: string; digest?: string },
  ) => {
    const { attemptId } = known("attempt", attempts.read(given))
    const { chosen, earlier, page, text } = kept.page(attemptId, kind, query)
    return format === "text" ? text() : { attemptId, ...chosen, total: chosen.lines, earlier, ...page }
  }
  return {
    attempt_log: ({ params, query }) => read("log", params.attemptId, query),
    attempt_session: ({ params, query }) => read("session", params.attemptId, query),
  } satisfies Partial<Readers>
}

type Summary = ReturnType<Attempts["page"]>[number]

/** Returns the columns of a metric series, lists of equal length. */
const columnsOf = (points: readonly MetricPoint[]) => ({
  ordinal: points.map(({ ordinal }) => ordinal),
  metric: points.map(({ metric }) => metric),
  split: points.map(({ split }) => split),
  dimensions: points.map(({ dimensions }) => text(dimensions)),
  unit: points.map(({ unit }) => unit),
  step: points.map(({ step }) => step),
  value: new JsonText(stored<Value[]>(`[${points.map(({ value }) => value).join(",")}]`)),
  reportedAt: points.map(({ reportedAt }) => reportedAt),
})

const PAGE = 50

/** Names a series in one line, such as `error (test) arm=shift seed=3`. */
const nameOfSeries = (
  name: string,
  split: string | null,
  dimensions: Readonly<Record<string, unknown>> | null,
): string =>
  [metricKey(name, split), ...Object.entries(dimensions ?? {}).map(([key, value]) => `${key}=${String(value)}`)].join(
    " ",
  )

const pointTable = {
  columns: ["ordinal", "metric", "split", "dimensions", "unit", "step", "value", "reportedAt"],
  row: ({ ordinal, metric, split, dimensions, unit, step, value, reportedAt }: MetricPoint) => {
    const measured: Value = parse(value)
    return [ordinal, metric, split, dimensions, unit, step, measured, reportedAt]
  },
  json: (point: MetricPoint) => ({ ...point, dimensions: text(point.dimensions), value: new JsonText(point.value) }),
}

const attemptColumns = [
  ...([
    "attemptId",
    "label",
    "roomId",
    "experimentId",
    "experimentLabel",
    "registrant",
    "intent",
    "status",
    "outcome",
  ] as const),
  ...([
    "planId",
    "rerunOf",
    "registeredAt",
    "updatedAt",
    "argv",
    "metrics",
    "failureStage",
    "failureExplanation",
  ] as const),
]

/** Attempts as rows. Lists in a cell are JSON. */
const attemptTable = {
  columns: attemptColumns,
  row(item: Summary) {
    const { failure, registrant, argv, metrics, ...rest } = parsed<AttemptSummary>(item)
    const last = metrics.map(({ name, split, dimensions, value }) => [nameOfSeries(name, split, dimensions), value])
    const cells = {
      ...rest,
      registrant: registrant.username,
      argv: JSON.stringify(argv),
      metrics: JSON.stringify(Object.fromEntries(last)),
      failureStage: failure?.stage ?? null,
      failureExplanation: failure?.explanation ?? null,
    }
    return attemptColumns.map((name) => cells[name])
  },
  json: (item: Summary) => item,
}

/** Writes points as a Markdown table. @param next the value of `after` for the next page */
function pointsAsMarkdown(rows: readonly Cells[], next: number | undefined): string {
  const more = next === undefined ? [] : [`There are more: after=${next}.`, ""]
  return [...markdownTable(pointTable.columns, rows), "", ...more].join("\n")
}

interface Tables {
  readonly rooms: Rooms
  readonly attempts: Attempts
  readonly events: Events
  readonly materials: Materials
  readonly evidence: Evidence
  readonly logs: Logs
}

export function attemptReads({ rooms, attempts, events, materials, evidence, logs }: Tables) {
  return {
    attempts({ query }) {
      rooms.mustFitLabel(query)
      const { format, limit, after } = query
      if (format === "csv" || format === "jsonl") {
        if (query.order === "label")
          throw badParameter("order", "cannot be used with csv or jsonl, which are in the order of ids")
        const file = query.roomId === undefined ? "attempts" : `attempts-${query.roomId}`
        return fileOf(
          file,
          format,
          attemptTable,
          (last) => attempts.page(query, last?.attemptId ?? uuidCursor(after), PAGE),
          limit,
        )
      }
      if (query.order === "label") {
        if (query.roomId === undefined && query.experimentId === undefined)
          throw badParameter("order", "needs roomId or experimentId")
        const found = attempts.pageByLabel(query, sequenceCursor(query.after), pageSize(query) + 1)
        return keysetPage(found, query, ({ label }) => label.slice(1))
      }
      return idPage(
        query,
        (from, count) => attempts.page(query, from, count),
        ({ attemptId }) => attemptId,
      )
    },

    attempt({ params }) {
      const { registration, ...attempt } = known("attempt", attempts.read(params.attemptId))
      const difference = evidence.differing(attempt.attemptId)
      const {
        repository,
        argv,
        configuration,
        environment = null,
        intendedDeviation = null,
        inputs,
      } = parsed(registration)
      const reproduced = attempts.find(params.attemptId)?.reproduces
      const independence = reproduced === undefined ? undefined : evidence.differenceOf(attempt.attemptId, reproduced)
      return {
        ...attempt,
        ...(independence !== undefined && { independence }),
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
        log: logs.newest(attempt.attemptId, "log"),
        session: logs.newest(attempt.attemptId, "session"),
        reproductions: attempts
          .reproducing(attempt.attemptId, attempt.roomId)
          .map((reproduction) => ({ ...reproduction, independence: difference(reproduction.attemptId) })),
        content: registration,
      }
    },

    attempt_metrics({ params, query }) {
      const { attemptId } = known("attempt", attempts.read(params.attemptId))
      const { format, metric, limit, after = 0 } = query
      if (format === "csv" || format === "jsonl")
        return fileOf(
          `metrics-${attemptId}`,
          format,
          pointTable,
          (last) => events.series(attemptId, last?.ordinal ?? after, metric, limits.metricPoints),
          limit,
        )
      const size = limit ?? limits.metricPoints
      const found = events.series(attemptId, after, metric, size + 1)
      const page = found.slice(0, size)
      if (format === "markdown")
        return pointsAsMarkdown(page.map(pointTable.row), found.length > page.length ? page.at(-1)?.ordinal : undefined)
      const shown = page.slice(0, fitting(page.map(pointTable.json), limits.listBytes).length)
      return {
        attemptId,
        columns: columnsOf(shown),
        nextCursor: shown.at(-1)?.ordinal ?? after,
        hasMore: found.length > shown.length,
      }
    },
  } satisfies Partial<Readers>
}
