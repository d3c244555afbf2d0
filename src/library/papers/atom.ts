/** Parses the Atom feeds of papers that arXiv's API sends. */
import { isObject } from "../../contract/json.ts"
import { XMLParser } from "fast-xml-parser"
import type { SourcePaper } from "./papers.ts"
import { type Members, objects, paperFromArxiv } from "./record.ts"

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
