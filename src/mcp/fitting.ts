/** Cuts answers to a number of bytes. Each cut answer says what was left out and how to get it. */
import { isObject } from "../contract/json.ts"
import { inDigits, shortened } from "../contract/text.ts"

type Form = readonly [characters: number, items: number]
/** The most characters of a text and items of a list, from longer to shorter forms of an answer. */
const forms: readonly Form[] = [
  [2_000, 50],
  [1_000, 30],
  [400, 20],
  [200, 10],
  [100, 5],
  [60, 2],
]
const NAMED = 12

interface Cut {
  /** The cut lists by path, with their full lengths. */
  readonly lists: Map<string, number>
  texts: boolean
}

function cutTo(value: unknown, form: Form, cut: Cut, at = ""): unknown {
  const [characters, items] = form
  if (typeof value === "string") {
    if (value.length <= characters) return value
    cut.texts = true
    return shortened(value, characters)
  }
  if (Array.isArray(value)) {
    if (value.length > items) cut.lists.set(at, value.length)
    return value.slice(0, items).map((item) => cutTo(item, form, cut, `${at}/n`))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutTo(inner, form, cut, `${at}/${name}`)]))
}

/**
 * Cuts a JSON text to at most `bytes` bytes by shortening its texts and lists; `cut` says which.
 * @param how a sentence that says how to get the rest
 * @returns undefined if even the shortest form is too long
 */
export function fittedJson(text: string, bytes: number, how: string): string | undefined {
  const whole: unknown = JSON.parse(text)
  if (!isObject(whole) || Array.isArray(whole)) return undefined
  for (const form of forms) {
    const cut: Cut = { lists: new Map(), texts: false }
    const [characters, items] = form
    const value = cutTo(whole, form, cut)
    const named = [...cut.lists].slice(0, NAMED).map(([place, length]) => `${items} of ${length} in ${place}`)
    const texts = cut.texts ? [`texts over ${inDigits(characters)} characters`] : []
    const note = `Cut from ${inDigits(Buffer.byteLength(text))} bytes: ${[...named, ...texts].join("; ")}. ${how}`
    const answer = JSON.stringify({ ...(isObject(value) && value), cut: note })
    if (Buffer.byteLength(answer) <= bytes) return answer
  }
  return undefined
}

/** Cuts a text to at most `bytes` bytes, at the end of a line. */
export function fittedText(text: string, bytes: number, how: string): string {
  const note = `\n[Cut from ${inDigits(Buffer.byteLength(text))} bytes. ${how}]\n`
  // A character cut in two is dropped with its line.
  const start = Buffer.from(text)
    .subarray(0, bytes - Buffer.byteLength(note))
    .toString()
  return `${start.slice(0, start.lastIndexOf("\n") + 1)}${note}`
}
