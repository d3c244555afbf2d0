/**
 * Estimates with their intervals, a row each along one axis: forest plots, groups of a measurement, effects by dimension, boards. The
 * rows are the table of the same numbers, so nothing in the picture is told by it alone.
 */
import { attributes, type Content, type Html, html } from "../html.ts"
import { figure } from "../numbers.ts"
import { axis } from "./axis.ts"

export interface IntervalRow {
  /** What the row is of. */
  readonly head: Content
  /** Cells between that and the picture. */
  readonly cells: readonly Content[]
  readonly mid: number | null
  readonly low: number | null
  readonly high: number | null
  /** Single values behind it, drawn faintly. */
  readonly dots?: readonly number[]
  /** The numbers in words. */
  readonly said: Content
  /** `pooled` is drawn as a diamond, `base` hollow, `stale` faint. */
  readonly look?: "pooled" | "base" | "stale" | undefined
}

export interface IntervalTable {
  readonly caption: string
  /** Names of the columns before the picture. */
  readonly head: readonly string[]
  /** What the axis measures. */
  readonly measures: string
  /** What the column of numbers is called. */
  readonly said: string
  /** Whether the axis holds zero and marks it: for differences. */
  readonly zero?: boolean
}

/** Where the axis begins and ends, in percent of the picture. */
const ALONG: readonly [number, number] = [4, 96]
/** The middle of a row, in pixels. */
const MIDDLE = 12

const percent = (share: number): string => `${share.toFixed(2)}%`
const finite = (values: readonly (number | null | undefined)[]): number[] =>
  values.filter((value): value is number => typeof value === "number" && Number.isFinite(value))

/** The table with its pictures; without them where no row has a number. */
export function intervalTable({ caption, head, measures, said, zero = false }: IntervalTable, rows: readonly IntervalRow[]): Html {
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
          ? html`<svg x="${at(from)}" y="${MIDDLE - 6}" width="${percent(Math.max(0.5, scale.at(to) - scale.at(from)))}" height="12" viewBox="0 0 100 12" preserveAspectRatio="none"><path class="pooled" d="M0 6L${(100 * (scale.at(known) - scale.at(from))) / Math.max(0.5, scale.at(to) - scale.at(from))} 0L100 6L50 12z"/></svg>`
          : shape(known, look === "base" ? "mid base" : "mid", 4)
    return html`<svg class="chart fluid spans" width="100%" height="${2 * MIDDLE}" aria-hidden="true" focusable="false">${
      zero ? html`<line class="zero" x1="${at(0)}" x2="${at(0)}" y1="0" y2="100%"/>` : null
    }${finite(dots).map((value) => shape(value, "seed", 2.5))}${line}${middle}</svg>`
  }
  const ticks = scale.ticks.filter((_, index) => scale.ticks.length < 7 || index % 2 === 0)
  return html`<div class="table intervals" tabindex="0" role="group" aria-label="${caption}"><table><caption class="aside">${caption}</caption><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}<th scope="col" class="picture">${measures}</th><th scope="col">${said}</th></tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr${attributes({ class: row.look ?? null })}><th scope="row">${row.head}</th>${row.cells.map((cell) => html`<td>${cell}</td>`)}<td class="picture">${drawn(row)}</td><td class="number">${row.said}</td></tr>`,
  )}</tbody><tfoot aria-hidden="true"><tr>${head.map(() => html`<td></td>`)}<td class="picture"><svg class="chart fluid" width="100%" height="16">${ticks.map((tick) => html`<text x="${at(tick)}" y="12" text-anchor="middle">${figure(tick).replace("-", "−")}</text>`)}</svg></td><td></td></tr></tfoot></table></div>`
}
