/** What an experiment or an attempt measured: means and intervals by group, curves, dots, and the last values. */
import { figure, figureOn, intervalOn, scaleOf, unitInWords } from "../../research/measurements/statistics.ts"
import { limits } from "../../contract/limits.ts"
import { placeInWords } from "../../research/measurements/in-words.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { readPath, withQuery, attributes, type Content, type Html, html, joined, to } from "../html.ts"
import { intervalTable } from "../charts/axis.ts"
import { stateBadge } from "../parts/marks.ts"
import { fold, heading, table } from "../parts/parts.ts"
import { orNull, type Visit } from "../visit.ts"
import { counted, nameOfDimension } from "../words.ts"
import { nameOf, placeOf } from "./comparison.ts"
import { dotOf, dotsFigure, hasSteps, metricFigure, whole } from "./curves.ts"
import type { Found } from "../parts/next-acts.ts"

/** Maximum number of metrics drawn, and of those on the first screen. */
const [PICTURES, FIRST] = [6, 2]
/** Values without a step that an attempt's page draws at most, and beside curves. Its table has them all. */
const [DOTS, FEW] = [20, 4]
/** Maximum number of last values shown. The serving thread may have to make the page, so it must stay cheap. */
const VALUES = 500
/** Maximum number of groups drawn, and of single values in all of them together. */
const [GROUPS, SINGLES] = [12, 200]

interface UsedEffect {
  readonly metric: string
  readonly split?: string | null
}

/** Sorts metrics so that those whose effects findings rest on come first. */
export function usedFirst<M>(
  metrics: readonly M[],
  effects: readonly UsedEffect[],
  named: (metric: M) => { readonly name: string; readonly split: string | null },
): M[] {
  const rankOf = (metric: M): number => {
    const { name, split } = named(metric)
    const at = effects.findIndex(
      (effect) =>
        (effect.metric === name && (effect.split ?? null) === split) ||
        (effect.metric.includes(name) && (split === null || effect.metric.includes(split))),
    )
    return at === -1 ? effects.length : at
  }
  return metrics.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/**
 * Renders the metric in the parameter `measured`, or the first that a finding's effects use, and says whether a group
 * has several values; null if nothing with dimensions was reported. @param beside links beside the heading
 */
export function measuresOf(
  visit: Visit,
  { experimentId, attemptId }: { readonly experimentId: string; readonly attemptId?: string },
  effects: readonly UsedEffect[],
  beside?: Content,
): { readonly picture: Html; readonly isRepeated: boolean } | null {
  const place = attemptId === undefined ? { experimentIds: [experimentId] } : { attemptIds: [attemptId] }
  const of = attemptId === undefined ? {} : { attempts: [attemptId] }
  const page = attemptId === undefined ? `/experiments/${experimentId}` : `/attempts/${attemptId}`
  const reported = orNull(() => visit.tables.measured(place, of))?.metrics ?? []
  const known = usedFirst(
    reported.filter(({ dimensions }) => dimensions.length > 0),
    effects,
    ({ metric: name, split }) => ({ name, split }),
  )
  const chosen = visit.url.searchParams.get("measured")
  const metric = known.find((each) => nameOf(each.metric, each.split) === chosen) ?? known[0]
  if (metric === undefined) return null
  const { metric: name, split } = metric
  const query = { metric: name, ...(split !== null && { split }) }
  const found =
    orNull(() => visit.tables.measured(place, { ...of, ...query, points: "1" })) ??
    orNull(() => visit.tables.measured(place, { ...of, ...query }))
  if (found === null) return null
  const { by, partedBy, over, unit, groups, leftOut } = found
  const shown = groups.slice(0, GROUPS)
  const scale = scaleOf(unit)
  const hasDots = shown.reduce((sum, { points = [] }) => sum + points.length, 0) <= SINGLES
  const [first = "Group", ...rest] = [...by, ...partedBy].map(nameOfDimension)
  const rows = shown.map((group) => {
    const { n, mean, low, high, se, points = [], notes } = group
    const [own = "all", ...others] = placeOf(group, found)
    const spread = low === null || high === null ? (n === 1 ? "one value" : "") : intervalOn(scale, low, high, se)
    const estimate =
      mean === null
        ? html`<span class="quiet">no finite value</span>`
        : html`<strong>${figureOn(scale, mean, se)}</strong> \
<span class="quiet"${attributes({ title: notes.join("; ") || null })}>${spread}</span>`
    const dots = hasDots ? points.map(({ value }) => value) : []
    return { head: own, cells: [...others, n], mid: mean, low, high, dots, numbers: estimate }
  })
  const file = (format: string) =>
    readPath("experiment_measurements", { experimentId }, { ...query, attempts: attemptId, format })
  const others = known.filter((each) => each !== metric).map((each) => nameOf(each.metric, each.split))
  const picture = html`<section aria-labelledby="measured">${heading(2, "measured", "What was measured", beside)}
${intervalTable(
  {
    caption: `${nameOf(name, split)} by group`,
    head: [first, ...rest, "n"],
    measures: `${nameOf(name, split)}${unit === null ? "" : ` in ${unitInWords(unit)}`}, mean and 95 % interval`,
    numbers: "Mean",
    unit,
  },
  rows,
)}
<p class="meta">${over === null ? null : html`<span>averaged over ${nameOfDimension(over)}</span>`}\
${
  leftOut.otherIntents === 0
    ? null
    : html`<span>${counted(leftOut.otherIntents, "rerun or reproduction", "reruns and reproductions")} left out</span>`
}${leftOut.removed && html`<span>${leftOut.removed.sentence}</span>`}${
  groups.length > shown.length
    ? html`<span>${counted(groups.length - shown.length, "more group")} in the files</span>`
    : null
}<span><a href="${to(file("csv"))}">CSV</a></span><span><a href="${to(file("markdown"))}">Markdown</a></span></p>${
    others.length === 0
      ? null
      : html`<p class="meta"><span>Other metrics: \
${joined(
  others
    .slice(0, limits.groupAttempts)
    .map((each) => html`<a href="${to(withQuery(page, { measured: each }))}#measured">${each}</a>`),
)}</span></p>`
  }</section>`
  return { picture, isRepeated: groups.some(({ n }) => n > 1) }
}

type Attempt = AnswerOf<"attempt">

/** Renders the values without a step: a dot for each, on one axis for each unit. */
function dotsOf(table: AnswerOf<"attempt_table">, metrics: AnswerOf<"attempt_table">["columns"]["metrics"]): Html[] {
  const lastOf = (key: string) => table.items[0]?.metrics[table.columns.metrics.findIndex((each) => each.key === key)]
  return [...Map.groupBy(metrics, ({ unit }) => unit ?? "").entries()].map(([unit, same]) =>
    dotsFigure(
      unit === "" ? "Values" : `Values in ${unit}`,
      "Metric",
      unit === "" ? "value" : unit,
      same.map(({ key }) => dotOf(key, lastOf(key)?.value)),
    ),
  )
}

/** Renders what an attempt measured: the picture of its first screen, and folds with the rest. */
export function measuredBy(visit: Visit, attempt: Attempt, findings: Found["all"]) {
  const { attemptId, experimentId, roomId, metrics, status } = attempt
  const isOpen = status === "registered" || status === "started"
  const compared = visit.ask("attempt_table", {}, { attemptIds: attemptId })
  const { columns } = compared
  const effects = findings.flatMap((finding) => finding.effects())
  const inOrder = usedFirst(columns.metrics, effects, (metric) => metric)
  const stepped = inOrder.filter((metric) => hasSteps(compared, metric))
  const stepless = inOrder.filter((metric) => !hasSteps(compared, metric))
  const curves = stepped
    .slice(0, PICTURES)
    .map((metric, place) => metricFigure(visit, metric, compared, undefined, whole, place))
  const workbench = `/rooms/${roomId}/attempts?experimentId=${experimentId}`
  const comparing = html`<a href="${to(workbench)}">Compare with others</a>`
  const byGroup = measuresOf(visit, { experimentId, attemptId }, effects, comparing)
  const dots =
    stepless.length === 0
      ? null
      : html`${dotsOf(compared, stepless.slice(0, DOTS))}${
          stepless.length > DOTS ? html`<p class="meta">These are the first ${DOTS} values without a step.</p>` : null
        }`
  // Repeats are told as means; curves say more than groups of one value.
  const isGrouped = byGroup !== null && (byGroup.isRepeated || curves.length === 0)
  const seen = isGrouped ? [] : curves.slice(0, FIRST)
  const isDotted = !isGrouped && dots !== null && (seen.length === 0 || stepless.length <= FEW)
  const nothing = isOpen ? "No metric reported yet" : "No metric was reported"
  const none = html`<p class="claimed">${stateBadge("untested", nothing)}</p>`
  const drawn = html`${isDotted && dots}${seen.length > 0 && html`<div class="pair">${seen}</div>`}${
    isDotted || seen.length > 0 ? null : metrics.length === 0 ? none : lastValues(attempt, GROUPS)
  }`
  const rest = curves.slice(seen.length)
  const hidden = stepped.length - curves.length
  const beyond =
    hidden > 0 &&
    html`<p class="meta">${curves.length} of its ${columns.metricsTruncated ? "first " : ""}${stepped.length} \
metrics over steps are drawn. <a href="${to(`/attempts/compare?ids=${attemptId}`)}">Draw others</a></p>`
  const isLeft = { byGroup: !isGrouped && byGroup !== null, dots: !isDotted && dots !== null }
  const left = [
    ...(isLeft.byGroup ? [byGroup?.picture] : []),
    ...(isLeft.dots ? [dots] : []),
    ...(rest.length === 0 && beyond === false ? [] : [html`<div class="pair">${rest}</div>${beyond}`]),
  ]
  // A metric that is drawn by group may be drawn over its steps too, and is counted once.
  const others = new Set([
    ...(isLeft.dots ? stepless : []).map(({ key }) => key),
    ...stepped.slice(seen.length).map(({ key }) => key),
  ]).size
  return {
    picture: isGrouped
      ? byGroup.picture
      : html`<section aria-labelledby="metrics">${heading(2, "metrics", "Metrics", comparing)}${drawn}</section>`,
    folds: html`${fold("more-metrics", "Other metrics", others || "by group", left.length === 0 ? null : left)}
${fold("values", "Last values", counted(metrics.length, "value"), metrics.length === 0 ? null : lastValues(attempt))}`,
  }
}

/** Renders the last value of each metric at each combination of its dimensions. @param most how many are shown */
function lastValues({ attemptId, metrics, metricsTruncated }: Attempt, most = VALUES): Html {
  const isPlaced = metrics.some(({ dimensions }) => dimensions !== null)
  const isStepped = metrics.some(({ step }) => step !== null)
  const rows = metrics.slice(0, most).map(
    ({ name, split, dimensions, value, unit, step }) =>
      html`<tr><th scope="row">${name}${split === null ? null : ` (${split})`}</th>\
${isPlaced ? html`<td>${placeInWords(dimensions ?? {})}</td>` : null}
  <td>${typeof value === "number" ? figure(value) : value} ${unit}</td>\
${isStepped ? html`<td>${step?.toLocaleString("en")}</td>` : null}</tr>`,
  )
  const head = ["Metric", ...(isPlaced ? ["Where"] : []), "Value", ...(isStepped ? ["Step"] : [])]
  const points = readPath("attempt_metrics", { attemptId }, { format: "csv" })
  return html`${table("Last values", head, rows)}<p class="meta">${
    metricsTruncated || metrics.length > most ? html`<span>These are the first ones by name.</span>` : null
  }<span><a href="${to(points)}">All points as CSV</a></span>\
${isPlaced ? html`<span><a href="${to(`/attempts/compare?ids=${attemptId}`)}">Compared by group</a></span>` : null}</p>`
}
