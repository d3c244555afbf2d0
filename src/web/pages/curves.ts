/** The chart of one metric of several attempts, with a form for its range and the same as a table. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { type Curve, picture, runs, type View } from "../charts/curves.ts"
import { sample, type IntervalRow, intervalTable } from "../charts/axis.ts"
import { attributes, type Content, hiddenInputs, type Html, html, to, readPath, withQuery } from "../html.ts"
import { difference, figure } from "../words.ts"
import type { Visit } from "../visit.ts"
import { label, table } from "../parts/parts.ts"

type Table = AnswerOf<"attempt_table">
type Metric = Table["columns"]["metrics"][number]
type Value = AnswerOf<"attempt_curves">["curves"][number]["columns"]["value"][number]

/** The attempts in a chart, in the order of its legend. */
export interface Drawn {
  readonly attempts: readonly { readonly attemptId: string; readonly label: string }[]
  readonly baseline: string | undefined
}

/** Points of all curves in a chart that is one of several, and in a chart that is alone. */
const [OF_ONE, ALONE] = [6_000, 16_000]

export const whole: View = { from: undefined, to: undefined, low: undefined, high: undefined, isLog: false }

/** Returns the range in an address. Bounds that are not numbers are ignored. */
export function viewOf({ searchParams }: URL): View {
  const number = (name: string) => {
    const text = searchParams.get(name)
    return text === null || text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text)
  }
  const step = (name: string) => {
    const value = number(name)
    return value === undefined ? undefined : Math.min(Math.max(0, Math.round(value)), 999_999_999_999_999)
  }
  const [from, until] = [step("from"), step("to")]
  const isRange = from === undefined || until === undefined || from < until
  const [low, high] = [number("low"), number("high")]
  const isBand = low === undefined || high === undefined || low < high
  return {
    from: isRange ? from : undefined,
    to: isRange ? until : undefined,
    low: isBand ? low : undefined,
    high: isBand ? high : undefined,
    isLog: searchParams.get("log") === "1",
  }
}

const valueText = (value: number | string | undefined): string =>
  typeof value === "number" ? figure(value) : (value ?? "–")

/** Renders the last values. The script shows the values under the pointer in the same place. */
function lastValues(curves: readonly Curve[], baseline: string | undefined): Html {
  const base = curves.find(({ attemptId }) => attemptId === baseline)?.columns.value.at(-1)
  return html`<div class="readout"><p class="meta" data-at>Last values shown</p><ul>${curves.map(
    ({ attemptId, label, index, columns }) => {
      const value = columns.value.at(-1)
      const by =
        typeof value === "number" && typeof base === "number" && attemptId !== baseline ? difference(value, base) : null
      return html`<li>${sample(index)}<span class="label">${label}</span> <span data-value>${valueText(value)}</span> \
<span class="by" data-by>${by}</span></li>`
    },
  )}</ul></div>`
}

/** Renders the curves as a table: first and last values, extremes, and ranges without a number. */
const asTable = (curves: readonly (Curve & { readonly points: number })[], name: string): Html =>
  table(
    name,
    ["Attempt", "Points", "First", "Least", "Greatest", "Last", "No number"],
    curves.map((curve) => {
      const { label, columns, points } = curve
      const at = (index: number) =>
        index < 0 || columns.step[index] === undefined
          ? html`<span class="quiet">–</span>`
          : html`${valueText(columns.value[index])} \
<span class="quiet">at ${(columns.step[index] ?? 0).toLocaleString("en")}</span>`
      const numbers = columns.value.flatMap((value, index) => (typeof value === "number" ? [{ value, index }] : []))
      const [first] = numbers
      const least = numbers.reduce(
        (one, other) => (other.value < one.value ? other : one),
        first ?? { value: 0, index: -1 },
      )
      const greatest = numbers.reduce(
        (one, other) => (other.value > one.value ? other : one),
        first ?? { value: 0, index: -1 },
      )
      const broken = runs(curve)
      return html`<tr><th scope="row">${label}</th><td class="right">${points.toLocaleString("en")}</td>\
<td>${at(0)}</td><td>${at(least.index)}</td><td>${at(greatest.index)}</td><td>${at(columns.step.length - 1)}</td>
<td>${
        broken.length === 0
          ? "never"
          : broken.slice(0, 5).map(({ kind, from }) => html`${kind} from ${from.toLocaleString("en")}. `)
      }${broken.length > 5 ? "And more." : null}</td></tr>`
    }),
    "caption",
  )

const input = (name: string, text: string, value: number | undefined, id: string): Html =>
  html`<div class="field"><label for="${id}-${name}">${text}</label>\
<input id="${id}-${name}" name="${name}" inputmode="decimal" autocomplete="off" size="9" value="${value}"></div>`

/** The values of a metric that have no step, or that have one step only: a dot for each, and no curve. */
export const dotsFigure = (name: string, head: string, measures: string, rows: readonly IntervalRow[]): Html =>
  html`<figure class="dots"><h3>${name}</h3>\
${intervalTable({ caption: name, head: [head], measures, numbers: "Value", unit: null }, rows)}</figure>`

/** One row of it. */
export const dotOf = (head: Content, value: Value | undefined, look?: IntervalRow["look"]): IntervalRow => ({
  ...{ head, cells: [], low: null, high: null, look },
  mid: typeof value === "number" ? value : null,
  numbers: valueText(value),
})

/** Whether a metric of a table has a value at a step; the steps of values without one are made up. */
export const hasSteps = ({ items, columns }: Table, { key }: Metric): boolean => {
  const at = columns.metrics.findIndex((metric) => metric.key === key)
  return items.some(({ metrics }) => metrics[at]?.step != null)
}

/**
 * Renders a metric: curves if it has values at several steps, otherwise a dot for each value.
 * @param place its index on the page @param alone whether it is the only chart, which has more points
 */
export function metricFigure(
  visit: Visit,
  metric: Metric,
  table: Table,
  baseline: string | undefined,
  view: View,
  place: number,
  alone = false,
): Html {
  const at = table.columns.metrics.findIndex(({ key }) => key === metric.key)
  const stepless = new Set(
    table.items.flatMap(({ attemptId, metrics }) => (metrics[at]?.step == null ? attemptId : [])),
  )
  const drawn = { attempts: table.items, baseline, stepless }
  const curves = hasSteps(table, metric) ? curvesFigure(visit, metric, drawn, view, place, alone) : null
  const rows = table.items.flatMap(({ attemptId, label: text, metrics }) => {
    const last = metrics[at]
    const look = attemptId === baseline ? ("base" as const) : undefined
    const isDrawn = last == null || (curves !== null && !stepless.has(attemptId))
    return isDrawn ? [] : [dotOf(label("attempt", attemptId, text), last.value, look)]
  })
  const unit = metric.unit === null ? "" : ` in ${metric.unit}`
  return html`${curves}\
${rows.length === 0 ? null : dotsFigure(metric.key, "Attempt", `${metric.key}${unit}`, rows)}`
}

/** Renders the curves of a metric; null if no attempt has values at several steps. */
function curvesFigure(
  visit: Visit,
  metric: Metric,
  { attempts, baseline, stepless }: Drawn & { readonly stepless: ReadonlySet<string> },
  view: View,
  place: number,
  alone: boolean,
): Html | null {
  const ids = attempts.map(({ attemptId }) => attemptId).join(",")
  const points = Math.round(Math.min(limits.curvePointsMax, Math.max(120, (alone ? ALONE : OF_ONE) / attempts.length)))
  const query = { metric: metric.name, split: metric.split ?? undefined, from: view.from, to: view.to, attemptIds: ids }
  const { curves: found } = visit.ask("attempt_curves", {}, { ...query, points })
  const curves = found.map((curve, index) => {
    const isCurve = !stepless.has(curve.attemptId)
    return isCurve ? { ...curve, index } : { ...curve, index, points: 0, columns: { step: [], value: [] } }
  })
  const drawn = curves.filter((curve) => curve.points > 0)
  if (drawn.every(({ fromStep, toStep }) => fromStep === toStep)) return null
  const unit = metric.unit === null ? "" : ` in ${metric.unit}`
  const stretch = Math.max(1, ...drawn.map((curve) => curve.stretch))
  const { isLog } = view
  const low = drawn
    .flatMap(({ columns }) => columns.value)
    .filter((value) => typeof value === "number" && value <= 0).length
  const page = { ids, metric: metric.key, baseline }
  const address = (more: Readonly<Record<string, string | number | undefined>>) =>
    to(withQuery("/attempts/curves", { ...page, ...more }))
  const range = { from: view.from, to: view.to, low: view.low, high: view.high }
  const isPart = Object.values(range).some((bound) => bound !== undefined)
  const id = `curve-${place}`
  const description =
    `${metric.key}${unit} over steps, ` +
    `${drawn.length === 1 ? "one attempt" : `${drawn.length} attempts`}. The table below has the same.`
  return html`<figure class="curves" id="${id}" data-curves \
data-values="${to(readPath("attempt_curves", {}, { ...query, points }))}"${attributes({ "data-baseline": baseline })}>
<figcaption>${alone ? html`<h2>${metric.key}</h2>` : html`<h3>${metric.key}</h3>`}\
${metric.unit === null ? null : html` <span class="quiet">${metric.unit}</span>`}<span class="beside">\
<a href="${address({ ...range, log: isLog ? undefined : 1 })}" data-swap>${isLog ? "Linear axis" : "Log axis"}</a>\
${isPart ? html`<a href="${address({ log: isLog ? 1 : undefined })}" data-swap data-whole>Whole range</a>` : null}\
<a href="${address({ ...range, log: isLog ? 1 : undefined })}">Link to this view</a>\
<a href="${to(readPath("attempt_curves", {}, { ...query, points: limits.curvePointsMax, format: "csv" }))}">CSV</a>\
</span></figcaption>
${picture(drawn, view, { title: `${metric.key}${unit}`, description, baseline })}
<div class="reach"></div>
${lastValues(curves, baseline)}
${
  stretch > 1
    ? html`<p class="hint">For every ${stretch.toLocaleString("en")} steps, only the first and last values, the \
extremes and values that are not numbers are drawn.</p>`
    : null
}${
  isLog && low > 0
    ? html`<p class="hint">${low.toLocaleString("en")} of these points are not above 0, so a log axis cannot show \
them.</p>`
    : null
}${
  drawn.length < curves.length
    ? html`<p class="hint">${curves
        .filter((curve) => curve.points === 0)
        .map(({ label }) => label)
        .join(", ")} did not report it over steps.</p>`
    : null
}
<details><summary>Range</summary><form class="inline range" action="${to("/attempts/curves")}" data-swap>\
${hiddenInputs(Object.entries(page))}
${input("from", "From step", view.from, id)}${input("to", "to step", view.to, id)}\
${input("low", "Values from", view.low, id)}${input("high", "to", view.high, id)}<div class="field"><label>\
<input type="checkbox" name="log" value="1"${attributes({ checked: isLog })}>Log axis</label></div><div class="field">\
<button class="quiet">Show</button></div></form></details>
<details><summary>As a table</summary>${asTable(curves, `${metric.key}${unit}`)}</details></figure>`
}

/** Renders the legend shared by all charts of a page. */
export const legend = (attempts: Drawn["attempts"], beside: (attemptId: string) => Html | null = () => null): Html =>
  html`<ul class="legend">\
${attempts.map(
  ({ attemptId, label }, index) =>
    html`<li>${sample(index)}<a class="label" href="${to(`/attempts/${attemptId}`)}">${label}</a>\
${beside(attemptId)}</li>`,
)}</ul>`
