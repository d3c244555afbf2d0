/** The view of a comparison by group: means with intervals, and the best group in bold if it can be told apart. */
import { compareScalars } from "../../research/measurements/cells.ts"
import {
  figure,
  figureOn,
  interval,
  intervalOn,
  type Scale,
  scaleOf,
  unitInWords,
} from "../../research/measurements/statistics.ts"
import { noiseInWords } from "../../research/measurements/in-words.ts"
import { UNSTATED } from "../../research/measurements/table.ts"
import { type Curve, picture } from "../charts/curves.ts"
import { sample, type IntervalRow, intervalTable } from "../charts/axis.ts"
import { type Html, html, to, attributes, type Content, joined, withQuery } from "../html.ts"
import { heading, table, empty, label } from "../parts/parts.ts"
import { orNull, type Visit } from "../visit.ts"
import { counted, shortened, nameOfDimension } from "../words.ts"
import { alone, changed, controls, whichIsBest } from "./compare-controls.ts"
import {
  type Measure,
  type Group,
  keyText,
  measured,
  nameOf,
  placeOf,
  ABSENT,
  type Compared,
  labelOf,
  type Question,
} from "./comparison.ts"
import { whole } from "./curves.ts"
import { limits } from "../../contract/limits.ts"
import { roleIn } from "../parts/actions.ts"
import { drawn, drawnMean, estimateInWords } from "./forest.ts"

// Curves of groups: a line for each group's mean with its interval as a band, and its members on demand.

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
function groupCurvesFigure(
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
  const toggle = html`<a href="${changed(visit, { members: showsMembers ? undefined : "1" })}#curves">\
${showsMembers ? "Hide single series" : "Show single series"}</a>`
  return html`<section aria-labelledby="curves">${heading(2, "curves", "Over steps", toggle)}\
<p class="hint">Each line is the mean of its group, with the 95 % interval of that mean as a band.</p>\
<div class="pair">${found
    .slice(0, DRAWN)
    .map(({ metric, groups }) => groupFigure(groups, metric, showsMembers))}</div></section>`
}

const quiet = (text: Content): Html => html`<span class="quiet">${text}</span>`

/** A group's mean, plus or minus half of its interval. */
const value = ({ mean, se, low, high, n }: Group, scale: Scale): Html =>
  mean === null
    ? quiet("–")
    : html`${figureOn(scale, mean, se)} ${
        low === null || high === null ? n === 1 && quiet("n = 1") : quiet(`± ${figureOn(scale, (high - low) / 2, se)}`)
      }`

/** Renders a group's value of a metric, tinted if its interval shows that it differs from the baseline. */
function cell({ groups, direction, best, table: { unit } }: Measure, key: string): Html {
  const scale = scaleOf(unit)
  const group = groups.find((each) => keyText(each) === key)
  if (group === undefined) return html`<td class="right">${quiet("–")}</td>`
  const { contrast } = group
  const isDistinct = contrast?.corrected?.isDistinct === true
  const tint = direction === 0 ? "changed" : Math.sign(contrast?.estimate ?? 0) === direction ? "better" : "worse"
  const by =
    contrast === null
      ? null
      : html` <span class="by">${contrast.estimate > 0 ? "+" : ""}\
${figureOn(scale, contrast.estimate, contrast.se)}</span>`
  return html`<td class="right${isDistinct ? ` ${tint}` : ""}"${attributes({
    title:
      contrast === null || contrast.low === null
        ? null
        : `difference ${intervalOn(scale, contrast.low, contrast.high, contrast.se)}${scale.difference}`,
  })}>${best.has(key) ? html`<strong>${value(group, scale)}</strong>` : value(group, scale)}${by}</td>`
}

const arrows = { [-1]: "↓", 0: "", 1: "↑" } as const
const better = { [-1]: "lower is better", 0: "", 1: "higher is better" } as const

/** The value of a group in a column of the table: of a dimension by its place, `n`, or of a metric. */
type Sortable = readonly [column: string, of: (group: Group, key: string) => string | number | null]

/** Sorts rows by a column that the address names; missing values come last. */
function sorted(visit: Visit, rows: readonly (readonly [string, Group])[], columns: readonly Sortable[]) {
  const of = columns.find(([column]) => column === visit.parameter("sort"))?.[1]
  if (of === undefined) return rows
  const way = visit.parameter("order") === "descending" ? -1 : 1
  return rows.toSorted(([oneKey, one], [otherKey, other]) => {
    const [left, right] = [of(one, oneKey), of(other, otherKey)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return way * compareScalars(left, right)
  })
}

/** The head of a column: a link that sorts by it, or the other way round. */
function sortHead(visit: Visit, column: string, text: Content, isRight = false, title: string | null = null): Html {
  const isHere = visit.parameter("sort") === column
  const isDescending = isHere && visit.parameter("order") === "descending"
  const order = isHere && !isDescending ? "descending" : undefined
  return html`<th scope="col"${attributes({
    class: isRight ? "right" : null,
    title,
    "aria-sort": isHere ? (isDescending ? "descending" : "ascending") : null,
  })}><a href="${changed(visit, { sort: column, order })}#results" rel="nofollow">${text}</a></th>`
}

/** Renders a table of the metrics with the same dimensions, with a row for each group. */
function results(visit: Visit, measures: readonly Measure[]): Html {
  const { table, groups } = measures[0] ?? { table: { by: [], partedBy: [] }, groups: [] }
  const known = new Map([...groups, ...measures.flatMap((each) => each.groups)].map((group) => [keyText(group), group]))
  const names = [...table.by, ...table.partedBy]
  const columns: Sortable[] = [
    ...names.map((name, at): Sortable => [name, (group) => placeOf(group, table)[at] ?? null]),
    ["n", ({ n }) => n],
    ...measures.map(
      ({ name, groups: own }): Sortable => [
        `metric:${name}`,
        (_, key) => own.find((group) => keyText(group) === key)?.mean ?? null,
      ],
    ),
  ]
  const rows = sorted(visit, [...known], columns).map(([key, group]) => {
    const attempts = joined(
      group.attempts.slice(0, 4).map(({ attemptId, label: text }) => label("attempt", attemptId, text)),
      " ",
    )
    const own = placeOf(group, table)
    const place = own.length === 0 ? ["all"] : own
    return html`<tr${attributes({ class: group.isBaseline ? "base" : null })}>\
${place.map((text) => html`<th scope="row">${text === UNSTATED ? quiet(text) : text}</th>`)}<td>${attempts}\
${group.attempts.length > 4 ? quiet(` and ${group.attempts.length - 4} more`) : null}</td>\
<td class="right">${group.n}</td>${measures.map((measure) => cell(measure, key))}</tr>`
  })
  const metric = ({ name, table: { unit }, direction }: Measure): Html =>
    sortHead(
      visit,
      `metric:${name}`,
      html`${name}${unit === null ? null : quiet(scaleOf(unit).value)} ${arrows[direction]}\
<span class="aside"> ${better[direction]}</span>`,
      true,
      better[direction] || null,
    )
  return html`<div class="table held" tabindex="0" role="group" aria-label="Settings and results"><table>\
<caption class="aside">Settings and results</caption><thead>\
<tr>${
    names.length === 0
      ? html`<th scope="col">Group</th>`
      : names.map((name) => sortHead(visit, name, nameOfDimension(name)))
  }<th scope="col">Attempts</th>${sortHead(visit, "n", "n", true)}${measures.map(metric)}</tr></thead>\
<tbody>${rows}</tbody></table></div>`
}

/** Renders the notes on the groups, each once with the groups it applies to. */
function notes(groups: readonly Group[]): Html | null {
  const byNote = [
    ...Map.groupBy(
      groups.flatMap((group) => group.notes.map((note) => ({ note, group }))),
      ({ note }) => note,
    ),
  ]
  if (byNote.length === 0) return null
  const namesOf = (of: (typeof byNote)[number][1]) => [...new Set(of.map(({ group }) => labelOf(group.key)))].join("; ")
  return html`<ul class="uses notes">\
${byNote.map(
  ([note, of]) => html`<li>${of.length === groups.length ? "Every group" : namesOf(of)}: ${note}.</li>`,
)}</ul>`
}

/** Renders a metric: each group's values, mean and interval, and its difference from the baseline if one was chosen. */
function drawingOf({ name, table, groups }: Measure): Html {
  const { by, partedBy, unit, against } = table
  const [first = "Group", ...rest] = [...by, ...partedBy].map(nameOfDimension)
  const head = [first, ...rest, "n"]
  const place = (group: Group): readonly [string, ...string[]] => {
    const [own = "all", ...others] = placeOf(group, table)
    return [own, ...others]
  }
  const row = (group: Group): IntervalRow => {
    const [own, ...others] = place(group)
    return {
      ...drawnMean(group, unit, "–"),
      head: own,
      cells: [...others, group.n],
      look: group.isBaseline ? "base" : undefined,
    }
  }
  const contrasts = groups.flatMap((group): IntervalRow[] => {
    const { contrast } = group
    if (contrast === null) return []
    const [own, ...others] = place(group)
    const { corrected, pairs } = contrast
    const holm = quiet(corrected?.isDistinct === true ? "differs" : "not told apart")
    const n = pairs === null ? group.n : counted(pairs, "pair")
    return [
      {
        ...drawn({ ...contrast, unit }),
        head: own,
        cells: [...others, n],
        numbers: html`${estimateInWords({ ...contrast, unit })} ${holm}`,
      },
    ]
  })
  const inUnit = (isDifference: boolean) => (unit === null ? "" : ` in ${unitInWords(unit, isDifference)}`)
  return html`<section aria-label="${name}">\
<h3>${name}</h3>${intervalTable(
    { caption: name, head, measures: `${name}${inUnit(false)}, mean and 95 % interval`, numbers: "Mean", unit },
    groups.map(row),
  )}${
    contrasts.length === 0
      ? null
      : html`<h4>Difference from ${against?.value}</h4>\
${intervalTable(
  {
    caption: `Differences in ${name}`,
    head,
    measures: `${name}: difference${inUnit(true)}, 95 % interval`,
    unit,
    numbers: "Estimate",
    zero: true,
  },
  contrasts,
)}`
  }${notes(groups)}</section>`
}

/**
 * A link to publish a finding with the contrasts of this view; null if the visitor cannot, or if there are several
 * experiments.
 */
function publishing(visit: Visit, { table, room }: Compared, measures: readonly Measure[]): Html | null {
  const [experimentId, ...others] = new Set(table.items.map((item) => item.experimentId))
  const role = roleIn(visit, room)
  if (
    (role !== "member" && role !== "owner") ||
    experimentId === undefined ||
    others.length > 0 ||
    room.state === "archived"
  )
    return null
  const at = "/provenance/execution"
  const draft = new URLSearchParams({
    roomId: room.roomId,
    threadId: room.openingThreadId,
    [`${at}/experimentId`]: experimentId,
  })
  for (const { attemptId, outcome } of table.items)
    if (outcome === "succeeded") draft.append(`${at}/attemptIds`, attemptId)
  const contrasts = measures.flatMap(({ metric, split, table: { against, over, by }, groups }) =>
    groups.flatMap(({ key, contrast }) => {
      if (contrast === null || against === null) return []
      const lines = (names: readonly string[]) => names.map((name) => `${name}: ${key[name]}`).join("\n")
      const [of, where] = [lines([against.dimension]), lines(by.filter((name) => name !== against.dimension))]
      return [{ metric, split, over, of, against: `${against.dimension}: ${against.value}`, where }]
    }),
  )
  contrasts.slice(0, limits.effects).forEach((contrast, index) => {
    for (const [name, text] of Object.entries(contrast)) if (text) draft.set(`/effects/${index}/${name}`, text)
  })
  if (contrasts.length > 0) draft.set("#/effects", String(Math.min(contrasts.length, limits.effects)))
  return html`<a class="button" href="${to(`/do/publish_finding?${draft}`)}">Publish a finding from this view</a>`
}

const legendOf = ({ over, against }: Question, measures: readonly Measure[]): Html =>
  html`<p class="meta"><span>mean ± half of its 95 % \
interval${over === null ? null : `, over ${nameOfDimension(over)}`}</span><span>${
    measures.some(({ best }) => best.size > 0)
      ? "bold: the best, told apart from every other group beside it"
      : "nothing is bold: no group is told apart from every other group beside it"
  }</span>${measures.map(({ metric, table: { noise, unit } }) =>
    noise === null ? null : html`<span>noise of ${metric} from run to run: ${noiseInWords(noise, unit)}</span>`,
  )}${against === undefined ? null : html`<span>tinted: differs from the baseline beyond the spread</span>`}</p>`

export function groupsView(visit: Visit, compared: Compared, question: Question): Html {
  const measures = measured(visit, compared, question)
  const [first] = measures
  if (first === undefined) return empty("None of the successful attempts reported a value.")
  const { unfinishedAttempts } = first.table.leftOut
  const others = question.metrics
    .map(({ metric, split }) => nameOf(metric, split))
    .filter((name) => !measures.some((each) => each.name === name))
  const address = (metric: string) =>
    withQuery(visit.url.pathname, { ...Object.fromEntries(visit.url.searchParams), metric })
  const alike = [...Map.groupBy(measures, ({ table }) => JSON.stringify([table.by, table.partedBy])).values()]
  return html`${controls(visit, question, measures)}
${alone(visit, question, measures)}
<section aria-labelledby="best">${heading(2, "best", "Which is best")}${whichIsBest(visit, measures)}</section>
<section aria-labelledby="results">\
${heading(2, "results", "Settings and results", publishing(visit, compared, measures) ?? undefined)}\
${alike.map((some) => results(visit, some))}${legendOf(question, measures)}${
  unfinishedAttempts === 0
    ? null
    : html`<p class="meta">${counted(unfinishedAttempts, "unsuccessful attempt")} left out.</p>`
}</section>
<section aria-labelledby="spread">${heading(2, "spread", "Each metric")}${measures.map(drawingOf)}${
    others.length === 0
      ? null
      : html`<p class="meta">${counted(others.length, "other metric")}: \
${joined(others.slice(0, 20).map((name) => html`<a href="${to(address(name))}">${name}</a>`))}</p>`
  }</section>
${groupCurvesFigure(visit, compared, question, measures)}`
}
