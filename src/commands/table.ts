/** Lists for the terminal and for programs. */
import { oneLine } from "../contract/text.ts"
import { option } from "../settings.ts"

/** Prints rows under a heading line, each column as wide as its widest cell. */
function printTable(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
}

/** The options that every list has. */
export interface ListOptions {
  readonly data: string
  readonly json?: boolean
}

export const jsonOption = () => option("--json", "print the list as JSON, for programs")

/** Prints a list as one JSON text if `json` is set, otherwise as a table. */
export function printList<T extends object>(
  items: readonly T[],
  { json = false }: Pick<ListOptions, "json">,
  heading: readonly string[],
  row: (item: T) => readonly string[],
): void {
  if (json) console.log(JSON.stringify(items))
  else
    printTable(
      heading,
      items.map((item) => row(item).map(oneLine)),
    )
}
