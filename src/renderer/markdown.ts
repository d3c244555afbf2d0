/**
 * The Markdown of messages and syntheses. It is hostile until shown otherwise: raw HTML is text, the output is built token by
 * token from a closed set of elements, links go nowhere but to the web and to mail and are marked, images are never fetched.
 * What it costs is bounded: what would become too large is shown as it was written.
 */
import MarkdownIt from "markdown-it"
import { limits } from "../contract/limits.ts"
import { asWritten, type Kind } from "./as-written.ts"
import { boundBlocks } from "./bounds.ts"
import { coloured } from "./code.ts"
import { labelPlugin } from "./label-plugin.ts"
import { Spent } from "./math.ts"
import { envOf, mathPlugin } from "./math-plugin.ts"

const md = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: false, maxNesting: 20 })
md.use(mathPlugin)
md.use(boundBlocks)
// Bare addresses, and nothing that only looks like one: a version or a file's name is none.
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
for (const scheme of ["ftp:", "//", "mailto:"]) md.linkify.add(scheme, null)
md.use(labelPlugin)

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
md.renderer.rules.fence = (tokens, index) => {
  const { content = "", info = "" } = tokens[index] ?? {}
  return `<pre tabindex="0"><code>${coloured(content, info)}</code></pre>\n`
}
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

type Tokens = ReturnType<typeof md.parse>

/** At least about how long tokens become: one definition may give a thousand links its long address. */
function lengthOf(tokens: Tokens): number {
  let length = 0
  for (const token of tokens) {
    length += token.children === null ? token.content.length + token.tag.length + 2 : lengthOf(token.children)
    for (const [, value] of token.attrs ?? []) length += String(value).length
  }
  return length
}

const TOO_LARGE = "set as Markdown it would become too large"

/** Markup of a text, never longer than about {@link limits.renderedTextBytes}. */
export function rendered(text: string, kind: Kind): string {
  if (text.length > 2 * limits.message) return asWritten(text, kind, TOO_LARGE)
  const env = envOf(new Spent())
  const tokens = kind === "block" ? md.parse(text, env) : md.parseInline(text, env)
  if (lengthOf(tokens) > limits.renderedTextBytes) return asWritten(text, kind, TOO_LARGE)
  const made = md.renderer.render(tokens, md.options, env)
  return Buffer.byteLength(made) > limits.renderedTextBytes ? asWritten(text, kind, TOO_LARGE) : made
}
