/**
 * Curves of one metric, as wide as their place: what is drawn is stretched to it, while text, marks and the width of lines are
 * not. Steps run along; the values may have a range and a log axis. What is no finite number is marked, never dropped.
 */
import { scaleLinear } from "d3-scale"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { attributes, type Html, html, markup } from "../html.ts"
import { figure } from "../numbers.ts"
import { axis } from "./axis.ts"
import { fillOf, lineOf, shapeOf } from "./styles.ts"

export type Curve = AnswerOf<"attempt_curves">["curves"][number] & {
  /** Its place in the legend. */
  readonly index: number
}

/** Which part of a metric is shown. */
export interface View {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly low: number | undefined
  readonly high: number | undefined
  readonly isLog: boolean
}

/** The field that lines are drawn on, and the height of the picture in pixels. */
const [ACROSS, HEIGHT] = [2_000, 320]
const EDGE = { top: 20, bottom: 28 }
/** Where steps begin and end, in parts of a thousand: on the left, values are told. */
const SIDE = { left: 45, right: 990 }

/** Where steps and values stand: along in parts of a thousand, up in pixels. */
export interface Scales {
  readonly from: number
  readonly to: number
  readonly low: number
  readonly high: number
  readonly ticks: { readonly x: readonly number[]; readonly y: readonly number[] }
  x(step: number): number
  y(value: number): number
}

const isIn = (value: number, from: number | undefined, to: number | undefined) =>
  value >= (from ?? Number.NEGATIVE_INFINITY) && value <= (to ?? Number.POSITIVE_INFINITY)

/** The visible part of some curves: the requested range, or all of it. */
function scalesOf(curves: readonly Curve[], { from, to, low, high, isLog }: View): Scales {
  const steps = curves.flatMap(({ columns }) => (columns.step.length === 0 ? [] : [columns.step[0] ?? 0, columns.step.at(-1) ?? 0]))
  const first = from ?? steps.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  const last = to ?? steps.reduce((one, other) => Math.max(one, other), 0)
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { columns } of curves)
    columns.value.forEach((value, index) => {
      if (typeof value !== "number" || !isIn(columns.step[index] ?? 0, from, to) || (isLog && value <= 0)) return
      least = Math.min(least, value)
      greatest = Math.max(greatest, value)
    })
  if (least > greatest) [least, greatest] = [isLog ? 1 : 0, isLog ? 10 : 1]
  const [start, end] = [Number.isFinite(first) ? first : 0, Math.max(last, (Number.isFinite(first) ? first : 0) + 1)]
  const [bottom, top] = [low !== undefined && (!isLog || low > 0) ? low : least, high ?? greatest]
  const x = scaleLinear([start, end], [SIDE.left, SIDE.right])
  const margin = low !== undefined || high !== undefined ? 0 : 0.04
  const y = axis(bottom, top, [HEIGHT - EDGE.bottom, EDGE.top], { isLog, margin })
  return {
    ...{ from: start, to: end, low: y.low, high: y.high },
    ticks: { x: x.ticks(6).filter(Number.isInteger), y: y.ticks.slice(0, 14) },
    x: (step) => x(step),
    y: y.at,
  }
}

/** A path in whole numbers, each relative to the one before, as short as possible, with a gap where there is no number. */
function path({ columns }: Curve, scales: Scales, isLog: boolean): string {
  let [text, atX, atY, isDown] = ["", 0, 0, false]
  columns.step.forEach((step, index) => {
    const value = columns.value[index]
    if (typeof value !== "number" || (isLog && value <= 0)) {
      isDown = false
      return
    }
    const [x, y] = [Math.round((scales.x(step) / 1_000) * ACROSS), Math.round(Math.max(-1e4, Math.min(1e4, scales.y(value))))]
    const said = isDown ? [x - atX, y - atY] : [x, y]
    // After an l, numbers go on being its own.
    text += `${isDown ? (text.at(-1) === "l" ? "" : " ") : `M`}${said[0]}${(said[1] ?? 0) < 0 ? "" : " "}${said[1]}${isDown ? "" : "l"}`
    ;[atX, atY, isDown] = [x, y, true]
  })
  return text.replace(/l(?=M|$)/g, "h0").replace(/l /g, "l")
}

const UP = markup("M-5 4L0 -5L5 4z")
const DOWN = markup("M-5 -4L0 5L5 -4z")
const CROSS = markup("M-4.5 -4.5L4.5 4.5M4.5 -4.5L-4.5 4.5")

/** Runs of values that are not finite: where each begins and ends. */
export function runs({ columns }: Pick<Curve, "columns">): { readonly kind: string; readonly from: number; readonly to: number }[] {
  const found: { kind: string; from: number; to: number }[] = []
  columns.value.forEach((value, index) => {
    const [step, before] = [columns.step[index] ?? 0, columns.value[index - 1]]
    if (typeof value === "number") return
    const run = found.at(-1)
    if (before === value && run !== undefined) run.to = step
    else found.push({ kind: value, from: step, to: step })
  })
  return found
}

const percent = (share: number): string => `${(share / 10).toFixed(2)}%`

function marks(curve: Curve, scales: Scales): Html {
  const [top, bottom] = [EDGE.top - 10, HEIGHT - EDGE.bottom + 8]
  return html`${runs(curve)
    .filter(({ from, to }) => to >= scales.from && from <= scales.to)
    .slice(0, 200)
    .map(({ kind, from, to }) => {
      const y = kind === "-Infinity" ? bottom : top
      const [start, end] = [scales.x(Math.max(from, scales.from)), scales.x(Math.min(to, scales.to))]
      const said = `${curve.label}: ${kind} ${from === to ? `at step ${from.toLocaleString("en")}` : `from step ${from.toLocaleString("en")} to ${to.toLocaleString("en")}`}`
      const shape = kind === "NaN" ? CROSS : kind === "Infinity" ? UP : DOWN
      return html`<g>${end > start ? html`<line class="line ${lineOf(curve.index)}" x1="${percent(start)}" x2="${percent(end)}" y1="${y}" y2="${y}"/>` : null}<svg class="at" x="${percent(start)}" y="${y}" width="1" height="1"><path class="gap ${lineOf(curve.index)}" d="${shape}"/></svg><title>${said}</title></g>`
    })}`
}

/** The last number of a curve within what is seen, with the shape of its attempt. */
function end(curve: Curve, scales: Scales): Html | null {
  const { step, value } = curve.columns
  const at = step.findLastIndex(
    (each, index) =>
      isIn(each, scales.from, scales.to) && typeof value[index] === "number" && isIn(Number(value[index]), scales.low, scales.high),
  )
  if (at < 0) return null
  return html`<svg class="at" x="${percent(scales.x(step[at] ?? 0))}" y="${scales.y(Number(value[at])).toFixed(1)}" width="1" height="1"><path class="${fillOf(curve.index)}" d="${shapeOf(curve.index)}"/></svg>`
}

/** Steps read as thousands. */
const stepText = (step: number) => step.toLocaleString("en")

/** The picture alone. @param told the text for screen readers @param baseline the attempt that the others are compared with */
export function picture(curves: readonly Curve[], view: View, told: string, baseline: string | undefined): Html {
  const scales = scalesOf(curves, view)
  const edge = (step: number) => (scales.x(step) > 970 ? "end" : "middle")
  return html`<svg class="chart fluid plot" width="100%" height="${HEIGHT}" role="img" aria-label="${told}"${attributes({
    "data-from": scales.from,
    "data-to": scales.to,
    "data-low": scales.low,
    "data-high": scales.high,
    "data-log": view.isLog ? "1" : null,
    "data-top": EDGE.top,
    "data-bottom": HEIGHT - EDGE.bottom,
    "data-left": SIDE.left,
    "data-right": SIDE.right,
  })}>
${scales.ticks.y.map((tick) => html`<line class="tick" x1="0" x2="100%" y1="${scales.y(tick).toFixed(1)}" y2="${scales.y(tick).toFixed(1)}"/>`)}
<line class="axis" x1="0" x2="100%" y1="${HEIGHT - EDGE.bottom}" y2="${HEIGHT - EDGE.bottom}"/>
<svg class="lines" x="0" y="${EDGE.top - 4}" width="100%" height="${HEIGHT - EDGE.top - EDGE.bottom + 8}" viewBox="0 ${EDGE.top - 4} ${ACROSS} ${HEIGHT - EDGE.top - EDGE.bottom + 8}" preserveAspectRatio="none">${curves.map(
    (curve) =>
      html`<path class="line ${lineOf(curve.index)}${curve.attemptId === baseline ? " base" : ""}" d="${markup(path(curve, scales, view.isLog))}"/>`,
  )}</svg>
${curves.map((curve) => html`${end(curve, scales)}${marks(curve, scales)}`)}
${scales.ticks.y.map((tick) => html`<text x="2" y="${(scales.y(tick) - 3).toFixed(1)}">${figure(tick)}</text>`)}
${scales.ticks.x.map((tick) => html`<text x="${percent(scales.x(tick))}" y="${HEIGHT - 10}" text-anchor="${edge(tick)}">${stepText(tick)}</text>`)}
<line class="cursor" x1="0" x2="0" y1="${EDGE.top}" y2="${HEIGHT - EDGE.bottom}"/><rect class="brush" x="0" y="0" width="0" height="0"/></svg>`
}
