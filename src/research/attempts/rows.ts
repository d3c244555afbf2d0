/** Streams long lists as CSV or JSON lines, one page per turn of the event loop. */
import { setImmediate as turn } from "node:timers/promises"
import { writeJson, type Writable } from "../../contract/json.ts"
import type { Download } from "../../ledger/reads/reading.ts"

/** Characters at which some spreadsheet ends a cell, even within quotes: each language has its own separator. */
const CELL_END = /([;\t\r\n])/
/**
 * The beginning of a cell that a spreadsheet reads as a formula. It ignores spaces, quotes and invisible characters.
 */
const FORMULA = /^[\s\p{C}"]*[=+\-@＝＋－＠]/u
/** Texts that call no function, such as `--seed`, `-Infinity` and `-0.5`. */
const HARMLESS = /^[+-][\w.-]*$/
/** Texts that are quoted: those with a separator, and those that look like a formula. */
const QUOTED = /[",;\t\r\n]|^[=+\-@＝＋－＠]/

/** The cells of a row. */
export type Cells = readonly (string | number | null)[]

const guarded = (part: string): string => (FORMULA.test(part) && !HARMLESS.test(part) ? `'${part}` : part)

/**
 * Writes a CSV cell. Each part that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP's page
 * on CSV injection advises. `--seed` is only quoted, so that programs find the column by its name. JSON lines hold
 * every text as it was sent.
 */
function cell(value: string | number | null): string {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const parts = value.split(CELL_END).map(guarded).join("")
  const safe = /^[\t\r\n]/.test(parts) ? `'${parts}` : parts
  return QUOTED.test(safe) || safe !== value ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a CSV line (RFC 4180). */
export const csvLine = (cells: Cells): string => `${cells.map(cell).join(",")}\r\n`

const markdownRow = (cells: Cells): string =>
  `| ${cells
    .map((each) =>
      String(each ?? "")
        .replaceAll("\\", "\\\\")
        .replaceAll("|", "\\|")
        .replaceAll(/\s+/g, " "),
    )
    .join(" | ")} |`

/** Writes the lines of a Markdown table. */
export const markdownTable = (columns: readonly string[], rows: readonly Cells[]): string[] => [
  markdownRow(columns),
  `|${"---|".repeat(columns.length)}`,
  ...rows.map(markdownRow),
]

/** Reads the page after an item; an empty page ends the list. */
type Pages<Item> = (last: Item | undefined) => readonly Item[]

/** Writes the items of a list. */
interface Table<Item> {
  readonly columns: readonly string[]
  readonly row: (item: Item) => Cells
  readonly json: (item: Item) => Writable
}

/**
 * Streams a list as a file. It holds one page at a time, and reads the next when the client has taken it. It reads the
 * first page before the first byte, so that a bad cursor is refused.
 * @param most the most items in the file
 * @throws Refusal if reading the first page throws one
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

/** Makes a CSV file of rows that are in memory. */
export const csvFile = (name: string, columns: readonly string[], rows: readonly Cells[]): Download =>
  fileOf(name, "csv", { columns, row: (cells: Cells) => cells, json: (cells) => cells }, (last) =>
    last === undefined ? rows : [],
  )
