/**
 * Renders the Markdown of messages and syntheses, which is untrusted: raw HTML is text, the output contains only known
 * elements, links go only to the web or to mail and are marked, and images are never loaded. The cost is limited: a
 * text that would become too large is shown as written.
 */
import MarkdownIt from "markdown-it"
import type { MarkdownIt as Parser } from "markdown-it"
import cjkFriendly from "markdown-it-cjk-friendly"
import highlighter from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import c from "highlight.js/lib/languages/c"
import cpp from "highlight.js/lib/languages/cpp"
import diff from "highlight.js/lib/languages/diff"
import ini from "highlight.js/lib/languages/ini"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import julia from "highlight.js/lib/languages/julia"
import latex from "highlight.js/lib/languages/latex"
import python from "highlight.js/lib/languages/python"
import r from "highlight.js/lib/languages/r"
import rust from "highlight.js/lib/languages/rust"
import sql from "highlight.js/lib/languages/sql"
import typescript from "highlight.js/lib/languages/typescript"
import yaml from "highlight.js/lib/languages/yaml"
import { limits } from "../contract/limits.ts"
import { asWritten, type Kind } from "./as-written.ts"
import { labelPlugin } from "./label-plugin.ts"
import { envOf, mathPlugin, Spent } from "./math.ts"
import { escapeHtml } from "../contract/text.ts"

// Limits Markdown blocks that cost far more than their length.

type Rule = Parser["block"]["ruler"]["__rules__"][number]["fn"]

/**
 * The deepest level of quotes and lists (a list takes two); deeper ones stay text. markdown-it itself would drop their
 * content.
 */
const DEEPEST = 16

/** For each line, the next empty line. Cached, because every line may start a table. */
const gaps = new WeakMap<object, Int32Array>()
function gapAfter(state: Parameters<Rule>[0], line: number): number {
  let found = gaps.get(state)
  if (found === undefined) {
    const lines = state.src.split("\n")
    found = new Int32Array(lines.length + 1).fill(lines.length)
    for (let at = lines.length - 1; at >= 0; at -= 1) found[at] = lines[at]?.trim() === "" ? at : (found[at + 1] ?? 0)
    gaps.set(state, found)
  }
  return found[line] ?? line
}

/**
 * Whether a table with too many cells starts here. markdown-it pads short rows, so each row costs as much as the
 * widest.
 */
function isTooLarge(state: Parameters<Rule>[0], line: number, end: number): boolean {
  if (line + 1 >= end) return false
  const marks = state.src.slice(state.bMarks[line + 1], state.eMarks[line + 1])
  if (!/^[>\s]*[|:-][|:\s-]*$/.test(marks)) return false
  return marks.split("|").length * (gapAfter(state, line) - line) > limits.tableCells
}

/** A markdown-it plugin: tables with too many cells, and quotes and lists that are too deep, stay text. */
function boundBlocks(md: Parser): void {
  const bounded = (name: string, passes: (...args: Parameters<Rule>) => boolean) => {
    const found = md.block.ruler.__rules__.find((one) => one.name === name)
    if (found === undefined) throw new Error(`markdown-it has no rule ${name}`)
    const { fn: rule, alt } = found
    md.block.ruler.at(name, (...args) => passes(...args) && rule(...args), { alt: [...alt] })
  }
  bounded("table", (state, line, end) => !isTooLarge(state, line, end))
  bounded("blockquote", (state) => state.level < DEEPEST)
  bounded("list", (state) => state.level < DEEPEST)
}

// Highlights code in the languages common in research. Other languages and long code stay plain.

const short: Readonly<Record<string, string>> = {
  "c++": "cpp",
  js: "javascript",
  jl: "julia",
  py: "python",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  tex: "latex",
  toml: "ini",
  ts: "typescript",
  yml: "yaml",
}
const languages = new Map<string, unknown>(
  Object.entries({ bash, c, cpp, diff, ini, javascript, json, julia, latex, python, r, rust, sql, typescript, yaml }),
)

/** Registers a language on first use. */
function isKnown(name: string): boolean {
  if (highlighter.getLanguage(name) === undefined && languages.has(name))
    highlighter.registerLanguage(name, languages.get(name))
  return languages.has(name)
}

/**
 * Markup of code, with classes only from the highlighter's own set. @param info the fence's info string, with the
 * language
 */
export function coloured(code: string, info: string): string {
  const name = /^[A-Za-z+#]{1,20}/.exec(info.trim())?.[0]?.toLowerCase() ?? ""
  const language = short[name] ?? name
  if (code.length > limits.colouredCode || !isKnown(language)) return escapeHtml(code)
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value
}

const md = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: false, maxNesting: 20 })
// Emphasis may end before a Korean particle, and begin and end beside punctuation of Chinese and Japanese.
md.use(cjkFriendly)
md.use(mathPlugin)
md.use(boundBlocks)
// Links only full addresses: a version or file name may look like a short one.
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
for (const scheme of ["ftp:", "//", "mailto:"]) md.linkify.add(scheme, null)
md.use(labelPlugin)

/** Addresses that links may have. A relative one would lead into this service from a user's text. */
const LINK = /^(?:https?:\/\/[^\s/]|mailto:[^\s])/i
md.validateLink = (url) => LINK.test(url.trim())

const MARKS = "nofollow noopener ugc"
md.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet("rel", MARKS)
  return self.renderToken(tokens, index, options)
}

/** Shows an image as a link, because loading it would tell another server who reads the page. */
md.renderer.rules.image = (tokens, index) => {
  const token = tokens[index]
  const shown = md.utils.escapeHtml(token?.content || "image")
  return (
    `<a class="image-link" rel="${MARKS}" href="${md.utils.escapeHtml(String(token?.attrGet("src") ?? ""))}">` +
    `${shown} (image, not loaded)</a>`
  )
}

// markdown-it would turn a fence's info string into a class, and a table's alignment into a style attribute.
md.renderer.rules.fence = (tokens, index) => {
  const { content = "", info = "" } = tokens[index] ?? {}
  return `<pre tabindex="0"><code>${coloured(content, info)}</code></pre>\n`
}
md.renderer.rules.code_block = md.renderer.rules.fence
for (const tag of ["th", "td"]) {
  md.renderer.rules[`${tag}_open`] = (tokens, index) => {
    const align = /text-align:(left|center|right)/.exec(String(tokens[index]?.attrGet("style") ?? ""))?.[1]
    return `<${tag}${align === undefined ? "" : ` class="${align}"`}>`
  }
}
// A wide table scrolls in a box of its own, which the keyboard reaches.
md.renderer.rules.table_open = () => '<div class="table" role="group" tabindex="0" aria-label="table"><table>\n'
md.renderer.rules.table_close = () => "</table></div>\n"
// The page has its own headings, so those of a message are three levels lower.
for (const side of ["heading_open", "heading_close"] as const) {
  md.renderer.rules[side] = (tokens, index) => {
    const level = Math.min(6, Number(tokens[index]?.tag.slice(1)) + 3)
    return side === "heading_open" ? `<h${level}>` : `</h${level}>\n`
  }
}

/** A lower bound of the markup's length, because one link definition can repeat a long address a thousand times. */
function lengthOf(tokens: ReturnType<typeof md.parse>): number {
  let length = 0
  for (const token of tokens) {
    length += token.children === null ? token.content.length + token.tag.length + 2 : lengthOf(token.children)
    for (const [, value] of token.attrs ?? []) length += String(value).length
  }
  return length
}

const TOO_LARGE = "as Markdown it would be too large"

/** Renders a text to markup of at most about {@link limits.renderedTextBytes}. */
export function rendered(text: string, kind: Kind): string {
  if (text.length > 2 * limits.message) return asWritten(text, kind, TOO_LARGE)
  const env = envOf(new Spent())
  const tokens = kind === "block" ? md.parse(text, env) : md.parseInline(text, env)
  if (lengthOf(tokens) > limits.renderedTextBytes) return asWritten(text, kind, TOO_LARGE)
  const made = md.renderer.render(tokens, md.options, env)
  return Buffer.byteLength(made) > limits.renderedTextBytes ? asWritten(text, kind, TOO_LARGE) : made
}
