/** Texts of Markdown on a page. */
import { type Html, html, Prose } from "./html.ts"

/** Markdown as markup. */
export const markdown = (text: string): Html => html`<div class="prose">${new Prose(text, "block", true)}</div>`

/** Markdown of one line, without blocks: for wordings and explanations that may hold a formula. */
export const inlineMarkdown = (text: string): Html => html`${new Prose(text, "inline", true)}`

/** The same within a link, where nothing else can be one. */
export const markdownInLink = (text: string): Html => html`${new Prose(text, "inline", false)}`
