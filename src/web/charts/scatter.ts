/** A setting against a metric: a mark for each attempt, of the shape and colour of its outcome. */
import { scalePoint } from "d3-scale"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { address } from "../addresses.ts"
import { type Html, html } from "../html.ts"
import { figure } from "../numbers.ts"
import { glyph, tone } from "../parts/marks.ts"
import { counted, shortened, words } from "../words.ts"
import { axis } from "./axis.ts"

type Row = AnswerOf<"attempt_table">["items"][number]
interface Axes {
  readonly setting: string
  readonly metric: string
  readonly unit: string | null
  readonly isLog: boolean
}

const HEIGHT = 420
const EDGE = { top: 28, bottom: 34 }
/** Percent of the width that stays free on either side. */
const SIDE = 6
/** Settings in words that have a place of their own on the axis. */
const MOST_WORDS = 24

const asNumber = (text: string) => (text.trim() === "" ? Number.NaN : Number(text))

/** Where a number stands, and the ticks beside it; on a log axis only what is above 0 has a place. */
function numbers(values: readonly number[], isLog: boolean, range: readonly [number, number]) {
  const shown = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0))
  const [low, high] = shown.length === 0 ? [1, 10] : [Math.min(...shown), Math.max(...shown)]
  const { at, ticks: all } = axis(low, high, range, { isLog, isRound: true })
  // Of the many ticks between two powers of ten, those that people count by.
  const ticks = all.filter((tick) => !isLog || /^[125]/.test(tick.toExponential()))
  return { at, ticks: ticks.slice(0, 12) }
}

/** The picture, and what could not be drawn in it. */
export function scatter(rows: readonly Row[], { setting, metric, unit, isLog }: Axes): Html {
  const all = rows.flatMap((row) =>
    row.pair?.setting == null || row.pair.metric === null ? [] : [{ row, setting: row.pair.setting, value: Number(row.pair.metric.value) }],
  )
  const texts = [...new Set(all.map((point) => point.setting))]
  const isNumeric = texts.every((text) => Number.isFinite(asNumber(text)))
  const words_ = texts.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true })).slice(0, MOST_WORDS)
  const along = isNumeric ? numbers(texts.map(asNumber), isLog, [SIDE, 100 - SIDE]) : undefined
  const places = scalePoint(words_, [SIDE, 100 - SIDE]).padding(0.5)
  const up = numbers(
    all.map(({ value }) => value),
    isLog,
    [HEIGHT - EDGE.bottom - 10, EDGE.top + 4],
  )
  const xOf = (text: string) => (along === undefined ? places(text) : along.at(asNumber(text)))
  const hasPlace = ({ setting: text, value }: (typeof all)[number]) => {
    const x = xOf(text)
    return x !== undefined && Number.isFinite(x) && (!Number.isFinite(value) || !isLog || value > 0)
  }
  const drawn = all.filter(hasPlace)
  const left = [
    [rows.length - all.length, "without one of the two"],
    [
      all.length - drawn.length,
      isLog ? "not above 0, which a log axis has no place for" : `with other settings than the first ${MOST_WORDS}`,
    ],
  ] as const
  const mark = ({ row, setting: text, value }: (typeof all)[number]): Html => {
    const x = `${(xOf(text) ?? 0).toFixed(2)}%`
    const y = Number.isFinite(value) ? up.at(value) : value === Number.NEGATIVE_INFINITY ? HEIGHT - EDGE.bottom : EDGE.top - 14
    const state = row.outcome ?? row.status
    return html`<svg class="at ${tone(state)}" x="${x}" y="${y.toFixed(1)}" width="1" height="1"><a href="${address("attempt", row.attemptId)}" tabindex="-1"><g>${glyph(state)}</g><title>${row.label}: ${setting} ${shortened(text, 60)}, ${metric} ${figure(value)}, ${words(state)}</title></a></svg>`
  }
  return html`<figure class="scatter"><svg class="chart fluid" width="100%" height="${HEIGHT}" role="group" aria-label="${metric} against ${setting}, ${counted(drawn.length, "attempt")}. The same stands in the table of attempts.">
${up.ticks.map((tick) => html`<line class="tick" x1="0" x2="100%" y1="${up.at(tick).toFixed(1)}" y2="${up.at(tick).toFixed(1)}"/><text x="2" y="${(up.at(tick) - 4).toFixed(1)}">${figure(tick)}</text>`)}
<line class="axis" x1="0" x2="100%" y1="${HEIGHT - EDGE.bottom}" y2="${HEIGHT - EDGE.bottom}"/>
${along !== undefined ? along.ticks.map((tick) => html`<text x="${along.at(tick).toFixed(2)}%" y="${HEIGHT - 16}" text-anchor="middle">${figure(tick)}</text>`) : words_.map((text) => html`<text x="${(places(text) ?? 0).toFixed(2)}%" y="${HEIGHT - 16}" text-anchor="middle">${shortened(text, Math.max(4, Math.floor(120 / words_.length)))}</text>`)}
${drawn.map(mark)}</svg><figcaption>Across: ${setting}. Up: ${metric}${unit === null ? null : ` in ${unit}`}, the last value. Values that are not numbers are above the picture.${left.map(([count, why]) => (count === 0 ? null : ` Not drawn: ${counted(count, "attempt")} ${why}.`))}</figcaption></figure>`
}
