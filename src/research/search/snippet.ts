/** Passages that show what was found: text that can be put into a page as it is. */

/** What the index sets around a word it found. */
export const MARKS = { open: "\u0001", close: "\u0002" } as const

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] as string)

/** Whether a passage holds a word that was found. */
export const isMarked = (passage: string | null): passage is string => passage?.includes(MARKS.open) === true

/** HTML in which everything is escaped but `<mark>` and `</mark>`, which come in pairs whatever the text holds. */
export const snippetHtml = (passage: string): string =>
  escaped(passage)
    .replace(/\u0001([^\u0001\u0002]*)\u0002/g, "<mark>$1</mark>")
    .replace(/[\u0001\u0002]/g, "")
