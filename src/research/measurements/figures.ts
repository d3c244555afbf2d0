/** Formats numbers with as many digits as their standard error allows. */

/** The number of decimals that show `digits` significant digits of a number of this scale. */
const decimalsFor = (scale: number, digits: number): number =>
  scale === 0 || !Number.isFinite(scale)
    ? 0
    : Math.min(15, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(scale)))))

/** Replaces a hyphen by a minus sign, as in printed tables. */
const signed = (text: string): string => text.replace(/^-/, "−")

/** Whether a number is written without a power of ten. */
const isPlain = (value: number): boolean => value === 0 || (Math.abs(value) < 1e9 && Math.abs(value) >= 1e-6)

/** Formats a number to the second digit of its standard error, or to four digits where that is 0 or unknown. */
function written(value: number, se: number): string {
  if (!isPlain(value)) return signed(value.toExponential(3))
  return signed(value.toFixed(se === 0 ? Math.min(6, decimalsFor(value, 4)) : decimalsFor(se, 2)))
}

/** Whether a spread is of the computer's rounding alone, because all values or all differences are equal. */
const isRounding = (spread: number, value: number): boolean => spread < 1e-12 * Math.abs(value)

/**
 * Formats a number to the second digit of its standard error, or to four digits without one.
 * @param se undefined or null if the spread is unknown
 */
export const figure = (value: number | null, se?: number | null): string =>
  value === null ? "–" : written(value, se == null || isRounding(se, value) ? 0 : se)

/** Formats an interval: `−1.72 to −0.58`. */
export const interval = (low: number | null, high: number | null, se: number | null): string =>
  low === null || high === null ? "–" : `${figure(low, se)} to ${figure(high, se)}`

/** As `figure` and `interval`, for texts that are stored: a replay gives them again, with all digits of a rounding. */
export const storedFigure = (value: number, se: number | null): string => written(value, se ?? 0)
export const storedInterval = (low: number | null, high: number | null, se: number | null): string =>
  low === null || high === null ? "–" : `${storedFigure(low, se)} to ${storedFigure(high, se)}`

/** Half the width of an interval; 0 if that is of the computer's rounding alone, null without an interval. */
export function halfWidth(low: number | null, high: number | null): number | null {
  if (low === null || high === null) return null
  const half = (high - low) / 2
  return isRounding(half, low) ? 0 : half
}

/** How numbers of a unit are written. People say percent for a fraction, and points for a difference of two. */
export interface Scale {
  readonly factor: number
  /** What follows a value, and a difference of two values. */
  readonly value: string
  readonly difference: string
}

export const scaleOf = (unit: string | null): Scale => {
  if (unit === "fraction") return { factor: 100, value: " %", difference: " points" }
  const after = unit === null ? "" : ` ${unit}`
  return { factor: 1, value: after, difference: after }
}

/** The unit of an axis in words; null without one. */
export const unitInWords = (unit: string | null, isDifference = false): string | null =>
  unit === "fraction" ? (isDifference ? "percentage points" : "percent") : unit

const scaled = (value: number | null, { factor }: Scale): number | null => (value === null ? null : value * factor)

/** Formats a number as `figure` does, on the scale of its unit. */
export const figureOn = (scale: Scale, value: number | null, se?: number | null): string =>
  figure(scaled(value, scale), scaled(se ?? null, scale))

/** Formats an interval as `interval` does, on the scale of its unit. */
export const intervalOn = (scale: Scale, low: number | null, high: number | null, se: number | null): string =>
  interval(scaled(low, scale), scaled(high, scale), scaled(se, scale))
