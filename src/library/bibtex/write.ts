/** Writes a Collection as BibTeX. What arXiv says of a paper is TeX already; it is only kept from breaking the file. */
import { parse, type Stored } from "../../contract/json.ts"
import type { PaperRecord } from "../papers/papers.ts"

export interface Cited {
  readonly arxivId: string
  /** The key it was imported under; left out, one made of its id, which never changes either. */
  readonly citationKey: string | null
  /** JSON of what is known of it. */
  readonly record: Stored<Partial<PaperRecord>> | null
  /** JSON of the tags of the caller. */
  readonly tags?: Stored<string[]>
}

/** Escapes what TeX would take for something else, outside of formulas. */
const escaped = (text: string): string => text.replace(/(?<!\\)[&%#_]/g, "\\$&").replace(/(?<!\\)\^(?!\{)/g, "\\^{}")

const isBalanced = (text: string): boolean => {
  let depth = 0
  for (const [brace] of text.replace(/\\[{}]/g, "").matchAll(/[{}]/g)) {
    depth += brace === "{" ? 1 : -1
    if (depth < 0) return false
  }
  return depth === 0
}

/** A text as the value of a field: formulas as they are, braces in pairs or not at all. */
export function texValue(text: string): string {
  const paired = isBalanced(text) ? text : text.replace(/[{}]/g, "").replace(/ {2,}/g, " ")
  const parts = paired.split(/(?<!\\)\$/)
  if (parts.length % 2 === 0) return escaped(paired.replace(/(?<!\\)\$/g, "\\$"))
  return parts.map((part, index) => (index % 2 === 0 ? escaped(part) : part)).join("$")
}

/** A name that is one: BibTeX would split a collaboration's at its commas and at the word "and". */
const author = (name: string): string => (/,|\band\b|Collaboration/i.test(name) ? `{${texValue(name)}}` : texValue(name))

/** The year in which arXiv gave out the id. */
export function yearOf(arxivId: string): string {
  const year = Number(/([0-9]{2})[0-9]{2}(?:\.|[0-9]{3})/.exec(arxivId)?.[1])
  return String(year > 90 ? 1900 + year : 2000 + year)
}

/** The key of a paper: the one it was imported under, or one made of its id. */
export const keyOf = ({ arxivId, citationKey }: Cited): string => citationKey ?? `arXiv:${arxivId}`

/** The entry of one paper. */
export function bibtexEntry(cited: Cited): string {
  const { arxivId, record, tags } = cited
  const known = record === null ? {} : parse(record)
  const { title, authors = [], publishedAt, categories = [] } = known
  const fields = {
    title: title && `{${texValue(title)}}`,
    author: authors.map(author).join(" and "),
    year: publishedAt?.slice(0, 4) ?? yearOf(arxivId),
    eprint: arxivId,
    archivePrefix: "arXiv",
    primaryClass: categories[0],
    url: `https://arxiv.org/abs/${arxivId}`,
    keywords: tags && parse(tags).map(texValue).join(", "),
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`  ${name} = {${value}}`] : []))
  return `@misc{${keyOf(cited)},\n${lines.join(",\n")}\n}\n`
}

/** The BibTeX of some papers. */
export const writeBibtex = (papers: readonly Cited[]): string => papers.map(bibtexEntry).join("\n")
