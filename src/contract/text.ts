/** Escapes text for markup, shortens it, writes numbers and dates, and reads it from files. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Escapes text for use between tags and in quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")

const CHARACTERS = new Map(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]))

/** The text that `escapeHtml` escaped. */
export const unescapedHtml = (text: string): string =>
  text.replace(/&#?[a-z0-9]+;/g, (entity) => CHARACTERS.get(entity) ?? entity)

// RIS, a citation format with one tag per line.

/**
 * Writes an entry from its tags, of which the first is `TY`. Tags without a value are left out; line breaks in values
 * become spaces.
 */
export function risText(tags: readonly (readonly [tag: string, value: string | null | undefined])[]): string {
  const lines = tags.flatMap(([tag, value]) => (value == null ? [] : [`${tag}  - ${value.replace(/\s+/g, " ")}`]))
  return `${[...lines, "ER  - "].join("\r\n")}\r\n`
}

/** The characters around a mark of withheld text (`nouns/withholding.ts`). No request can contain them. */
export const MARK_OPEN = "\ufde0"
export const MARK_CLOSE = "\ufde1"

/** Shortens a text to about `most` characters, at the end of a word if there is one near. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  // Never cut a surrogate pair.
  const cut = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
  const kept = cut.slice(0, Math.max(cut.lastIndexOf(" "), most - 20))
  // Never cut a mark: half of one would not be recognised.
  const open = kept.lastIndexOf(MARK_OPEN)
  return `${(open > kept.lastIndexOf(MARK_CLOSE) ? kept.slice(0, open) : kept).trimEnd()}…`
}

/** The first paragraph of a text, in which no sentence is cut. */
export const firstParagraph = (text: string): string => text.trim().split(/\n[ \t]*\n/, 1)[0] ?? text

const listed = (words: readonly string[], last: string): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`
/** "started, failed or cancelled". */
export const orOf = (words: readonly string[]): string => listed(words, "or")
/** "started, failed and cancelled". */
export const andOf = (words: readonly string[]): string => listed(words, "and")

/** Writes a whole number as 1,234,567. Used while the program starts: the first call of `Intl` is slow. */
export const inDigits = (whole: number): string => String(whole).replace(/\B(?=(?:\d{3}){1,7}$)/g, ",")

// A page writes hundreds of dates, and `Intl` takes several times as long for each.
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec".split(" ")

/** 2026-11-20T09:30:00.000Z as "20 Nov 2026". */
export function dateOf(at: string): string {
  const day = new Date(at)
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`
}

/** Removes the given characters from the end of a text. A regular expression for this would take quadratic time. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

export const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim()

/**
 * Makes text from strangers safe for a terminal: replaces control characters and those that change the reading
 * direction.
 */
export const printable = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD")

/** Whether each opening brace of a text has its closing one. */
export function isBalanced(text: string): boolean {
  let depth = 0
  for (const brace of text.match(/[{}]/g) ?? []) {
    depth += brace === "{" ? 1 : -1
    if (depth < 0) return false
  }
  return depth === 0
}

// The text of a file that a person has, by whatever program it was written.

/** Reads the text of a file: UTF-8, UTF-16 with its mark, or Windows-1252, which is no UTF-8 once it has an accent. */
export function fileText(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes)
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder("windows-1252").decode(bytes)
  }
}
