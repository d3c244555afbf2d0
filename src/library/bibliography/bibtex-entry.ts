/**
 * Writes papers as BibTeX. arXiv's metadata is TeX already, so there only characters that would break the file are
 * escaped.
 */
import { isBalanced } from "../../contract/text.ts"
import { type Cited, citationFields, type Form } from "./cited.ts"
import type { CslName } from "../papers/csl.ts"

/** Escapes special characters of TeX outside formulas. */
const escaped = (text: string, isTex: boolean): string =>
  (isTex ? text : text.replace(/[\\~]/g, (sign) => (sign === "~" ? "\\textasciitilde{}" : "\\textbackslash{}")))
    .replace(/(?<!\\)[&%#_]/g, "\\$&")
    .replace(/(?<!\\)\^(?!\{)/g, "\\^{}")

/** Whether the braces of a text match, apart from escaped ones. */
const isPaired = (text: string): boolean => isBalanced(text.replace(/\\[{}]/g, ""))

/** Makes a text a field value: formulas stay as they are, and all braces are removed unless they are balanced. */
export function texValue(text: string, isTex = false): string {
  const paired = isPaired(text) ? text : text.replace(/[{}]/g, "").replace(/ {2,}/g, " ")
  const parts = paired.split(/(?<!\\)\$/)
  if (parts.length % 2 === 0) return escaped(paired, isTex).replace(/(?<!\\)\$/g, "\\$")
  return parts.map((part, index) => (index % 2 === 0 ? escaped(part, isTex) : part)).join("$")
}

/** A name as BibTeX has it: `{van der} Berg, Jr., Jan`. The name of a group is in braces, so that it is not split. */
function author({ literal, family, given, "non-dropping-particle": particle, suffix }: CslName): string {
  if (literal !== undefined) return `{${texValue(literal)}}`
  const last = [particle, family].flatMap((part) => (part === undefined ? [] : [part])).join(" ")
  const parts = [last, suffix, given].flatMap((part) => (part === undefined ? [] : [partOf(part)]))
  // A suffix without a given name would be read as the given name.
  return parts.length === 2 && suffix !== undefined ? `${parts.join(", ")}, ` : parts.join(", ")
}
const partOf = (part: string): string => (/,|\band\b/i.test(part) ? `{${texValue(part)}}` : texValue(part))

/** A date for BibLaTeX, if it tells more than a year: a range, a month, an uncertain year. */
function dateFields({ issued, year }: ReturnType<typeof citationFields>): Record<string, string | undefined> {
  const { "date-parts": parts = [], season, circa, literal } = issued ?? {}
  const texts = parts.map((part) =>
    part.map((each, index) => String(each).padStart(index === 0 ? 4 : 2, "0")).join("-"),
  )
  const [only] = texts
  if (only === undefined) return { year: literal === undefined ? year?.toString() : texValue(literal) }
  const date = season === undefined ? texts.join("/") : `${only}-${20 + season}`
  return { year: only.slice(0, 4), ...((circa || date !== only.slice(0, 4)) && { date: circa ? `${date}~` : date }) }
}

/** The entry type of each form, and the field for its venue. */
const types: Readonly<Record<Form, { readonly type: string; readonly venue: string }>> = {
  book: { type: "book", venue: "publisher" },
  article: { type: "article", venue: "journal" },
  chapter: { type: "incollection", venue: "booktitle" },
  paper: { type: "inproceedings", venue: "booktitle" },
  thesis: { type: "phdthesis", venue: "school" },
  report: { type: "techreport", venue: "institution" },
  preprint: { type: "misc", venue: "howpublished" },
  other: { type: "misc", venue: "howpublished" },
}

/** A value without TeX markup. Unbalanced braces, which would end the field, are removed. */
const verbatim = (text: string | undefined): string | undefined =>
  text === undefined || isPaired(text) ? text : text.replace(/[{}]/g, "")
export function bibtexEntry(cited: Cited): string {
  const paper = citationFields(cited)
  const { type, venue } = types[paper.form]
  const tex = (text: string | undefined) => (text === undefined ? undefined : texValue(text, paper.isTex))
  const fields = {
    title: paper.isTitled ? `{${texValue(paper.title, paper.isTex)}}` : undefined,
    author: [...paper.names.map(author), ...(paper.moreAuthors ? ["others"] : [])].join(" and "),
    ...dateFields(paper),
    [venue]: tex(paper.venue),
    ...(venue !== "publisher" && { publisher: tex(paper.publisher) }),
    volume: tex(paper.volume),
    number: tex(paper.issue),
    pages: tex(paper.pages?.replace(/[–—]/g, "--")),
    doi: verbatim(paper.doi),
    isbn: paper.isbn,
    eprint: paper.arxivId,
    archivePrefix: paper.arxivId && "arXiv",
    primaryClass: paper.arxivId && paper.categories[0],
    url: verbatim(paper.url),
    keywords: paper.tags.map((tag) => texValue(tag)).join(", "),
    paperid: paper.reference,
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`  ${name} = {${value}}`] : []))
  return `@${type}{${paper.key},\n${lines.join(",\n")}\n}\n`
}

export const writeBibtex = (papers: readonly Cited[]): string => papers.map(bibtexEntry).join("\n")
