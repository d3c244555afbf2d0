/** A table of attempts with sortable columns, and checkboxes to compare some. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { type Content, type Html, attributes, html, to } from "../html.ts"
import { valueInCell } from "../../research/measurements/in-words.ts"
import { counted, figure, shortened, words } from "../words.ts"
import { stateBadge } from "./marks.ts"
import { label, person, time } from "./parts.ts"

export type Table = AnswerOf<"attempt_table">
type Row = Table["items"][number]

/** The badge of an attempt: its outcome if it has one, else its status. */
export const outcome = ({ status, outcome: ended }: Pick<Row, "status" | "outcome">): Html =>
  ended === "unknown" ? stateBadge("unknown", "started, outcome unknown") : stateBadge(ended ?? status)

/** How many columns of results, and of all, are shown if none was chosen: with them the table fits a screen. */
const SHOWN = { results: 3, all: 5 }
/** Arms whose means a cell shows. */
const ARMS = 4

/** A column that people can choose: its name in an address, and its index in a row. */
export interface Column {
  readonly of: "mean" | "metric" | "setting"
  readonly key: string
  readonly at: number
  readonly unit: string | null
}
/** The name of a column in an address. */
export const columnName = ({ of, key }: Pick<Column, "of" | "key">): string => `${of}:${key}`

/** What some rows report with dimensions, the most frequent first. */
function meansIn(items: Table["items"]): Column[] {
  const found = Map.groupBy(
    items.flatMap(({ means }) => means ?? []),
    ({ key }) => key,
  )
  return [...found]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([key, same], at) => ({ of: "mean", key, at, unit: same[0]?.unit ?? null }))
}

/** All columns of a table, results first: the means by arm, and the last values of what is reported without an arm. */
export const columnsOf = ({ items, columns: { metrics, settings } }: Pick<Table, "items" | "columns">): Column[] => [
  ...meansIn(items),
  ...metrics.map(({ key, unit }, at): Column => ({ of: "metric", key, at, unit })),
  ...settings.map(({ key }, at): Column => ({ of: "setting", key, at, unit: null })),
]

/** The chosen columns, or the first results and the first settings. */
export function shownColumns(columns: readonly Column[], chosen: readonly string[]): Column[] {
  if (chosen.length > 0) return columns.filter((column) => chosen.includes(columnName(column)))
  const results = columns.filter(({ of }) => of !== "setting").slice(0, SHOWN.results)
  return [...results, ...columns.filter(({ of }) => of === "setting").slice(0, SHOWN.all - results.length)]
}

/** How the table is sorted. */
export interface Sorting {
  readonly sort: string
  readonly isDescending: boolean
  /** The address of the same table in another order. */
  address(sort: string, order: "ascending" | "descending"): string
}

/** Whether all are ticked, and the address of the same table with all or none ticked, whichever it is not now. */
type Ticking = { readonly isAll: boolean; readonly other: string }

function header(text: Content, sort: string, { sort: by, isDescending, address }: Sorting, more: Content = null): Html {
  const is = sort === by
  const next = is && !isDescending ? "descending" : "ascending"
  return html`<th scope="col"${attributes({ "aria-sort": is ? (isDescending ? "descending" : "ascending") : null })}>\
<a href="${to(address(sort, next))}" title="Sort ${next}" rel="nofollow">${text}\
${is ? html` <span aria-hidden="true">${isDescending ? "↓" : "↑"}</span>` : null}</a>${more}</th>`
}

const missing = html`<span class="quiet">–</span>`

/** The means of one metric of an attempt, a line an arm. */
function meanCell({ means = [] }: Row, { key, unit }: Column): Html {
  const { arms, moreArms } = means?.find((each) => each.key === key) ?? { arms: [], moreArms: 0 }
  const line = ({ arm, mean, values }: (typeof arms)[number]) =>
    html`<li title="the mean of ${counted(values, "last value")}">\
${arm === null ? null : html`<span class="quiet">${shortened(String(arm), 16)}</span> `}\
${typeof mean === "number" ? valueInCell(unit, mean) : mean}</li>`
  const rest = arms.length + moreArms - Math.min(arms.length, ARMS)
  const none = means === null ? html`<span class="quiet">too many values</span>` : missing
  return html`<td class="means" data-is="${key}">${
    arms.length === 0 ? none : html`<ul>${arms.slice(0, ARMS).map(line)}</ul>`
  }${rest > 0 && html`<span class="quiet">and ${counted(rest, "more arm")}</span>`}</td>`
}

function cell(row: Row, column: Column): Html {
  const { of, at, key } = column
  if (of === "mean") return meanCell(row, column)
  if (of === "setting") {
    const setting = row.settings[at]
    return html`<td class="setting" data-is="${key}">${
      setting === null || setting === undefined
        ? missing
        : html`<code title="${setting}">${shortened(setting, 40)}</code>`
    }</td>`
  }
  const last = row.metrics[at]
  if (last === null || last === undefined) return html`<td class="right" data-is="${key}">${missing}</td>`
  const step = last.step === null ? null : `at step ${last.step.toLocaleString("en")}`
  const isNumber = typeof last.value === "number"
  return html`<td class="right${isNumber ? "" : " bad"}" data-is="${key}"${attributes({ title: step })}>\
${isNumber ? figure(Number(last.value)) : last.value}</td>`
}

const failed = ({ failure }: Row): Html | null =>
  failure &&
  html`<br><span class="failure" title="${failure.explanation}">${failure.stage}: \
${shortened(failure.explanation, 60)}</span>`

/**
 * Renders the table, in a form that opens the comparison.
 * @param columns the columns to show
 * @param isOfOne whether all attempts belong to one experiment, so that rows do not name it
 */
export function attemptTable(
  { items }: Pick<Table, "items">,
  columns: readonly Column[],
  { sorting, ticking, isOfOne }: { readonly sorting: Sorting; readonly ticking: Ticking; readonly isOfOne: boolean },
): Html {
  const head = [
    html`<th scope="col"><span class="aside">Compare</span></th>`,
    header("Attempt", "label", sorting),
    isOfOne ? null : header("Experiment", "experiment", sorting),
    header("Outcome", "outcome", sorting),
    ...columns.map((column) => {
      const unit =
        column.unit === null || column.unit === "fraction" ? null : html` <span class="quiet">${column.unit}</span>`
      return column.of === "mean"
        ? html`<th scope="col" title="The mean of the last values of each arm">${column.key}${unit}</th>`
        : header(column.key, columnName(column), sorting, unit)
    }),
    header("Registered", "registered", sorting),
  ]
  return html`<form class="bench" action="${to("/attempts/compare")}" data-ticks>
<div class="buttons"><button data-ticked="Compare">Compare</button><a href="${to(ticking.other)}" rel="nofollow">\
${ticking.isAll ? "Select none" : `Select all ${items.length}`}</a><span class="hint">${
    items.length > limits.comparedAttempts
      ? `Of those selected, the first ${limits.comparedAttempts} are compared.`
      : null
  }</span></div>
<div class="table stacked" tabindex="0" role="group" aria-label="Attempts"><table>\
<caption class="aside">Attempts</caption><thead><tr>${head}</tr></thead><tbody>${items.map(
    (row) => html`<tr data-entry><td><input type="checkbox" name="ids" value="${row.attemptId}" \
aria-label="Compare ${row.label}"${attributes({ checked: ticking.isAll })}></td>
<th scope="row">${label("attempt", row.attemptId, row.label)}</th>\
${isOfOne ? null : html`<td>${label("experiment", row.experimentId, row.experimentLabel)}</td>`}\
<td>${outcome(row)}<br><span class="quiet">${words(row.intent)}</span>${failed(row)}</td>\
${columns.map((column) => cell(row, column))}\
<td class="by">${time(row.registeredAt)}<br>${person(row.registrant)}</td></tr>
`,
  )}</tbody></table></div></form>`
}
