/**
 * Writes papers as BibTeX. arXiv's metadata is TeX already, so only characters that would break the file are escaped.
 */
import { isBalanced } from "../../contract/text.ts"
import { type Cited, citationFields } from "./cited.ts"

/** Escapes special characters of TeX outside formulas. */
const escaped = (text: string): string => text.replace(/(?<!\\)[&%#_]/g, "\\$&").replace(/(?<!\\)\^(?!\{)/g, "\\^{}")

/** Whether the braces of a text match, apart from escaped ones. */
const isPaired = (text: string): boolean => isBalanced(text.replace(/\\[{}]/g, ""))

/** Makes a text a field value: formulas stay as they are, and all braces are removed unless they are balanced. */
export function texValue(text: string): string {
  const paired = isPaired(text) ? text : text.replace(/[{}]/g, "").replace(/ {2,}/g, " ")
  const parts = paired.split(/(?<!\\)\$/)
  if (parts.length % 2 === 0) return escaped(paired.replace(/(?<!\\)\$/g, "\\$"))
  return parts.map((part, index) => (index % 2 === 0 ? escaped(part) : part)).join("$")
}

/** Braces the name of a collaboration, which BibTeX would otherwise split at its commas and at the word "and". */
const author = (name: string): string =>
  /,|\band\b|Collaboration/i.test(name) ? `{${texValue(name)}}` : texValue(name)

/** The entry type of each form, and the field for its venue. */
const types = {
  book: { type: "book", venue: "publisher" },
  article: { type: "article", venue: "journal" },
  preprint: { type: "misc", venue: "howpublished" },
  other: { type: "misc", venue: "howpublished" },
} as const

/** A value without TeX markup. Unbalanced braces, which would end the field, are removed. */
const verbatim = (text: string | undefined): string | undefined =>
  text === undefined || isPaired(text) ? text : text.replace(/[{}]/g, "")
const tex = (text: string | undefined): string | undefined => (text === undefined ? undefined : texValue(text))

export function bibtexEntry(cited: Cited): string {
  const paper = citationFields(cited)
  const { type, venue } = types[paper.form]
  const fields = {
    title: paper.isTitled ? `{${texValue(paper.title)}}` : undefined,
    author: paper.authors.map(author).join(" and "),
    year: paper.year,
    [venue]: tex(paper.venue),
    volume: tex(paper.volume),
    number: tex(paper.issue),
    pages: tex(paper.pages?.replace(/[–—]/g, "--")),
    doi: verbatim(paper.doi),
    isbn: paper.isbn,
    eprint: paper.arxivId,
    archivePrefix: paper.arxivId && "arXiv",
    primaryClass: paper.arxivId && paper.categories[0],
    url: verbatim(paper.url),
    keywords: paper.tags.map(texValue).join(", "),
    paperid: paper.reference,
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`  ${name} = {${value}}`] : []))
  return `@${type}{${paper.key},\n${lines.join(",\n")}\n}\n`
}

export const writeBibtex = (papers: readonly Cited[]): string => papers.map(bibtexEntry).join("\n")
