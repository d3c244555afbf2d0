/**
 * The comparison of several attempts: by group, or each attempt with its last values, settings and curves beside a
 * baseline.
 */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import { readPath, withQuery, type Html, attributes, html, to, hiddenInputs } from "../html.ts"
import { outcome, type Table } from "../parts/attempt-table.ts"
import { label, ways, empty, heading } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, shortened, difference, figure } from "../words.ts"
import { groupsView } from "./compare-groups.ts"
import { type Compared, comparedIn, questionOf } from "./comparison.ts"
import { hasSteps, legend, metricFigure, viewOf, whole } from "./curves.ts"

/** Metrics drawn by default, and fewer for many attempts, which take long to read and to send. */
const [DRAWN, DRAWN_OF_MANY, MANY] = [6, 2, 16]
const drawnOf = (attempts: number): number => (attempts > MANY ? DRAWN_OF_MANY : DRAWN)

/** Renders a table with a row for each attempt, which marks the cells that differ from the baseline's. */
function comparisonTable(
  caption: string,
  table: Table,
  baseline: string | undefined,
  head: readonly string[],
  cells: (row: Table["items"][number]) => readonly (number | string | null)[],
  isMeasured: boolean,
): Html {
  const base = table.items.find(({ attemptId }) => attemptId === baseline)
  const against = base && cells(base)
  const cell = (value: number | string | null, at: number, isBase: boolean): Html => {
    const other = against?.[at] ?? null
    const differs = against !== undefined && !isBase && value !== other
    const by = differs && typeof value === "number" && typeof other === "number" ? difference(value, other) : null
    const shown =
      value === null
        ? html`<span class="quiet">–</span>`
        : typeof value === "number"
          ? figure(value)
          : isMeasured
            ? value
            : html`<code title="${value}">${shortened(value, 60)}</code>`
    return html`<td${attributes({
      class: [isMeasured ? "right" : "", differs ? "changed" : ""].join(" ").trim() || null,
    })}>${shown}${isMeasured && against !== undefined ? html` <span class="by">${by}</span>` : null}</td>`
  }
  return html`<div class="table held" tabindex="0" role="group" aria-label="${caption}"><table>\
<caption class="aside">${caption}</caption><thead><tr><th scope="col">Attempt</th>\
${head.map((name) => html`<th scope="col"${attributes({ class: isMeasured ? "right" : null })}>${name}</th>`)}</tr>\
</thead><tbody>${table.items.map(
    (row) =>
      html`<tr${attributes({ class: row.attemptId === baseline ? "base" : null })}>\
<th scope="row">${label("attempt", row.attemptId, row.label)}\
${row.attemptId === baseline ? html` <span class="tag">baseline</span>` : null}</th>\
${cells(row).map((value, at) => cell(value, at, row.attemptId === baseline))}</tr>`,
  )}</tbody></table></div>`
}

/**
 * Lists the attempts with their outcomes, and forms to leave some out and to choose a baseline. Links would need an
 * address for each set of attempts.
 */
function controls(visit: Visit, { ids, table, drawn }: Compared): Html {
  const rows = new Map(table.items.map((row) => [row.attemptId, row]))
  const metrics = hiddenInputs(visit.url.searchParams.getAll("metric").map((key) => ["metric", key]))
  const option = (value: string, text: string) =>
    html`<option value="${value}"${attributes({ selected: value === (drawn.baseline ?? "") })}>${text}</option>`
  return html`${legend(drawn.attempts, (attemptId) => {
    const row = rows.get(attemptId)
    return html` ${row && outcome(row)}\
${attemptId === drawn.baseline ? html` <span class="tag">baseline</span>` : null}`
  })}
<form class="inline filters" action="${to("/attempts/compare")}"><input type="hidden" name="view" value="attempts">\
<input type="hidden" name="ids" value="${ids.join(",")}">${metrics}<div class="field">\
<label for="baseline">Baseline</label><select id="baseline" name="baseline">${option("", "none")}\
${table.items.map((row) => option(row.attemptId, row.label))}</select></div><div class="field">\
<button class="quiet">Compare with baseline</button></div></form>
${
  ids.length < 2
    ? null
    : html`<details class="columns-of"><summary>Leave some out</summary><form action="${to("/attempts/compare")}">\
<input type="hidden" name="view" value="attempts">${metrics}${hiddenInputs([["baseline", drawn.baseline]])}\
<fieldset class="choices"><legend>Attempts</legend>\
${table.items.map(
  (row) => html`<label><input type="checkbox" name="ids" value="${row.attemptId}" checked>${row.label}</label>`,
)}</fieldset><button class="quiet">Compare these</button></form></details>`
}`
}

/** A form to choose the metrics to draw; null if all of them are drawn. */
function chooser(
  { ids, table: { columns }, drawn }: Compared,
  shown: readonly { readonly key: string }[],
): Html | null {
  const { metrics, metricsTruncated } = columns
  if (metrics.length <= drawnOf(ids.length) && shown.length === metrics.length) return null
  return html`<details class="columns-of"><summary>Metrics drawn: ${shown.length} of ${metrics.length}\
${metricsTruncated ? " and more" : null}</summary><form action="${to("/attempts/compare")}">\
<input type="hidden" name="view" value="attempts"><input type="hidden" name="ids" value="${ids.join(",")}">\
${hiddenInputs([["baseline", drawn.baseline]])}
<fieldset class="choices"><legend>Metrics</legend>\
${metrics.map(
  ({ key }) =>
    html`<label><input type="checkbox" name="metric" \
value="${key}"${attributes({ checked: shown.some((metric) => metric.key === key) })}>${key}</label>`,
)}</fieldset><button class="quiet">Draw these</button></form></details>`
}

/** The view of each attempt: last values, settings that differ, and curves. */
function eachAttempt(visit: Visit, found: Compared): Html {
  const { ids, table, drawn } = found
  const { metrics, metricsTruncated, settings, sameSettings, settingsTruncated } = table.columns
  const chosen = visit.url.searchParams.getAll("metric")
  const shown =
    chosen.length === 0
      ? metrics.slice(0, drawnOf(ids.length))
      : metrics.filter(({ key }) => chosen.includes(key)).slice(0, 2 * DRAWN)
  const csv = readPath("attempt_table", {}, { attemptIds: ids.join(","), format: "csv" })
  const baseline = drawn.baseline
  const isStepped = shown.some((metric) => hasSteps(table, metric))
  return html`<section aria-label="Which">${controls(visit, found)}<p class="hint">${
    baseline === undefined
      ? "Choose a baseline to see how much the others differ."
      : "Values that differ from the baseline are tinted, with the difference beside them."
  }</p></section>
<section aria-labelledby="last">${heading(2, "last", "Last values", html`<a href="${to(csv)}">CSV</a>`)}${
    metrics.length === 0
      ? empty("None of these attempts reported a metric.")
      : comparisonTable(
          "Last values",
          table,
          baseline,
          metrics.map(({ key, unit }) => (unit === null ? key : `${key} in ${unit}`)),
          (row) => metrics.map((_, at) => row.metrics[at]?.value ?? null),
          true,
        )
  }${metricsTruncated ? html`<p class="meta">Only the first ${metrics.length} metrics are shown.</p>` : null}</section>
<section aria-labelledby="settings">\
${heading(2, "settings", "Settings that differ", html`<a href="${to(csv)}">CSV</a>`)}${
  settings.length === 0
    ? html`<p class="quiet">No setting differs.</p>`
    : comparisonTable(
        "Settings that differ",
        table,
        baseline,
        settings.map(({ key }) => key),
        ({ settings: values }) => values,
        false,
      )
}<p class="meta">${counted(sameSettings, "identical setting")} \
hidden.${settingsTruncated ? ` Of those that differ, the first ${settings.length} are shown.` : null}</p></section>
${
  metrics.length === 0
    ? null
    : html`<section aria-labelledby="curves">${heading(2, "curves", isStepped ? "Over steps" : "Each metric")}\
${chooser(found, shown)}${
  isStepped &&
  html`<div class="along">${legend(drawn.attempts)}</div>
<p class="hint">Drag over a chart to zoom, or enter a range. Point at a chart to read values, or use the slider and \
the arrow keys.</p>`
}
${shown.map((metric, place) => metricFigure(visit, metric, table, drawn.baseline, whole, place))}</section>`
}`
}

/** Maximum number of attempts listed without folding. */
const NAMED = 12

function attemptList({ table: { items } }: Compared): Html {
  const inOrder = [...items].sort((one, other) => Number(one.label.slice(1)) - Number(other.label.slice(1)))
  const each = inOrder.map((row) => html`<li>${label("attempt", row.attemptId, row.label)} ${outcome(row)}</li>`)
  const list = html`<ul class="legend" aria-label="Attempts">${each}</ul>`
  return items.length <= NAMED
    ? list
    : html`<details class="left-out"><summary>Which attempts</summary>${list}</details>`
}

export function comparePage(visit: Visit): Shown {
  const compared = comparedIn(visit)
  const { named, ids, table, room } = compared
  const question = questionOf(visit, compared)
  const view = visit.url.searchParams.get("view")
  const isByGroup = question !== null && (view === null ? question.isFolded : view === "groups")
  const viewPath = (name: string) => withQuery("/attempts/compare", { ids: ids.join(","), view: name })
  const tab = (name: string, text: string, isHere: boolean) =>
    html`<a href="${to(viewPath(name))}"${attributes({ "aria-current": isHere ? "page" : null })}>${text}</a>`
  return {
    title: `Comparing ${
      table.items.length > NAMED
        ? `${table.items.length} attempts`
        : table.items.map(({ label: text }) => text).join(", ")
    }`,
    rail: roomRail(room),
    wide: true,
    json: readPath("attempt_table", {}, { attemptIds: ids.join(",") }),
    body: html`<h1>Comparing ${ids.length === 1 ? "an attempt" : `${ids.length} attempts`}</h1>
${
  named.length > ids.length
    ? html`<div class="banner warn" role="note"><p>${ids.length} of the ${named.length} attempts you chose are shown. \
A comparison takes at most ${limits.comparedAttempts}.</p></div>`
    : null
}
${attemptList(compared)}
${
  question === null
    ? null
    : html`<nav class="views" aria-label="Views">${tab("groups", "By group", isByGroup)}\
${tab("attempts", "Each attempt", !isByGroup)}</nav>`
}
${isByGroup ? groupsView(visit, compared, question) : eachAttempt(visit, compared)}
<p class="meta"><a href="${to(`/rooms/${room.roomId}/attempts`)}">Choose attempts</a></p>
${ways([["Table as JSON", readPath("attempt_table", {}, { attemptIds: ids.join(",") })]])}`,
  }
}

/** The curves of one metric of several attempts, in any range. */
export function curvesPage(visit: Visit): Shown {
  const { ids, table, room, drawn } = comparedIn(visit)
  const key = visit.url.searchParams.get("metric")
  const metric = table.columns.metrics.find((each) => each.key === key)
  if (metric === undefined) throw new Refusal("unknown_attempt", "None of these attempts reported that metric.")
  return {
    title: `${metric.key} of ${table.items.map(({ label: text }) => text).join(", ")}`,
    rail: roomRail(room),
    wide: true,
    body: html`<h1>${metric.key} over steps</h1><p class="meta">\
<a href="${to(
      withQuery("/attempts/compare", { ids: ids.join(","), view: "attempts", baseline: drawn.baseline }),
    )}">Everything of ${counted(ids.length, "this attempt", "these attempts").replace(/^\d+ /, "")}</a></p>
${legend(drawn.attempts)}${metricFigure(visit, metric, table, drawn.baseline, viewOf(visit.url), 0, true)}`,
  }
}
