/** Texts of Markdown on a page. */
import { type Html, html, Prose } from "./html.ts"
import { plainText } from "./plain-text.ts"
import { shortened } from "./words.ts"

/** Markdown as markup. */
export const markdown = (text: string): Html => html`<div class="prose" dir="auto">${new Prose(text, "block", true)}</div>`

/** Markdown of one line, without blocks: for wordings and explanations that may hold a formula. */
export const inlineMarkdown = (text: string): Html => html`${new Prose(text, "inline", true)}`

/** The same within a sentence of the page: set apart, so that words which run from right to left leave the rest in its order. */
export const phrase = (text: string): Html => html`<bdi>${inlineMarkdown(text)}</bdi>`

/** The same within a link, where nothing else can be one. */
export const markdownInLink = (text: string): Html => html`${new Prose(text, "inline", false)}`

/** The beginning of a text of one line: as it is where it is short; else its first words without formulas, which a cut would break. */
export const beginning = (text: string, most: number): Html =>
  text.length <= most ? phrase(text) : html`<bdi>${shortened(plainText(text), most)}</bdi>`

/** The same within a link. */
export const beginningInLink = (text: string, most: number): Html =>
  html`<bdi>${text.length <= most ? markdownInLink(text) : shortened(plainText(text), most)}</bdi>`
