/**
 * Labels in Markdown, such as H1 or E12. A text is rendered once for all Rooms, but its labels name different objects
 * in each. So rendering only marks labels, and the page turns those that name something into links.
 */
import type { MarkdownIt } from "markdown-it"
import { LABEL, LETTERS } from "../contract/objects/objects.ts"

/** The element that marks a label in rendered markup; nothing else produces it. */
const MARKED = new RegExp(`<data value="([${LETTERS}][0-9]+)">\\1</data>`, "g")

/** Replaces each label in rendered markup by the result of `link`; null leaves plain text. */
export const withLabels = (markup: string, link: (label: string) => string | null): string =>
  markup.includes("<data ") ? markup.replace(MARKED, (_, label: string) => link(label) ?? label) : markup

/** A markdown-it plugin that marks labels in plain text, but not in code, formulas or links. */
export function labelPlugin(md: MarkdownIt): void {
  md.core.ruler.push("labels", (state) => {
    for (const block of state.tokens) {
      if (block.type !== "inline" || block.children === null) continue
      let links = 0
      block.children = block.children.flatMap((token) => {
        if (token.type === "link_open") links += 1
        if (token.type === "link_close") links -= 1
        if (token.type !== "text" || links > 0) return [token]
        const made: typeof block.children = []
        const text = (content: string) => {
          if (content === "") return
          const part = new state.Token("text", "", 0)
          part.content = content
          made.push(part)
        }
        let end = 0
        for (const { 0: label, index } of token.content.matchAll(LABEL)) {
          text(token.content.slice(end, index))
          const mark = new state.Token("label", "data", 0)
          mark.content = label
          made.push(mark)
          end = index + label.length
        }
        if (end === 0) return [token]
        text(token.content.slice(end))
        return made
      })
    }
  })
  md.renderer.rules.label = (tokens, index) => {
    const { content = "" } = tokens[index] ?? {}
    return `<data value="${content}">${content}</data>`
  }
}
