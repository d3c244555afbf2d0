/** Whether a JSON number is kept as it was sent: the number that a double holds, written out, must be the number sent. */

/** A number without the ways there are to write it: sign, digits that begin and end with none of 0, power of ten. */
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
 * Whether reading and writing `literal`, a number as JSON writes it, gives the same number: `1.0` and `1e2` are 1 and 100.
 * Not so: more digits than a double holds, what is beyond its range, and `-0`, which is written as `0`.
 */
export function isKept(literal: string): boolean {
  const value = Number(literal)
  const written = String(value)
  // As most programs write their numbers; neither -0 nor what is beyond the range is written so.
  if (written === literal) return true
  return Number.isFinite(value) && !Object.is(value, -0) && decimal(literal) === decimal(written)
}
