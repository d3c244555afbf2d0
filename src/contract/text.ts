/** What stands around a mark of withheld text (`definitions/withheld-text.ts`): characters that nobody can send. */
export const MARK_OPEN = "\ufde0"
export const MARK_CLOSE = "\ufde1"

/** The start of a text, up to a word's end. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  // Never half a character.
  const cut = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
  const kept = cut.slice(0, Math.max(cut.lastIndexOf(" "), most - 20))
  // Nor half a mark, which no reader would know as one.
  const open = kept.lastIndexOf(MARK_OPEN)
  return `${(open > kept.lastIndexOf(MARK_CLOSE) ? kept.slice(0, open) : kept).trimEnd()}…`
}

const listed = (words: readonly string[], last: string): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`
/** "started, failed or cancelled". */
export const orOf = (words: readonly string[]): string => listed(words, "or")
/** "started, failed and cancelled". */
export const andOf = (words: readonly string[]): string => listed(words, "and")

/** A whole number as people write it: 1,234,567. For what is made as the program starts: `Intl` takes longest of all the first time. */
export const inDigits = (whole: number): string => String(whole).replace(/\B(?=(?:\d{3}){1,7}$)/g, ",")

/** A text without some characters at its end. A regular expression for this takes the square of the text's length. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** A text in one line, whatever it holds. */
export const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim()

/** A text as a terminal may show it: what strangers wrote may hold signs that it would obey, or that turn the reading direction. */
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD")
