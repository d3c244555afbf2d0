/** Percentiles, medians, and ratios within a round. */

/** The value below which the share `part` of `sorted` lies. */
export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[half] ?? Number.NaN)
    : ((sorted[half - 1] ?? Number.NaN) + (sorted[half] ?? Number.NaN)) / 2
}

/** Each round's value relative to the other value of the same round: whatever slows a whole round cancels out. */
export const ratio = (over: readonly number[], under: readonly number[]): number[] =>
  over.map((value, round) => value / (under[round] ?? Number.NaN))

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
