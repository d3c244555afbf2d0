/** Reads of attempts, their metric series and their logs, and of what failed in a Room. */
import { writerName } from "../../contract/answers/parts.ts"
import { words } from "../../contract/definitions/sentence.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import { AGENT_AT } from "../../ledger/journal/actor.ts"
import { type BriefItem, type BriefSources, inPlace, itemsOf, stepOf } from "../../ledger/domains/brief.ts"
import { WHY_FAILED } from "./summary.ts"
import { limits } from "../../contract/limits.ts"
import { fitting, JsonText, parse, parsed, stored } from "../../contract/json.ts"
import { known } from "../../ledger/write/references.ts"
import { badParameter, Refusal } from "../../contract/refusals.ts"
import type { AttemptSummary } from "../../contract/nouns/attempt-answers.ts"
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

// What failed in a Room, and why, as a read and a brief list it; and the attempts without an outcome.

/** A failure, with its sequence in the Room and the Thread of the object that failed. */
export interface Failure extends Omit<BriefItem<"failures">, "why"> {
  readonly sequence: number
  readonly threadId: string
  readonly why: string | null
}
const whyOf = ({ why }: Failure): string => why ?? "It gave no reason."

const FAILURE = `SELECT f.sequence, f.kind, f.id, f.at, coalesce(a.label, l.label) AS label, f.thread_id AS threadId,
    CASE f.kind WHEN 'attempt_failed' THEN ${WHY_FAILED} WHEN 'attempt_diverged' THEN f.detail
      WHEN 'retraction' THEN t.label || ' was retracted: ' || l.explanation END AS why,
    p.username AS by, ${AGENT_AT("coalesce(a.history_position, l.history_position)")} AS agent
  FROM room_failures f
  LEFT JOIN attempts a ON f.kind IN ('attempt_failed', 'attempt_diverged') AND a.attempt_id = f.id
  LEFT JOIN research_links l ON f.kind = 'retraction' AND l.link_id = f.id
  LEFT JOIN records t ON t.version_id = l.target_version_id
  JOIN people p ON p.user_id = coalesce(a.registrant_id, l.author_id)`

export type Failures = ReturnType<typeof failures>

export function failures(db: Db) {
  const before = db.prepare<Failure>(
    `${FAILURE} WHERE f.room_id = +? AND f.sequence < +? ORDER BY f.sequence DESC LIMIT +?`,
  )
  return {
    /** Up to `count` failures of a Room before a sequence, newest first. */
    before: (roomId: string, sequence = Number.MAX_SAFE_INTEGER, count: number): Failure[] =>
      before.all(roomId, sequence, count),
  }
}

export function failureReads({ rooms, failures }: { readonly rooms: Rooms; readonly failures: Failures }) {
  return {
    room_failures({ params: { roomId }, query }) {
      rooms.mustExist(roomId)
      const found = failures.before(roomId, query.after, pageSize(query) + 1)
      return keysetPage(
        found.map((failure) => ({ ...failure, why: whyOf(failure) })),
        query,
        ({ sequence }) => sequence,
      )
    },
  } satisfies Partial<Readers>
}

// The list of failures in a brief, and the step of an attempt without an outcome.

interface Running {
  readonly attemptId: string
  readonly label: string
  readonly status: "registered" | "started"
  readonly revision: number
  readonly registrant: string
  readonly updatedAt: string
}

export function attemptsInBrief({ db }: { readonly db: Db }) {
  const newest = inPlace<Failure>(
    db,
    `${FAILURE} WHERE f.{place} = +? ORDER BY f.sequence DESC LIMIT ${limits.briefSight}`,
  )
  const running = inPlace<Running>(
    db,
    `SELECT a.attempt_id AS attemptId, a.label, a.status, a.revision, p.username AS registrant,
        a.updated_at AS updatedAt
     FROM attempts a
      JOIN people p ON p.user_id = a.registrant_id
      WHERE a.status IN ('registered', 'started') AND a.{place} = +?
      ORDER BY a.history_position
      LIMIT ${limits.briefSight}`,
  )
  return {
    failures: {
      title: "What failed, and why",
      line: ({ kind, label, id, why, at, by, agent }) =>
        `${label ?? id} (${words(kind)}, ${writerName({ username: by, agent })}, ${at.slice(0, 10)}): ${oneLine(why)}`,
      link: ({ roomId }) => pathTo("room_failures", { roomId }),
      read(place) {
        const rows = newest(place)
        return {
          items: () =>
            itemsOf(rows, (row, most) => {
              const { sequence: _place, threadId: _thread, why: _why, ...failure } = row
              return { ...failure, why: shortened(whyOf(row), most) }
            }),
        }
      },
    },
    attempts: {
      read(place) {
        const steps = running(place).map(({ attemptId, label, status, revision, registrant, updatedAt }) => {
          const why = `${registrant} registered it; its status has been ${status} since ${updatedAt}.`
          const body = { attemptId, expectedRevision: revision, expectedStatus: status }
          return stepOf("report_outcome", attemptId, label, why, body)
        })
        return { steps: () => steps }
      },
    },
  } satisfies Partial<BriefSources>
}
