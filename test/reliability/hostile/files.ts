/** The costliest known input for each parser and reader, generated each time. All of it is within the length limits. */

const entry = (fields: string, key = "x"): string => `@misc{${key}, eprint={1706.03762}, ${fields}}\n`

/** `@string` values that double, all on one line: 2 to the power of `times` characters from a few hundred. */
const doubling = (times: number): string =>
  "@string{a0={xxxxxxxxxxxxxxxx}} " +
  `${Array.from({ length: times }, (_, step) => `@string{a${step + 1}=a${step}#a${step}}`).join(" ")} @misc{x, ` +
  `eprint={1706.03762}, title=a${times}}`

/** The same, one definition per line. */
const doublingByLine = (times: number): string => doubling(times).replaceAll(" @", "\n@")

const nested = (open: string, close: string, depth: number): string => `${open.repeat(depth)}x${close.repeat(depth)}`

/** BibTeX, each text as long as an import accepts. */
export const bibtexFiles: Readonly<Record<string, () => string>> = {
  doubling: () => doubling(22),
  doublingByLine: () => doublingByLine(22),
  doublingFar: () => doubling(200),
  oneStringOften: () => `@string{a={${"x".repeat(15_000)}}}\n${entry(`title=${"a#".repeat(6_000)}a`)}`,
  nestedInFormula: () => entry(`title={$${nested("{", "}", 9_000)}$}`),
  nestedBraces: () => entry(`title={${nested("{", "}", 9_000)}}`),
  nestedCommands: () => entry(`title={${nested("\\emph{", "}", 2_700)}}`),
  nestedFormulas: () => entry(`title={${"$x_{".repeat(2_000)}${"}$".repeat(2_000)}}`),
  manyAuthors: () =>
    Array.from({ length: 24 }, (_, index) => entry(`author={${"Ab, C and ".repeat(1_500)}D}`, `k${index}`)).join(""),
  oddAuthors: () =>
    Array.from({ length: 24 }, (_, index) => entry(`author={${"a and ".repeat(3_000)}b}`, `k${index}`)).join(""),
  unbalanced: () => `@misc{x, title={${"{".repeat(19_000)}`,
  unbalancedOften: () => `@misc{x, title={{{{{{{{{{ `.repeat(18_000),
  openEntries: () => "@article{a, title=\n".repeat(25_000),
  quotes: () => entry(`title="${'{"}'.repeat(6_000)}"`),
  accents: () => entry(`title={${'\\"{\\i}'.repeat(2_800)}}`),
  mentions: () => entry(`note={${"arxiv:".repeat(3_000)}}, url={${"arxiv.org/abs/".repeat(400)}}`),
  tags: () => entry(`title={${"<".repeat(18_000)}}`),
  spaces: () => entry(`title={a${" ".repeat(18_000)}b}`),
  manyEntries: () =>
    Array.from({ length: 9_000 }, (_, index) => `@misc{k${index}, eprint={2401.${10_000 + index}}, title={T}}\n`).join(
      "",
    ),
  verbatim: () => entry(`url={${"{\\".repeat(4_000)}}`),
  // The parser's own expressions for these are not linear.
  quotesOpened: () => entry(`title={${"``".repeat(9_900)}}`).repeat(25),
  dots: () => entry(`title={${".".repeat(19_900)}}`).repeat(25),
  ofJabRef: () => `@comment{jabref-meta:${" ".repeat(19_900)}}\n`.repeat(24) + entry("title={One}"),
  paragraphs: () => entry(`title={${"\\par ".repeat(3_900)}}`).repeat(25),
  cases: () => entry(`title={${"a {A} ".repeat(3_300)}}`).repeat(25),
  monthsAdded: () => entry(`month={${"1#".repeat(9_900)}}`).repeat(25),
  ordinary: () =>
    Array.from(
      { length: 1_000 },
      (_, index) =>
        `@article{key${index}, author={Vaswani, Ashish and Shazeer, Noam and Parmar, Niki and Uszkoreit, Jakob}, ` +
        `title={{Attention} Is All You Need ${index}}, journal={arXiv preprint arXiv:2401.${10_000 + index}}, ` +
        `year={2024}, abstract={${"The dominant sequence models are based on $x_1$. ".repeat(4)}}}\n`,
    ).join(""),
}

/** Messages that make a search slow, each as long as a message may be. */
export const searchedTexts: Readonly<Record<string, (round: number) => string>> = {
  oneWord: () => "zz ".repeat(6_600),
  giantWord: (round) => "g".repeat(19_990) + round,
  differentWords: (round) =>
    Array.from({ length: 3_300 }, (_, index) => `w${((round * 3_300 + index) % 20_000).toString(36)}`).join(" "),
  twoWords: () => "a b ".repeat(4_900),
}

/** Queries for them, as long as a query may be. */
export const searchQueries: readonly string[] = [
  "zz",
  "zz zz zz",
  "zz-zz-zz",
  Array(66).fill("zz").join("-"),
  Array(66).fill("zz").join(" "),
  "z",
  "g",
  "ggg",
  "w",
  "wa",
  "a b",
  "a-b",
  "a-a",
  "zz-a",
  "b-a-b-a-b-a-b-a-b",
  Array.from({ length: 100 }, (_, index) => String.fromCharCode(97 + (index % 26))).join(" "),
  "zz OR NEAR(a b, 9999)",
  '"zz zz" AND ("a b" NOT w*)',
  "'".repeat(200),
  "-".repeat(200),
]
