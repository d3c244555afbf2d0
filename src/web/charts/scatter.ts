/**
 * Plots a metric against a setting, with a mark for each attempt that shows its outcome. A setting in words has a row
 * for each of its values.
 */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { address } from "../addresses.ts"
import { type Html, html } from "../html.ts"
import { glyph, tone } from "../parts/marks.ts"
import { counted, figure, shortened, words } from "../words.ts"
import { type Axis, axis, percent } from "./axis.ts"

type Row = AnswerOf<"attempt_table">["items"][number]
interface Point {
  readonly row: Row
  readonly setting: string
  readonly value: number
}

/** The positions of the ends of the axis, in percent. Values that are not finite are placed outside. */
const ALONG: readonly [number, number] = [5, 92]
const [LOWEST, HIGHEST] = [2, 97]
/** The vertical position of marks in a row, in pixels. */
const MIDDLE = 12

/** The mark of an attempt, which is a link to it. @param name its setting and value, for screen readers */
function mark({ row }: Point, x: number, y: number, name: string): Html {
  const state = row.outcome ?? row.status
  return html`<svg class="at ${tone(state)}" x="${percent(x)}" y="${y.toFixed(1)}" width="1" height="1">\
<a href="${address("attempt", row.attemptId)}" tabindex="-1"><g>${glyph(state)}</g>\
<title>${row.label}: ${name}, ${words(state)}</title></a></svg>`
}

const place = (value: number, axis: Axis): number =>
  Number.isFinite(value) ? axis.at(value) : value === Number.NEGATIVE_INFINITY ? LOWEST : HIGHEST

/** @param axis the axis of the metric, with the range `ALONG` */
function dotRows(groups: readonly (readonly [string, readonly Point[]])[], axis: Axis, metric: string): Html {
  const lines = axis.ticks.map(
    (tick) => html`<line class="tick" x1="${percent(axis.at(tick))}" x2="${percent(axis.at(tick))}" y1="0" y2="100%"/>`,
  )
  const row = ([setting, points]: readonly [string, readonly Point[]]) =>
    html`<li><span>${setting}</span><svg class="chart fluid" width="100%" height="${2 * MIDDLE}" role="img" \
aria-label="${points.map(({ row: { label }, value }) => `${label} ${figure(value)}`).join(", ")}">${lines}\
${points.map((point) => mark(point, place(point.value, axis), MIDDLE, `${metric} ${figure(point.value)}`))}</svg></li>`
  return html`<ul class="dot-rows">${groups.map(row)}<li aria-hidden="true"><span></span>\
<svg class="chart fluid" width="100%" height="${2 * MIDDLE}">\
${axis.ticks.map(
  (tick) => html`<text x="${percent(axis.at(tick))}" y="14" text-anchor="middle">${figure(tick)}</text>`,
)}</svg></li></ul>`
}

interface Axes {
  readonly setting: string
  readonly metric: string
  readonly unit: string | null
  readonly isLog: boolean
}
const HEIGHT = 440
const EDGE = { top: 44, bottom: 50 }
/** The margin on either side, in percent of the width. */
const SIDE = 6
/** The maximum number of settings in words that get a row. */
const MOST_WORDS = 60
/** The maximum number of attempts that are named as not drawn. */
const NAMED = 20

const asNumber = (text: string) => (text.trim() === "" ? Number.NaN : Number(text))

/** An axis for the values that it can show: finite ones, and above 0 on a log axis. */
function numbers(values: readonly number[], isLog: boolean, range: readonly [number, number]) {
  const shown = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0))
  const [low, high] = shown.length === 0 ? [1, 10] : [Math.min(...shown), Math.max(...shown)]
  const whole = axis(low, high, range, { isLog, isRound: true })
  // A log axis has ticks at 1, 2 and 5 times each power of ten.
  return { ...whole, ticks: whole.ticks.filter((tick) => !isLog || /^[125]/.test(tick.toExponential())).slice(0, 12) }
}

/** A sentence about attempts that are not drawn: "Not drawn: A3, A9 (2 attempts), which lack …". */
function notDrawn(rows: readonly Row[], why: string): string | null {
  if (rows.length === 0) return null
  const names = rows.slice(0, NAMED).map(({ label }) => label)
  return (
    ` Not drawn: ${names.join(", ")}` +
    `${rows.length > NAMED ? ` and ${(rows.length - NAMED).toLocaleString("en")} more` : ""} ` +
    `(${counted(rows.length, "attempt")}), ${why}.`
  )
}

function field(points: readonly Point[], { setting, metric, isLog }: Axes, title: string): Html {
  const along = numbers(
    points.map((point) => asNumber(point.setting)),
    isLog,
    [SIDE, 100 - SIDE],
  )
  const up = numbers(
    points.map(({ value }) => value),
    isLog,
    [HEIGHT - EDGE.bottom - 10, EDGE.top + 4],
  )
  const drawn = (point: Point): Html => {
    const { value } = point
    const y = Number.isFinite(value)
      ? up.at(value)
      : value === Number.NEGATIVE_INFINITY
        ? HEIGHT - EDGE.bottom
        : EDGE.top - 14
    return mark(
      point,
      along.at(asNumber(point.setting)),
      y,
      `${setting} ${shortened(point.setting, 60)}, ${metric} ${figure(value)}`,
    )
  }
  return html`<svg class="chart fluid" width="100%" height="${HEIGHT}" role="group" \
aria-label="${metric} against ${setting}, ${counted(points.length, "attempt")}. The table of attempts has the same.">
${up.ticks.map(
  (tick) =>
    html`<line class="tick" x1="0" x2="100%" y1="${up.at(tick).toFixed(1)}" y2="${up.at(tick).toFixed(1)}"/>\
<text x="2" y="${(up.at(tick) - 4).toFixed(1)}">${figure(tick)}</text>`,
)}
<text class="title" x="2" y="11">${title}</text>
<line class="axis" x1="0" x2="100%" y1="${HEIGHT - EDGE.bottom}" y2="${HEIGHT - EDGE.bottom}"/>
${along.ticks.map(
  (tick) => html`<text x="${percent(along.at(tick))}" y="${HEIGHT - 32}" text-anchor="middle">${figure(tick)}</text>`,
)}
<text class="title" x="50%" y="${HEIGHT - 10}" text-anchor="middle">${setting}</text>
${points.map(drawn)}</svg>`
}

/** The picture, and a caption with the attempts that could not be drawn. */
export function scatter(rows: readonly Row[], axes: Axes): Html {
  const { metric, unit, isLog, setting } = axes
  const title = `${metric}${unit === null ? "" : ` in ${unit}`}, last value`
  const all = rows.flatMap((row): readonly Point[] =>
    row.pair?.setting == null || row.pair.metric === null
      ? []
      : [{ row, setting: row.pair.setting, value: Number(row.pair.metric.value) }],
  )
  const isNumeric = all.every((point) => Number.isFinite(asNumber(point.setting)))
  const isLow = ({ value, setting: text }: Point) => isLog && (value <= 0 || (isNumeric && asNumber(text) <= 0))
  const placed = all.filter((point) => !isLow(point))
  const groups = [...Map.groupBy(placed, (point) => point.setting)].toSorted(([one], [other]) =>
    one.localeCompare(other, "en", { numeric: true }),
  )
  const values = numbers(
    placed.map(({ value }) => value),
    isLog,
    ALONG,
  )
  const known = new Set(all.map(({ row }) => row.attemptId))
  const others = isNumeric ? [] : groups.slice(MOST_WORDS).flatMap(([, points]) => points.map(({ row }) => row))
  return html`<figure class="scatter">\
${
  isNumeric
    ? field(placed, axes, title)
    : html`<p class="axes"><span>${setting}</span><span>${title}</span></p>\
${dotRows(groups.slice(0, MOST_WORDS), values, metric)}`
}<figcaption>${
    placed.some(({ value }) => !Number.isFinite(value))
      ? `Values that are not numbers are ${isNumeric ? "above the picture" : "at its edges"}.`
      : null
  }${notDrawn(
    rows.filter(({ attemptId }) => !known.has(attemptId)),
    `which lack ${setting} or ${metric}`,
  )}${notDrawn(
    all.filter(isLow).map(({ row }) => row),
    "whose values are not above 0 and have no place on a log axis",
  )}${notDrawn(others, `whose settings come after the first ${MOST_WORDS}`)}</figcaption></figure>`
}
