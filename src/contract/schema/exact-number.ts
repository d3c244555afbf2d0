/** Checks that a JSON number is kept as it was sent: the double it is read as, written out, must be the same number. */

/** A number in one form: its sign, its digits without zeros at either end, and the power of ten. */
function decimal(text: string): string {
  const sign = text.startsWith("-") ? "-" : ""
  const [mantissa = "", power = "0"] = text.slice(sign.length).toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  const digits = whole + fraction
  let first = 0
  while (digits.charCodeAt(first) === 48) first += 1
  let last = digits.length
  while (last > first && digits.charCodeAt(last - 1) === 48) last -= 1
  if (first === last) return `${sign}0`
  return `${sign}${digits.slice(first, last)}e${Number(power) - fraction.length + (digits.length - last)}`
}

/**
 * Whether reading and writing `literal`, a number in JSON, gives the same number: `1.0` and `1e2` do, as 1 and 100.
 * A number with more digits than a double holds, one beyond its range, and `-0` do not.
 */
export function isKept(literal: string): boolean {
  const value = Number(literal)
  const written = String(value)
  // Most programs write numbers in this form. Neither -0 nor a number beyond the range has it.
  if (written === literal) return true
  return Number.isFinite(value) && !Object.is(value, -0) && decimal(literal) === decimal(written)
}
