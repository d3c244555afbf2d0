/**
 * Draws estimates with intervals along one axis, in a table of the same numbers: forest plots, groups of a measurement,
 * effects by dimension, boards.
 */
import { attributes, type Content, type Html, html } from "../html.ts"
import { scaleOf } from "../../research/measurements/figures.ts"
import { figure } from "../words.ts"
import { axis, percent } from "./axis.ts"

export interface IntervalRow {
  readonly head: Content
  /** The cells between the head and the picture. */
  readonly cells: readonly Content[]
  readonly mid: number | null
  readonly low: number | null
  readonly high: number | null
  /** The single values behind the estimate, drawn faintly. */
  readonly dots?: readonly number[]
  readonly numbers: Content
  /** `pooled` is drawn as a diamond, `base` hollow, `stale` faint. */
  readonly look?: "pooled" | "base" | "stale" | undefined
}

interface IntervalTable {
  readonly caption: string
  /** The heads of the columns before the picture. */
  readonly head: readonly string[]
  /** The head of the picture: what the axis measures. */
  readonly measures: string
  readonly numbers: string
  /** Whether the axis includes and marks zero, as for differences. */
  readonly zero?: boolean
  readonly unit: string | null
}

/** The positions of the ends of the axis, in percent of the picture. */
const ALONG: readonly [number, number] = [4, 96]
/** The middle of a row, in pixels. */
const MIDDLE = 12

const finite = (values: readonly (number | null | undefined)[]): number[] =>
  values.filter((value): value is number => typeof value === "number" && Number.isFinite(value))

/** Whether a cell says nothing without the head of its column, which a phone does not show. */
const isNumber = (cell: Content): boolean => /^[\d.,−-]+$/.test(String(cell))

/** Renders the table with its pictures. */
export function intervalTable(
  { caption, head, measures, numbers, zero = false, unit }: IntervalTable,
  rows: readonly IntervalRow[],
): Html {
  const values = finite(rows.flatMap(({ mid, low, high, dots = [] }) => [mid, low, high, ...dots]))
  const all = zero ? [...values, 0] : values
  const [least, most] = all.length === 0 ? [0, 1] : [Math.min(...all), Math.max(...all)]
  const scale = axis(least, most, ALONG, { isLog: false, isRound: true })
  const at = (value: number): string => percent(scale.at(value))
  const shape = (x: number, look: string, radius: number) =>
    html`<svg class="at" x="${at(x)}" y="${MIDDLE}" width="1" height="1"><circle class="${look}" r="${radius}"/></svg>`
  const drawn = ({ mid, low, high, dots = [], look }: IntervalRow): Html => {
    const [known] = finite([mid])
    const [from, to] = finite([low, high])
    const line =
      from === undefined || to === undefined || look === "pooled"
        ? null
        : html`<line class="span" x1="${at(from)}" x2="${at(to)}" y1="${MIDDLE}" y2="${MIDDLE}"/>`
    const middle =
      known === undefined
        ? null
        : look === "pooled" && from !== undefined && to !== undefined
          ? html`<svg x="${at(from)}" y="${MIDDLE - 6}" \
width="${percent(Math.max(0.5, scale.at(to) - scale.at(from)))}" height="12" viewBox="0 0 100 12" \
preserveAspectRatio="none">\
<path class="pooled" d="M0 6L${
              (100 * (scale.at(known) - scale.at(from))) / Math.max(0.5, scale.at(to) - scale.at(from))
            } 0L100 6L50 12z"/></svg>`
          : shape(known, look === "base" ? "mid base" : "mid", 4)
    return html`<svg class="chart fluid spans" width="100%" height="${2 * MIDDLE}" aria-hidden="true" \
focusable="false">${
      zero ? html`<line class="zero" x1="${at(0)}" x2="${at(0)}" y1="0" y2="100%"/>` : null
    }${finite(dots).map((value) => shape(value, "seed", 2.5))}${line}${middle}</svg>`
  }
  const ticks = scale.ticks.filter((_, index) => scale.ticks.length < 7 || index % 2 === 0)
  return html`<div class="table intervals" tabindex="0" role="group" aria-label="${caption}"><table>\
<caption class="aside">${caption}</caption><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}\
<th scope="col" class="picture">${measures}</th><th scope="col">${numbers}</th></tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr${attributes({ class: row.look ?? null })}><th scope="row">${row.head}</th>\
${row.cells.map(
  (cell, at) => html`<td${attributes({ "data-is": isNumber(cell) ? head[at + 1] : null })}>${cell}</td>`,
)}\
<td class="picture">${drawn(row)}</td>\
<td class="number">${row.numbers}</td></tr>`,
  )}</tbody><tfoot aria-hidden="true"><tr>${head.map(() => html`<td></td>`)}<td class="picture">\
<svg class="chart fluid" width="100%" height="16">\
${ticks.map(
  (tick) =>
    html`<text x="${at(tick)}" y="12" text-anchor="middle">\
${figure(tick * scaleOf(unit).factor).replace("-", "−")}</text>`,
)}</svg></td><td></td></tr></tfoot></table></div>`
}
