/** Parses what the sources of papers send: arXiv's Atom feeds, and Crossref's works, alone or in lists. */
import { XMLParser } from "fast-xml-parser"
import { isObject } from "../../contract/json.ts"
import type { SourcePaper, PaperRecord } from "./papers.ts"
import {
  type Members,
  objects,
  paperFromArxiv,
  plain,
  clean,
  cleanList,
  doiIn,
  LONGEST_ABSTRACT,
  list,
  MOST_AUTHORS,
  MOST_CATEGORIES,
  short,
} from "./record.ts"
import { asArxivId, mentionedArxivId } from "../../contract/schema/paper-mention.ts"
import { isDoi } from "../../contract/schema/fields.ts"
import { momentOf, shownName, yearOf, crossrefTypes, cslDate, cslNames } from "./csl.ts"

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  // Neither an id such as 2401.10000 nor a title such as "1e5" is a number.
  parseTagValue: false,
  parseAttributeValue: false,
  removeNSPrefix: false,
  isArray: (name) => name === "entry" || name === "author" || name === "category",
})

/** The parser puts the text of an element with attributes into a member. */
const textOf = (value: unknown): unknown => (isObject(value) ? value["#text"] : value)

function paperOf({ id, title, summary, published, author, category, ...more }: Members): SourcePaper | null {
  const address = textOf(id)
  return paperFromArxiv({
    id: typeof address === "string" ? address.trim().replace(/^https?:\/\/arxiv\.org\/abs\//, "") : undefined,
    title: textOf(title),
    authors: objects(author).map(({ name }) => textOf(name)),
    abstract: textOf(summary),
    categories: objects(category).map(({ term }) => term),
    published: textOf(published),
    doi: textOf(more["arxiv:doi"]),
    journal: textOf(more["arxiv:journal_ref"]),
  })
}

/**
 * Returns the papers of an Atom feed, and the number of entries that are not papers. @throws Error if the XML is not a
 * feed
 */
export function atomPapers(xml: string): { papers: SourcePaper[]; others: number } {
  const { feed }: { feed?: unknown } = parser.parse(xml.trim(), true)
  if (feed === undefined) throw new Error("This is not an Atom feed.")
  const entries = objects(isObject(feed) ? feed.entry : undefined)
  const papers = entries.map(paperOf).filter((paper) => paper !== null)
  return { papers, others: entries.length - papers.length }
}

// The works of Crossref's REST API and public data file.

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
