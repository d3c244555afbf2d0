/** Metrics over steps: small multiples, one for each metric, the attempts told apart by colour and dash alike. */
import { scaleLinear } from "d3-scale"
import { line } from "d3-shape"
import { type Html, html, markup } from "../html.ts"

/** One attempt's points of one metric. A value that is no finite number breaks the line and is marked. */
export interface Series {
  readonly attemptId: string
  readonly label: string
  readonly points: readonly { readonly x: number; readonly value: number | string }[]
}
export interface Metric {
  readonly name: string
  readonly unit: string | null
  readonly series: readonly Series[]
}

const [WIDTH, HEIGHT] = [340, 200]
const EDGE = { left: 46, right: 20, top: 10, bottom: 26 }
/** Points beyond this are thinned, each stretch by its least and its greatest value. */
const MOST = 400

interface Point {
  readonly x: number
  readonly value: number | string
}

/** Keeps the extremes of each stretch, and whatever is no finite number. */
function thinned(points: readonly Point[], most = MOST): readonly Point[] {
  if (points.length <= most) return points
  const size = Math.ceil(points.length / (most / 2))
  const kept: Point[] = []
  for (let start = 0; start < points.length; start += size) {
    const stretch = points.slice(start, start + size)
    const finite = stretch.filter((point): point is { x: number; value: number } => typeof point.value === "number")
    const [least] = [...finite].sort((one, other) => one.value - other.value)
    const greatest = [...finite].sort((one, other) => other.value - one.value)[0]
    const picked = new Set<Point>(
      [least, greatest, ...stretch.filter(({ value }) => typeof value !== "number")].filter((point) => point !== undefined),
    )
    kept.push(...stretch.filter((point) => picked.has(point)))
  }
  return kept
}

const brief = (value: number) =>
  value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3) ? value.toExponential(1) : Number(value.toPrecision(4)).toString()

function told({ name, unit, series }: Metric): string {
  const last = series.map(({ label, points }) => {
    const point = points.at(-1)
    return point === undefined
      ? `${label}: no point`
      : `${label}: ${typeof point.value === "number" ? brief(point.value) : point.value} at step ${point.x}`
  })
  return `${name}${unit === null ? "" : ` in ${unit}`} over steps. Last values: ${last.join("; ")}.`
}

/** The class of the n-th attempt: a colour and a dash, so that either tells it apart. */
const styleOf = (index: number) => (index % 6) + 1

function plot(metric: Metric, order: readonly string[]): Html {
  const { series } = metric
  const points = series.flatMap((one) => one.points)
  const finite = points.flatMap(({ value }) => (typeof value === "number" ? [value] : []))
  const [low, high] = finite.length === 0 ? [0, 1] : [Math.min(...finite), Math.max(...finite)]
  const [first, last] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))]
  const x = scaleLinear([first, last === first ? first + 1 : last], [EDGE.left, WIDTH - EDGE.right])
  const y = scaleLinear([low, high === low ? low + 1 : high], [HEIGHT - EDGE.bottom, EDGE.top]).nice(4)
  const draw = line<Point>()
    .defined(({ value }) => typeof value === "number")
    .x((point) => x(point.x))
    .y((point) => y(Number(point.value)))
  const one = (series: Series) => {
    const style = styleOf(order.indexOf(series.attemptId))
    const shown = thinned(series.points)
    const single = shown.filter(({ value }) => typeof value === "number").length === 1
    return html`<path class="line s${style} d${style}" d="${markup((draw([...shown]) ?? "").replace(/(\.\d)\d+/g, "$1"))}"><title>${series.label}</title></path>
${shown.map((point) =>
  typeof point.value === "number"
    ? single
      ? html`<circle class="p${style}" cx="${x(point.x).toFixed(1)}" cy="${y(point.value).toFixed(1)}" r="3"/>`
      : null
    : html`<g><path class="gap s${style}" d="M${(x(point.x) - 4).toFixed(1)} ${EDGE.top}l8 8m0-8l-8 8"/><title>${series.label}: ${point.value} at step ${point.x}</title></g>`,
)}`
  }
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${told(metric)}">
${y.ticks(4).map((tick) => html`<path class="tick" d="M${EDGE.left} ${y(tick).toFixed(1)}H${WIDTH - EDGE.right}"/><text x="${EDGE.left - 6}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${brief(tick)}</text>`)}
<path class="axis" d="M${EDGE.left} ${HEIGHT - EDGE.bottom}H${WIDTH - EDGE.right}"/>
${x.ticks(4).map((tick) => html`<text x="${x(tick).toFixed(1)}" y="${HEIGHT - 9}" text-anchor="middle">${tick.toLocaleString("en")}</text>`)}
${series.map(one)}</svg>`
}

/** The one legend of all the plots. */
const legend = (attempts: readonly Series[]): Html =>
  html`<ul class="legend">${attempts.map(
    ({ label }, index) =>
      html`<li><svg class="chart" viewBox="0 0 30 8" width="30" height="8" aria-hidden="true" focusable="false"><path class="line s${styleOf(index)} d${styleOf(index)}" d="M0 4H30"/></svg>
    ${label}</li>`,
  )}</ul>`

/** Every metric as a plot of its own. @param attempts in the order of the legend */
export function metricPlots(metrics: readonly Metric[], attempts: readonly { readonly attemptId: string; readonly label: string }[]): Html {
  const order = attempts.map(({ attemptId }) => attemptId)
  return html`${attempts.length < 2 ? null : legend(attempts.map((attempt) => ({ ...attempt, points: [] })))}
<div class="multiples">${metrics.map((metric) => html`<figure><figcaption>${metric.name}${metric.unit === null ? null : html` <span class="quiet">${metric.unit}</span>`}</figcaption>${plot(metric, order)}</figure>`)}</div>`
}
