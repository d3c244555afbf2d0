/** Long lists as files for other programs: CSV and JSON lines, sent while they are read, a page in each turn of the thread. */
import { setImmediate as turn } from "node:timers/promises"
import { writeJson, type Writable } from "../../contract/json.ts"
import type { Download } from "../../ledger/reads/reading.ts"

/** What some spreadsheet takes for the end of a cell, whatever quotes stand around it: they split at the separator of their language. */
const CELL_END = /([;\t\r\n])/
/** How a cell begins that a spreadsheet takes for a formula: spaces, quotes and characters that are not shown count for nothing. */
const FORMULA = /^[\s\p{C}"]*[=+\-@＝＋－＠]/u
/** What calls nothing, such as `--seed`, `-Infinity` and `-0.5`. */
const HARMLESS = /^[+-][\w.-]*$/
/** A text with one of these is quoted, and so is one that could be a formula. */
const QUOTED = /[",;\t\r\n]|^[=+\-@＝＋－＠]/

const guarded = (part: string): string => (FORMULA.test(part) && !HARMLESS.test(part) ? `'${part}` : part)

/**
 * A cell of CSV. Each part of a text that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP's page on CSV
 * injection has it; `--seed` is only quoted, so that programs find the column under its name. JSON lines have every text as it was sent.
 */
function cell(value: string | number | null): string {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const parts = value.split(CELL_END).map(guarded).join("")
  const safe = /^[\t\r\n]/.test(parts) ? `'${parts}` : parts
  return QUOTED.test(safe) || safe !== value ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line of CSV as RFC 4180 has it. */
export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(cell).join(",")}\r\n`

/** A row of a Markdown table. */
export const markdownRow = (cells: readonly (string | number | null)[]): string =>
  `| ${cells
    .map((each) =>
      String(each ?? "")
        .replaceAll("\\", "\\\\")
        .replaceAll("|", "\\|")
        .replaceAll(/\s+/g, " "),
    )
    .join(" | ")} |`

/** Pages of a list: what follows one item, until there is nothing more. */
type Pages<Item> = (last: Item | undefined) => readonly Item[]

/** How the items of a list are written. */
interface Table<Item> {
  readonly columns: readonly string[]
  readonly row: (item: Item) => readonly (string | number | null)[]
  readonly json: (item: Item) => Writable
}

/**
 * A list as a file. It holds a page of it at a time, and reads the next when its reader has taken that. The first page is read
 * before the first byte, so that a bad cursor is refused.
 * @param most how many items it may hold at all
 * @throws Refusal whatever reading the first page throws
 */
export function fileOf<Item>(
  name: string,
  format: "csv" | "jsonl",
  { columns, row, json }: Table<Item>,
  pages: Pages<Item>,
  most = Number.POSITIVE_INFINITY,
): Download {
  const written = format === "csv" ? (item: Item) => csvLine(row(item)) : (item: Item) => `${writeJson(json(item))}\n`
  const encoder = new TextEncoder()
  let next: readonly Item[] | null = pages(undefined)
  let last: Item | undefined
  let left = most
  const bytes = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (format === "csv") controller.enqueue(encoder.encode(csvLine(columns)))
      },
      async pull(controller) {
        await turn()
        const items = left > 0 ? (next ?? pages(last)).slice(0, left) : []
        next = null
        left -= items.length
        last = items.at(-1)
        if (last === undefined) controller.close()
        else controller.enqueue(encoder.encode(items.map(written).join("")))
      },
    },
    { highWaterMark: 0 },
  )
  return { name: `${name}.${format}`, bytes }
}
