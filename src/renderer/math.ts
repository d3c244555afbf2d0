/** TeX math as MathML: it needs no style attribute, no font files of its own, and reads aloud. What a formula may cost is bounded. */
import katex from "katex"
import { limits } from "../contract/limits.ts"
import { escapeHtml } from "./escape.ts"

/** What the formulas of one text have taken of its budget so far. */
export class Spent {
  formulas = 0
  characters = 0
  /** Whether the note that the budget is used up was shown: once for each text is enough. */
  isTold = false
}

/** A control word or sign, as KaTeX reads one. Words with `@` are KaTeX's own, behind those that it documents. */
const COMMAND = /\\(?:[a-zA-Z@]+|[^])/g

/** Commands that give a name a meaning, or change what the next one does. Without them nothing a formula says can be repeated by it. */
const DEFINING: ReadonlySet<string> = new Set(
  "def gdef edef xdef let futurelet global long newcommand renewcommand providecommand DeclareMathOperator expandafter noexpand"
    .split(" ")
    .map((name) => `\\${name}`),
)

const definesSomething = (tex: string): boolean => {
  for (const [command] of tex.matchAll(COMMAND)) if (DEFINING.has(command) || command.includes("@")) return true
  return false
}

/** How deep the elements of markup stand in each other; written by KaTeX, it has no comments and no `>` within attributes. */
function depthOf(markup: string): number {
  let [depth, deepest] = [0, 0]
  for (const [, closing, alone] of markup.matchAll(/<(\/?)[^<>]*?(\/?)>/g)) {
    if (closing === "/") depth -= 1
    else if (alone !== "/") {
      depth += 1
      if (depth > deepest) deepest = depth
    }
  }
  return deepest
}

/** The source of a formula, with a word why it is not set. */
function source(tex: string, why?: string): string {
  const text = escapeHtml(tex)
  return why === undefined
    ? `<code class="math-source">${text}</code>`
    : `<code class="math-source" title="${why}">${text}</code> <span class="source-note">(${why})</span>`
}

/** MathML of a formula, or its source: where it cannot be read, and, with a word why, where it asks for more than a formula may. */
export function formula(tex: string, displayMode: boolean, spent = new Spent()): string {
  spent.formulas += 1
  if (spent.formulas > limits.textFormulas || spent.characters + tex.length > limits.textFormulaCharacters) {
    if (spent.isTold) return source(tex)
    spent.isTold = true
    return source(tex, "shown as it was written, like what follows: the formulas of this text are too many to be set")
  }
  if (tex.length > limits.formula) return source(tex, "shown as it was written: too long for a formula")
  spent.characters += tex.length
  if (definesSomething(tex)) return source(tex, "shown as it was written: formulas here define no commands of their own")
  let made: string
  try {
    made = katex.renderToString(tex, {
      displayMode,
      output: "mathml",
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxSize: 20,
      maxExpand: limits.formulaExpansions,
    })
  } catch (error) {
    // KaTeX has no error of its own for this one; its sentence begins so in the pinned version, which a test watches.
    return String(error).includes("Too many expansions")
      ? source(tex, "shown as it was written: too many commands in one formula")
      : source(tex)
  }
  if (Buffer.byteLength(made) > limits.formulaBytes || depthOf(made) > limits.formulaDepth)
    return source(tex, "shown as it was written: it would become too large")
  // A policy without inline style would complain of each; what is left still says the formula.
  const clean = made.replace(/ style="[^"]*"/g, "")
  return displayMode ? `<div class="formula" role="group" aria-label="formula" tabindex="0">${clean}</div>` : clean
}
