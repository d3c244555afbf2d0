/** JSON read slowly and plainly: the engine decides what is JSON; the tokens show what would be lost of it. */

/** A number as its digits and the place of its point, computed with whole numbers of any length. */
function exactly(text: string): readonly [digits: bigint, power: bigint] {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/.exec(text) ?? []
  let digits = BigInt(sign + whole + fraction)
  let place = BigInt(power) - BigInt(fraction.length)
  while (digits !== 0n && digits % 10n === 0n) {
    digits /= 10n
    place += 1n
  }
  return digits === 0n ? [0n, 0n] : [digits, place]
}

function isLost(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return true
  const [[digits, place], [keptDigits, keptPlace]] = [exactly(text), exactly(String(value))]
  return (text.startsWith("-") && digits === 0n) || digits !== keptDigits || place !== keptPlace
}

const TOKEN = /[[\]{},:]|"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null/gs

/**
 * `value` if the text is JSON of which nothing is lost; else `paths`, null if it is not JSON. Depth and size are not
 * checked.
 */
export function obvious(text: string): { readonly value?: unknown; readonly paths: readonly string[] | null } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { paths: null }
  }
  const tokens = text.match(TOKEN) ?? []
  const paths: string[] = []
  let next = 0
  const walk = (path: string): void => {
    const token = tokens[next++] as string
    if (token === "[") {
      for (let index = 0; tokens[next] !== "]"; index += 1) {
        if (tokens[next] === ",") next += 1
        walk(`${path}/${index}`)
      }
      next += 1
    } else if (token === "{") {
      const seen: string[] = []
      while (tokens[next] !== "}") {
        if (tokens[next] === ",") next += 1
        const name = JSON.parse(tokens[next] as string) as string
        const inside = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
        if (seen.includes(name)) paths.push(inside)
        seen.push(name)
        next += 2
        walk(inside)
      }
      next += 1
    } else if (/^[-0-9]/.test(token) && isLost(token)) paths.push(path)
  }
  walk("")
  return paths.length === 0 ? { value, paths } : { paths }
}
