/** The start of a text, up to a word's end. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  // Never half a character.
  const cut = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), most - 20)).trimEnd()}…`
}

/** "started, failed or cancelled". */
export const orOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

/** A text in one line, whatever it holds. */
export const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim()
