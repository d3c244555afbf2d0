/**
 * Draws differences as a table: rows for what is compared, columns for sizes, and in each cell the difference with its
 * interval as a whisker on one axis for all cells. The same table as an SVG file, as Markdown and as CSV.
 * Reproductions are lines below the effect that they repeat.
 */
import { figureOn, intervalOn, type Scale, scaleOf } from "../../research/measurements/statistics.ts"
import { csvLine, markdownTable } from "../../research/attempts/table.ts"
import { attributes, type Content, type Html, html, markup, to } from "../html.ts"
import { figure, counted } from "../words.ts"
import { type Axis, axis } from "./axis.ts"
import { writerName } from "../../contract/answers/parts.ts"
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import { stateMark } from "../parts/marks.ts"
import { fromOther, label, person } from "../parts/parts.ts"
import type { Visit } from "../visit.ts"

export interface EffectCell {
  /** The difference; null if there is none, with the reason in `text`. */
  readonly estimate: number | null
  readonly se: number | null
  readonly low: number | null
  readonly high: number | null
  /** How many values or pairs: `n 10`. */
  readonly n: string
  /** Whether it is told apart from zero, after the correction for all comparisons. */
  readonly isDistinct: boolean
  /** A text in place of a difference: the mean of a baseline, or why there is none. */
  readonly text?: string
  /** Marks such as how many reproduced it, and the same in words. */
  readonly marks?: Content
  readonly marksInWords?: string
  /** What to know of it, on hover. */
  readonly note?: string
  /** The page of its sources. */
  readonly path?: string | undefined
}

export interface EffectLine {
  readonly head: Content
  /** The head as plain text. */
  readonly name: string
  /** What this row shares with its neighbours, told once above them: `updates 5000`. */
  readonly block?: string
  /**
   * `group` is a heading without cells, `base` a baseline, `repeat` a reproduction of the line above, `pooled` an
   * estimate of several.
   */
  readonly look?: "base" | "repeat" | "pooled" | "stale" | "group" | undefined
  readonly cells: readonly (EffectCell | null)[]
}

export interface EffectPicture {
  readonly caption: string
  /** The name of what the rows are. */
  readonly corner: string
  readonly columns: readonly string[]
  readonly lines: readonly EffectLine[]
  readonly unit: string | null
}

const finite = (values: readonly (number | null)[]): number[] =>
  values.filter((value): value is number => value !== null && Number.isFinite(value))

/** How far an interval may extend the axis, in lengths of the range of estimates and zero. Longer ones are cut. */
const REACH = 1.5

/** The axis of all cells, from 0 to 100. It includes zero and all estimates. */
function axisOf({ lines }: EffectPicture): Axis {
  const cells = lines.flatMap((line) => line.cells).filter((cell) => cell !== null && cell.estimate !== null)
  const middles = finite([0, ...cells.map((cell) => cell?.estimate ?? null)])
  const halves = finite(
    cells.map((cell) => (cell === null || cell.low === null || cell.high === null ? null : (cell.high - cell.low) / 2)),
  )
  const [least, most] = [Math.min(...middles), Math.max(...middles)]
  const middling = halves.toSorted((one, other) => one - other)[Math.floor(halves.length / 2)] ?? 0
  const room = Math.max(REACH * (most - least), 2 * middling)
  const low = Math.max(least - room, Math.min(least, ...finite(cells.map((cell) => cell?.low ?? null))))
  const high = Math.min(most + room, Math.max(most, ...finite(cells.map((cell) => cell?.high ?? null))))
  return axis(low, high, [3, 97], { isLog: false, isRound: true })
}

const place = (value: number): string => Math.min(99.5, Math.max(0.5, value)).toFixed(1)

interface Whisker {
  readonly zero: string
  readonly mid: string
  /** The ends of the interval, and whether they lie beyond the picture; undefined without an interval. */
  readonly span:
    | { readonly from: string; readonly to: string; readonly cutLow: boolean; readonly cutHigh: boolean }
    | undefined
}
function whiskerOf({ estimate, low, high }: EffectCell, along: Axis): Whisker | null {
  if (estimate === null || !Number.isFinite(estimate)) return null
  const [from, until] = finite([low, high]).map((value) => along.at(value))
  return {
    zero: place(along.at(0)),
    mid: place(along.at(estimate)),
    span:
      from === undefined || until === undefined
        ? undefined
        : { from: place(from), to: place(until), cutLow: from < 0, cutHigh: until > 100 },
  }
}

/** How the numbers of a picture are written: on the scale of its unit, all with as many decimals. */
interface Writing extends Scale {
  /** The middle one of the standard errors. */
  readonly se: number | null
}
function writingOf({ lines, unit }: EffectPicture): Writing {
  const known = finite(lines.flatMap(({ cells }) => cells.map((cell) => cell?.se ?? null))).filter((se) => se > 0)
  const se = known.toSorted((one, other) => one - other)[Math.floor((known.length - 1) / 2)] ?? null
  return { ...scaleOf(unit), se }
}

/** The numbers of a cell as texts: `−4.1`, `−5.0 to −3.2`. */
const numbersOf = ({ estimate, low, high }: EffectCell, writing: Writing) => ({
  value: figureOn(writing, estimate, writing.se),
  between: low === null ? "no spread known" : intervalOn(writing, low, high, writing.se),
})

const HEIGHT = 14
function whisker(drawn: Whisker, look: EffectLine["look"]): Html {
  const { zero, mid, span } = drawn
  const cut = (isCut: boolean, x: number, by: number) => (isCut ? `M${x + by} 3L${x} 7L${x + by} 11` : "")
  const ends = span && cut(span.cutLow, 0.5, 2.5) + cut(span.cutHigh, 99.5, -2.5)
  return html`<svg class="whisker" viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path \
class="zero" d="M${zero} 0V${HEIGHT}"/>${span && html`<path class="span" d="M${span.from} 7H${span.to}${ends}"/>`}${
    look === "pooled" && span
      ? html`<path class="pool" d="M${span.from} 7L${mid} 2L${span.to} 7L${mid} 12z"/>`
      : html`<path class="mid" d="M${mid} 7h0"/>`
  }</svg>`
}

function cellOf(cell: EffectCell | null, look: EffectLine["look"], column: string, along: Axis, scale: Writing): Html {
  const at = column === "" ? null : column
  if (cell === null) return html`<td><div${attributes({ "data-at": at })}><span class="quiet">–</span></div></td>`
  const drawn = whiskerOf(cell, along)
  const { value, between } = numbersOf(cell, scale)
  const exact =
    cell.estimate === null
      ? null
      : [
          figure(cell.estimate),
          cell.low !== null && cell.high !== null ? ` (${figure(cell.low)} to ${figure(cell.high)})` : "",
          cell.note === undefined ? "" : `; ${cell.note}`,
        ]
          .join("")
          .replaceAll("-", "−")
  const count = cell.n === "" ? null : html` <small>${cell.n}</small>`
  const numbers =
    drawn === null
      ? html`<span class="numbers"${attributes({ title: cell.note ?? null })}>${cell.text ?? "–"}${count}</span>`
      : html`${whisker(drawn, look)}<span class="numbers">${
          cell.isDistinct
            ? html`<b title="${exact}">${value}<span class="aside">, told apart,</span></b>`
            : html`<span title="${exact}">${value}</span>`
        } <i>${between}</i>${count}${cell.marks}</span>`
  const inside =
    cell.path === undefined
      ? html`<div${attributes({ "data-at": at })}>${numbers}</div>`
      : html`<a${attributes({ "data-at": at, href: to(cell.path) })}>${numbers}</a>`
  return cell.isDistinct ? html`<td class="told">${inside}</td>` : html`<td>${inside}</td>`
}

/** The ticks that fit below one column, zero among them. */
function ticksOf({ ticks, at }: Axis): { readonly x: string; readonly value: number }[] {
  const step = Math.max(1, Math.ceil(ticks.length / 4))
  const zero = Math.max(0, ticks.indexOf(0))
  return ticks.filter((_, index) => (index - zero) % step === 0).map((value) => ({ x: at(value).toFixed(1), value }))
}
const tickText = (value: number, { factor }: Scale): string =>
  figure(Number((value * factor).toPrecision(12))).replace("-", "−")

/** Renders the picture as a table. */
export function effectTable(picture: EffectPicture): Html {
  const { caption, corner, columns, lines } = picture
  const [along, scale] = [axisOf(picture), writingOf(picture)]
  const ticks = html`<svg class="chart ticks" width="100%" height="14">${ticksOf(along).map(
    ({ x, value }) => html`\
<text x="${x}%" y="10" text-anchor="middle">${tickText(value, scale)}</text>`,
  )}</svg>`
  const hasDifference = lines.some(({ cells }) => cells.some((cell) => cell !== null && cell.estimate !== null))
  const groupHead = (head: Content) =>
    html`<tr class="group"><th scope="rowgroup" colspan="${columns.length + 1}">${head}</th></tr>
`
  const look = columns.length === 1 ? "table whiskers single" : "table whiskers"
  return html`<div class="${look}" tabindex="0" role="group" aria-label="${caption}"><table><caption \
class="aside">${caption}</caption><thead><tr><th scope="col">${corner}</th>${columns.map(
    (name) => html`<th \
scope="col">${name === "" ? "Difference" : name}</th>`,
  )}</tr></thead>
<tbody>${lines.map(({ head, look, cells, block = "" }, row) =>
    look === "group"
      ? groupHead(head)
      : html`${block === (lines[row - 1]?.block ?? "") ? null : groupHead(block)}\
<tr${attributes({ class: look ?? null })}><th scope="row">${head}</th>${cells.map((cell, at) =>
          cellOf(cell, look, columns[at] ?? "", along, scale),
        )}</tr>
`,
  )}</tbody>${
    hasDifference &&
    html`<tfoot aria-hidden="true"><tr><td></td>${columns.map(
      () => html`<td>${ticks}\
</td>`,
    )}</tr></tfoot>`
  }</table></div>`
}

/** The text of a cell in a file. */
function textOf(cell: EffectCell | null, scale: Writing): string {
  if (cell === null) return "–"
  const { value, between } = numbersOf(cell, scale)
  const mark = cell.marksInWords === undefined ? "" : `; ${cell.marksInWords}`
  if (cell.estimate === null) return [cell.text ?? "–", cell.n].filter((part) => part !== "").join(", ")
  return `${cell.isDistinct ? `**${value}**` : value} (${between}), ${cell.n}${mark}`
}

/** Writes the picture as a Markdown table. */
export function effectMarkdown(picture: EffectPicture, notes: readonly string[]): string {
  const { caption, corner, columns, lines } = picture
  const writing = writingOf(picture)
  return [
    `**${caption}**`,
    "",
    ...markdownTable(
      [corner, ...columns.map((name) => (name === "" ? "difference" : name))],
      lines.map(({ name, cells }) => [name, ...cells.map((cell) => textOf(cell, writing))]),
    ),
    "",
    ...notes,
    "",
  ].join("\n")
}

/** Writes the picture as CSV, one row for each cell, with every digit. */
export const effectCsv = ({ corner, columns, lines }: EffectPicture): string =>
  [
    [corner, "at", "estimate", "low", "high", "se", "n", "told_apart", "text", "marks"],
    ...lines.flatMap(({ name, cells }) =>
      cells.flatMap((cell, at) =>
        cell === null
          ? []
          : [
              [
                name,
                columns[at] ?? "",
                cell.estimate,
                cell.low,
                cell.high,
                cell.se,
                cell.n.replace("n ", ""),
                String(cell.isDistinct),
                cell.text ?? "",
                cell.marksInWords ?? "",
              ],
            ],
      ),
    ),
  ]
    .map(csvLine)
    .join("")

/** Sizes of the SVG file, in pixels: the first column, the others, and rows. */
const [NAME, WIDTH, ROW, TOP] = [190, 170, 44, 64]
const shortly = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

/** Draws the picture as an SVG file that needs no style sheet. */
export function effectSvg(picture: EffectPicture): Html {
  const { caption, corner, columns, lines } = picture
  const [along, scale] = [axisOf(picture), writingOf(picture)]
  const [width, height] = [NAME + WIDTH * columns.length + 16, TOP + ROW * lines.length + 30]
  const text = (x: number, y: number, content: string, more: Readonly<Record<string, string | number>> = {}) =>
    html`<text${attributes({ x: x.toFixed(1), y, fill: "#1d1c1a", ...more })}>${content}</text>`
  const soft = { fill: "#55524c", "font-size": 11 }
  const cell = (one: EffectCell | null, at: number, row: number, look: EffectLine["look"]): Html => {
    const [x, y] = [NAME + at * WIDTH, TOP + row * ROW]
    if (one === null) return text(x + 4, y + 16, "–", soft)
    const drawn = whiskerOf(one, along)
    if (drawn === null) return text(x + 4, y + 16, shortly([one.text ?? "–", one.n].join("  "), 26), soft)
    const along100 = (share: string) => (x + 4 + (Number(share) * (WIDTH - 24)) / 100).toFixed(1)
    const { value, between } = numbersOf(one, scale)
    const { mid, span, zero } = drawn
    const shape =
      look === "pooled" && span
        ? html`<path d="M${along100(span.from)} ${y + 9}L${along100(mid)} ${y + 3}L${along100(span.to)} ${
            y + 9
          }L${along100(mid)} ${y + 15}z" fill="#1c4f8f"/>`
        : html`<circle cx="${along100(mid)}" cy="${y + 9}" r="3.5" fill="#1d1c1a"/>`
    return html`<path d="M${along100(zero)} ${y}V${y + 18}" stroke="#8c877b" stroke-dasharray="3 3"/>${
      span && html`<path d="M${along100(span.from)} ${y + 9}H${along100(span.to)}" stroke="#1d1c1a" stroke-width="2"/>`
    }${shape}${text(x + 4, y + 31, value, one.isDistinct ? { "font-weight": 700 } : {})}${text(
      x + 12 + value.length * 7.5,
      y + 31,
      `${between}  ${one.n}${one.marksInWords === undefined ? "" : " *"}`,
      soft,
    )}`
  }
  const ticks = ticksOf(along)
  return html`${markup('<?xml version="1.0" encoding="UTF-8"?>\n')}<svg xmlns="http://www.w3.org/2000/svg" \
width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter, Helvetica, Arial, \
sans-serif" font-size="13"><title>${caption}</title><rect width="100%" height="100%" fill="#ffffff"/>
${text(8, 22, shortly(caption, Math.floor(width / 7)), { "font-weight": 600 })}${text(
  8,
  48,
  corner,
  soft,
)}${columns.map((name, at) => text(NAME + at * WIDTH + 4, 48, shortly(name, 24), soft))}
<path d="M0 54H${width}" stroke="#dedad0"/>${lines.map(
    ({ name, cells, look }, row) => html`${text(
      look === "repeat" || look === "pooled" ? 20 : 8,
      TOP + row * ROW + 16,
      shortly(name, 26),
      look === undefined || look === "base" ? {} : soft,
    )}${cells.map((each, at) => cell(each, at, row, look))}
`,
  )}${columns.map((_, at) =>
    ticks.map(({ x, value }) =>
      text(
        NAME + at * WIDTH + 4 + (Number(x) * (WIDTH - 24)) / 100,
        TOP + lines.length * ROW + 12,
        tickText(value, scale),
        { ...soft, "text-anchor": "middle" },
      ),
    ),
  )}</svg>
`
}

// Reproductions by kind: who ran which code.

export type Repeat = EffectAnswer["reproductions"][number]

/** Which code a reproduction ran: the same harness, a changed one, an implementation of its own. */
function codeInWords(visit: Visit, { by, independence: { code, commit } }: Repeat): string {
  const said = by.kind === "attempt" ? visit.tables.attempts.implementationOf(by.id) : undefined
  if (said === "own") return "own implementation"
  if (said === "changed") return "changed code"
  if (code === true) return "other code"
  if (commit === true) return "same code at another commit"
  return said === "same" || code === false ? "same code" : "code unknown"
}

/** Whether somebody else than the author of the effect, or another program of theirs, reports it. */
export const isOther = ({ independence: { person, agent } }: Repeat): boolean => person || agent === true

export const repeatCell = ({ estimate, se, low, high, n }: Repeat): EffectCell => ({
  ...{ estimate, se, low, high, n: estimate === null ? "" : `n ${n}`, isDistinct: false },
  text: "can't be worked out",
})

/** A reproduction as a line below the effect that it repeats. */
export const repeatLine = (visit: Visit, repeat: Repeat): Omit<EffectLine, "cells"> => ({
  head: html`${repeat.verdict && stateMark(repeat.verdict)}${label(repeat.by.kind, repeat.by.id, repeat.by.label)}\
${fromOther(repeat.by)} ${person(repeat.author)} <span class="quiet">· ${codeInWords(visit, repeat)}</span>`,
  name: `${repeat.by.label}, ${writerName(repeat.author)}`,
  look: "repeat",
})

type Pooled = Pick<NonNullable<EffectAnswer["pooled"]>, "k" | "estimate" | "se" | "low" | "high">
/** The pooled estimate of an effect and its reproductions as a cell. */
export const pooledCell = ({ k, ...pooled }: Pooled): EffectCell => ({
  ...pooled,
  n: counted(k, "estimate"),
  isDistinct: false,
})

const saying = {
  reproduces: "Reproduced by",
  partly_reproduces: "Reproduced in part by",
  inconclusive: "Inconclusive for",
  does_not_reproduce: "Not reproduced by",
} as const

/** Says in one sentence who repeated some effects, with which code, and what came of it. */
export function repeatsInWords(visit: Visit, all: readonly Repeat[]): string {
  const others = all.filter(isOther)
  const said = Object.entries(saying).flatMap(([verdict, words]) => {
    const same = others.filter((repeat) => repeat.verdict === verdict)
    const names = new Map(same.map((repeat) => [repeat.by.id, repeat]))
    const authors = [...names.values()].map((repeat) => `${writerName(repeat.author)} (${codeInWords(visit, repeat)})`)
    return authors.length === 0
      ? []
      : [`${words} ${authors.slice(0, 4).join(", ")}${authors.length > 4 ? " and others" : ""}.`]
  })
  const alone = all.length > others.length ? "Repeated by its author." : ""
  if (said.length > 0) return [...said, alone].join(" ").trim()
  return alone === "" ? "Not yet repeated by anyone." : "Repeated by its author alone."
}
