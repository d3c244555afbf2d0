/** Numbers as people and agents read them: as many digits as their standard error allows. */

/** Digits after the point with which a number shows so many of its leading digits. */
const decimalsFor = (scale: number, digits: number): number =>
  scale === 0 || !Number.isFinite(scale) ? 0 : Math.min(15, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(scale)))))

/** A true minus, as tables are set with. */
const signed = (text: string): string => text.replace(/^-/, "−")

/** Very large and very small numbers are written with a power of ten. */
const isPlain = (value: number): boolean => value === 0 || (Math.abs(value) < 1e9 && Math.abs(value) >= 1e-6)

/**
 * A number to the second digit of its standard error; to four digits where there is none.
 * @param se undefined or null where no spread is known
 */
export function figure(value: number | null, se?: number | null): string {
  if (value === null) return "–"
  if (!isPlain(value)) return signed(value.toExponential(3))
  return signed(value.toFixed(se === undefined || se === null || se === 0 ? Math.min(6, decimalsFor(value, 4)) : decimalsFor(se, 2)))
}

/** An interval in words: `−1.72 to −0.58`. */
export const interval = (low: number | null, high: number | null, se: number | null): string =>
  low === null || high === null ? "–" : `${figure(low, se)} to ${figure(high, se)}`
