/** Makes records of what formats of others say, however they are laid out. */
import { isDoi, paperOfDoi } from "../../contract/schema/fields.ts"
import { asArxivId } from "../../contract/schema/paper-mention.ts"
import { DOI } from "../../contract/schema/patterns.ts"
import type { Description, PaperRecord, SourcePaper } from "./papers.ts"

/** Characters of a title or a name, of an abstract, and of a short field; items of a list. No paper comes near them. */
const LONGEST = 2_000
const LONGEST_ABSTRACT = 20_000
const SHORT = 200
const MOST_AUTHORS = 5_000
const MOST_CATEGORIES = 100

/** One line of clean text: others break their texts into lines by width. */
export const clean = (value: unknown, most = LONGEST): string =>
  typeof value === "string"
    ? value
        .slice(0, 10 * most)
        .toWellFormed()
        .replaceAll("\0", "")
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, most)
        .toWellFormed()
    : ""
export const short = (value: unknown, most = SHORT): string | null => clean(value, most) || null
const cleanList = (values: readonly unknown[], most: number): string[] =>
  values
    .slice(0, most)
    .map((value) => clean(value))
    .filter((value) => value !== "")

const momentOf = (value: unknown): string | null => {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** A DOI as its own field has it, perhaps as an address: what it names, or null. */
export function doiIn(value: unknown): string | null {
  const text = clean(value, 400).replace(/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)/i, "")
  return DOI.test(text) ? paperOfDoi(text) : null
}

/** What arXiv says of one of its papers, in the words of one of its formats. */
export interface ArxivFields {
  readonly id: unknown
  readonly title: unknown
  readonly authors: readonly unknown[]
  readonly abstract: unknown
  readonly categories: readonly unknown[]
  readonly published: unknown
  /** The DOI and the place of the version of record, as its authors gave them. */
  readonly doi: unknown
  readonly journal: unknown
}

const nowhere = { venue: null, volume: null, issue: null, pages: null, isbn: null, url: null } satisfies Partial<
  Description & { url: null }
>

/** What is told of a paper of arXiv; null for what has no id of arXiv or no title. */
export function paperFromArxiv({ id, title, authors, abstract, categories, published, doi, journal }: ArxivFields): SourcePaper | null {
  const paperId = asArxivId(id)
  const named = clean(title)
  if (paperId === undefined || named === "") return null
  const publishedAt = momentOf(published)
  // Authors give several, with spaces between them; the first is the paper's.
  const other = doiIn(clean(doi).split(" ")[0])
  const record: PaperRecord = {
    title: named,
    authors: cleanList(authors, MOST_AUTHORS),
    ...nowhere,
    venue: short(journal, 500),
    year: publishedAt === null ? null : Number(publishedAt.slice(0, 4)),
    publishedAt,
    abstract: short(abstract, LONGEST_ABSTRACT),
    categories: [...new Set(cleanList(categories, MOST_CATEGORIES))],
    source: "arxiv",
  }
  return { paperId, sameAs: other !== null && isDoi(other) ? other : null, record }
}

/** What Crossref says of a work, in the words of its record. */
export interface WorkFields extends Omit<Description, "title" | "authors"> {
  readonly doi: unknown
  readonly title: unknown
  readonly authors: readonly unknown[]
  readonly abstract: unknown
  readonly subjects: readonly unknown[]
  /** The arXiv id of its preprint. */
  readonly preprint: string | null
}

/** What is told of a work of Crossref; null for what has no DOI or no title. */
export function paperFromCrossref({ doi, title, authors, abstract, subjects, preprint, ...more }: WorkFields): SourcePaper | null {
  const paperId = doiIn(doi)
  const named = clean(title)
  if (paperId === null || !isDoi(paperId) || named === "") return null
  const record: PaperRecord = {
    title: named,
    authors: cleanList(authors, MOST_AUTHORS),
    ...more,
    url: null,
    abstract: short(abstract, LONGEST_ABSTRACT),
    categories: [...new Set(cleanList(subjects, MOST_CATEGORIES))],
    source: "crossref",
  }
  return { paperId, sameAs: preprint, record }
}
