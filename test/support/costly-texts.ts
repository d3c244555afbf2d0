/**
 * Loaded into the reading threads of a test before their program: texts that take all the time or all the memory to
 * render, which no known text does.
 */
import MarkdownIt from "markdown-it"

const { parse } = MarkdownIt.prototype
MarkdownIt.prototype.parse = function (text: string, env: Parameters<typeof parse>[1]) {
  while (text.includes("takes for ever"));
  const held: string[][] = []
  while (text.includes("takes all memory"))
    held.push(Array.from({ length: 100_000 }, (_, at) => `${at} ${held.length}`))
  return parse.call(this, text, env)
}
