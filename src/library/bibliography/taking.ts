/** Files the entry of a bibliography: cleans it, finds the ids that it names, and says what could not be read. */
import { isArxivId, paperId } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { asArxivId, mentionedArxivId, mentionsIn } from "../../contract/schema/paper-mention.ts"
import { check } from "../../contract/schema/validation.ts"
import { type Format, type PaperCollector, identify } from "../papers/found.ts"
import { doiIn, plain } from "../papers/record.ts"
import type { Given } from "../papers/papers.ts"
import { authorsOf, momentOf, shownName, yearOf, type CslDate, type CslName } from "../papers/csl.ts"

// An entry of a bibliography file as its reader hands it on: the item, and every text in which an id may stand.

export interface Entry {
  /** CSL's type, such as `article-journal`; empty if the file does not say. */
  readonly type: string
  /** The key that the file gives the entry; empty if it gives none. */
  readonly key: string
  /** The start of the source, so that a person can find it in their file. */
  readonly source: string
  readonly title?: string | undefined
  readonly authors: readonly CslName[]
  readonly issued?: CslDate | undefined
  /** The journal, proceedings or book that holds it. */
  readonly container?: string | undefined
  readonly publisher?: string | undefined
  readonly volume?: string | undefined
  readonly issue?: string | undefined
  readonly pages?: string | undefined
  readonly url?: string | undefined
  /** Texts that should be ids of each kind, the likeliest first. Markup and escapes are taken out of them. */
  readonly dois: readonly string[]
  readonly isbns: readonly string[]
  readonly arxivIds: readonly string[]
  /** Other texts in which people put a DOI or an arXiv id. */
  readonly places: readonly string[]
  /** The `ref:` id from a file that this service wrote. */
  readonly reference?: string | undefined
}

/** Finds an arXiv id in a text, but not in a bare number: page and volume numbers look like ids. */
const mentionIn = (text: string): string | undefined => (/[a-z]/i.test(text) ? mentionedArxivId(text) : undefined)

/** The first value that a function finds in a list of texts. */
const firstOf = <T>(texts: readonly string[], find: (text: string) => T | undefined): T | undefined => {
  for (const text of texts) {
    const found = find(text)
    if (found !== undefined) return found
  }
  return undefined
}

const arxivIdOf = ({ arxivIds, dois, places }: Entry): string | undefined =>
  firstOf(arxivIds, (text) => mentionedArxivId(text) ?? asArxivId(text)) ?? firstOf([...dois, ...places], mentionIn)

/** The DOI that a text is, or that it mentions. */
const doiOf = (text: string): string | undefined =>
  doiIn(text) ??
  mentionsIn(/^(?:https?:|10\.)/i.test(text) ? text : `doi:${text}`).papers.find(
    ({ paperId: id }) => !id.startsWith("isbn:"),
  )?.paperId

const isbnOf = (text: string): string | undefined =>
  mentionsIn(`isbn ${text.replace(/^isbn/i, "")}`)
    .papers.find(({ paperId: id }) => id.startsWith("isbn:"))
    ?.paperId.slice("isbn:".length)

/** Reports a field that should hold an id and holds none. */
function reportMistake(
  name: "DOI" | "ISBN",
  texts: readonly string[],
  { key }: Entry,
  collector: PaperCollector,
): void {
  const text = texts.find((each) => each !== "")
  if (text === undefined) return
  const { mistakes } = mentionsIn(
    name === "ISBN" ? `isbn ${text.replace(/^isbn/i, "")}` : /^(?:https?:|10\.)/i.test(text) ? text : `doi:${text}`,
  )
  collector.addUnreadable(
    `${key === "" ? "" : `${key}: `}${text}`,
    mistakes[0]?.reason ?? (name === "DOI" ? "is not a DOI" : "is not an ISBN"),
  )
}

/** The `ref:` id in a file that this service wrote. */
function referenceIn({ reference }: Entry): string | undefined {
  const checked = reference === undefined ? undefined : check(paperId, reference)
  return checked?.ok && checked.value.startsWith("ref:") ? checked.value : undefined
}

/** Returns the description in an entry, with only the members it has. */
function descriptionIn(entry: Entry, isbn: string | undefined, isOnArxiv: boolean): Given {
  const short = (text: string | undefined, most: number): string | undefined =>
    plain(text ?? "")
      .slice(0, most)
      .toWellFormed() || undefined
  const { names, more } = authorsOf(entry.authors)
  const named = names.slice(0, 1_000)
  const container = short(entry.container, 500)
  // A preprint has arXiv, and no journal.
  const isPreprint = isOnArxiv && container !== undefined && /\bcorr\b|^arxiv\b/i.test(container)
  const volume = short(entry.volume, 100)
  const { issued } = entry
  const members: { [M in keyof Given]?: Given[M] | undefined } = {
    type: entry.type === "" ? undefined : entry.type,
    title: short(entry.title, limits.statement),
    authors: named.length === 0 ? undefined : named.map(shownName),
    names: named.length === 0 ? undefined : named,
    moreAuthors: more ? true : undefined,
    publishedAt: momentOf(issued),
    year: yearOf(issued),
    issued,
    venue: isPreprint ? undefined : (container ?? short(entry.publisher, 500)),
    publisher: container === undefined ? undefined : short(entry.publisher, 500),
    volume: isPreprint && volume !== undefined && mentionedArxivId(volume.replace(/^abs\//i, "")) ? undefined : volume,
    issue: short(entry.issue, 100),
    pages: short(entry.pages, 100),
    isbn,
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

const isKey = (key: string): boolean => key.length <= limits.name && /^[^\s{}(),\\"#%~]+$/u.test(key)

/** Why a text with U+FFFD in it is refused. */
export const LOST = "has signs that were lost when it was read as UTF-8"

/** Collects the paper of an entry, or reports why it names none. */
export function takeEntry(entry: Entry, format: Format, collector: PaperCollector): void {
  const kept = [entry.title, entry.container, entry.publisher, ...entry.authors.map(shownName)]
  if (kept.some((text) => text?.includes("\uFFFD"))) {
    collector.addUnreadable(entry.source, LOST)
    return
  }
  const dois = entry.dois.map((text) => text.trim())
  const isbns = entry.isbns.map((text) => text.trim())
  const doi =
    firstOf(dois, (text) => (text === "" ? undefined : doiOf(text))) ??
    firstOf(entry.places, (text) => (/\b10\.\d{4}/.test(text) ? doiOf(text) : undefined))
  const isbn = firstOf(isbns, isbnOf)
  if (doi === undefined) reportMistake("DOI", dois, entry, collector)
  if (isbn === undefined) reportMistake("ISBN", isbns, entry, collector)
  const arxivId = arxivIdOf(entry) ?? (doi !== undefined && isArxivId(doi) ? doi : undefined)
  const description = descriptionIn(entry, isbn, arxivId !== undefined)
  const identifiers = {
    arxivId,
    doi: doi !== undefined && isArxivId(doi) ? undefined : doi,
    // The ISBN of a chapter does not identify the chapter.
    isbn: entry.type === "book" || description.title === undefined ? isbn : undefined,
    reference: referenceIn(entry),
  }
  const isNamed = arxivId !== undefined || doi !== undefined || identifiers.isbn !== undefined
  const url = entry.url ?? ""
  // A paper without an id keeps its URL, which may serve as its title.
  const given =
    !isNamed && /^https?:\/\//.test(url) && URL.canParse(url) ? { title: url, ...description, url } : description
  const filed = identify(identifiers, given)
  if (filed === undefined)
    collector.addUnreadable(
      entry.key === "" ? entry.source : `${entry.key}: ${entry.source}`,
      "names no paper: it has neither a title nor a DOI, an ISBN or an arXiv id",
    )
  else collector.add({ ...filed, ...(isKey(entry.key) && { citationKey: entry.key }) }, entry.source, format)
}
