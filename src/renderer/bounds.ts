/** Bounds on blocks of Markdown whose cost is out of proportion to their text. */
import type { MarkdownIt } from "markdown-it"
import { limits } from "../contract/limits.ts"

type Rule = MarkdownIt["block"]["ruler"]["__rules__"][number]["fn"]

/** Levels of quotes and lists (of which each takes two); deeper ones are text. markdown-it itself would leave out what stands in them. */
const DEEPEST = 16

/** For each line of a text the next empty one: looked for once, since every line may begin a table. */
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

/** Whether a table begins here that would have too many cells: markdown-it fills up short rows, so that each costs as much as the widest. */
function isTooLarge(state: Parameters<Rule>[0], line: number, end: number): boolean {
  if (line + 1 >= end) return false
  const marks = state.src.slice(state.bMarks[line + 1], state.eMarks[line + 1])
  if (!/^[>\s]*[|:-][|:\s-]*$/.test(marks)) return false
  return marks.split("|").length * (gapAfter(state, line) - line) > limits.tableCells
}

/** A markdown-it plugin: tables of too many cells, and quotes and lists too deep, stay text. */
export function boundBlocks(md: MarkdownIt): void {
  const bounded = (name: string, passes: (...given: Parameters<Rule>) => boolean) => {
    const found = md.block.ruler.__rules__.find((one) => one.name === name)
    if (found === undefined) throw new Error(`markdown-it has no rule ${name}`)
    const { fn: rule, alt } = found
    md.block.ruler.at(name, (...given) => passes(...given) && rule(...given), { alt: [...alt] })
  }
  bounded("table", (state, line, end) => !isTooLarge(state, line, end))
  bounded("blockquote", (state) => state.level < DEEPEST)
  bounded("list", (state) => state.level < DEEPEST)
}
