/**
 * The attempts of a Room or experiment as a table with filters, sorting and columns, or as a chart of a setting against
 * a metric.
 */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { readPath, withQuery } from "../addresses.ts"
import { scatter } from "../charts/scatter.ts"
import { attributes, hiddenInputs, type Html, html, to } from "../html.ts"
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
import { choices, counted, shortened } from "../words.ts"

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
