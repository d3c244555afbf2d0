/** Curves of groups: a line for each group's mean with its interval as a band, and its members on demand. */
import { figure, interval } from "../../research/measurements/figures.ts"
import { type Curve, picture } from "../charts/curves.ts"
import { sample } from "../charts/styles.ts"
import { type Html, html, to } from "../html.ts"
import { heading, table } from "../parts/parts.ts"
import { orNull, type Visit } from "../visit.ts"
import { counted, shortened } from "../words.ts"
import type { Measure } from "./compare-measures.ts"
import { ABSENT, type Compared, labelOf, type Question } from "./compare-question.ts"
import { whole } from "./curves.ts"

/** Maximum numbers of metrics drawn, of groups in a chart, and of steps in its table. */
const [DRAWN, GROUPS, STEPS] = [4, 16, 6]
/** Where group names start, in thousandths of the chart's width, and the maximum length of a name. */
const [NAMES, CHARACTERS] = [810, 22]

type Found = ReturnType<Visit["tables"]["groupCurves"]>

function asTable(groups: Found, name: string): Html {
  const steps = [...new Set(groups.flatMap(({ step }) => step))].sort((one, other) => one - other)
  const shown =
    steps.length <= STEPS
      ? steps
      : Array.from({ length: STEPS }, (_, at) => steps[Math.round((at * (steps.length - 1)) / (STEPS - 1))] ?? 0)
  const cell = ({ step, mean, low, high }: Found[number], at: number): Html => {
    const index = step.indexOf(at)
    const value = mean[index]
    const [from, until] = [low[index] ?? null, high[index] ?? null]
    const half = from === null || until === null ? null : (until - from) / 4
    return html`<td>${
      value === undefined
        ? html`<span class="quiet">–</span>`
        : html`${figure(value, half)}\
${from === null ? null : html`<br><span class="quiet">${interval(from, until, half)}</span>`}`
    }</td>`
  }
  return table(
    name,
    ["Group", "Series", ...shown.map((step) => `at ${Math.round(step).toLocaleString("en")}`)],
    groups.map(
      (group) =>
        html`<tr><th scope="row">${labelOf(group.key)}</th><td>${group.members.length}</td>\
${shown.map((step) => cell(group, step))}</tr>`,
    ),
    "caption",
  )
}

function groupFigure(groups: Found, { name, table: { unit } }: Measure, showsMembers: boolean): Html {
  const drawn = groups.slice(0, GROUPS)
  const curves = drawn.flatMap(({ key, step, mean, low, high, members }, index): Curve[] => {
    const name = labelOf(key)
    const columns = { step: [...step], value: [...mean] }
    const group = { attemptId: name, label: shortened(name, CHARACTERS), index, columns, band: { low, high } }
    if (!showsMembers) return [group]
    const behind = members.map(({ attemptId, label, step: at, value }) => {
      return { attemptId, label, index, columns: { step: [...at], value: [...value] }, isMember: true }
    })
    return [...behind, group]
  })
  const title = `${name}${unit === null ? "" : ` in ${unit}`}`
  const description = `${title} over steps, ${counted(drawn.length, "group")}. The table below has the same.`
  return html`<figure class="curves"><figcaption><h3>${name}</h3></figcaption>\
<ul class="legend">${drawn.map(
    ({ key, members }, index) =>
      html`<li>${sample(index)}${labelOf(key)} <span class="quiet">\
${counted(members.length, "series", "series")}</span></li>`,
  )}</ul>
${picture(curves, whole, { title, description, baseline: undefined, names: NAMES })}\
${
  groups.length > GROUPS
    ? html`<p class="hint">${GROUPS} of ${groups.length} groups are drawn. The table has all of them.</p>`
    : null
}
<details><summary>As a table</summary>${asTable(groups, title)}</details></figure>`
}

/** Renders the curves of the metrics that have steps; null if none has. */
export function groupCurvesFigure(
  visit: Visit,
  { ids }: Compared,
  { over }: Question,
  metrics: readonly Measure[],
): Html | null {
  const showsMembers = visit.url.searchParams.get("members") === "1"
  const found = metrics.slice(0, DRAWN + 4).flatMap((metric) => {
    const query = {
      attemptIds: ids,
      metric: metric.metric,
      split: metric.split,
      by: metric.table.by,
      over,
      absent: ABSENT,
    }
    const groups = orNull(() => visit.tables.groupCurves(query)) ?? []
    return groups.length === 0 ? [] : [{ metric, groups }]
  })
  if (found.length === 0) return null
  const other = new URL(visit.url)
  if (showsMembers) other.searchParams.delete("members")
  else other.searchParams.set("members", "1")
  const toggle = html`<a href="${to(`${other.pathname}${other.search}#curves`)}">\
${showsMembers ? "Hide single series" : "Show single series"}</a>`
  return html`<section aria-labelledby="curves">${heading(2, "curves", "Over steps", toggle)}\
<p class="hint">Each line is the mean of its group, with the 95 % interval of that mean as a band.</p>${found
    .slice(0, DRAWN)
    .map(({ metric, groups }) => groupFigure(groups, metric, showsMembers))}</section>`
}
