/** Renders TeX math as MathML, which needs no style attributes or fonts and can be read aloud. The cost of a formula is limited. */
import katex from "katex"
import { limits } from "../contract/limits.ts"
import { escapeHtml } from "../contract/escape.ts"

/** The part of its budget that a text's formulas have spent. */
export class Spent {
  formulas = 0
  characters = 0
  /** Whether the note that the budget is spent was shown; it is shown once per text. */
  isNoted = false
}

/** A control sequence, as KaTeX parses it. Names with `@` are KaTeX's internal ones. */
const COMMAND = /\\(?:[a-zA-Z@]+|[^])/g

/** Commands that define a name or change what the next one does. Without them a formula cannot repeat its own content. */
const DEFINING: ReadonlySet<string> = new Set(
  "def gdef edef xdef let futurelet global long newcommand renewcommand providecommand DeclareMathOperator expandafter noexpand"
    .split(" ")
    .map((name) => `\\${name}`),
)

const definesSomething = (tex: string): boolean => {
  for (const [command] of tex.matchAll(COMMAND)) if (DEFINING.has(command) || command.includes("@")) return true
  return false
}

/** The nesting depth of markup. KaTeX's markup has no comments, and no `>` in attributes. */
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

/** The source of a formula, with the reason why it is not rendered. */
function source(tex: string, why?: string): string {
  const text = escapeHtml(tex)
  return why === undefined
    ? `<code class="math-source">${text}</code>`
    : `<code class="math-source" title="${why}">${text}</code> <span class="source-note">(${why})</span>`
}

/** Renders a formula to MathML. Returns its source if it cannot be parsed or, with the reason, if it exceeds a limit. */
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
    // KaTeX has no error class for this; a test checks that the message of the pinned version starts like this.
    return String(error).includes("Too many expansions") ? source(tex, "shown as written: too many commands in one formula") : source(tex)
  }
  if (Buffer.byteLength(made) > limits.formulaBytes || depthOf(made) > limits.formulaDepth)
    return source(tex, "shown as written: it would be too large")
  // The content security policy forbids inline styles; the formula is readable without them.
  const clean = made.replace(/ style="[^"]*"/g, "")
  return displayMode ? `<div class="formula" role="group" aria-label="formula" tabindex="0">${clean}</div>` : clean
}
