/**
 * Markdown and TeX that are more expensive to render than they look: each as long as a message may be, or as long as
 * requested.
 */
export interface Costly {
  readonly name: string
  readonly text: string
}

/** Repeated as often as it fits. */
const full = (unit: string, length: number): string => unit.repeat(Math.floor(length / unit.length))
/** `open` and `close` nested around something, as deep as it fits. */
const nested = (open: string, inner: string, close: string, length: number): string => {
  const depth = Math.floor((length - inner.length) / (open.length + close.length))
  return open.repeat(depth) + inner + close.repeat(depth)
}
/** Lines that differ, up to a length. */
const lines = (line: (index: number) => string, length: number): string => {
  let text = ""
  for (let index = 0; text.length < length; index += 1) text += line(index)
  return text.slice(0, length)
}

/** Sources of formulas that define something, or that use an earlier definition. */
export const definitions: readonly Costly[] = [
  ["def", `\\def\\a{${"x".repeat(1_000)}}\\def\\b{${"\\a".repeat(10)}}${"\\b".repeat(18)}`],
  ["gdef", `\\gdef\\a{${"y".repeat(900)}}${"\\a".repeat(190)}`],
  ["edef", `\\def\\a{${"x".repeat(99)}}\\edef\\a{\\a\\a}\\edef\\a{\\a\\a}\\a`],
  ["xdef", `\\xdef\\a{${"x".repeat(900)}}${"\\a".repeat(190)}`],
  ["global", `\\global\\def\\a{${"x".repeat(900)}}${"\\a".repeat(190)}`],
  ["long", `\\long\\def\\a{${"x".repeat(900)}}${"\\a".repeat(190)}`],
  ["let", "\\let\\a=\\frac\\a12"],
  ["futurelet", "\\futurelet\\a\\relax x"],
  ["newcommand", `\\newcommand{\\a}{${"z".repeat(900)}}${"\\a".repeat(190)}`],
  ["newcommand with an argument", `\\newcommand{\\a}[1]{${"#1".repeat(90)}}\\a{\\a{\\a{x}}}`],
  ["renewcommand", `\\renewcommand{\\frac}{${"z".repeat(900)}}${"\\frac".repeat(190)}`],
  ["providecommand", `\\providecommand{\\a}{${"z".repeat(900)}}${"\\a".repeat(190)}`],
  ["a macro of itself", "\\def\\a{\\a\\a}\\a"],
  ["a name that a tag is kept under", `\\tag{${"x".repeat(900)}}${"\\df@tag".repeat(150)}`],
].map(([name = "", text = ""]) => ({ name, text }))

/** Sources of formulas that are large, deep or slow without defining anything. */
export const formulas = (length = 2_000): Costly[] =>
  [
    ["letters", full("x", length)],
    ["exponents", full("x^2", length)],
    ["groups in groups", nested("{", "x", "}", length)],
    ["exponents of exponents", nested("x^{", "y", "}", length)],
    ["fractions in fractions", nested("\\frac1{", "x", "}", length)],
    ["roots in roots", nested("\\sqrt{", "x", "}", length)],
    ["texts in texts", nested("\\text{", "x", "}", length)],
    ["formulas in texts", nested("\\text{$", "x", "$}", length)],
    ["names in names", nested("\\operatorname{", "x", "}", length)],
    ["boxes in boxes", nested("\\raisebox{9999em}{", "x", "}", length)],
    ["brackets in brackets", nested("\\left(", "x", "\\right)", length)],
    ["choices in choices", nested("\\mathchoice{x}{x}{x}{", "x", "}", length)],
    ["a wide array", `\\begin{array}{c}${full("&", length - 40)}\\end{array}`],
    ["a long array", `\\begin{array}{c}${full("\\\\", length - 40)}\\end{array}`],
    ["an array of many columns", `\\begin{array}{${full("c|", length - 40)}}x\\end{array}`],
    ["aligned cells", `\\begin{aligned}${full("&", length - 40)}\\end{aligned}`],
    ["arrays in arrays", nested("\\begin{matrix}", "x", "\\end{matrix}", length)],
    ["substacks", nested("\\substack{", "x", "}", length)],
    ["large brackets", full("\\Bigg|", length)],
    ["primes", full("'", length)],
    ["accents", `x${full("\u0301", length)}`],
    ["accented letters", full("é", length)],
    ["characters by number", full("\\char`x", length)],
    ["rules", full("\\rule{9999em}{9999em}", length)],
    ["spaces", full("\\hspace{9999em}", length)],
    ["sizes in sizes", full("\\Huge", length)],
    ["styles in styles", full("\\displaystyle", length)],
    ["colours in colours", nested("\\textcolor{red}{", "x", "}", length)],
    ["moduli", full("\\bmod", length)],
    ["logos", full("\\LaTeX", length)],
    ["signs that are escaped", full("\\&", length)],
  ].map(([name = "", text = ""]) => ({ name, text }))

/** Texts of Markdown. */
export const markdowns = (length = 20_000): Costly[] =>
  [
    ["quotes in quotes", full(">", length)],
    ["quotes, line by line", full(`${"> ".repeat(19)}a\n`, length)],
    ["a quote that goes on", `${"> ".repeat(15)}${full("a\n", length - 40)}`],
    ["lists in lists", full("- ", length)],
    ["lists, step by step", lines((index) => `${" ".repeat(2 * (index % 40))}- a\n`, length)],
    ["empty items", full("-\n", length)],
    ["brackets", full("[", length)],
    ["links in links", nested("[", "a", "](u)", length)],
    ["images in images", nested("![", "a", "](u)", length)],
    ["links that do not end", full("[a](", length)],
    [
      "one address for all links",
      `[a]: http://${"x".repeat(Math.floor(length / 2) - 20)}\n\n${full("[a]", Math.floor(length / 2))}`,
    ],
    ["definitions", lines((index) => `[a${index}]: b\n`, length)],
    ["definitions without end", lines((index) => `[a${index}]:\n`, length)],
    ["a title without end", `[a]: b '${full("x\n", length - 10)}`],
    ["emphasis", full("*", length)],
    ["emphasis that does not end", full("*a_ ", length)],
    ["emphasis by the word", full("**a *b ", length)],
    ["emphasis in emphasis", nested("*", "a", "*", length)],
    ["backticks", lines((index) => `${"`".repeat(index % 100)}a`, length)],
    ["angles", full("<a:", length)],
    ["entities", full("&amp;", length)],
    ["quotation marks", full('"', length)],
    ["backslashes", full("\\", length)],
    ["a table of short rows", `|${full("a|", 200)}\n|${full("-|", 200)}\n${full("a\n", length - 410)}`],
    ["a table of many columns", `|${full("|", length * 0.45)}\n|${full("-|", length * 0.45)}\n|`],
    ["tables after tables", full("|a\n|-\n", length)],
    ["headings", full("#\n", length)],
    ["underlined headings", full("a\n-\n", length)],
    ["line breaks", full("a  \n", length)],
    ["paragraphs", full("a\n\n", length)],
    ["fences", full("```\n", length)],
    ["dollars", full("$", length)],
    ["dollars and letters", full("$a", length)],
    ["dollars that are escaped", full("$a \\$", length)],
  ].map(([name = "", text = ""]) => ({ name, text: text.slice(0, length) }))

/** Every costly text of a message: the Markdown, each formula as often as it fits, each definition once. */
export function texts(length = 20_000): Costly[] {
  const repeated = formulas(1_990).map(({ name, text }) => ({
    name: `formulas: ${name}`,
    text: full(`$${text}$ `, length),
  }))
  const short = formulas(200).map(({ name, text }) => ({
    name: `short formulas: ${name}`,
    text: full(`$${text}$ `, length),
  }))
  const single = definitions.map(({ name, text }) => ({ name: `definitions: ${name}`, text: `$${text}$` }))
  return [
    ...markdowns(length),
    ...repeated,
    ...short,
    { name: "formulas of one letter", text: full("$x$ ", length) },
    ...single,
  ]
}
