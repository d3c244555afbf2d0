/** Numbers as people read them. */

/** Formats a measured value with 6 significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-4)) return value.toExponential(3).replace(/\.?0{1,3}e/, "e")
  return Number(value.toPrecision(6)).toLocaleString("en", { maximumSignificantDigits: 6 })
}

/** Formats the difference of a value from another, with its sign and 4 significant digits. */
export function difference(value: number, from: number): string {
  const by = Number((value - from).toPrecision(4))
  return by === 0 ? "±0" : `${by > 0 ? "+" : "−"}${figure(Math.abs(by))}`
}
