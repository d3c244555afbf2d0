/** An entry of a file of references, in whichever format, as a paper. */
import { isArxivId, paperId } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { asArxivId, mentionedArxivId, mentionsIn } from "../../contract/schema/paper-mention.ts"
import { check } from "../../contract/schema/validation.ts"
import type { PaperCollector } from "../papers/found.ts"
import { identify, type Identifiers } from "../papers/identity.ts"
import { doiIn } from "../papers/record.ts"
import type { Given } from "../papers/papers.ts"

/** An entry as BibTeX's parser gives it; creators are objects, some fields lists. */
export interface Entry {
  readonly type: string
  readonly key: string
  readonly fields: Readonly<Record<string, unknown>>
  /** The entry as it was written, for the person who has to find it. */
  readonly text: string
}

export interface Creator {
  readonly name?: string
  readonly firstName?: string
  readonly prefix?: string
  readonly lastName?: string
  readonly suffix?: string
}

export const fieldText = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.filter((part) => typeof part === "string").join(" ") : ""

/** A bare number in a field is no mention: pages and volumes look like ids. */
const mentionIn = (text: string): string | undefined => (/[a-z]/i.test(text) ? mentionedArxivId(text) : undefined)

/** The arXiv id of an entry: its eprint, or where else people write it. */
function arxivIdOf({ fields }: Entry): string | undefined {
  const eprint = fieldText(fields.eprint ?? fields.arxivid).trim()
  const archive = fieldText(fields.archiveprefix ?? fields.eprinttype ?? "arxiv").toLowerCase()
  if (archive === "arxiv") {
    // The old style was often split: the archive in primaryClass, the number in eprint.
    const found = mentionedArxivId(eprint) ?? asArxivId(`${fieldText(fields.primaryclass ?? fields.eprintclass)}/${eprint}`)
    if (found !== undefined) return found
  }
  // As DBLP has it: the journal is CoRR, and the id stands where its volume would.
  const journal = fieldText(fields.journal ?? fields.journaltitle)
  const inCorr = /\bcorr\b/i.test(journal) ? mentionedArxivId(fieldText(fields.volume).replace(/^\s*abs\//i, "")) : undefined
  if (inCorr !== undefined) return inCorr
  const texts = ["doi", "url", "journal", "journaltitle", "howpublished", "note", "number", "volume", "eid", "pages", "annote"]
  return texts.map((name) => mentionIn(fieldText(fields[name]))).find((found) => found !== undefined)
}

/** Entries that are books as a whole: of their parts an ISBN says nothing. */
const BOOKS = /^(?:book|mvbook|collection|mvcollection|proceedings|mvproceedings|manual|reference|periodical|ebook|edbook|conf|monograph)$/i

/** A DOI or an ISBN in a field of its own; what stands there and is none is told. */
function namedIn(name: "doi" | "isbn", { fields, key }: Entry, collector: PaperCollector): string | undefined {
  const text = fieldText(fields[name]).trim()
  if (text === "") return undefined
  const direct = name === "doi" ? doiIn(text) : null
  if (direct !== null) return direct
  const { papers, mistakes } = mentionsIn(
    name === "doi" && !/^(?:https?:|10\.)/i.test(text) ? `doi:${text}` : name === "isbn" ? `isbn ${text.replace(/^isbn/i, "")}` : text,
  )
  const found = papers.find((paper) => (name === "isbn") === paper.paperId.startsWith("isbn:"))?.paperId
  if (found === undefined)
    collector.addUnreadable(
      `${key === "" ? "" : `${key}: `}${text}`,
      mistakes[0]?.reason ?? (name === "doi" ? "is not a DOI" : "is not an ISBN"),
    )
  return found?.replace(/^isbn:/, "")
}

/** What stood for the paper in a file that this service wrote. */
function referenceIn({ fields }: Entry): string | undefined {
  const checked = check(paperId, fieldText(fields.paperid).trim())
  return checked.ok && checked.value.startsWith("ref:") ? checked.value : undefined
}

export const plainText = (value: string): string =>
  value
    .replace(/<[^<>]*>/g, "")
    .replaceAll("\0", "")
    .replace(/\s+/g, " ")
    .trim()
    .toWellFormed()
    .normalize()
const nameOf = ({ name, firstName, prefix, lastName, suffix }: Creator): string =>
  plainText(name ?? [firstName, prefix, lastName, suffix].filter((part) => part !== undefined).join(" "))

/** The day of a date, where it has one. */
function momentIn(text: string): string | undefined {
  const day = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(day) ? undefined : new Date(day).toISOString()
}

/** What the entry says of the paper; members of which it says nothing are left out. */
function givenBy({ fields }: Entry, isbn: string | undefined): Given {
  const short = (name: string, most: number): string | undefined =>
    plainText(fieldText(fields[name])).slice(0, most).toWellFormed() || undefined
  const oneOf = (names: readonly string[], most = 500) => names.map((name) => short(name, most)).find((text) => text !== undefined)
  const authors = Array.isArray(fields.author) ? (fields.author as Creator[]).map(nameOf).filter((name) => name !== "") : []
  const date = fieldText(fields.date)
  const year = /^\D{0,3}([0-9]{4})\b/.exec(date || fieldText(fields.year))?.[1]
  const venue = oneOf(["journal", "journaltitle", "booktitle", "publisher", "school", "institution", "organization"])
  const inCorr = venue !== undefined && /\bcorr\b|^arxiv\b/i.test(venue)
  const said = {
    title: short("title", limits.statement),
    authors: authors.length === 0 ? undefined : authors.slice(0, 1_000),
    publishedAt: momentIn(date),
    year: year === undefined ? undefined : Number(year),
    venue: inCorr ? undefined : venue,
    volume: inCorr ? undefined : short("volume", 100),
    issue: oneOf(["number", "issue"], 100),
    pages: short("pages", 100),
    isbn,
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

const isKey = (key: string): boolean => key.length <= limits.name && /^[^\s{}(),\\"#%~]+$/u.test(key)

/** Files an entry under what it names, or tells why it cannot. */
export function takeEntry(entry: Entry, collector: PaperCollector): void {
  const arxivId = arxivIdOf(entry)
  const doi = namedIn("doi", entry, collector) ?? doiInAddress(entry)
  const isbn = namedIn("isbn", entry, collector)
  const given = givenBy(entry, isbn)
  const url = fieldText(entry.fields.url).trim()
  const named: Identifiers = {
    arxivId: arxivId ?? (doi !== undefined && isArxivId(doi) ? doi : undefined),
    doi: doi !== undefined && isArxivId(doi) ? undefined : doi,
    isbn: BOOKS.test(entry.type) || given.title === undefined ? isbn : undefined,
    reference: referenceIn(entry),
  }
  const isNamed = named.arxivId !== undefined || named.doi !== undefined || named.isbn !== undefined
  // What has no name is found again at its address.
  const said = !isNamed && /^https?:\/\//.test(url) && URL.canParse(url) ? { title: url, ...given, url } : given
  const filed = identify(named, said)
  if (filed === undefined)
    collector.addUnreadable(
      entry.key === "" ? entry.text : `${entry.key}: ${entry.text}`,
      "names no paper: it has neither a title nor a DOI, an ISBN or an arXiv id",
    )
  else collector.add({ ...filed, ...(isKey(entry.key) && { citationKey: entry.key }) })
}

/** The DOI in the address of an entry, where that is one of doi.org. */
function doiInAddress({ fields }: Entry): string | undefined {
  const text = [fields.url, fields.howpublished, fields.note].map(fieldText).find((each) => /\bdoi\.org\//i.test(each))
  return text === undefined ? undefined : mentionsIn(text).papers.find(({ paperId }) => !paperId.startsWith("isbn:"))?.paperId
}
