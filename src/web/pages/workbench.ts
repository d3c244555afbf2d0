/**
 * The attempts of a Room or experiment as a table with filters, sorting and columns, or as a chart of a setting against
 * a metric.
 */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { readPath, withQuery, address, attributes, hiddenInputs, type Html, html, to } from "../html.ts"
import {
  attemptTable,
  type Column,
  columnName,
  columnsOf,
  shownColumns,
  type Sorting,
  type Table,
} from "../parts/attempt-table.ts"
import { empty, ways } from "../parts/parts.ts"
import { following } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { plainText } from "../markdown.ts"
import { choices, counted, shortened, figure, words } from "../words.ts"
import { glyphInChart, tone } from "../parts/marks.ts"
import { type Axis, axis, percent } from "../charts/axis.ts"

// The chart, with a mark for each attempt that shows its outcome. A setting in words has a row for each of its values.

type Row = AnswerOf<"attempt_table">["items"][number]
interface Point {
  readonly row: Row
  readonly setting: string
  readonly value: number
}

/** The positions of the ends of the axis, in percent. Values that are not finite are placed outside. */
const ALONG: readonly [number, number] = [5, 92]
const [LOWEST, HIGHEST] = [2, 97]
/** The vertical position of marks in a row, in pixels. */
const MIDDLE = 12

/** The mark of an attempt, which is a link to it. @param name its setting and value, for screen readers */
function mark({ row }: Point, x: number, y: number, name: string): Html {
  const state = row.outcome ?? row.status
  return html`<svg class="at ${tone(state)}" x="${percent(x)}" y="${y.toFixed(1)}" width="1" height="1">\
<a href="${address("attempt", row.attemptId)}" tabindex="-1"><g>${glyphInChart(state)}</g>\
<title>${row.label}: ${name}, ${words(state)}</title></a></svg>`
}

const place = (value: number, axis: Axis): number =>
  Number.isFinite(value) ? axis.at(value) : value === Number.NEGATIVE_INFINITY ? LOWEST : HIGHEST

/** @param axis the axis of the metric, with the range `ALONG` */
function dotRows(groups: readonly (readonly [string, readonly Point[]])[], axis: Axis, metric: string): Html {
  const lines = axis.ticks.map(
    (tick) => html`<line class="tick" x1="${percent(axis.at(tick))}" x2="${percent(axis.at(tick))}" y1="0" y2="100%"/>`,
  )
  const row = ([setting, points]: readonly [string, readonly Point[]]) =>
    html`<li><span>${setting}</span><svg class="chart fluid" width="100%" height="${2 * MIDDLE}" role="img" \
aria-label="${points.map(({ row: { label }, value }) => `${label} ${figure(value)}`).join(", ")}">${lines}\
${points.map((point) => mark(point, place(point.value, axis), MIDDLE, `${metric} ${figure(point.value)}`))}</svg></li>`
  return html`<ul class="dot-rows">${groups.map(row)}<li aria-hidden="true"><span></span>\
<svg class="chart fluid" width="100%" height="${2 * MIDDLE}">\
${axis.ticks.map(
  (tick) => html`<text x="${percent(axis.at(tick))}" y="14" text-anchor="middle">${figure(tick)}</text>`,
)}</svg></li></ul>`
}

interface Axes {
  readonly setting: string
  readonly metric: string
  readonly unit: string | null
  readonly isLog: boolean
}
const HEIGHT = 440
const EDGE = { top: 44, bottom: 50 }
/** The margin on either side, in percent of the width. */
const SIDE = 6
/** The maximum number of settings in words that get a row. */
const MOST_WORDS = 60
/** The maximum number of attempts that are named as not drawn. */
const NAMED = 20

const asNumber = (text: string) => (text.trim() === "" ? Number.NaN : Number(text))

/** An axis for the values that it can show: finite ones, and above 0 on a log axis. */
function numbers(values: readonly number[], isLog: boolean, range: readonly [number, number]) {
  const shown = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0))
  const [low, high] = shown.length === 0 ? [1, 10] : [Math.min(...shown), Math.max(...shown)]
  const whole = axis(low, high, range, { isLog, isRound: true })
  // A log axis has ticks at 1, 2 and 5 times each power of ten.
  return { ...whole, ticks: whole.ticks.filter((tick) => !isLog || /^[125]/.test(tick.toExponential())).slice(0, 12) }
}

/** A sentence about attempts that are not drawn: "Not drawn: A3, A9 (2 attempts), which lack …". */
function notDrawn(rows: readonly Row[], why: string): string | null {
  if (rows.length === 0) return null
  const names = rows.slice(0, NAMED).map(({ label }) => label)
  return (
    ` Not drawn: ${names.join(", ")}` +
    `${rows.length > NAMED ? ` and ${(rows.length - NAMED).toLocaleString("en")} more` : ""} ` +
    `(${counted(rows.length, "attempt")}), ${why}.`
  )
}

function field(points: readonly Point[], { setting, metric, isLog }: Axes, title: string): Html {
  const along = numbers(
    points.map((point) => asNumber(point.setting)),
    isLog,
    [SIDE, 100 - SIDE],
  )
  const up = numbers(
    points.map(({ value }) => value),
    isLog,
    [HEIGHT - EDGE.bottom - 10, EDGE.top + 4],
  )
  const drawn = (point: Point): Html => {
    const { value } = point
    const y = Number.isFinite(value)
      ? up.at(value)
      : value === Number.NEGATIVE_INFINITY
        ? HEIGHT - EDGE.bottom
        : EDGE.top - 14
    return mark(
      point,
      along.at(asNumber(point.setting)),
      y,
      `${setting} ${shortened(point.setting, 60)}, ${metric} ${figure(value)}`,
    )
  }
  return html`<svg class="chart fluid" width="100%" height="${HEIGHT}" role="group" \
aria-label="${metric} against ${setting}, ${counted(points.length, "attempt")}. The table of attempts has the same.">
${up.ticks.map(
  (tick) =>
    html`<line class="tick" x1="0" x2="100%" y1="${up.at(tick).toFixed(1)}" y2="${up.at(tick).toFixed(1)}"/>\
<text x="2" y="${(up.at(tick) - 4).toFixed(1)}">${figure(tick)}</text>`,
)}
<text class="title" x="2" y="11">${title}</text>
<line class="axis" x1="0" x2="100%" y1="${HEIGHT - EDGE.bottom}" y2="${HEIGHT - EDGE.bottom}"/>
${along.ticks.map(
  (tick) => html`<text x="${percent(along.at(tick))}" y="${HEIGHT - 32}" text-anchor="middle">${figure(tick)}</text>`,
)}
<text class="title" x="50%" y="${HEIGHT - 10}" text-anchor="middle">${setting}</text>
${points.map(drawn)}</svg>`
}

/** The picture, and a caption with the attempts that could not be drawn. */
export function scatter(rows: readonly Row[], axes: Axes): Html {
  const { metric, unit, isLog, setting } = axes
  const title = `${metric}${unit === null ? "" : ` in ${unit}`}, last value`
  const all = rows.flatMap((row): readonly Point[] =>
    row.pair?.setting == null || row.pair.metric === null
      ? []
      : [{ row, setting: row.pair.setting, value: Number(row.pair.metric.value) }],
  )
  const isNumeric = all.every((point) => Number.isFinite(asNumber(point.setting)))
  const isLow = ({ value, setting: text }: Point) => isLog && (value <= 0 || (isNumeric && asNumber(text) <= 0))
  const placed = all.filter((point) => !isLow(point))
  const groups = [...Map.groupBy(placed, (point) => point.setting)].toSorted(([one], [other]) =>
    one.localeCompare(other, "en", { numeric: true }),
  )
  const values = numbers(
    placed.map(({ value }) => value),
    isLog,
    ALONG,
  )
  const known = new Set(all.map(({ row }) => row.attemptId))
  const others = isNumeric ? [] : groups.slice(MOST_WORDS).flatMap(([, points]) => points.map(({ row }) => row))
  return html`<figure class="scatter">\
${
  isNumeric
    ? field(placed, axes, title)
    : html`<p class="axes"><span>${setting}</span><span>${title}</span></p>\
${dotRows(groups.slice(0, MOST_WORDS), values, metric)}`
}<figcaption>${
    placed.some(({ value }) => !Number.isFinite(value))
      ? `Values that are not numbers are ${isNumeric ? "above the picture" : "at its edges"}.`
      : null
  }${notDrawn(
    rows.filter(({ attemptId }) => !known.has(attemptId)),
    `which lack ${setting} or ${metric}`,
  )}${notDrawn(
    all.filter(isLow).map(({ row }) => row),
    "whose values are not above 0 and have no place on a log axis",
  )}${notDrawn(others, `whose settings come after the first ${MOST_WORDS}`)}</figcaption></figure>`
}

const queryOf = ({ url, parameter }: Visit) => ({
  experimentId: parameter("experimentId"),
  status: parameter("status"),
  intent: parameter("intent"),
  sort: parameter("sort") ?? "label",
  order: parameter("order") === "descending" ? ("descending" as const) : ("ascending" as const),
  columns: url.searchParams.getAll("column"),
})
type WorkbenchQuery = ReturnType<typeof queryOf>

function changed(
  path: string,
  { columns, ...query }: WorkbenchQuery,
  more: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const { sort, order, ...filters } = query
  const sorted = sort === "label" && order === "ascending" ? {} : { sort, order }
  const base = withQuery(path, { ...filters, ...sorted, ...more })
  const chosen = columns.map((column) => `column=${encodeURIComponent(column)}`).join("&")
  return chosen === "" ? base : `${base}${base.includes("?") ? "&" : "?"}${chosen}`
}

/** Hidden inputs that keep the rest of the query in a form. */
const hidden = (fields: Readonly<Record<string, string | undefined>>): Html => hiddenInputs(Object.entries(fields))

const select = (
  name: string,
  text: string,
  options: readonly { value: string; text: string }[],
  chosen: string | undefined,
  any: string | null = "any",
): Html =>
  html`<div class="field"><label for="pick-${name}">${text}</label><select id="pick-${name}" name="${name}">\
${any === null ? null : html`<option value="">${any}</option>`}${options.map(
  (option) =>
    html`<option value="${option.value}"${attributes({ selected: option.value === chosen })}>${option.text}</option>`,
)}</select></div>`

function filters(query: WorkbenchQuery, path: string, experiments: AnswerOf<"experiments">): Html {
  const options = experiments.items.map(({ experimentId, label, question }) => ({
    value: experimentId,
    text: `${label} ${shortened(plainText(question), 60)}`,
  }))
  return html`<form class="inline filters" action="${to(path)}">\
${select("experimentId", "Experiment", options, query.experimentId)}\
${select("status", "Outcome", choices("attemptStatus"), query.status)}\
${select("intent", "Intent", choices("attemptIntent"), query.intent)}${hidden({
  sort: query.sort,
  order: query.order,
})}<div class="field"><button class="quiet">Filter</button></div></form>${
    experiments.hasMore &&
    html`<p class="hint">You can choose from the first ${options.length} experiments here. For any other, open its \
page.</p>`
  }`
}

function chooser(query: WorkbenchQuery, path: string, columns: readonly Column[], shown: readonly Column[]): Html {
  const group = (of: Column["of"], name: string) => {
    const some = columns.filter((column) => column.of === of)
    if (some.length === 0) return null
    return html`<fieldset class="choices"><legend>${name}</legend>\
${some.map(
  (column) =>
    html`<label><input type="checkbox" name="column" \
value="${columnName(column)}"${attributes({ checked: shown.includes(column) })}>${column.key}</label>`,
)}</fieldset>`
  }
  return html`<details class="columns-of"><summary>Columns: ${shown.length} of ${columns.length}</summary>\
<form action="${to(path)}">\
${hidden({
  experimentId: query.experimentId,
  status: query.status,
  intent: query.intent,
  sort: query.sort,
  order: query.order,
})}
<div class="pick">${group("mean", "Means by arm")}\
${group("metric", "Last values of metrics")}${group("setting", "Settings that differ")}</div>\
<button class="quiet">Show these</button></form></details>`
}

function coverage({ compared, comparedAll, settingsCompared, columns }: Table): Html {
  const { metricsTruncated, settingsTruncated, sameSettings } = columns
  return html`<p class="meta">\
<span>${
    comparedAll
      ? counted(compared, "attempt")
      : `the newest ${compared.toLocaleString("en")} attempts (filter to reach earlier ones)`
  }</span>${
    settingsCompared < compared
      ? html`<span>settings of the newest ${settingsCompared.toLocaleString("en")} only, because the registrations are \
long</span>`
      : null
  }<span>${counted(sameSettings, "identical setting")} hidden</span>\
${
  metricsTruncated || settingsTruncated
    ? html`<span>only the first ${limits.tableColumns} columns of each kind</span>`
    : null
}</p>`
}

function picture(visit: Visit, query: WorkbenchQuery, path: string, roomId: string, { columns }: Table): Html {
  const [first] = columns.settings.toSorted((one, other) => other.values - one.values)
  const setting = visit.parameter("setting") ?? first?.key
  const metric = visit.parameter("metric") ?? columns.metrics[0]?.key
  if (setting === undefined || metric === undefined)
    return empty("There is nothing to draw. The attempts report no metric, or all have the same settings.")
  const { experimentId, status, intent } = query
  const narrowed = { roomId, experimentId, status, intent }
  const { items } = visit.ask("attempt_table", {}, { ...narrowed, setting, metric, limit: limits.tableAttempts })
  const named = (keys: readonly { readonly key: string }[]) => keys.map(({ key }) => ({ value: key, text: key }))
  const isLog = visit.parameter("log") === "1"
  return html`<form class="inline filters" action="${to(path)}">\
${hidden({ view: "picture", experimentId, status, intent })}\
${select("setting", "Setting", named(columns.settings), setting, null)}\
${select("metric", "Metric", named(columns.metrics), metric, null)}
<div class="field"><label><input type="checkbox" name="log" value="1"${attributes({ checked: isLog })}>Log axes</label>\
</div><div class="field"><button class="quiet">Draw</button></div></form>
${scatter(items, { setting, metric, unit: columns.metrics.find(({ key }) => key === metric)?.unit ?? null, isLog })}`
}

/** Renders the table or chart of a Room's or an experiment's attempts, with its controls. */
export function workbench(
  visit: Visit,
  { path, roomId, experimentId }: { path: string; roomId: string; experimentId?: string },
): Html {
  const query = { ...queryOf(visit), ...(experimentId && { experimentId }) }
  const { columns: chosen, ...filters } = query
  const after = visit.parameter("after")
  const table = visit.ask("attempt_table", {}, { roomId, ...filters, after })
  const columns = columnsOf(table)
  const shown = shownColumns(columns, chosen)
  const sorting: Sorting = {
    sort: query.sort,
    isDescending: query.order === "descending",
    address: (sort, order) => changed(path, { ...query, sort, order }),
  }
  const isAll = visit.parameter("select") === "all"
  const ticking = { isAll, other: changed(path, query, { after, select: isAll ? undefined : "all" }) }
  const isPicture = visit.parameter("view") === "picture"
  const views = html`<nav class="views" aria-label="How attempts are shown">\
<a href="${to(changed(path, query))}"${attributes({ "aria-current": isPicture ? null : "true" })}>Table</a> \
<a href="${to(changed(path, { ...query, sort: "label", order: "ascending" }, { view: "picture" }))}"${attributes({
    "aria-current": isPicture ? "true" : null,
  })}>Scatter plot</a></nav>`
  const isOfOne = query.experimentId !== undefined
  // Always in the order of labels, so that crawlers do not find an address for each order.
  const everything = { ...query, sort: "label", order: "ascending" as const, columns: [] }
  const csv = changed(readPath("attempt_table", {}), everything, { roomId, format: "csv" })
  const body = isPicture
    ? picture(visit, query, path, roomId, table)
    : table.items.length === 0
      ? empty("No attempt matches. Attempts are registered before launch and reported until they end.")
      : html`${chooser(query, path, columns, shown)}${attemptTable(table, shown, { sorting, ticking, isOfOne })}`
  const [from, until] = [Number(after ?? 0), Number(after ?? 0) + table.items.length]
  const pager =
    isPicture || (from === 0 && !table.hasMore)
      ? null
      : html`<p class="more">${
          from === 0
            ? null
            : html`<a href="${to(changed(path, query, { after: Math.max(0, from - limits.pageItems) || undefined }))}" \
rel="prev">Before</a> `
        }${from + 1} to ${until} of ${table.compared.toLocaleString("en")}${
          table.hasMore ? html` <a href="${to(changed(path, query, { after: until }))}" rel="next">Next</a>` : null
        }</p>`
  return html`${views}<div id="live-attempts" data-live>${coverage(table)}${body}${pager}</div>
${ways([
  ["Table as CSV", csv],
  [
    "All attempts as JSON lines",
    readPath("attempts", {}, { roomId, experimentId: query.experimentId, format: "jsonl" }),
  ],
])}`
}

export function attemptsPage(visit: Visit): Shown {
  const roomId = visit.id("roomId")
  const room = visit.room(roomId)
  const path = `/rooms/${roomId}/attempts`
  const query = queryOf(visit)
  const { experimentId, status, intent } = query
  const experiments = visit.ask("experiments", {}, { roomId })
  return {
    title: `Attempts · ${room.title}`,
    ...following(room, "/attempts"),
    wide: true,
    json: readPath("attempt_table", {}, { roomId, experimentId, status, intent }),
    body: html`<h1>Attempts</h1>${filters(query, path, experiments)}${workbench(visit, { path, roomId })}`,
  }
}
