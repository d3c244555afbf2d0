/** Markdown in pages, and as one line of plain words for quotes and search results, which are not rendered. */
import { isTextInDollars } from "../renderer/as-written.ts"
import { type Html, html, Prose } from "./html.ts"
import type { LinkedNumber } from "./linked-numbers.ts"
import { shortened } from "./words.ts"

/** Characters read of a text. No quote is longer, and the cost stays bounded. */
const MOST = 600

/** A thread that makes no page does not load the reader of TeX. */
let plainFormula = (tex: string): string => tex

let loaded: Promise<void> | undefined

/**
 * Loads the reader of TeX, without which plain words show formulas as they were written. Each page waits for it, and
 * importing a module again costs a small page a twelfth of its time.
 */
export const loadFormulas = (): Promise<void> =>
  (loaded ??= import("../renderer/math.ts").then((math) => void ({ plainFormula } = math)))

/** What `plainText` may change, besides spaces at both ends. Most labels and sentences have none of it. */
const MARKED = /[[$*`_]|[^\S ]| {2}|^ ?(?:#{1,6}|[>+-]) /

/** Returns the start of a text as plain words. */
export const plainText = (markdown: string): string => {
  const text = markdown.slice(0, MOST)
  return MARKED.test(text) ? withoutMarks(text) : text.trim()
}
const withoutMarks = (text: string): string =>
  text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\$\$?([^$]+)\$\$?/g, (whole: string, tex: string, at: number, text: string) => {
      const isText = !whole.startsWith("$$") && isTextInDollars(tex, text[at - 1] ?? "", text[at + whole.length] ?? "")
      return isText ? whole : plainFormula(tex)
    })
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+])\s+/gm, "")
    .replace(
      /\*{1,3}(?=\S)|(?<=\S)\*{1,3}|`{1,3}|(?<![\p{L}\p{N}])_{1,2}(?=\p{L})|(?<=\p{L})_{1,2}(?![\p{L}\p{N}])/gu,
      "",
    )
    .replace(/\s+/g, " ")
    .trim()

/** Renders Markdown in blocks. @param numbers those of its numbers that become links (`parts/numbers.ts`) */
export const markdown = (text: string, numbers?: readonly LinkedNumber[]): Html =>
  html`<div class="prose" dir="auto">${new Prose(text, "block", true, numbers)}</div>`

/** Renders one line of Markdown without blocks, for wordings and explanations that may contain a formula. */
export const inlineMarkdown = (text: string, numbers?: readonly LinkedNumber[]): Html =>
  html`${new Prose(text, "inline", true, numbers)}`

/** Renders one line inside a sentence of the page. Right-to-left text in it does not reorder the sentence. */
export const phrase = (text: string, numbers?: readonly LinkedNumber[]): Html =>
  html`<bdi>${inlineMarkdown(text, numbers)}</bdi>`

/** Renders one line inside a link, without links of its own. */
export const markdownInLink = (text: string): Html => html`${new Prose(text, "inline", false)}`

/** Renders one line, or the first words of a long one without formulas, which a cut would break. */
export const beginning = (text: string, most: number): Html =>
  text.length <= most ? phrase(text) : html`<bdi>${shortened(plainText(text), most)}</bdi>`

/** The same as `beginning`, inside a link. */
export const beginningInLink = (text: string, most: number): Html =>
  html`<bdi>${text.length <= most ? markdownInLink(text) : shortened(plainText(text), most)}</bdi>`
