/** Reads attempts for a table that compares them, within fixed limits however large the Room is. */
import { setImmediate as turn } from "node:timers/promises"
import { writeJson, type Writable, JsonText, parse, type Stored } from "../../contract/json.ts"
import type { Download } from "../../ledger/reads/reading.ts"
import type { Author } from "../../contract/answers/parts.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { AttemptSummary, AttemptTable, Means } from "../../contract/nouns/attempt-answers.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { filteredList } from "../../ledger/lists/paging.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { outcomeOf, FAILURE, ORDINAL, type Settings, settingsOf } from "./summary.ts"
import { AGENT } from "../../ledger/journal/actor.ts"

// Streams long lists as CSV or JSON lines, one page per turn of the event loop.

/** Characters at which some spreadsheet ends a cell, even within quotes: each language has its own separator. */
const CELL_END = /([;\t\r\n])/
/**
 * The beginning of a cell that a spreadsheet reads as a formula. It ignores spaces, quotes and invisible characters.
 */
const FORMULA = /^[\s\p{C}"]*[=+\-@＝＋－＠]/u
/** Texts that call no function, such as `--seed`, `-Infinity` and `-0.5`. */
const HARMLESS = /^[+-][\w.-]*$/
/** Texts that are quoted: those with a separator, and those that look like a formula. */
const QUOTED = /[",;\t\r\n]|^[=+\-@＝＋－＠]/

/** The cells of a row. */
export type Cells = readonly (string | number | null)[]

const guarded = (part: string): string => (FORMULA.test(part) && !HARMLESS.test(part) ? `'${part}` : part)

/**
 * Writes a CSV cell. Each part that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP's page
 * on CSV injection advises. `--seed` is only quoted, so that programs find the column by its name. JSON lines hold
 * every text as it was sent.
 */
function cell(value: string | number | null): string {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const parts = value.split(CELL_END).map(guarded).join("")
  const safe = /^[\t\r\n]/.test(parts) ? `'${parts}` : parts
  return QUOTED.test(safe) || safe !== value ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a CSV line (RFC 4180). */
export const csvLine = (cells: Cells): string => `${cells.map(cell).join(",")}\r\n`

const markdownRow = (cells: Cells): string =>
  `| ${cells
    .map((each) =>
      String(each ?? "")
        .replaceAll("\\", "\\\\")
        .replaceAll("|", "\\|")
        .replaceAll(/\s+/g, " "),
    )
    .join(" | ")} |`

/** Writes the lines of a Markdown table. */
export const markdownTable = (columns: readonly string[], rows: readonly Cells[]): string[] => [
  markdownRow(columns),
  `|${"---|".repeat(columns.length)}`,
  ...rows.map(markdownRow),
]

/** Reads the page after an item; an empty page ends the list. */
type Pages<Item> = (last: Item | undefined) => readonly Item[]

/** Writes the items of a list. */
interface Table<Item> {
  readonly columns: readonly string[]
  readonly row: (item: Item) => Cells
  readonly json: (item: Item) => Writable
}

/**
 * Streams a list as a file. It holds one page at a time, and reads the next when the client has taken it. It reads the
 * first page before the first byte, so that a bad cursor is refused.
 * @param most the most items in the file
 * @throws Refusal if reading the first page throws one
 */
export function fileOf<Item>(
  name: string,
  format: "csv" | "jsonl",
  { columns, row, json }: Table<Item>,
  pages: Pages<Item>,
  most = Number.POSITIVE_INFINITY,
): Download {
  const written = format === "csv" ? (item: Item) => csvLine(row(item)) : (item: Item) => `${writeJson(json(item))}\n`
  const encoder = new TextEncoder()
  let next: readonly Item[] | null = pages(undefined)
  let last: Item | undefined
  let left = most
  const bytes = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (format === "csv") controller.enqueue(encoder.encode(csvLine(columns)))
      },
      async pull(controller) {
        await turn()
        const items = left > 0 ? (next ?? pages(last)).slice(0, left) : []
        next = null
        left -= items.length
        last = items.at(-1)
        if (last === undefined) controller.close()
        else controller.enqueue(encoder.encode(items.map(written).join("")))
      },
    },
    { highWaterMark: 0 },
  )
  return { name: `${name}.${format}`, bytes }
}

/** Makes a CSV file of rows that are in memory. */
export const csvFile = (name: string, columns: readonly string[], rows: readonly Cells[]): Download =>
  fileOf(name, "csv", { columns, row: (cells: Cells) => cells, json: (cells) => cells }, (last) =>
    last === undefined ? rows : [],
  )

export type Row = Pick<
  AttemptSummary,
  | "attemptId"
  | "label"
  | "experimentId"
  | "experimentLabel"
  | "roomId"
  | "intent"
  | "status"
  | "registeredAt"
  | "updatedAt"
> & {
  readonly registrantId: string
  readonly username: string
  readonly agent: string | null
  readonly failure: Stored<AttemptSummary["failure"]> | null
  readonly arm: string | null
  /** The size of its registration. */
  readonly bytes: number
}
export type Value = AttemptSummary["metrics"][number]["value"]

/** The last values of one metric of an attempt in one arm. */
interface ArmRow extends Omit<Metric, "key" | "attempts"> {
  readonly arm: Stored<Means["arms"][number]["arm"]> | null
  readonly mean: number
  readonly values: number
  /** Whether one of them is no finite number. */
  readonly isOdd: number
}
const armMean = ({ arm, mean, values, isOdd }: ArmRow): Means["arms"][number] => ({
  arm: arm && parse(arm),
  mean: isOdd === 1 ? "NaN" : mean,
  values,
})

export type Metric = AttemptTable["columns"]["metrics"][number]
export interface Last {
  readonly step: number | null
  readonly value: Stored<Value>
}

const ROW = `SELECT a.attempt_id AS attemptId, a.label, a.experiment_id AS experimentId, e.label AS experimentLabel,
    a.room_id AS roomId, a.intent, a.status,
  a.registered_at AS registeredAt, a.updated_at AS updatedAt, a.registrant_id AS registrantId, p.username,
    ${AGENT("a")} AS agent, ${FAILURE},
  a.plan_match ->> '$.argvComparedWith' AS arm, octet_length(${contentOf("a")}) AS bytes`
const RELATED = "JOIN people p ON p.user_id = a.registrant_id JOIN experiments e ON e.experiment_id = a.experiment_id"

/** Returns a row of the answer without its metrics and settings. */
export const shownRow = ({ registrantId, username, agent, arm: _arm, bytes: _bytes, failure, ...row }: Row) => ({
  ...row,
  registrant: { userId: registrantId, username, agent } satisfies Author,
  outcome: outcomeOf(row.status),
  failure: failure && new JsonText(failure),
})

/** Returns the name of a metric's column. */
export const metricKey = (name: string, split: string | null): string => (split === null ? name : `${name} (${split})`)

export type AttemptTables = ReturnType<typeof attemptTables>

export function attemptTables(db: Db) {
  const columns = { experimentId: "a.experiment_id", roomId: "a.room_id", status: "a.status", intent: "a.intent" }
  const newest = filteredList<Row>(db, `${ROW} FROM attempts a ${RELATED}`, columns, ORDINAL, true)
  const named = db.prepare<Row>(
    `${ROW} FROM json_each(+?) j CROSS JOIN attempts a ON a.attempt_id = j.value ${RELATED} ORDER BY j.key`,
  )
  const metrics = db.prepare<Omit<Metric, "key">>(
    `SELECT name, nullif(split, '') AS split, max(unit) AS unit, count(*) AS attempts FROM (
       SELECT l.name, l.split, l.unit
      FROM json_each(+?) j
      CROSS JOIN attempt_last_metrics l ON l.attempt_id = j.value AND l.dimensions_id = 0
      LIMIT ${limits.tableMetrics})
     GROUP BY name, split ORDER BY attempts DESC, name, split LIMIT ${limits.tableColumns + 1}`,
  )
  const lasts = db.prepare<Last & { readonly attemptId: string }>(
    `SELECT l.attempt_id AS attemptId, l.step, l.value
      FROM json_each(+?) j
      CROSS JOIN attempt_last_metrics l ON l.attempt_id = j.value AND l.name = +? AND l.split = +?
        AND l.dimensions_id = 0`,
  )
  const armMeans = db.prepare<ArmRow>(
    `SELECT l.name, nullif(l.split, '') AS split, max(l.unit) AS unit, d.dimensions -> '$.arm' AS arm,
        avg(CAST(l.value AS REAL)) AS mean, count(*) AS "values", max(l.value LIKE '"%') AS isOdd
     FROM attempt_last_metrics l
      JOIN dimension_sets d ON d.dimensions_id = l.dimensions_id
     WHERE l.attempt_id = +? AND l.dimensions_id <> 0
     GROUP BY l.name, l.split, arm`,
  )
  const countOf = db.prepare<{ count: number }>(
    "SELECT count(*) AS count FROM (SELECT 1 FROM attempt_last_metrics WHERE attempt_id = +? LIMIT +?)",
  )
  const inputs = db.prepare<{ attemptId: string; name: string; label: string }>(
    `SELECT i.attempt_id AS attemptId, i.name, m.label
      FROM json_each(+?) j
      CROSS JOIN attempt_inputs i ON i.attempt_id = j.value
     JOIN materials m ON m.material_id = i.material_id LIMIT ${limits.tableMetrics}`,
  )
  const contents = db.prepare<{ attemptId: string; content: Stored<BodyOf<"register_attempt">> }>(
    `SELECT a.attempt_id AS attemptId, ${contentOf("a")} AS content
      FROM json_each(+?) j
      CROSS JOIN attempts a ON a.attempt_id = j.value`,
  )
  const idsOf = (rows: readonly Row[]) => JSON.stringify(rows.map(({ attemptId }) => attemptId))

  return {
    /**
     * Returns the newest attempts that match the filters, in the order of labels; one over the limit if there are more.
     */
    newest: (filters: { readonly [N in keyof typeof columns]: string | undefined }): Row[] =>
      newest(filters, Number.MAX_SAFE_INTEGER, limits.tableAttempts + 1).reverse(),
    /** Returns attempts by id, in that order, without those that do not exist. */
    named: (attemptIds: readonly string[]): Row[] => named.all(JSON.stringify(attemptIds)),

    /** Returns the metrics of some attempts, the most frequent first; one over the limit if there are more. */
    metrics: (rows: readonly Row[]): Metric[] =>
      metrics.all(idsOf(rows)).map((metric) => ({ ...metric, key: metricKey(metric.name, metric.split) })),
    /** Returns the last value of a metric by attempt. */
    lasts: (rows: readonly Row[], { name, split }: Pick<Metric, "name" | "split">): ReadonlyMap<string, Last> =>
      new Map(lasts.all(idsOf(rows), name, split ?? "").map(({ attemptId, ...last }) => [attemptId, last])),

    /**
     * Returns for each row of a page the means by arm of what the attempt reported with dimensions; null where that
     * would be more than `limits.tableMeanValues` values on the page.
     */
    means(rows: readonly Row[]): (Means[] | null)[] {
      let left: number = limits.tableMeanValues
      return rows.map(({ attemptId }) => {
        const { count } = countOf.one(attemptId, left + 1)
        if (count > left) return null
        left -= count
        const found = Map.groupBy(armMeans.all(attemptId), ({ name, split }) => metricKey(name, split))
        return [...found].slice(0, limits.tableMeans).map(([key, arms]) => ({
          key,
          unit: arms[0]?.unit ?? null,
          arms: arms.slice(0, limits.tableArms).map(armMean),
          moreArms: Math.max(0, arms.length - limits.tableArms),
        }))
      })
    },

    /** Returns the settings of the newest attempts whose registrations fit in `limits.tableSettingsBytes`. */
    settings(rows: readonly Row[]): ReadonlyMap<string, Settings> {
      let bytes = 0
      const read = rows.toReversed().filter((row) => {
        bytes += row.bytes
        return bytes <= limits.tableSettingsBytes
      })
      const ids = idsOf(read)
      const materials = Map.groupBy(inputs.all(ids), ({ attemptId }) => attemptId)
      const texts = new Map(contents.all(ids).map(({ attemptId, content }) => [attemptId, content]))
      return new Map(
        read.flatMap(({ attemptId, arm }) => {
          const content = texts.get(attemptId)
          const consumed = new Map(materials.get(attemptId)?.map(({ name, label }) => [name, label]))
          return content === undefined ? [] : [[attemptId, settingsOf(parse(content), arm, consumed)] as const]
        }),
      )
    },
  }
}

/**
 * Returns the settings in which attempts differ, the most frequent first, and the number of settings that are the same
 * in all.
 */
export function differing(settings: ReadonlyMap<string, Settings>): {
  differ: AttemptTable["columns"]["settings"]
  same: number
} {
  const found = Map.groupBy(
    [...settings.values()].flatMap((of) => [...of]),
    ([key]) => key,
  )
  const all = [...found].map(([key, of]) => ({
    key,
    attempts: of.length,
    values: new Set(of.map(([, value]) => value)).size,
  }))
  const differ = all.filter(({ attempts, values }) => values > 1 || attempts < settings.size)
  return { differ: differ.toSorted((one, other) => other.attempts - one.attempts), same: all.length - differ.length }
}
