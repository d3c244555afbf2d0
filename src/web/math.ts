/** TeX math in Markdown, as MathML: it needs no style attribute, no font files of its own, and reads aloud. */
import katex from "katex"
import type { MarkdownIt } from "markdown-it"
import { escapeHtml } from "./html.ts"

/** What a formula may cost: a page must not be made slow, or grow without end, by one message. */
const MOST = 2_000

/** MathML of a formula, or its source where it cannot be read. */
export function formula(tex: string, displayMode: boolean): string {
  const source = `<code class="math-source">${escapeHtml(tex)}</code>`
  if (tex.length > MOST) return source
  try {
    const made = katex.renderToString(tex, {
      displayMode,
      output: "mathml",
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxSize: 20,
      maxExpand: 200,
    })
    // A policy without inline style would complain of each; what is left still says the formula.
    const clean = made.replace(/ style="[^"]*"/g, "")
    return displayMode ? `<div class="formula" role="group" aria-label="formula" tabindex="0">${clean}</div>` : clean
  } catch {
    return source
  }
}

/** The end of a formula that opens at `start`; -1 when none ends. */
function closing(text: string, mark: string, start: number): number {
  for (let at = text.indexOf(mark, start); at !== -1; at = text.indexOf(mark, at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === "\\") slashes += 1
    if (slashes % 2 === 0) return at
  }
  return -1
}

/** `$x$` and `$$x$$` as formulas; a price such as $5 stays text: no space within the marks, no digit after them. */
export function mathPlugin(md: MarkdownIt): void {
  md.inline.ruler.after("escape", "math", (state, silent) => {
    if (state.src[state.pos] !== "$") return false
    const mark = state.src[state.pos + 1] === "$" ? "$$" : "$"
    const start = state.pos + mark.length
    const end = closing(state.src, mark, start)
    if (end === -1 || end === start) return false
    const tex = state.src.slice(start, end)
    if (mark === "$" && (/^\s|\s$/.test(tex) || /[0-9]/.test(state.src[end + 1] ?? ""))) return false
    if (!silent) {
      const token = state.push(mark === "$$" ? "math_display" : "math_inline", "math", 0)
      token.content = tex.trim()
    }
    state.pos = end + mark.length
    return true
  })
  md.renderer.rules.math_inline = (tokens, index) => formula(tokens[index]?.content ?? "", false)
  // Within a paragraph: a block of its own would end the paragraph it stands in.
  md.renderer.rules.math_display = (tokens, index) =>
    formula(tokens[index]?.content ?? "", true)
      .replace(/^<div/, "<span")
      .replace(/<\/div>$/, "</span>")
}
