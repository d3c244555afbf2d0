/** The measurements of an experiment: one metric by group with means and intervals, and the whole table as files. */
import { figure, interval } from "../../research/measurements/figures.ts"
import { limits } from "../../contract/limits.ts"
import { readPath, withQuery } from "../addresses.ts"
import { intervalTable } from "../charts/intervals.ts"
import { attributes, type Html, html, joined, to } from "../html.ts"
import { heading } from "../parts/parts.ts"
import { orNull, type Visit } from "../visit.ts"
import { counted, nameOfDimension } from "../words.ts"
import { nameOf, placeOf } from "./compare-measures.ts"

/** Maximum number of groups drawn, and of single values in all of them together. */
const [GROUPS, DOTS] = [24, 400]

/**
 * Renders the metric in the parameter `measured`, or the first; null if no successful attempt reported values with
 * dimensions.
 */
export function experimentMeasures(visit: Visit, experimentId: string): Html | null {
  const place = { experimentIds: [experimentId] }
  const known =
    orNull(() => visit.tables.measured(place, {}))?.metrics.filter(({ dimensions }) => dimensions.length > 0) ?? []
  const chosen = visit.url.searchParams.get("measured")
  const metric = known.find((each) => nameOf(each.metric, each.split) === chosen) ?? known[0]
  if (metric === undefined) return null
  const { metric: name, split } = metric
  const query = { metric: name, ...(split !== null && { split }) }
  const table =
    orNull(() => visit.tables.measured(place, { ...query, points: "1" })) ??
    orNull(() => visit.tables.measured(place, query))
  if (table === null) return null
  const { by, partedBy, over, unit, groups, leftOut } = table
  const shown = groups.slice(0, GROUPS)
  const hasDots = shown.reduce((sum, { points = [] }) => sum + points.length, 0) <= DOTS
  const [first = "Group", ...rest] = [...by, ...partedBy].map(nameOfDimension)
  const rows = shown.map((group) => {
    const { n, mean, low, high, se, points = [], notes } = group
    const [own = "all", ...others] = placeOf(group, table)
    const spread = low === null || high === null ? (n === 1 ? "one value" : "") : interval(low, high, se)
    const estimate =
      mean === null
        ? html`<span class="quiet">no finite value</span>`
        : html`<strong>${figure(mean, se)}</strong> \
<span class="quiet"${attributes({ title: notes.join("; ") || null })}>${spread}</span>`
    const dots = hasDots ? points.map(({ value }) => value) : []
    return { head: own, cells: [...others, n], mid: mean, low, high, dots, numbers: estimate }
  })
  const file = (format: string) => readPath("experiment_measurements", { experimentId }, { ...query, format })
  const others = known.filter((each) => each !== metric).map((each) => nameOf(each.metric, each.split))
  return html`<section aria-labelledby="measured">${heading(2, "measured", "What was measured")}
${intervalTable(
  {
    caption: `${nameOf(name, split)} by group`,
    head: [first, ...rest, "n"],
    measures: `${nameOf(name, split)}${unit === null ? "" : ` in ${unit}`}, mean and 95 % interval`,
    numbers: "Mean",
  },
  rows,
)}
<p class="meta">${over === null ? null : html`<span>${nameOfDimension(over)} folded</span>`}\
${
  leftOut.otherIntents === 0
    ? null
    : html`<span>${counted(leftOut.otherIntents, "rerun or reproduction", "reruns and reproductions")} left out</span>`
}${
  groups.length > shown.length
    ? html`<span>${counted(groups.length - shown.length, "more group")} in the files</span>`
    : null
}<span><a href="${to(file("csv"))}">CSV</a></span><span><a href="${to(file("markdown"))}">Markdown</a></span></p>${
    others.length === 0
      ? null
      : html`<p class="meta">Other metrics: \
${joined(
  others
    .slice(0, limits.groupAttempts)
    .map(
      (each) =>
        html`<a href="${to(withQuery(`/experiments/${experimentId}`, { measured: each }))}#measured">${each}</a>`,
    ),
)}</p>`
  }</section>`
}
