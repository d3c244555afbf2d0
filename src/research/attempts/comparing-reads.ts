/** Reads that compare attempts: a sortable table, and curves. */
import { JsonText, parse } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { noSuch } from "../../ledger/write/references.ts"
import { badParameter } from "../../contract/refusals.ts"
import { offsetPage, pageSize } from "../../ledger/lists/paging.ts"
import type { AskedOf, Readers } from "../../ledger/reads/reading.ts"
import {
  csvFile,
  fileOf,
  type AttemptTables,
  differing,
  type Last,
  type Metric,
  metricKey,
  type Row,
  shownRow,
  type Value,
} from "./table.ts"
import { type Curves, fitted, partOf } from "./curves.ts"
import type { Settings } from "./summary.ts"

type Sortable = string | number | undefined
const asNumber = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text))

/**
 * Sorts rows by a key. Texts are compared as numbers if all of them are. Whatever the order, numbers that are not
 * finite come after the others, and missing keys last.
 */
function sorted<T>(rows: readonly T[], keyOf: (row: T) => Sortable, isDescending: boolean): T[] {
  const keys = new Map(rows.map((row) => [row, keyOf(row)]))
  const texts = [...keys.values()].filter((key) => typeof key === "string")
  const numeric = texts.every((text) => !Number.isNaN(asNumber(text)))
  const rank = (key: Sortable) => (key === undefined ? 2 : typeof key === "number" && !Number.isFinite(key) ? 1 : 0)
  const compare = (one: string | number, other: string | number) =>
    typeof one === "string" && typeof other === "string" && !numeric
      ? one.localeCompare(other, "en", { numeric: true })
      : Number(one) - Number(other) || 0
  return rows.toSorted((one, other) => {
    const [a, b] = [keys.get(one), keys.get(other)]
    if (a === undefined || b === undefined || rank(a) + rank(b) > 0) return rank(a) - rank(b)
    return isDescending ? compare(b, a) : compare(a, b)
  })
}

const ordinalOf = ({ label }: Row): number => Number(label.slice(1))
/** The sort keys that exist for every table. */
const plainKeys = new Map<string, (row: Row) => Sortable>([
  ["label", ordinalOf],
  ["experiment", ({ experimentLabel }) => Number(experimentLabel.slice(1))],
  ["outcome", ({ status }) => status],
  ["registered", ({ registeredAt }) => registeredAt],
])

type Query = AskedOf<"attempt_table">["query"]

interface Tables {
  readonly attemptTables: AttemptTables
  readonly curves: Curves
}

export function comparingReads({ attemptTables: tables, curves }: Tables) {
  function mustName(attemptIds: readonly string[]): Row[] {
    const rows = tables.named(attemptIds)
    if (rows.length < attemptIds.length) throw noSuch("attempt")
    return rows
  }

  function findRows({ attemptIds, roomId, experimentId, status, intent }: Query) {
    if (attemptIds !== undefined) return { rows: mustName(attemptIds), isAll: true }
    if (roomId === undefined && experimentId === undefined)
      throw badParameter("roomId", "must be given, or experimentId, or attemptIds")
    const found = tables.newest({ roomId, experimentId, status, intent })
    const rows = found.length > limits.tableAttempts ? found.slice(1) : found
    return { rows, isAll: rows.length === found.length }
  }

  /** @throws Refusal for an unknown sort key */
  function keyOf(
    sort: string,
    rows: readonly Row[],
    metrics: readonly Metric[],
    settings: ReadonlyMap<string, Settings>,
  ): (row: Row) => Sortable {
    const plain = plainKeys.get(sort)
    if (plain !== undefined) return plain
    const [kind, name] = [sort.slice(0, sort.indexOf(":")), sort.slice(sort.indexOf(":") + 1)]
    if (kind === "setting") return ({ attemptId }) => settings.get(attemptId)?.get(name)
    if (kind !== "metric")
      throw badParameter(
        "sort",
        `must be one of ${[...plainKeys.keys()].join(", ")}, or begin with metric: or setting:`,
      )
    const metric = metrics.find((each) => each.key === name)
    const lasts = metric && tables.lasts(rows, metric)
    return ({ attemptId }) => {
      const last = lasts?.get(attemptId)
      return last && Number(parse<Value>(last.value))
    }
  }

  function tableOf(query: Query) {
    const { rows, isAll } = findRows(query)
    const settings = tables.settings(rows)
    const metrics = tables.metrics(rows)
    const { sort, order } = query
    const isDescending = order === "descending"
    const unsorted = isDescending ? rows.toReversed() : rows
    const inOrder = sort === undefined ? unsorted : sorted(rows, keyOf(sort, rows, metrics, settings), isDescending)
    const { differ, same } = differing(settings)
    const columns = {
      metrics: metrics.slice(0, limits.tableColumns),
      settings: differ.slice(0, limits.tableColumns),
      metricsTruncated: metrics.length > limits.tableColumns,
      settingsTruncated: differ.length > limits.tableColumns,
      sameSettings: same,
    }
    const cells = (
      some: readonly Row[],
      of: { metrics: readonly Metric[]; settings: readonly { readonly key: string }[] } = columns,
    ) => {
      const lasts = of.metrics.map((metric) => tables.lasts(some, metric))
      return some.map((row) => ({
        row,
        metrics: lasts.map((last) => last.get(row.attemptId)),
        settings: of.settings.map(({ key }) => settings.get(row.attemptId)?.get(key) ?? null),
      }))
    }
    return {
      inOrder,
      metrics,
      cells,
      about: { columns, compared: rows.length, comparedAll: isAll, settingsCompared: settings.size },
    }
  }

  return {
    attempt_table({ query }) {
      const { inOrder, metrics, about, cells } = tableOf(query)
      const { format, limit, after = 0, setting, metric } = query
      if (format === "csv") {
        const known = [
          "label",
          "experiment",
          "status",
          "intent",
          "registeredAt",
          "failureStage",
          "failureExplanation",
          "attemptId",
        ]
        const columns = [...known, ...[...about.columns.metrics, ...about.columns.settings].map(({ key }) => key)]
        const file = query.roomId ?? query.experimentId ?? "compared"
        return fileOf(
          `attempts-${file}`,
          format,
          {
            columns,
            row({ row, metrics: values, settings: shownSettings }) {
              const failure = row.failure && parse(row.failure)
              return [
                row.label,
                row.experimentLabel,
                row.status,
                row.intent,
                row.registeredAt,
                failure?.stage ?? null,
                failure?.explanation ?? null,
                row.attemptId,
                ...values.map((last) => (last === undefined ? null : parse<Value>(last.value))),
                ...shownSettings,
              ]
            },
            json: () => null,
          },
          (last: ReturnType<typeof cells>[number] | undefined) => {
            const from = last === undefined ? 0 : inOrder.indexOf(last.row) + 1
            return cells(inOrder.slice(from, from + limits.pageItems))
          },
          limit,
        )
      }
      const page = offsetPage(inOrder.slice(after, after + pageSize(query) + 1), after, query)
      if (setting !== undefined && metric !== undefined) {
        const pair = { metrics: metrics.filter(({ key }) => key === metric).slice(0, 1), settings: [{ key: setting }] }
        const items = cells(page.items, pair).map(({ row, metrics: [last], settings: [text = null] }) => ({
          ...shownRow(row),
          pair: { setting: text, metric: lastShown(last) },
          metrics: [],
          settings: [],
        }))
        return { ...page, items, ...about }
      }
      if ((limit ?? 0) > limits.pageItems)
        throw badParameter("limit", `must be at most ${limits.pageItems} unless setting and metric are given`)
      const means = tables.means(page.items)
      const items = cells(page.items).map(({ row, metrics: lasts, settings }, at) => ({
        ...shownRow(row),
        metrics: lasts.map(lastShown),
        means: means[at] ?? null,
        settings,
      }))
      return { ...page, items, ...about }
    },

    attempt_curves({ query }) {
      const {
        attemptIds,
        metric,
        split,
        from = 0,
        to = Number.MAX_SAFE_INTEGER,
        points = limits.curvePoints,
        format,
      } = query
      const rows = mustName(attemptIds)
      const unit = tables.metrics(rows).find(({ key }) => key === metricKey(metric, split ?? null))?.unit ?? null
      const found = rows.map(({ attemptId, label }) => {
        const series = [attemptId, metric, split ?? "", 0] as const
        const state = curves.state(...series)
        if (state === undefined)
          return { attemptId, label, unit: null, points: 0, fromStep: null, toStep: null, stretch: 1, pairs: [] }
        const whole = curves.between(series, state, from, Math.min(to, state.toStep))
        const { curve, width } = fitted(partOf(whole, from, to), points, state.stretch)
        const pairs = Array.from(
          { length: curve.length / 2 },
          (_, n) => [curve[2 * n] ?? 0, shownValue(curve[2 * n + 1] ?? 0)] as const,
        )
        const { fromStep, toStep } = state
        return { attemptId, label, unit, points: state.points, fromStep, toStep, stretch: width, pairs }
      })
      if (format === "csv")
        return csvFile(
          "curves",
          ["attempt", "attemptId", "metric", "split", "step", "value"],
          found.flatMap(({ attemptId, label, pairs }) =>
            pairs.map(([step, value]) => [label, attemptId, metric, split ?? null, step, value]),
          ),
        )
      return {
        metric,
        split: split ?? null,
        curves: found.map(({ pairs, ...curve }) => ({
          ...curve,
          columns: { step: pairs.map(([step]) => step), value: pairs.map(([, value]) => value) },
        })),
      }
    },
  } satisfies Partial<Readers>
}

const lastShown = (last: Last | undefined) =>
  last === undefined ? null : { step: last.step, value: new JsonText(last.value) }

/** Returns a value as JSON holds it: NaN and the infinities by name. */
const shownValue = (value: number): Value =>
  Number.isNaN(value) ? "NaN" : Number.isFinite(value) ? value : value > 0 ? "Infinity" : "-Infinity"
