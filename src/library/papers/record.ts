/** Makes records of what arXiv's own formats say, however they are laid out. */
import { arxivId } from "../../contract/schema/fields.ts"
import { check } from "../../contract/schema/validation.ts"
import type { PaperRecord } from "./papers.ts"

/** Characters of a title or a name; no paper of arXiv comes near it. */
const LONGEST = 2_000
/** Characters of an abstract; arXiv takes 1,920. */
const LONGEST_ABSTRACT = 20_000

/** One line of clean text: arXiv's own texts are broken into lines by width. */
const oneLine = (value: unknown, most = LONGEST): string =>
  typeof value === "string" ? value.toWellFormed().replaceAll("\0", "").replace(/\s+/g, " ").trim().slice(0, most) : ""

const momentOf = (value: unknown): string | null => {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** What a format says of one paper, in its own words. */
export interface PaperFields {
  readonly id: unknown
  readonly title: unknown
  readonly authors: readonly unknown[]
  readonly abstract: unknown
  readonly categories: readonly unknown[]
  readonly published: unknown
}

/** The record of a paper; null for what has no id of arXiv or no title. */
export function recordOf({ id, title, authors, abstract, categories, published }: PaperFields): PaperRecord | null {
  const checked = check(arxivId, id)
  const named = oneLine(title)
  if (!checked.ok || named === "") return null
  const summary = oneLine(abstract, LONGEST_ABSTRACT)
  return {
    arxivId: checked.value,
    title: named,
    authors: authors.map((name) => oneLine(name)).filter((name) => name !== ""),
    abstract: summary === "" ? null : summary,
    categories: [...new Set(categories.map((category) => oneLine(category)).filter((category) => category !== ""))],
    publishedAt: momentOf(published),
  }
}
