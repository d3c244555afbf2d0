/** The numbers in a text: what each says as it is printed, and the dates, versions and names that are none. */
import { LABEL } from "../../contract/objects/objects.ts"

/** How a numeral can be read: a value, and half of a unit of its last printed digit. */
export interface Reading {
  readonly value: number
  readonly half: number
}

export interface Numeral {
  readonly start: number
  /** After its unit. */
  readonly end: number
  readonly text: string
  /** Where its digits end. */
  readonly digitsEnd: number
  /** A numeral such as 1,234 has two; one with too many digits has none. */
  readonly readings: readonly Reading[]
  readonly sign: "+" | "-" | null
  readonly form: "plain" | "percent" | "points" | "factor"
  /** The unit behind it, as written. */
  readonly unit: string | null
  /** What it is to the numeral before it: its spread, or the other end of a range. */
  readonly role: "value" | "spread" | "from" | "to"
  /** A date or version is no number that is measured. */
  readonly isDate: boolean
  readonly relation: "<" | ">" | null
}

/** A label in a text, or the id of a paper. */
export interface Named {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The first digits of scripts that have their own. */
const ZEROS = [0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xff10]
const FOREIGN = /(?![0-9])\p{Nd}/gu
/** Writes the digits of other scripts as ASCII, and Arabic separators as English ones. Offsets stay as they are. */
const inAscii = (text: string): string =>
  text.replace(FOREIGN, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    const zero = ZEROS.findLast((each) => each <= code)
    return zero !== undefined && code - zero < 10 && digit.length === 1 ? String(code - zero) : digit
  })

const SPACES = "\\u00a0\\u2009\\u202f"
const NUMBER = new RegExp(`[0-9](?:[0-9.,'’٫٬${SPACES}]*[0-9])?(?:[eE][+\\-−]?[0-9]{1,4}(?![0-9]))?`, "g")
/** Text without numbers that are said: code blocks and addresses. */
const FENCE = /^ {0,3}(?:```|~~~)/
const ADDRESS = /(?:https?:\/\/|doi\.org\/|doi:)[^\s)\]>]+/giu
const PAPER =
  /(?<![\p{L}\p{N}.])(?:arxiv:\s?)?([0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5})(?:v[0-9]{1,3})?(?![0-9.]*[0-9])/giu
const DATES = [
  "(?<![\\p{L}\\p{N}.-])\\d{4}-\\d{2}(?:-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?Z?)?)?(?![\\p{N}-])",
  "(?<![\\p{N}:])\\d{1,2}:\\d{2}(?::\\d{2})?(?![\\p{N}:])",
  "(?<![\\p{L}\\p{N}.])v?\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}(?:\\.\\d{1,6})?(?![\\p{N}])",
  "(?<![\\p{L}\\p{N}.])v\\d{1,6}(?:\\.\\d{1,6})?(?![\\p{L}\\p{N}])",
]
/** Dates, times of day and versions. */
const DATE = new RegExp(DATES.join("|"), "gu")
const HEX = /(?<![\p{L}\p{N}])(?=[0-9a-f]{0,39}[a-f])(?=[0-9a-f]{0,39}[0-9])[0-9a-f]{7,40}(?![\p{L}\p{N}])/gu
const YEAR = /(?:\bin|\bsince|\bof|\bby|[(,]) ?$/i

const MULTIPLES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, B: 1e9 }
/** Units that follow a number. Those of the Room's metrics are known too. */
const UNITS =
  "s sec secs second seconds ms millisecond milliseconds us µs μs microseconds ns min mins minute minutes h hr hour " +
  "hours day days KB kB MB GB TB KiB MiB GiB TiB bytes byte J kJ kWh Wh W kW Hz kHz MHz GHz FLOPs TFLOPs nats nat " +
  "bits bit dB USD EUR mm cm km kg °C"
const KNOWN_UNITS: ReadonlySet<string> = new Set(UNITS.split(" "))
const AFTER = new RegExp(`^[ ${SPACES}-]?([\\p{L}µμ°/²³]+)`, "u")
const PERCENT = new RegExp(`^[ ${SPACES}]?(?:\\\\?%|per ?cent\\b|prozent\\b)`, "iu")
const POINTS = new RegExp(
  `^[ ${SPACES}]?(?:\\\\?%[ ${SPACES}-]?|percentage[ ${SPACES}-]|percent[ ${SPACES}-])?` +
    "(?:points?|pts?|pp|prozentpunkte?n?)(?![\\p{L}\\p{N}])",
  "iu",
)
const FACTOR = new RegExp(`^[ ${SPACES}]?(?:×|x(?![\\p{L}\\p{N}])|times(?![\\p{L}])|-fold(?![\\p{L}])|\\\\times)`, "u")
const SPREAD = /(?:±|\\pm|\+\/-|\+\/−)\s?$/u
const APPROXIMATE = /(?:[~≈∼]|\babout|\baround|\broughly|\bsome|\bnearly|\balmost|\bapproximately) ?$/iu
const LESS = /(?:[<≤]|\\leq?|&lt;|\bbelow|\bunder|\bless than|\bat most) ?$/iu
const MORE = /(?:[>≥]|\\geq?|&gt;|\babove|\bover|\bmore than|\bat least) ?$/iu
/** Between two numerals that are the ends of a range. */
const RANGE = new RegExp(`^[ ${SPACES}%]{0,4}(?:–|—|-|−|to|and|,|\\.\\.)[ ${SPACES}]{0,3}[+−-]?[ ${SPACES}]{0,3}$`, "u")

/** Numerals of more characters have no reading. */
const MOST_DIGITS = 40

/** Returns the readings of digits with separators, and how many characters belong to it. */
function readingsOf(digits: string): Reading[] {
  if (digits.length > MOST_DIGITS) return []
  const [mantissa = "", exponent = "0"] = digits.replaceAll("−", "-").split(/[eE]/)
  const power = 10 ** Number(exponent)
  const plain = mantissa.replace(/[\u00a0\u2009\u202f'’٬]/gu, "").replace("٫", ".")
  const found: Reading[] = []
  const add = (text: string): void => {
    if (!/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return
    const decimals = text.includes(".") ? text.length - text.indexOf(".") - 1 : 0
    const value = Number(text) * power
    if (Number.isFinite(value)) found.push({ value, half: 0.5 * 10 ** -decimals * power })
  }
  const [commas, dots] = [plain.split(",").length - 1, plain.split(".").length - 1]
  const lastComma = plain.lastIndexOf(",")
  const lastDot = plain.lastIndexOf(".")
  const inThousands = (text: string, separator: string) => {
    const [first = "", ...rest] = text.split(separator)
    return first.length >= 1 && first.length <= 3 && rest.every((each) => each.length === 3)
  }
  if (commas === 0 && dots <= 1) add(plain)
  else if (commas > 0 && dots > 0) {
    const [thousands, decimal] = lastComma < lastDot ? [",", "."] : [".", ","]
    const [whole = "", fraction = ""] = [
      plain.slice(0, plain.lastIndexOf(decimal)),
      plain.slice(plain.lastIndexOf(decimal) + 1),
    ]
    if (inThousands(whole, thousands)) add(`${whole.replaceAll(thousands, "")}.${fraction}`)
  } else if (commas > 0) {
    if (inThousands(plain, ",") && !plain.startsWith("0,")) add(plain.replaceAll(",", ""))
    if (commas === 1) add(plain.replace(",", "."))
  } else if (inThousands(plain, ".")) add(plain.replaceAll(".", ""))
  return found
}

/** Widens a round number that a text calls approximate: "about 1,200" is known to the hundreds. */
function approximate({ value, half }: Reading): Reading {
  if (half < 0.5 || value === 0) return { value, half: 2 * half }
  let unit = 1
  while (value % (unit * 10) === 0) unit *= 10
  return { value, half: Math.max(half, 0.5 * unit) }
}

interface Region {
  readonly start: number
  readonly end: number
}

const regionsOf = (text: string, pattern: RegExp): Region[] =>
  Array.from(text.matchAll(pattern), ({ 0: { length }, index }) => ({ start: index, end: index + length }))

/** The blocks of code of a Markdown text. */
function fencesIn(text: string): Region[] {
  const found: Region[] = []
  let from: number | undefined
  let at = 0
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) {
      if (from === undefined) from = at
      else {
        found.push({ start: from, end: at + line.length })
        from = undefined
      }
    }
    at += line.length + 1
  }
  if (from !== undefined) found.push({ start: from, end: text.length })
  return found
}

const NAME = /[\p{L}\p{N}_@#$]/u
/** A numeral that is a part of a name, a path or a version, such as `resnet-50`, `pass@64` or `a/3`. */
function isInName(text: string, start: number): boolean {
  const before = text[start - 1] ?? ""
  if (/[\p{L}\p{N}_@#/\\]/u.test(before)) return true
  const further = text[start - 2] ?? ""
  return /[-./:]/.test(before) && NAME.test(further) && !(before === "-" && /[0-9%]/.test(further))
}

/** The sign of a numeral. A hyphen behind a digit is a range. */
function signOf(text: string, start: number): { sign: Numeral["sign"]; from: number } {
  const before = text[start - 1] ?? ""
  const further = text.slice(Math.max(0, start - 4), start - 1).trimEnd()
  const isJoined = /[\p{L}\p{N}%±/]/u.test(text[start - 2] ?? "")
  if (!/[+\-−–]/.test(before) || isJoined) return { sign: null, from: start }
  if (before === "–" && /[0-9%]$/.test(further)) return { sign: null, from: start }
  return { sign: before === "+" ? "+" : "-", from: start - 1 }
}

/** Whether units could make a difference to how a text is read: those of metrics that are not known anyway. */
export const readsOtherwise = (units: ReadonlySet<string>, text: string): boolean =>
  units.values().some((unit) => !KNOWN_UNITS.has(unit) && text.includes(unit))

export interface Numerals {
  readonly numerals: readonly Numeral[]
  /** How many more there are than were read. */
  readonly unread: number
  readonly labels: readonly Named[]
  readonly papers: readonly (Named & { readonly arxivId: string })[]
}

/**
 * Reads the numbers, labels and papers of a text.
 * @param units further units, as metrics have them
 * @param most the most numbers to read
 */
export function numeralsIn(original: string, units: ReadonlySet<string>, most: number): Numerals {
  const text = inAscii(original)
  const papers = Array.from(text.matchAll(PAPER), ({ 0: whole, 1: arxivId = "", index }) => ({
    ...{ text: original.slice(index, index + whole.length), arxivId },
    ...{ start: index, end: index + whole.length },
  }))
  const labels = Array.from(text.matchAll(LABEL), ({ 0: label, index }) => ({
    ...{ text: label, start: index, end: index + label.length },
  }))
  const dates = regionsOf(text, DATE)
  const silent = [
    ...fencesIn(text),
    ...regionsOf(text, ADDRESS),
    ...papers,
    ...labels,
    ...regionsOf(text, HEX).filter(({ start }) => !/[0-9]e[0-9]/.test(text.slice(start, start + 8))),
  ]
  const isCovered = new Uint8Array(text.length)
  for (const { start, end } of silent) isCovered.fill(1, start, end)
  const dated = new Map<number, Region>()
  for (const region of dates) {
    if (isCovered[region.start] !== 0) continue
    isCovered.fill(1, region.start, region.end)
    dated.set(region.start, region)
  }

  const numerals: Numeral[] = []
  let unread = 0
  const plainly = { readings: [], sign: null, form: "plain", unit: null, role: "value", relation: null } as const
  for (const { start, end } of dated.values())
    numerals.push({ ...plainly, start, end, digitsEnd: end, text: original.slice(start, end), isDate: true })
  for (const { 0: digits, index } of text.matchAll(NUMBER)) {
    const end = index + digits.length
    if (isCovered[index] !== 0 || isInName(text, index)) continue
    const before = text.slice(Math.max(0, index - 24), index)
    const after = text.slice(end, end + 40)
    // The number of an item in a list, or of a heading.
    if (/^\s*[.)]\s/.test(after) && /(?:^|\n)[ >#]*$/.test(before)) continue
    const { sign, from } = signOf(text, index)
    const head = text.slice(Math.max(0, from - 24), from)
    let last = end
    let factor = 1
    let unit: string | null = null
    let form: Numeral["form"] = "plain"
    const [points] = POINTS.exec(after) ?? []
    const [percent] = PERCENT.exec(after) ?? []
    const [times] = FACTOR.exec(after) ?? []
    const word = AFTER.exec(after)
    if (points !== undefined) [form, last] = ["points", end + points.length]
    else if (percent !== undefined) [form, last] = ["percent", end + percent.length]
    else if (times !== undefined) [form, last] = ["factor", end + times.length]
    else if (word !== null) {
      const [whole, letters = ""] = word
      const touches = whole === letters
      const known = KNOWN_UNITS.has(letters) || units.has(letters)
      const multiple = touches ? MULTIPLES[letters] : undefined
      if (known) [unit, last] = [letters, end + whole.length]
      else if (multiple !== undefined) [factor, last] = [multiple, end + letters.length]
      else if (touches) continue
    }
    if (numerals.length >= most) {
      unread += 1
      continue
    }
    const previous = numerals.at(-1)
    const gap = previous === undefined || previous.isDate ? "" : text.slice(previous.end, from)
    const isPair = previous !== undefined && !previous.isDate && RANGE.test(gap) && gap !== ""
    const opens = /[[({]\s{0,3}[+−-]?\s{0,3}$/.test(
      text.slice(Math.max(0, (previous?.start ?? 0) - 3), previous?.start ?? 0),
    )
    const isTo = isPair && (opens || !/,/.test(gap)) && !/\band\b/.test(gap)
    const isBetween =
      isPair && /\band\b/.test(gap) && /\bbetween\s*[+−-]?$/i.test(text.slice(0, previous?.start ?? 0).slice(-12))
    if (previous?.role === "value" && (isTo || isBetween)) numerals.splice(-1, 1, { ...previous, role: "from" })
    const read = readingsOf(digits).map(({ value, half }) => {
      const scaled = { value: value * factor * (sign === "-" ? -1 : 1), half: half * factor }
      return APPROXIMATE.test(head) ? approximate(scaled) : scaled
    })
    const isYear = /^(?:19|20)[0-9]{2}$/.test(digits) && YEAR.test(head) && !/^\s*[\p{L}%]/u.test(after)
    numerals.push({
      start: from,
      end: last,
      digitsEnd: end,
      text: original.slice(from, last),
      readings: read,
      sign,
      form,
      unit,
      role: SPREAD.test(head) ? "spread" : isTo || isBetween ? "to" : "value",
      isDate: isYear,
      relation: LESS.test(head) ? "<" : MORE.test(head) ? ">" : null,
    })
  }
  return { numerals: numerals.toSorted((one, other) => one.start - other.start), unread, labels, papers }
}
