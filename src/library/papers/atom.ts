/** Parses the Atom feeds of papers that arXiv's API sends. */
import { isObject } from "../../contract/json.ts"
import { XMLParser } from "fast-xml-parser"
import type { SourcePaper } from "./papers.ts"
import { paperFromArxiv } from "./record.ts"

interface AtomEntry {
  readonly id?: unknown
  readonly title?: unknown
  readonly summary?: unknown
  readonly published?: unknown
  readonly author?: readonly { readonly name?: unknown }[]
  readonly category?: readonly { readonly term?: unknown }[]
  readonly "arxiv:doi"?: unknown
  readonly "arxiv:journal_ref"?: unknown
}

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

const list = <T>(value: readonly T[] | undefined): readonly T[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : []

function paperOf({ id, title, summary, published, author, category, ...more }: AtomEntry): SourcePaper | null {
  const address = textOf(id)
  return paperFromArxiv({
    id: typeof address === "string" ? address.trim().replace(/^https?:\/\/arxiv\.org\/abs\//, "") : undefined,
    title: textOf(title),
    authors: list(author).map(({ name }) => textOf(name)),
    abstract: textOf(summary),
    categories: list(category).map(({ term }) => term),
    published: textOf(published),
    doi: textOf(more["arxiv:doi"]),
    journal: textOf(more["arxiv:journal_ref"]),
  })
}

/** Returns the papers of an Atom feed, and the number of entries that are not papers. @throws Error if the XML is not a feed */
export function atomPapers(xml: string): { papers: SourcePaper[]; others: number } {
  const { feed }: { feed?: { entry?: readonly AtomEntry[] } | "" } = parser.parse(xml.trim(), true)
  if (feed === undefined) throw new Error("This is not an Atom feed.")
  const entries = feed === "" ? [] : list(feed.entry)
  const papers = entries.map(paperOf).filter((paper) => paper !== null)
  return { papers, others: entries.length - papers.length }
}
