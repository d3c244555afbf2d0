/**
 * Formulas between dollar signs in Markdown: TeX math, rendered as MathML, which needs no style attributes or fonts and
 * can be read aloud. The cost of a formula is limited.
 */
import temml, { type MathTree } from "temml"
import type { MarkdownIt } from "markdown-it"
import { limits } from "../contract/limits.ts"
import { escapeHtml } from "../contract/text.ts"
import { isTextInDollars } from "./as-written.ts"

/** The part of its budget that a text's formulas have spent. */
export class Spent {
  formulas = 0
  characters = 0
  /** Whether the note that the budget is spent was shown; it is shown once per text. */
  isNoted = false
}

/** A control sequence, as Temml parses it. Names with `@` are Temml's internal ones. */
const COMMAND = /\\(?:[a-zA-Z@]+|[^])/g

/**
 * Commands that define a name or change what the next one does. Without them a formula cannot repeat its own content.
 */
const DEFINING: ReadonlySet<string> = new Set(
  (
    "def gdef edef xdef let futurelet global long newcommand renewcommand providecommand DeclareMathOperator " +
    "expandafter noexpand"
  )
    .split(" ")
    .map((name) => `\\${name}`),
)

const definesSomething = (tex: string): boolean => {
  for (const [command] of tex.matchAll(COMMAND)) if (DEFINING.has(command) || command.includes("@")) return true
  return false
}

// The logos' own macros take thirty expansions each to move their letters.
const LOGOS = Object.fromEntries(["TeX", "LaTeX", "KaTeX", "Temml"].map((name) => [`\\${name}`, `\\text{${name}}`]))

/**
 * @param annotate whether the tree holds its source, which a reply quotes
 * @throws Error from Temml if the formula is not valid or has too many commands
 */
const treeOf = (tex: string, displayMode: boolean, annotate: boolean): MathTree =>
  temml.__renderToMathMLTree(tex, {
    displayMode,
    annotate,
    throwOnError: true,
    trust: false,
    maxSize: [20, 20],
    maxExpand: limits.formulaExpansions,
    macros: { ...LOGOS },
  })

const depthOf = ({ type, children = [] }: MathTree): number =>
  children.reduce((deepest, child) => Math.max(deepest, depthOf(child)), 0) + (type === undefined ? 0 : 1)

/** The source of a formula, with the reason why it is not rendered. */
function source(tex: string, why?: string): string {
  const text = escapeHtml(tex)
  return why === undefined
    ? `<code class="math-source">${text}</code>`
    : `<code class="math-source" title="${why}">${text}</code> <span class="source-note">(${why})</span>`
}

/**
 * Renders a formula to MathML. Returns its source if it cannot be parsed or, with the reason, if it exceeds a limit.
 */
export function formula(tex: string, displayMode: boolean, spent = new Spent()): string {
  spent.formulas += 1
  if (spent.formulas > limits.textFormulas || spent.characters + tex.length > limits.textFormulaCharacters) {
    if (spent.isNoted) return source(tex)
    spent.isNoted = true
    return source(tex, "shown as written, like those after it: this text has too many formulas")
  }
  if (tex.length > limits.formula) return source(tex, "shown as written: too long for a formula")
  spent.characters += tex.length
  if (definesSomething(tex)) return source(tex, "shown as written: formulas cannot define commands")
  let markup: string
  let depth: number
  try {
    const tree = treeOf(tex, displayMode, true)
    depth = depthOf(tree)
    markup = depth > limits.formulaDepth ? "" : tree.toMarkup()
  } catch (error) {
    return source(tex, faultOf(tex, error))
  }
  if (depth > limits.formulaDepth || Buffer.byteLength(markup) > limits.formulaBytes)
    return source(tex, "shown as written: it would be too large")
  // The content security policy forbids inline styles; the formula is readable without them.
  const clean = markup.replace(/ style="[^"]*"/g, "")
  return displayMode ? `<div class="formula" role="group" aria-label="formula" tabindex="0">${clean}</div>` : clean
}

/** What is wrong with a formula and where, as Temml's message says it before it quotes the source. */
function faultOf(tex: string, error: unknown): string {
  const { message, position } = error as { message?: string; position?: number }
  if (message?.includes("Too many expansions")) return "shown as written: too many commands in one formula"
  const what = message?.split(/ at (?:position|end of input)/)[0]?.trim() ?? ""
  if (position === undefined || what === "" || what.length > 200) return "shown as written: not valid TeX"
  const where = position >= tex.length ? "at its end" : `at character ${position + 1}`
  return escapeHtml(`shown as written: not valid TeX, ${where}: ${what}`)
}

/** Marks between the parts of an element when its formula is written in one line. */
const between: Readonly<Record<string, readonly string[]>> = {
  mfrac: ["/"],
  msub: ["_"],
  msup: ["^"],
  msubsup: ["_", "^"],
  munder: ["_"],
  munderover: ["_", "^"],
}

/** Returns a formula in one line of plain signs, from the same tree: `\\mathbb{E}[r_t]` is 𝔼[r_t]. */
export function plainFormula(tex: string): string {
  if (tex.length > limits.formula || definesSomething(tex)) return tex
  try {
    const tree = treeOf(tex, false, false)
    if (depthOf(tree) > limits.formulaDepth) return tex
    // Invisible operators, such as the application of a function, are for screen readers.
    return lineOf(tree)
      .replace(/[\u2061-\u2064]/g, "")
      .replace(/\s+/g, " ")
      .trim()
  } catch {
    return tex
  }
}

function lineOf({ type = "", text = "", children = [] }: MathTree): string {
  if (type === "mspace") return " "
  const marks = between[type] ?? []
  const parts = children.map((child, index) => (index === 0 ? "" : (marks[index - 1] ?? "")) + lineOf(child))
  return `${type === "msqrt" ? "√" : ""}${text}${parts.join("")}`
}

/**
 * The state of a text's rendering: the budget spent on formulas. markdown-it stores link definitions in the same
 * object.
 */
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

/**
 * Parses `$x$` and `$$x$$` as formulas. Prices and variables of a shell stay text.
 */
export function mathPlugin(md: MarkdownIt): void {
  md.inline.ruler.after("escape", "math", (state, silent) => {
    if (state.src[state.pos] !== "$") return false
    const mark = state.src[state.pos + 1] === "$" ? "$$" : "$"
    const start = state.pos + mark.length
    const end = closing(state.src, mark, start)
    if (end === -1 || end === start) return false
    const tex = state.src.slice(start, end)
    if (mark === "$" && isTextInDollars(tex, state.src[state.pos - 1] ?? "", state.src[end + 1] ?? "")) return false
    if (!silent) {
      const token = state.push(mark === "$$" ? "math_display" : "math_inline", "math", 0)
      token.content = tex.trim()
    }
    state.pos = end + mark.length
    return true
  })
  md.renderer.rules.math_inline = (tokens, index, _options, env) =>
    formula(tokens[index]?.content ?? "", false, spentIn(env))
  // An inline element, because a block would end the paragraph.
  md.renderer.rules.math_display = (tokens, index, _options, env) =>
    formula(tokens[index]?.content ?? "", true, spentIn(env))
      .replace(/^<div/, "<span")
      .replace(/<\/div>$/, "</span>")
}
