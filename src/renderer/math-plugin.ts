/** Formulas between dollar signs in Markdown. */
import type { MarkdownIt } from "markdown-it"
import { formula, type Spent } from "./math.ts"

/** The state of a text's rendering: the budget spent on formulas. markdown-it stores link definitions in the same object. */
export const envOf = (spent: Spent) => ({ spent })
const spentIn = (env: unknown): Spent => (env as ReturnType<typeof envOf>).spent

/** The end of the formula that starts at `start`; -1 if it has none. */
function closing(text: string, mark: string, start: number): number {
  for (let at = text.indexOf(mark, start); at !== -1; at = text.indexOf(mark, at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === "\\") slashes += 1
    if (slashes % 2 === 0) return at
  }
  return -1
}

/** Parses `$x$` and `$$x$$` as formulas. A price such as $5 stays text: no space inside the marks, no digit after them. */
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
  md.renderer.rules.math_inline = (tokens, index, _options, env) => formula(tokens[index]?.content ?? "", false, spentIn(env))
  // An inline element, because a block would end the paragraph.
  md.renderer.rules.math_display = (tokens, index, _options, env) =>
    formula(tokens[index]?.content ?? "", true, spentIn(env))
      .replace(/^<div/, "<span")
      .replace(/<\/div>$/, "</span>")
}
