/** Parses the works of Crossref's REST API and public data file, alone or in lists. */
import { isObject } from "../../contract/json.ts"
import { asArxivId, mentionedArxivId } from "../../contract/schema/paper-mention.ts"
import { isDoi } from "../../contract/schema/fields.ts"
import { momentOf, shownName, yearOf } from "./csl.ts"
import { crossrefTypes, cslDate, cslNames } from "./csl-json.ts"
import {
  plain,
  clean,
  cleanList,
  doiIn,
  LONGEST_ABSTRACT,
  list,
  MOST_AUTHORS,
  MOST_CATEGORIES,
  type Members,
  objects,
  short,
} from "./record.ts"
import type { PaperRecord, SourcePaper } from "./papers.ts"

const first = (value: unknown): unknown => list(value)[0]

/** A title or an abstract without its JATS and MathML. The heading of an abstract is dropped. */
const withoutTags = (value: unknown): string =>
  plain(
    (typeof value === "string" ? value.slice(0, 200_000) : "").replace(
      /<(?:jats:)?title>[^<]{0,40}<\/(?:jats:)?title>/g,
      " ",
    ),
  )

const PREPRINTS = ["has-preprint", "is-preprint-of", "is-version-of", "has-version", "is-identical-to"]

function preprintOf({ relation }: Members): string | null {
  const related = PREPRINTS.flatMap((name) => (isObject(relation) ? objects(relation[name]) : []))
  const ids = related.slice(0, 100).map(({ id, "id-type": type }) => {
    const text = clean(id, 300)
    return type === "arxiv" ? asArxivId(text.replace(/^arxiv:/i, "")) : mentionedArxivId(text)
  })
  return ids.find((id) => id !== undefined) ?? null
}

/** Makes a paper of a work; null if it has no DOI or no title. */
export function paperFromWork(work: Members): SourcePaper | null {
  const paperId = doiIn(work.DOI)
  const title = clean(withoutTags(first(work.title)))
  if (paperId === null || !isDoi(paperId) || title === "") return null
  const isbns = list(work.ISBN).map((isbn) => clean(isbn).replace(/[^0-9]/g, ""))
  const names = cslNames(work.author).slice(0, MOST_AUTHORS)
  const dates = [work.issued, work.published].map(cslDate)
  const issued = dates.find((date) => date?.["date-parts"] !== undefined)
  const container = short(withoutTags(first(work["container-title"])), 500)
  const publisher = short(work.publisher, 500)
  const record: PaperRecord = {
    title,
    ...(typeof work.type === "string" && { type: crossrefTypes[work.type] ?? work.type }),
    authors: names.map(shownName),
    names,
    year: yearOf(issued) ?? null,
    publishedAt: momentOf(issued) ?? null,
    ...(issued && { issued }),
    venue: container ?? publisher,
    ...(container !== null && publisher !== null && { publisher }),
    volume: short(work.volume),
    issue: short(work.issue),
    pages: short(work.page),
    isbn: isbns.find((isbn) => /^97[89][0-9]{10}$/.test(isbn)) ?? null,
    url: null,
    abstract: short(withoutTags(work.abstract), LONGEST_ABSTRACT),
    categories: [...new Set(cleanList(list(work.subject), MOST_CATEGORIES))],
    source: "crossref",
  }
  return { paperId, sameAs: preprintOf(work), record }
}

/**
 * Finds the works in an answer or a public data file, which hold one work or a list. @throws Error if the JSON is
 * neither
 */
function worksOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const message = isObject(value) && isObject(value.message) ? value.message : value
  if (isObject(message) && Array.isArray(message.items)) return message.items
  if (isObject(message) && "DOI" in message) return [message]
  throw new Error("This holds no Crossref works.")
}

/**
 * Returns the papers of an answer, and the number of works that are not papers. @throws Error if the JSON is not from
 * Crossref
 */
export function crossrefPapers(json: string): { papers: SourcePaper[]; others: number } {
  const works = worksOf(JSON.parse(json) as unknown)
  const papers = objects(works).flatMap((work) => paperFromWork(work) ?? [])
  return { papers, others: works.length - papers.length }
}
