/** Plots a metric against a setting in words: a row for each setting, with a mark for each attempt along an axis. */
import { address } from "../addresses.ts"
import { type Html, html } from "../html.ts"
import { figure, words } from "../words.ts"
import { glyph, tone } from "../parts/marks.ts"
import { type Axis, percent } from "./axis.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"

export type Row = AnswerOf<"attempt_table">["items"][number]
/** An attempt that ran with the setting and reported the metric. */
export interface Point {
  readonly row: Row
  readonly setting: string
  readonly value: number
}

/** The positions of the ends of the axis, in percent. Values that are not finite are placed outside. */
export const ALONG: readonly [number, number] = [5, 92]
const [LOWEST, HIGHEST] = [2, 97]
/** The vertical position of marks in a row, in pixels. */
const MIDDLE = 12

/** The mark of an attempt, which is a link to it. @param name its setting and value, for screen readers */
export function mark({ row }: Point, x: number, y: number, name: string): Html {
  const state = row.outcome ?? row.status
  return html`<svg class="at ${tone(state)}" x="${percent(x)}" y="${y.toFixed(1)}" width="1" height="1"><a href="${address("attempt", row.attemptId)}" tabindex="-1"><g>${glyph(state)}</g><title>${row.label}: ${name}, ${words(state)}</title></a></svg>`
}

const place = (value: number, axis: Axis): number =>
  Number.isFinite(value) ? axis.at(value) : value === Number.NEGATIVE_INFINITY ? LOWEST : HIGHEST

/** @param axis the axis of the metric, with the range `ALONG` */
export function dotRows(groups: readonly (readonly [string, readonly Point[]])[], axis: Axis, metric: string): Html {
  const lines = axis.ticks.map(
    (tick) => html`<line class="tick" x1="${percent(axis.at(tick))}" x2="${percent(axis.at(tick))}" y1="0" y2="100%"/>`,
  )
  const row = ([setting, points]: readonly [string, readonly Point[]]) =>
    html`<li><span>${setting}</span><svg class="chart fluid" width="100%" height="${2 * MIDDLE}" role="img" aria-label="${points.map(({ row: { label }, value }) => `${label} ${figure(value)}`).join(", ")}">${lines}${points.map((point) => mark(point, place(point.value, axis), MIDDLE, `${metric} ${figure(point.value)}`))}</svg></li>`
  return html`<ul class="dot-rows">${groups.map(row)}<li aria-hidden="true"><span></span><svg class="chart fluid" width="100%" height="${2 * MIDDLE}">${axis.ticks.map((tick) => html`<text x="${percent(axis.at(tick))}" y="14" text-anchor="middle">${figure(tick)}</text>`)}</svg></li></ul>`
}
