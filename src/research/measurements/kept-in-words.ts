/** A kept table in a few lines of Markdown, for briefs and documents. */
import type { KeptTable } from "../../contract/answers/measurements.ts"
import { markdownTable } from "../attempts/table.ts"
import { spread } from "./arranging.ts"
import { textOf } from "./cells.ts"
import { figureOn, halfWidth, type Scale, scaleOf } from "./figures.ts"
import { noiseInWords, placeInWords } from "./in-words.ts"
import { statedOf } from "./written.ts"

type Group = KeptTable["groups"][number]

/** The dimension that makes the rows: the one that the baseline is a value of, or else the first. */
const rowsBy = ({ by, against }: KeptTable): string => against?.slice(0, against.indexOf(":")) ?? by[0] ?? ""

/** The rows and columns of a kept table: a row for each thing compared, a column for each size or setting. */
export function laidOut(table: KeptTable): {
  readonly rowsBy: string
  readonly columns: readonly string[]
  readonly rows: readonly { readonly name: string; readonly cells: readonly (Group | undefined)[] }[]
} {
  const name = rowsBy(table)
  const columnOf = ({ key, settings }: Group): string =>
    placeInWords({
      ...Object.fromEntries(Object.entries(key).filter(([each]) => each !== name)),
      ...statedOf(settings),
    })
  const columns = [...new Set(table.groups.map(columnOf))]
  const rows = [...Map.groupBy(table.groups, ({ key }) => textOf(key[name] ?? ""))].map(([row, groups]) => {
    const cells = new Map(groups.map((group) => [columnOf(group), group]))
    return { name: row, cells: columns.map((column) => cells.get(column)) }
  })
  return { rowsBy: name, columns, rows }
}

/** A difference and half of its 95 % interval, or a mean where nothing is compared: `−1.27 ±0.73*`. */
function cell(group: Group | undefined, scale: Scale): string {
  if (group === undefined) return ""
  const { contrast, mean, low, high } = group
  if (contrast === null)
    return `${figureOn(scale, mean, halfWidth(low, high))}${scale.value}${group.isBaseline ? " (mean)" : ""}`
  const half = halfWidth(contrast.low, contrast.high)
  const around = half === null ? "" : ` ±${figureOn(scale, half, half)}`
  const [star, across] = [contrast.isDistinct ? "*" : "", contrast.pairedAcross === null ? "" : "†"]
  return `${figureOn(scale, contrast.estimate, half)}${around}${star}${across}${contrast.belowNoise ? "≈" : ""}`
}

/** The largest difference of a row, by which rows are chosen. */
const sizeOf = (cells: readonly (Group | undefined)[]): number =>
  Math.max(0, ...cells.map((group) => Math.abs(group?.contrast?.estimate ?? 0)))

/** The title of a table: `error (test) against arm:baseline over seed`. */
const titleOf = ({ metric, split, unit, against, over, where }: KeptTable): string =>
  [
    `${metric}${split === null ? "" : ` (${split})`}`,
    ...(unit === null ? [] : [`in ${unit === "fraction" ? "points" : unit}`]),
    ...(Object.keys(where).length === 0 ? [] : [`at ${placeInWords(where)}`]),
    ...(against === null ? [] : [`against ${against}`]),
    ...(over === null ? [] : [`over ${over}`]),
  ].join(" ")

/** The most columns of a table that does not fit. */
const COLUMNS = 12

/** "191 more rows" */
const more = (count: number, what: string): string[] =>
  count > 0 ? [`${count} more ${what}${count === 1 ? "" : "s"}`] : []

/** Writes a kept table within a number of bytes. */
export const keptTableInWords = (table: KeptTable, bytes: number): string => keptTableWriter(table)(bytes)

/**
 * Writes a kept table within one number of bytes after the other. If not all of it fits, columns from its whole width
 * and the rows with the largest differences are written, and the others counted.
 */
export function keptTableWriter(table: KeptTable): (bytes: number) => string {
  const { rowsBy: name, columns, rows } = laidOut(table)
  const scale = table.unit === "fraction" ? scaleOf(table.unit) : scaleOf(null)
  const written = new Map(rows.map((row) => [row, row.cells.map((each) => cell(each, scale))]))
  const isMarked = (mark: string) => written.values().some((cells) => cells.some((each) => each.includes(mark)))
  const moved = table.groups.length > 0 && table.isStale ? `; ${table.moved.length} of its values have moved since` : ""
  const head = `${titleOf(table)}: ${table.against === null ? "means" : "difference ± half of its 95 % interval"}`
  const notes = [
    ...(isMarked("*") ? [`* told apart after correction for ${table.comparisons} comparisons`] : []),
    ...(isMarked("†") ? ["† across experiments or commits"] : []),
    ...(isMarked("≈") ? ["≈ smaller than the noise"] : []),
    ...(table.noise == null ? [] : [`noise from run to run: ${noiseInWords(table.noise, table.unit)}`]),
  ].map((note) => `; ${note}`)
  const every = [...columns.keys()]
  const largest = rows.toSorted((one, other) => sizeOf(other.cells) - sizeOf(one.cells))
  const text = (count: number, places: readonly number[]): string => {
    const chosen = new Set(largest.slice(0, count))
    const lines = markdownTable(
      [name || "all", ...places.map((at) => columns[at] || (table.against === null ? "mean" : "difference"))],
      rows
        .filter((row) => chosen.has(row))
        .map((row) => [row.name, ...places.map((at) => written.get(row)?.[at] ?? "")]),
    )
    const left = [
      ...more(rows.length - count + (table.leftOut?.rows ?? 0), "row"),
      ...more(columns.length - places.length, "column"),
    ]
    const rest = left.length === 0 ? [] : [`and ${left.join(", ")}`]
    const removed = table.removed === undefined ? [] : ["", table.removed.sentence]
    return [`${head}${notes.join("")}${moved}`, "", ...lines, ...rest, ...removed].join("\n")
  }
  const whole = text(rows.length, every)
  const wholeBytes = Buffer.byteLength(whole)
  return (bytes) => {
    if (wholeBytes <= bytes) return whole
    // A row is at most as long as the whole text.
    let [few, most] = [1, rows.length]
    const places = spread(every, COLUMNS, () => false)
    while (few < most) {
      const middle = Math.ceil((few + most) / 2)
      if (Buffer.byteLength(text(middle, places)) <= bytes) few = middle
      else most = middle - 1
    }
    return text(few, places)
  }
}
