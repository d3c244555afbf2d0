/**
 * Draws curves of one metric over steps. The picture is stretched to the width of the page, but its text, marks and
 * line widths are not. Values may have a range and a log axis. Values that are not finite are marked, never dropped.
 */
import { scaleLinear } from "d3-scale"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { attributes, type Html, html, markup } from "../html.ts"
import { figure } from "../words.ts"
import { axis, fillOf, lineOf, shapeOf } from "./axis.ts"

type Series = AnswerOf<"attempt_curves">["curves"][number]
export interface Curve extends Pick<Series, "attemptId" | "label" | "columns"> {
  /** Its index in the legend. */
  readonly index: number
  /** The interval around each value. */
  readonly band?: { readonly low: readonly (number | null)[]; readonly high: readonly (number | null)[] }
  /** Whether it is one of the curves behind a mean, which are drawn thin and without a name. */
  readonly isMember?: boolean
}

/** The visible part of a metric. */
export interface View {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly low: number | undefined
  readonly high: number | undefined
  readonly isLog: boolean
}

/** The width of the view box for lines, and the height of the picture in pixels. */
const [ACROSS, HEIGHT] = [2_000, 320]
const EDGE = { top: 36, bottom: 44 }
/** Positions of the first and last step, and of the names of attempts, in thousandths of the width. */
const SIDE = { left: 45, right: 920, names: 950 }
/** The maximum number of curves that are named at their ends, and the pixels between two names. */
const [NAMED, BETWEEN] = [20, 12]

type Scales = ReturnType<typeof scalesOf>

const isIn = (value: number, from: number | undefined, to: number | undefined) =>
  value >= (from ?? Number.NEGATIVE_INFINITY) && value <= (to ?? Number.POSITIVE_INFINITY)

/**
 * The scales for some curves: steps in thousandths of the picture's width, values in pixels; of the requested range, or
 * of all steps and values. @param names the position of the names, in thousandths of the width
 */
function scalesOf(curves: readonly Curve[], { from, to, low, high, isLog }: View, names: number) {
  const right = names - (SIDE.names - SIDE.right)
  const steps = curves.flatMap(({ columns }) =>
    columns.step.length === 0 ? [] : [columns.step[0] ?? 0, columns.step.at(-1) ?? 0],
  )
  const first = from ?? steps.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  const last = to ?? steps.reduce((one, other) => Math.max(one, other), 0)
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { columns, band } of curves)
    columns.value.forEach((value, index) => {
      for (const each of [value, band?.low[index], band?.high[index]]) {
        if (typeof each !== "number" || !isIn(columns.step[index] ?? 0, from, to) || (isLog && each <= 0)) continue
        least = Math.min(least, each)
        greatest = Math.max(greatest, each)
      }
    })
  if (least > greatest) [least, greatest] = [isLog ? 1 : 0, isLog ? 10 : 1]
  const begin = Number.isFinite(first) ? first : 0
  // A single step is placed in the middle, and is the only tick.
  const isOneStep = last <= begin
  const [start, end] = isOneStep ? [begin - 1, begin + 1] : [begin, last]
  const [bottom, top] = [low !== undefined && (!isLog || low > 0) ? low : least, high ?? greatest]
  const x = scaleLinear([start, end], [SIDE.left, right])
  const margin = low !== undefined || high !== undefined ? 0 : 0.04
  const y = axis(bottom, top, [HEIGHT - EDGE.bottom, EDGE.top], { isLog, margin })
  return {
    from: start,
    to: end,
    low: y.low,
    high: y.high,
    right,
    names,
    ticks: { x: isOneStep ? [begin] : x.ticks(6).filter(Number.isInteger), y: y.ticks.slice(0, 14) },
    x: (step: number) => x(step),
    y: y.at,
  }
}

/** A short SVG path of whole numbers, each relative to the one before, with a gap for values that are not numbers. */
function path({ columns }: Curve, scales: Scales, isLog: boolean): string {
  let [text, atX, atY, isDown] = ["", 0, 0, false]
  columns.step.forEach((step, index) => {
    const value = columns.value[index]
    if (typeof value !== "number" || (isLog && value <= 0)) {
      isDown = false
      return
    }
    const [x, y] = [
      Math.round((scales.x(step) / 1_000) * ACROSS),
      Math.round(Math.max(-1e4, Math.min(1e4, scales.y(value)))),
    ]
    const [alongX, alongY] = isDown ? [x - atX, y - atY] : [x, y]
    // One "l" command takes all the pairs that follow it.
    text +=
      `${isDown ? (text.at(-1) === "l" ? "" : " ") : `M`}${alongX}${alongY < 0 ? "" : " "}` +
      `${alongY}${isDown ? "" : "l"}`
    ;[atX, atY, isDown] = [x, y, true]
  })
  return text.replace(/l(?=M|$)/g, "h0").replace(/l /g, "l")
}

/** The SVG path of the area between the ends of a curve's intervals. */
function area({ columns, band }: Curve, scales: Scales): string {
  if (band === undefined) return ""
  const point = (step: number, value: number) =>
    `${Math.round((scales.x(step) / 1_000) * ACROSS)} ${Math.round(scales.y(value))}`
  const ends = columns.step.flatMap((step, index) => {
    const [low, high] = [band.low[index], band.high[index]]
    return low == null || high == null ? [] : [{ above: point(step, high), below: point(step, low) }]
  })
  return ends.length < 2
    ? ""
    : `M${ends.map(({ above }) => above).join("L")}L${ends
        .toReversed()
        .map(({ below }) => below)
        .join("L")}z`
}

const UP = markup("M-5 4L0 -5L5 4z")
const DOWN = markup("M-5 -4L0 5L5 -4z")
const CROSS = markup("M-4.5 -4.5L4.5 4.5M4.5 -4.5L-4.5 4.5")

/** Finds runs of equal values that are not finite, with their first and last step. */
export function runs({
  columns,
}: Pick<Curve, "columns">): { readonly kind: string; readonly from: number; readonly to: number }[] {
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
      const text =
        `${curve.label}: ${kind} ` +
        `${
          from === to
            ? `at step ${from.toLocaleString("en")}`
            : `from step ${from.toLocaleString("en")} to ${to.toLocaleString("en")}`
        }`
      const shape = kind === "NaN" ? CROSS : kind === "Infinity" ? UP : DOWN
      return html`<g>${
        end > start
          ? html`<line class="line ${lineOf(curve.index)}" x1="${percent(start)}" x2="${percent(end)}" y1="${y}" \
y2="${y}"/>`
          : null
      }<svg class="at" x="${percent(start)}" y="${y}" width="1" height="1">\
<path class="gap ${lineOf(curve.index)}" d="${shape}"/></svg><title>${text}</title></g>`
    })}`
}

/** The position of a curve's last visible number: in thousandths of the width, and in pixels. */
function endOf({ columns: { step, value } }: Curve, scales: Scales): readonly [number, number] | undefined {
  const at = step.findLastIndex(
    (each, index) =>
      isIn(each, scales.from, scales.to) &&
      typeof value[index] === "number" &&
      isIn(Number(value[index]), scales.low, scales.high),
  )
  return at < 0 ? undefined : [scales.x(step[at] ?? 0), scales.y(Number(value[at]))]
}

/**
 * Draws each attempt's shape at the end of its curve, and its name beside the picture. Names are spread out, with a
 * thin line to each.
 */
function ends(curves: readonly Curve[], scales: Scales): Html {
  const found = curves
    .filter(({ isMember }) => isMember !== true)
    .flatMap((curve) => {
      const end = endOf(curve, scales)
      return end === undefined ? [] : [{ curve, x: end[0], y: end[1] }]
    })
  const shape = ({ curve, x, y }: (typeof found)[number]) =>
    html`<svg class="at" x="${percent(x)}" y="${y.toFixed(1)}" width="1" height="1">\
<path class="${fillOf(curve.index)}" d="${shapeOf(curve.index)}"/></svg>`
  if (found.length > NAMED) return html`${found.map(shape)}`
  const sorted = found.toSorted((one, other) => one.y - other.y)
  const places: number[] = []
  for (const { y } of sorted) places.push(Math.max(y, (places.at(-1) ?? Number.NEGATIVE_INFINITY) + BETWEEN))
  // Names below the lower edge move up, and push up the names above them.
  let below = HEIGHT - EDGE.bottom + BETWEEN
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index] ?? 0, below - BETWEEN)
    below = places[index] ?? 0
  }
  return html`${sorted.map(
    ({ curve, x, y }, index) =>
      html`<line class="leader ${lineOf(curve.index)}" x1="${percent(x)}" y1="${y.toFixed(1)}" \
x2="${percent(scales.names - 5)}" y2="${(places[index] ?? 0).toFixed(1)}"/>\
<text class="end" x="${percent(scales.names)}" y="${((places[index] ?? 0) + 4).toFixed(1)}">${curve.label}</text>`,
  )}${found.map(shape)}`
}

interface Texts {
  /** The title of the axis of values. */
  readonly title: string
  /** The text for screen readers. */
  readonly description: string
  /** The attempt that the others are compared with. */
  readonly baseline: string | undefined
  /** The position of names, in thousandths of the width. Long names need more room. */
  readonly names?: number
}

/** Draws the picture, without a legend. */
export function picture(
  curves: readonly Curve[],
  view: View,
  { title, description, baseline, names = SIDE.names }: Texts,
): Html {
  const scales = scalesOf(curves, view, names)
  return html`<svg class="chart fluid plot" width="100%" height="${HEIGHT}" role="img" \
aria-label="${description}"${attributes({
    "data-from": scales.from,
    "data-to": scales.to,
    "data-low": scales.low,
    "data-high": scales.high,
    "data-log": view.isLog ? "1" : null,
    "data-top": EDGE.top,
    "data-bottom": HEIGHT - EDGE.bottom,
    "data-left": SIDE.left,
    "data-right": scales.right,
  })}>
${scales.ticks.y.map(
  (tick) =>
    html`<line class="tick" x1="0" x2="100%" y1="${scales.y(tick).toFixed(1)}" y2="${scales.y(tick).toFixed(1)}"/>`,
)}
<line class="axis" x1="0" x2="100%" y1="${HEIGHT - EDGE.bottom}" y2="${HEIGHT - EDGE.bottom}"/>
<svg class="lines" x="0" y="${EDGE.top - 4}" width="100%" height="${HEIGHT - EDGE.top - EDGE.bottom + 8}" \
viewBox="0 ${EDGE.top - 4} ${ACROSS} ${HEIGHT - EDGE.top - EDGE.bottom + 8}" preserveAspectRatio="none">\
${curves.map((curve) =>
  curve.band === undefined
    ? null
    : html`<path class="band ${fillOf(curve.index)}" d="${markup(area(curve, scales))}"/>`,
)}${curves.map(
  (curve) =>
    html`<path class="line ${lineOf(curve.index)}${curve.attemptId === baseline ? " base" : ""}${
      curve.isMember === true ? " member" : ""
    }" d="${markup(path(curve, scales, view.isLog))}"/>`,
)}</svg>
${ends(curves, scales)}${curves.map((curve) => marks(curve, scales))}
${scales.ticks.y.map((tick) => html`<text x="2" y="${(scales.y(tick) - 3).toFixed(1)}">${figure(tick)}</text>`)}
${scales.ticks.x.map(
  (tick) =>
    html`<text x="${percent(scales.x(tick))}" y="${HEIGHT - 26}" text-anchor="middle">\
${tick.toLocaleString("en")}</text>`,
)}
<text class="title" x="2" y="11">${title}${view.isLog ? ", log axis" : null}</text>\
<text class="title" x="50%" y="${HEIGHT - 6}" text-anchor="middle">step</text>
<line class="cursor" x1="0" x2="0" y1="${EDGE.top}" y2="${HEIGHT - EDGE.bottom}"/>\
<rect class="brush" x="0" y="0" width="0" height="0"/></svg>`
}
