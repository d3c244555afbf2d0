/** Limits Markdown blocks that cost far more than their length. */
import type { MarkdownIt } from "markdown-it"
import { limits } from "../contract/limits.ts"

type Rule = MarkdownIt["block"]["ruler"]["__rules__"][number]["fn"]

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
export function boundBlocks(md: MarkdownIt): void {
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
