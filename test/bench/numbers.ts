/** Medians, ratios within a round, and how both are printed. */

/** The value below which the share `part` of `sorted` lies. */
export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

const inOrder = (values: readonly number[]) => values.toSorted((a, b) => a - b)

export function median(values: readonly number[]): number {
  const sorted = inOrder(values)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[half] ?? Number.NaN) : ((sorted[half - 1] ?? Number.NaN) + (sorted[half] ?? Number.NaN)) / 2
}

/** Each round's value beside the value of the same round: what slows a whole round down drops out. */
export const ratio = (over: readonly number[], under: readonly number[]): number[] =>
  over.map((value, round) => value / (under[round] ?? Number.NaN))

/** One line of the table: a name, the median of its rounds with the least and greatest, and a remark. */
export function line(name: string, values: readonly number[], unit: string, digits: number, remark = ""): string {
  const shown = (value: number) => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
  const spread = `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`
  return `  ${name.padEnd(50)}${shown(median(values)).padStart(9)} ${unit.padEnd(4)}${spread.padEnd(20)}${remark}`.trimEnd()
}
