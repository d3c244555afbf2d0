/** Turns an entry of a bibliography file into a paper to file. */
import { isArxivId, paperId } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { asArxivId, mentionedArxivId, mentionsIn } from "../../contract/schema/paper-mention.ts"
import { check } from "../../contract/schema/validation.ts"
import type { PaperCollector } from "../papers/found.ts"
import { identify, type Identifiers } from "../papers/identity.ts"
import { doiIn } from "../papers/record.ts"
import type { Given } from "../papers/papers.ts"

/** An entry as the BibTeX parser returns it: creators are objects, and some fields are lists. */
export interface Entry {
  readonly type: string
  readonly key: string
  readonly fields: Readonly<Record<string, unknown>>
  /** The source of the entry, so that a person can find it in their file. */
  readonly text: string
}

interface Creator {
  readonly name?: string
  readonly firstName?: string
  readonly prefix?: string
  readonly lastName?: string
  readonly suffix?: string
}

const fieldText = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
      ? value.filter((part) => typeof part === "string").join(" ")
      : ""

/** Finds an arXiv id in a text, but not in a bare number: page and volume numbers look like ids. */
const mentionIn = (text: string): string | undefined => (/[a-z]/i.test(text) ? mentionedArxivId(text) : undefined)

/** DBLP writes CoRR as the journal and the arXiv id as the volume. */
const arxivIdAsVolume = (fields: Entry["fields"]) =>
  mentionedArxivId(fieldText(fields.volume).replace(/^\s*abs\//i, ""))

/** Finds the arXiv id of an entry in its eprint, or in the other fields that people put it in. */
function arxivIdOf({ fields }: Entry): string | undefined {
  const eprint = fieldText(fields.eprint ?? fields.arxivid).trim()
  const archive = fieldText(fields.archiveprefix ?? fields.eprinttype ?? "arxiv").toLowerCase()
  if (archive === "arxiv") {
    // Old-style ids were often split, with the archive in primaryClass and the number in eprint.
    const found =
      mentionedArxivId(eprint) ?? asArxivId(`${fieldText(fields.primaryclass ?? fields.eprintclass)}/${eprint}`)
    if (found !== undefined) return found
  }
  const journal = fieldText(fields.journal ?? fields.journaltitle)
  const inCorr = /\bcorr\b/i.test(journal) ? arxivIdAsVolume(fields) : undefined
  if (inCorr !== undefined) return inCorr
  const texts = [
    "doi",
    "url",
    "journal",
    "journaltitle",
    "howpublished",
    "note",
    "number",
    "volume",
    "eid",
    "pages",
    "annote",
  ]
  return texts.map((name) => mentionIn(fieldText(fields[name]))).find((found) => found !== undefined)
}

/** Types of entries that are whole books. The ISBN of a chapter does not identify the chapter. */
const BOOKS =
  /^(?:book|mvbook|collection|mvcollection|proceedings|mvproceedings|manual|reference|periodical|ebook|edbook|conf|monograph)$/i

/** Reads the DOI or ISBN field, and reports a value that is neither. */
function namedIn(name: "doi" | "isbn", { fields, key }: Entry, collector: PaperCollector): string | undefined {
  const text = fieldText(fields[name]).trim()
  if (text === "") return undefined
  const direct = name === "doi" ? doiIn(text) : null
  if (direct !== null) return direct
  const { papers, mistakes } = mentionsIn(
    name === "doi" && !/^(?:https?:|10\.)/i.test(text)
      ? `doi:${text}`
      : name === "isbn"
        ? `isbn ${text.replace(/^isbn/i, "")}`
        : text,
  )
  const found = papers.find((paper) => (name === "isbn") === paper.paperId.startsWith("isbn:"))?.paperId
  if (found === undefined)
    collector.addUnreadable(
      `${key === "" ? "" : `${key}: `}${text}`,
      mistakes[0]?.reason ?? (name === "doi" ? "is not a DOI" : "is not an ISBN"),
    )
  return found?.replace(/^isbn:/, "")
}

/** Reads the `ref:` id from a file that this service wrote. */
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

/** Returns the time of a date that includes a day. */
function momentIn(text: string): string | undefined {
  const day = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(day) ? undefined : new Date(day).toISOString()
}

/** Returns the description in an entry, with only the members it has. */
function descriptionIn({ fields }: Entry, isbn: string | undefined): Given {
  const short = (name: string, most: number): string | undefined =>
    plainText(fieldText(fields[name])).slice(0, most).toWellFormed() || undefined
  const oneOf = (names: readonly string[], most = 500) =>
    names.map((name) => short(name, most)).find((text) => text !== undefined)
  const authors = Array.isArray(fields.author)
    ? (fields.author as Creator[]).map(nameOf).filter((name) => name !== "")
    : []
  const date = fieldText(fields.date)
  const year = /^\D{0,3}([0-9]{4})\b/.exec(date || fieldText(fields.year))?.[1]
  const venue = oneOf(["journal", "journaltitle", "booktitle", "publisher", "school", "institution", "organization"])
  const inCorr = venue !== undefined && /\bcorr\b|^arxiv\b/i.test(venue)
  const members = {
    title: short("title", limits.statement),
    authors: authors.length === 0 ? undefined : authors.slice(0, 1_000),
    publishedAt: momentIn(date),
    year: year === undefined ? undefined : Number(year),
    venue: inCorr ? undefined : venue,
    volume: inCorr && arxivIdAsVolume(fields) !== undefined ? undefined : short("volume", 100),
    issue: oneOf(["number", "issue"], 100),
    pages: short("pages", 100),
    isbn,
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

const isKey = (key: string): boolean => key.length <= limits.name && /^[^\s{}(),\\"#%~]+$/u.test(key)

/** Collects the paper of an entry, or reports why it names none. */
export function takeEntry(entry: Entry, collector: PaperCollector): void {
  const arxivId = arxivIdOf(entry)
  const doi = namedIn("doi", entry, collector) ?? doiInAddress(entry)
  const isbn = namedIn("isbn", entry, collector)
  const description = descriptionIn(entry, isbn)
  const url = fieldText(entry.fields.url).trim()
  const identifiers: Identifiers = {
    arxivId: arxivId ?? (doi !== undefined && isArxivId(doi) ? doi : undefined),
    doi: doi !== undefined && isArxivId(doi) ? undefined : doi,
    isbn: BOOKS.test(entry.type) || description.title === undefined ? isbn : undefined,
    reference: referenceIn(entry),
  }
  const isNamed = identifiers.arxivId !== undefined || identifiers.doi !== undefined || identifiers.isbn !== undefined
  // A paper without an id keeps its URL, which may serve as its title.
  const given =
    !isNamed && /^https?:\/\//.test(url) && URL.canParse(url) ? { title: url, ...description, url } : description
  const filed = identify(identifiers, given)
  if (filed === undefined)
    collector.addUnreadable(
      entry.key === "" ? entry.text : `${entry.key}: ${entry.text}`,
      "names no paper: it has neither a title nor a DOI, an ISBN or an arXiv id",
    )
  else collector.add({ ...filed, ...(isKey(entry.key) && { citationKey: entry.key }) })
}

/** Finds a DOI in a doi.org URL of an entry. */
function doiInAddress({ fields }: Entry): string | undefined {
  const text = [fields.url, fields.howpublished, fields.note]
    .map(fieldText)
    .find((field) => /\bdoi\.org\//i.test(field))
  return text === undefined
    ? undefined
    : mentionsIn(text).papers.find(({ paperId }) => !paperId.startsWith("isbn:"))?.paperId
}
