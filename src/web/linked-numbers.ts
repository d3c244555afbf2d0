/** Numbers in rendered texts, which the page turns into links to where they come from. */
import { escapeHtml } from "../contract/text.ts"

/** A number of a text as it is printed, in order, and where it leads to; null where it stays as it is. */
export interface LinkedNumber {
  readonly text: string
  readonly start: number
  readonly link: { readonly path: string; readonly tip: string; readonly id: string; readonly hasMoved: boolean } | null
}

/** How many numbers that rendering does not show may stand between two that it does. */
const HIDDEN = 8
const NAME = /^[a-zA-Z][\w-]*/
/** Elements whose text holds no numbers that are said, or no further link. */
const CLOSED = new Set(["a", "code", "pre", "math", "svg", "button"])
const IN_WORD = /[\p{L}\p{N}_]/u

/** The place of a number in a stretch of text, where it stands alone; -1 if it is not there. */
function placeOf(number: string, text: string, from: number): number {
  for (let at = text.indexOf(number, from); at >= 0; at = text.indexOf(number, at + 1)) {
    const [before, after] = [text[at - 1] ?? "", text[at + number.length] ?? ""]
    const isPart = /[.,]/.test(before) && /[0-9]/.test(text[at - 2] ?? "")
    const goesOn = /[.,]/.test(after) && /[0-9]/.test(text[at + number.length + 1] ?? "")
    if (!IN_WORD.test(before) && !IN_WORD.test(after) && !isPart && !goesOn) return at
  }
  return -1
}

const written = (
  number: string,
  { path, tip, id, hasMoved }: NonNullable<LinkedNumber["link"]>,
  base: string,
): string =>
  `<span class="with-tip"><a class="number${hasMoved ? " moved" : ""}" href="${base}${escapeHtml(path)}" ` +
  `aria-describedby="${id}">${number}</a><span class="tip" role="tooltip" id="${id}">${escapeHtml(tip)}</span></span>`

/** Where a tag ends that begins at `from`: behind the first `>` that stands in no attribute. */
function endOfTag(markup: string, from: number): number {
  let quote = ""
  for (let at = from; at < markup.length; at += 1) {
    const sign = markup.charAt(at)
    if (quote !== "") quote = sign === quote ? "" : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (sign === ">") return at + 1
  }
  return markup.length
}

/** Turns the numbers of rendered markup into links. @param base the path below which the service is reached */
export function withNumbers(markup: string, numbers: readonly LinkedNumber[], base: string): string {
  if (!numbers.some(({ link }) => link !== null)) return markup
  let made = ""
  let next = 0
  let closed = 0
  const text = (part: string): void => {
    if (closed > 0 || next >= numbers.length) {
      made += part
      return
    }
    let from = 0
    for (;;) {
      // The numbers come in the order of the text, but a formula or code hides some of them.
      const found = numbers.slice(next, next + HIDDEN).flatMap((number, by) => {
        const at = placeOf(escapeHtml(number.text), part, from)
        return at < 0 ? [] : [{ number, at, by }]
      })
      const [first] = found.sort((one, other) => one.at - other.at || one.by - other.by)
      if (first === undefined) break
      const shown = escapeHtml(first.number.text)
      made += part.slice(from, first.at)
      made += first.number.link === null ? shown : written(shown, first.number.link, base)
      from = first.at + shown.length
      next += first.by + 1
    }
    made += part.slice(from)
  }
  let at = 0
  for (let index = markup.indexOf("<"); index >= 0; index = markup.indexOf("<", at)) {
    text(markup.slice(at, index))
    at = endOfTag(markup, index)
    const tag = markup.slice(index, at)
    const isEnd = tag.startsWith("</")
    const [name = ""] = NAME.exec(tag.slice(isEnd ? 2 : 1)) ?? []
    if (CLOSED.has(name.toLowerCase())) closed += isEnd ? -1 : 1
    made += tag
  }
  text(markup.slice(at))
  return made
}
