/**
 * An axis for numbers of any size. d3 uses differences and powers of ten, which overflow for the largest numbers and
 * underflow for the smallest. Such values are first multiplied by a power of two. Estimates with their intervals are
 * drawn along one.
 */
import { symbol, symbolsFill } from "d3-shape"
import { scaleLinear, scaleLog } from "d3-scale"
import { type Html, html, markup, attributes, type Content } from "../html.ts"
import { scaleOf } from "../../research/measurements/statistics.ts"
import { figure } from "../words.ts"

// Distinguishes attempts in a picture by colour, dash and shape together, so that no one needs to see all three.

/**
 * The numbers of colours and dashes in the style sheet. The dash changes every 8 lines and the colours repeat after 16,
 * so 32 lines differ.
 */
const [COLOURS, OF_A_DASH, DASHES] = [16, 8, 4]

const shapes = symbolsFill.map((type) => (symbol(type, 44)() ?? "").replace(/(\.\d)\d+/g, "$1"))

/** The CSS classes of the n-th attempt's line, and of its shape. */
export const lineOf = (index: number): string =>
  `s${(index % COLOURS) + 1} d${(Math.floor(index / OF_A_DASH) % DASHES) + 1}`
export const fillOf = (index: number): string => `p${(index % COLOURS) + 1}`
/** The SVG path of the n-th attempt's shape, centred at the origin. */
export const shapeOf = (index: number): Html => markup(shapes[index % shapes.length] ?? "")

/** A sample of the line with its shape, for legends and lists of values. */
export const sample = (index: number): Html =>
  html`<svg class="chart sample" viewBox="0 0 30 12" width="30" height="12" aria-hidden="true" focusable="false">\
<path class="line ${lineOf(index)}" d="M0 6H30"/><path class="${fillOf(index)}" transform="translate(15 6)" \
d="${shapeOf(index)}"/></svg>`

export interface Axis {
  readonly low: number
  readonly high: number
  readonly ticks: readonly number[]
  /** The position of a value. Values far outside the axis are clamped to a place just outside. */
  at(value: number): number
}

interface Options {
  readonly isLog: boolean
  /** The margin on either side of a linear axis, as a share of its length. */
  readonly margin?: number
  /** Whether a linear axis begins and ends at round numbers. */
  readonly isRound?: boolean
}

const [TINY, HUGE] = [1e-290, 1e290]
/** Numbers whose relative difference is smaller count as equal. */
const SAME = 2 ** -40
/** How far outside the axis a value can be placed, in lengths of the axis. */
const OUTSIDE = 50

/** A position on an axis in percent, for SVG. */
export const percent = (share: number): string => `${share.toFixed(2)}%`
const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))
const unitFor = (least: number, most: number): number => (most > HUGE ? 2 ** -100 : least < TINY ? 2 ** 200 : 1)

/** @param low above 0 on a log axis @param range the positions of the low and the high end */
export function axis(
  low: number,
  high: number,
  range: readonly [number, number],
  { isLog, margin = 0, isRound = false }: Options,
): Axis {
  const most = Math.max(Math.abs(low), Math.abs(high))
  const unit = isLog ? unitFor(low, high) : unitFor(most, most)
  const isFlat = isLog ? !(high * (1 - SAME) > low) : !(high * unit - low * unit > most * unit * SAME)
  const scale = isLog ? logScale() : linearScale()
  const [from = 0, to = 1] = scale.domain()
  const reach = isLog ? 0 : (to - from) * OUTSIDE
  const unscaled = (value: number) => within(value / unit, -Number.MAX_VALUE, Number.MAX_VALUE)
  return {
    low: unscaled(from),
    high: unscaled(to),
    ticks: scale
      .ticks(5)
      .map((tick) => tick / unit)
      .filter(Number.isFinite),
    at: (value) => scale(isLog ? within(value * unit, 1e-300, 1e300) : within(value * unit, from - reach, to + reach)),
  }

  function logScale() {
    const [least, greatest] = isFlat ? [(low * unit) / 2, low * unit * 2] : [low * unit, high * unit]
    return scaleLog([within(least, 1e-300, 1e299), within(greatest, 2e-300, 1e300)], range)
  }
  function linearScale() {
    // An axis for a single value extends a tenth of it to either side.
    const by = isFlat ? (most > TINY ? (most * unit) / 10 : unit) : (high * unit - low * unit) * margin
    const wide = scaleLinear([low * unit - by, (isFlat ? low : high) * unit + by], range)
    return isRound ? wide.nice() : wide
  }
}

// Estimates with intervals along one axis, in a table of the same numbers: groups of a measurement, effects by
// dimension, boards.

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
