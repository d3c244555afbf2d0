/** Markdown in pages. */
import { type Html, html, Prose } from "./html.ts"
import { plainText } from "./plain-text.ts"
import { shortened } from "./words.ts"

/** Renders Markdown in blocks. */
export const markdown = (text: string): Html => html`<div class="prose" dir="auto">${new Prose(text, "block", true)}</div>`

/** Renders one line of Markdown without blocks, for wordings and explanations that may contain a formula. */
export const inlineMarkdown = (text: string): Html => html`${new Prose(text, "inline", true)}`

/** Renders one line inside a sentence of the page. Right-to-left text in it does not reorder the sentence. */
export const phrase = (text: string): Html => html`<bdi>${inlineMarkdown(text)}</bdi>`

/** Renders one line inside a link, without links of its own. */
export const markdownInLink = (text: string): Html => html`${new Prose(text, "inline", false)}`

/** Renders one line, or the first words of a long one without formulas, which a cut would break. */
export const beginning = (text: string, most: number): Html =>
  text.length <= most ? phrase(text) : html`<bdi>${shortened(plainText(text), most)}</bdi>`

/** The same as `beginning`, inside a link. */
export const beginningInLink = (text: string, most: number): Html =>
  html`<bdi>${text.length <= most ? markdownInLink(text) : shortened(plainText(text), most)}</bdi>`
