/**
 * Labels in Markdown, such as H1 or E12. What they name differs from Room to Room, and a text is rendered once for all: each is
 * marked here, and made a link, where something bears it, when the page is written.
 */
import type { MarkdownIt } from "markdown-it"
import { LABEL, LETTERS } from "../contract/objects/labels.ts"

/** How a label is marked in what is rendered: with an element that nothing else becomes. */
const MARKED = new RegExp(`<data value="([${LETTERS}][0-9]+)">\\1</data>`, "g")

/** The labels of rendered markup as `link` makes them; null leaves one as plain text. */
export const withLabels = (markup: string, link: (label: string) => string | null): string =>
  markup.includes("<data ") ? markup.replace(MARKED, (_, label: string) => link(label) ?? label) : markup

/** A markdown-it plugin: labels in plain text, neither in code or a formula nor within a link. */
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
