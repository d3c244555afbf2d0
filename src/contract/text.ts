/** The start of a text, up to a word's end. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), most - 20)).trimEnd()}…`
}
