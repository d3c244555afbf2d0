/** A table of attempts with sortable columns, and checkboxes to compare some. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { type Content, type Html, attributes, html, to } from "../html.ts"
import { figure, shortened, words } from "../words.ts"
import { stateBadge } from "./marks.ts"
import { label, person, time } from "./parts.ts"

export type Table = AnswerOf<"attempt_table">
type Row = Table["items"][number]

/** The badge of an attempt: its outcome if it has one, else its status. */
export const outcome = ({ status, outcome: ended }: Pick<Row, "status" | "outcome">): Html =>
  ended === "unknown" ? stateBadge("unknown", "started, outcome unknown") : stateBadge(ended ?? status)

/** How many columns of each kind are shown if none was chosen. */
const SHOWN = 6

/** A column that people can choose: its name in an address, and its index in a row. */
export interface Column {
  readonly of: "metric" | "setting"
  readonly key: string
  readonly at: number
  readonly unit: string | null
}
/** The name of a column in an address. */
export const columnName = ({ of, key }: Pick<Column, "of" | "key">): string => `${of}:${key}`

/** All columns of a table, metrics first. */
export const columnsOf = ({ columns: { metrics, settings } }: Pick<Table, "columns">): Column[] => [
  ...metrics.map(({ key, unit }, at): Column => ({ of: "metric", key, at, unit })),
  ...settings.map(({ key }, at): Column => ({ of: "setting", key, at, unit: null })),
]

/** The chosen columns, or the first ones of each kind. */
export const shownColumns = (columns: readonly Column[], chosen: readonly string[]): Column[] =>
  chosen.length === 0
    ? columns.filter(({ at }) => at < SHOWN)
    : columns.filter((column) => chosen.includes(columnName(column)))

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

function cell(row: Row, { of, at }: Column): Html {
  if (of === "setting") {
    const setting = row.settings[at]
    return html`<td>${
      setting === null || setting === undefined
        ? missing
        : html`<code title="${setting}">${shortened(setting, 40)}</code>`
    }</td>`
  }
  const last = row.metrics[at]
  if (last === null || last === undefined) return html`<td class="right">${missing}</td>`
  const step = last.step === null ? null : `at step ${last.step.toLocaleString("en")}`
  const isNumber = typeof last.value === "number"
  return html`<td class="right${isNumber ? "" : " bad"}"${attributes({ title: step })}>\
${isNumber ? figure(Number(last.value)) : last.value}</td>`
}

const failed = ({ failure }: Row): Html | null =>
  failure && html`<span title="${failure.explanation}">${failure.stage}: ${shortened(failure.explanation, 60)}</span>`

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
  const hasFailures = items.some(({ failure }) => failure !== null)
  const head = [
    html`<th scope="col"><span class="aside">Compare</span></th>`,
    header("Attempt", "label", sorting),
    isOfOne ? null : header("Experiment", "experiment", sorting),
    header("Outcome", "outcome", sorting),
    ...columns.map((column) =>
      header(
        column.key,
        columnName(column),
        sorting,
        column.unit === null ? null : html` <span class="quiet">${column.unit}</span>`,
      ),
    ),
    hasFailures ? html`<th scope="col">Failure</th>` : null,
    html`<th scope="col">Intent</th>`,
    html`<th scope="col">By</th>`,
    header("Registered", "registered", sorting),
  ]
  return html`<form class="bench" action="${to("/attempts/compare")}" data-ticks>
<div class="buttons"><button data-ticked="Compare">Compare</button><a href="${to(ticking.other)}" rel="nofollow">\
${ticking.isAll ? "Select none" : `Select all ${items.length}`}</a><span class="hint">${
    items.length > limits.comparedAttempts
      ? `Of those selected, the first ${limits.comparedAttempts} are compared.`
      : null
  }</span></div>
<div class="table" tabindex="0" role="group" aria-label="Attempts"><table><caption class="aside">Attempts</caption>\
<thead><tr>${head}</tr></thead><tbody>${items.map(
    (row) => html`<tr data-entry><td><input type="checkbox" name="ids" value="${row.attemptId}" \
aria-label="Compare ${row.label}"${attributes({ checked: ticking.isAll })}></td>
<th scope="row">${label("attempt", row.attemptId, row.label)}</th>\
${isOfOne ? null : html`<td>${label("experiment", row.experimentId, row.experimentLabel)}</td>`}\
<td>${outcome(row)}</td>${columns.map((column) =>
      cell(row, column),
    )}${hasFailures ? html`<td class="failure">${failed(row)}</td>` : null}<td>${words(row.intent)}</td>\
<td>${person(row.registrant)}</td><td>${time(row.registeredAt)}</td></tr>
`,
  )}</tbody></table></div></form>`
}
