/** Texts that cost more than they look: Markdown, TeX, words for a search, single tokens without end. BibTeX stands in files.ts. */

export interface Costly {
  readonly name: string
  readonly text: string
}

const full = (unit: string, length = 20_000): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const tex = (source: string): string => `$${source}$`

/** Formulas, each within what one message takes. */
const formulas: readonly Costly[] = [
  { name: "macros that multiply", text: tex(`\\def\\a{${"x".repeat(1_000)}}\\def\\b{${"\\a".repeat(10)}}${"\\b".repeat(18)}`) },
  { name: "a macro of itself", text: tex("\\def\\a{\\a\\a}\\a") },
  { name: "gdef that multiplies", text: tex(`\\gdef\\a{${"y".repeat(900)}}${"\\a".repeat(190)}`) },
  { name: "newcommand that multiplies", text: tex(`\\newcommand{\\a}{${"z".repeat(900)}}${"\\a".repeat(190)}`) },
  { name: "fractions in fractions", text: tex(`${"\\frac{".repeat(200)}x${"}{y}".repeat(200)}`) },
  { name: "roots in roots", text: tex(`${"\\sqrt{".repeat(280)}x${"}".repeat(280)}`) },
  { name: "groups in groups", text: tex(`${"{".repeat(950)}x${"}".repeat(950)}`) },
  { name: "exponents of exponents", text: tex(`x${"^{x".repeat(450)}${"}".repeat(450)}`) },
  { name: "brackets that stretch", text: tex(`${"\\left(".repeat(130)}x${"\\right)".repeat(130)}`) },
  { name: "a wide matrix", text: tex(`\\begin{matrix}${"&".repeat(1_900)}\\end{matrix}`) },
  { name: "a long matrix", text: tex(`\\begin{matrix}${"x\\\\".repeat(600)}\\end{matrix}`) },
  { name: "a thousand formulas", text: full("$\\hat{x}_i^2$ ") },
  { name: "large formulas", text: full(`${tex(`\\frac{a}{b}${"+\\frac{a}{b}".repeat(140)}`)} `) },
]

const markdowns: readonly Costly[] = [
  { name: "dollars", text: full("$") },
  { name: "dollars and letters", text: full("$a ") },
  { name: "brackets", text: full("[") },
  { name: "links that do not end", text: full("[a](") },
  { name: "images in images", text: full("![") },
  { name: "emphasis that does not end", text: full("*a_") },
  { name: "emphasis by the word", text: full("**a *b ") },
  { name: "quotations in quotations", text: full("> ") },
  { name: "quotations, line by line", text: full("> > > > > a\n") },
  { name: "lists in lists", text: Array.from({ length: 190 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n") },
  { name: "a thousand items", text: full("- a\n") },
  {
    name: "back-ticks of every length",
    text: Array.from({ length: 195 }, (_, length) => "`".repeat(length + 1))
      .join("a")
      .slice(0, 20_000),
  },
  { name: "a wide table", text: `|${"a|".repeat(3_000)}\n|${"-|".repeat(3_000)}\n|${"b|".repeat(2_000)}` },
  { name: "a long table", text: `|a|b|\n|-|-|\n${"|x|y|\n".repeat(2_500)}` },
  { name: "a table of widening rows", text: `|${"a|".repeat(500)}\n|${"-|".repeat(500)}\n${"|\n".repeat(6_000)}` },
  { name: "definitions of links", text: full("[a]: http://x.example\n") },
  { name: "references to one link", text: `[a]: http://x.example/${"b".repeat(2_000)}\n\n${full("[a] ", 17_000)}` },
  { name: "entities", text: full("&amp;&#x41;&nosuch;") },
  { name: "angle brackets", text: full("<a <!-- ") },
  { name: "addresses", text: full("<http://x.example/a> ") },
  { name: "headings", text: full("# a\n") },
  { name: "rules", text: full("---\n\n") },
  { name: "escapes", text: full("\\*") },
]

const words: readonly Costly[] = [
  { name: "one word, over and over", text: full("zz ") },
  { name: "two words, over and over", text: full("zz yy ") },
  {
    name: "words that begin alike",
    text: Array.from({ length: 3_300 }, (_, index) => `z${index.toString(36)}`)
      .join(" ")
      .slice(0, 20_000),
  },
  { name: "one long token", text: full("x") },
  { name: "marks on one letter", text: `e${full("\u0301", 19_000)}` },
  { name: "letters beyond the plane", text: "𝔞".repeat(9_900) },
  { name: "right to left and back", text: full("\u202e\u202da") },
  { name: "families of signs", text: full("👩‍🔬", 19_998) },
  { name: "white space", text: `a${full(" \n", 19_000)}b` },
]

/** Everything that goes where people write. */
export const texts: readonly Costly[] = [...formulas, ...markdowns, ...words]
