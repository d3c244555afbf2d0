/**
 * The Markdown of messages and syntheses. It is hostile until shown otherwise: raw HTML is text, the output is built token by
 * token from a closed set of elements, links go nowhere but to the web and to mail and are marked, images are never fetched.
 */
import MarkdownIt from "markdown-it"
import { html, type Html, markup } from "./html.ts"
import { mathPlugin } from "./math.ts"

const md = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: false, maxNesting: 20 })
md.use(mathPlugin)

/** Addresses that a link may lead to. A relative one would lead into this service under somebody else's words. */
const LINK = /^(?:https?:\/\/[^\s/]|mailto:[^\s])/i
md.validateLink = (url) => LINK.test(url.trim())

const MARKS = "nofollow noopener ugc"
md.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet("rel", MARKS)
  return self.renderToken(tokens, index, options)
}

/** An image as a link to it: looking at a page must tell nobody outside. */
md.renderer.rules.image = (tokens, index) => {
  const token = tokens[index]
  const shown = md.utils.escapeHtml(token?.content || "image")
  return `<a class="image-link" rel="${MARKS}" href="${md.utils.escapeHtml(String(token?.attrGet("src") ?? ""))}">${shown} (image, not loaded)</a>`
}

// A fence's info string would become a class of the writer's choice; a table's alignment, a style attribute.
const code = (text: string) => `<pre tabindex="0"><code>${md.utils.escapeHtml(text)}</code></pre>\n`
md.renderer.rules.fence = (tokens, index) => code(tokens[index]?.content ?? "")
md.renderer.rules.code_block = md.renderer.rules.fence
for (const cell of ["th_open", "td_open"] as const) {
  md.renderer.rules[cell] = (tokens, index) => {
    const align = /text-align:(left|center|right)/.exec(String(tokens[index]?.attrGet("style") ?? ""))?.[1]
    const tag = tokens[index]?.tag === "th" ? "th" : "td"
    return `<${tag}${align === undefined ? "" : ` class="${align}"`}>`
  }
}
// The page has headings of its own; those of a message begin below them.
for (const side of ["heading_open", "heading_close"] as const) {
  md.renderer.rules[side] = (tokens, index) => {
    const level = Math.min(6, Number(tokens[index]?.tag.slice(1)) + 3)
    return side === "heading_open" ? `<h${level}>` : `</h${level}>\n`
  }
}

/** Markdown as markup. */
export const markdown = (text: string): Html => html`<div class="prose">${markup(md.render(text))}</div>`

/** Markdown of one line, without blocks: for wordings and explanations that may hold a formula. */
export const inlineMarkdown = (text: string): Html => markup(md.renderInline(text))
