/** Makes records from the fields that arXiv and Crossref send, whatever the format. */
import { isObject } from "../../contract/json.ts"
import { isDoi, paperOfDoi } from "../../contract/schema/fields.ts"
import { asArxivId } from "../../contract/schema/paper-mention.ts"
import { DOI } from "../../contract/schema/patterns.ts"
import type { Description, PaperRecord, SourcePaper } from "./papers.ts"

/** The most characters of each kind of field, and the most items of a list. Real papers stay far below these limits. */
const LONGEST = 2_000
export const LONGEST_ABSTRACT = 20_000
const SHORT = 200
export const MOST_AUTHORS = 5_000
export const MOST_CATEGORIES = 100

/** An object of parsed JSON or XML, unchecked. */
export type Members = { readonly [member: string]: unknown }
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const objects = (value: unknown): readonly Members[] => list(value).filter(isObject)

/** Returns a value as one line of text, since sources wrap lines; empty if it is not text. */
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
export const cleanList = (values: readonly unknown[], most: number): string[] =>
  values
    .slice(0, most)
    .map((value) => clean(value))
    .filter((value) => value !== "")

const momentOf = (value: unknown): string | null => {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** Returns the paper that a DOI field names, with or without the doi.org URL; null if it is not a DOI. */
export function doiIn(value: unknown): string | null {
  const text = clean(value, 400).replace(/^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)/i, "")
  return DOI.test(text) ? paperOfDoi(text) : null
}

/** The unchecked fields of an arXiv paper. The authors entered `doi` and `journal` for the published version. */
export type ArxivFields = Readonly<
  Record<"id" | "title" | "abstract" | "published" | "doi" | "journal", unknown> &
    Record<"authors" | "categories", readonly unknown[]>
>

const noPublication = { venue: null, volume: null, issue: null, pages: null, isbn: null, url: null } satisfies Partial<
  Description & { url: null }
>

/** Makes a paper from arXiv's fields; null if they have no arXiv id or no title. */
export function paperFromArxiv({
  id,
  title,
  authors,
  abstract,
  categories,
  published,
  doi,
  journal,
}: ArxivFields): SourcePaper | null {
  const paperId = asArxivId(id)
  const named = clean(title)
  if (paperId === undefined || named === "") return null
  const publishedAt = momentOf(published)
  // Authors may enter several DOIs separated by spaces. The first is the paper's.
  const other = doiIn(clean(doi).split(" ")[0])
  const record: PaperRecord = {
    title: named,
    authors: cleanList(authors, MOST_AUTHORS),
    ...noPublication,
    venue: short(journal, 500),
    year: publishedAt === null ? null : Number(publishedAt.slice(0, 4)),
    publishedAt,
    abstract: short(abstract, LONGEST_ABSTRACT),
    categories: [...new Set(cleanList(categories, MOST_CATEGORIES))],
    source: "arxiv",
  }
  return { paperId, sameAs: other !== null && isDoi(other) ? other : null, record }
}
