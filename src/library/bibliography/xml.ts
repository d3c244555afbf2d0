/** Reads the XML of PubMed and of EndNote. Every other document of markup is refused as a whole. */
import { DomUtils, parseDocument } from "htmlparser2"
import type { PaperCollector } from "../papers/found.ts"
import { type CslName, firstDate, nameOf } from "../papers/csl.ts"
import { plain } from "../papers/record.ts"
import { type Entry, takeEntry } from "./taking.ts"
import { endnoteTypes } from "./tagged.ts"

const { getElementsByTagName: namedIn, getAttributeValue: attribute, innerText } = DomUtils
type Element = ReturnType<typeof namedIn>[number]

/** The elements along a path of names, each a child of the one before. */
const along = (element: Element, path: string): Element[] =>
  path
    .split("/")
    .reduce<Element[]>(
      (found, name) =>
        found.flatMap((each) =>
          each.children.flatMap((child) => ("attribs" in child && child.name === name ? [child] : [])),
        ),
      [element],
    )
/** The texts at the first of several paths that has one. Tags in them are dropped: they say how a text looks. */
const textsOf = (element: Element, ...paths: readonly string[]): string[] =>
  paths
    .map((path) =>
      along(element, path)
        .map((each) => plain(innerText(each)))
        .filter((text) => text !== ""),
    )
    .find((texts) => texts.length > 0) ?? []
const textOf = (element: Element, ...paths: readonly string[]): string | undefined => textsOf(element, ...paths)[0]
/** The texts of those elements whose attribute has a value. */
const marked = (element: Element, path: string, name: string, value: string): string[] =>
  along(element, path).flatMap((each) => (attribute(each, name) === value ? [plain(innerText(each))] : []))

function pubmedName(author: Element): CslName[] {
  const [family, given] = [textOf(author, "LastName"), textOf(author, "ForeName", "Initials")]
  const [suffix, literal] = [textOf(author, "Suffix"), textOf(author, "CollectiveName")]
  if (family === undefined) return literal === undefined ? [] : [{ literal }]
  return [{ family, ...(given && { given }), ...(suffix && { suffix }) }]
}

/** A date of PubMed: its parts, or a text such as `2015 Jan-Feb`. */
const pubmedDate = (element: Element, path: string): string | undefined =>
  textOf(element, `${path}/MedlineDate`) ??
  ["Year", "Month", "Day", "Season"].flatMap((part) => textOf(element, `${path}/${part}`) ?? []).join(" ")

/** PubMed ends titles with a full stop, and puts translated ones in brackets. */
const pubmedTitle = (title: string | undefined): string | undefined =>
  title?.replace(/(?<=[^.])\.$/, "").replace(/^\[(.*)\]$/, "$1")

function fromArticle(element: Element): Entry {
  const at = (path: string) => `MedlineCitation/Article/${path}`
  const text = (path: string) => textOf(element, at(path))
  const [first, last] = [text("Pagination/StartPage"), text("Pagination/EndPage")]
  return {
    type: "article-journal",
    key: "",
    source: innerText(element).trim().slice(0, 200),
    title: pubmedTitle(text("ArticleTitle") ?? text("VernacularTitle")),
    authors: along(element, at("AuthorList/Author")).flatMap(pubmedName),
    issued: firstDate([
      pubmedDate(element, at("Journal/JournalIssue/PubDate")),
      pubmedDate(element, at("ArticleDate")),
    ]),
    container: textOf(
      element,
      at("Journal/Title"),
      at("Journal/ISOAbbreviation"),
      "MedlineCitation/MedlineJournalInfo/MedlineTA",
    ),
    volume: text("Journal/JournalIssue/Volume"),
    issue: text("Journal/JournalIssue/Issue"),
    pages: text("Pagination/MedlinePgn") ?? (last === undefined ? first : `${first}–${last}`),
    dois: [
      ...marked(element, "PubmedData/ArticleIdList/ArticleId", "IdType", "doi"),
      ...marked(element, at("ELocationID"), "EIdType", "doi"),
    ],
    isbns: [],
    arxivIds: [],
    places: [],
  }
}

function fromBook(element: Element): Entry {
  const book = "BookDocument/Book"
  const chapter = textOf(element, "BookDocument/ArticleTitle")
  const title = textOf(element, `${book}/BookTitle`)
  return {
    type: chapter === undefined ? "book" : "chapter",
    key: "",
    source: innerText(element).trim().slice(0, 200),
    title: pubmedTitle(chapter ?? title),
    authors: [
      ...along(element, "BookDocument/AuthorList/Author"),
      ...along(element, `${book}/AuthorList/Author`),
    ].flatMap(pubmedName),
    issued: firstDate([pubmedDate(element, `${book}/PubDate`)]),
    container: chapter === undefined ? undefined : title,
    publisher: textOf(element, `${book}/Publisher/PublisherName`),
    dois: [
      ...marked(element, "BookDocument/ArticleIdList/ArticleId", "IdType", "doi"),
      ...marked(element, "PubmedBookData/ArticleIdList/ArticleId", "IdType", "doi"),
    ],
    isbns: textsOf(element, `${book}/Isbn`),
    arxivIds: [],
    places: [],
  }
}

function fromEndnote(element: Element): Entry {
  const named = along(element, "ref-type").map((each) => attribute(each, "name"))
  const type = endnoteTypes[named[0]?.toLowerCase() ?? ""] ?? ""
  const text = (...paths: readonly string[]) => textOf(element, ...paths)
  const year = text("dates/year")
  const day = text("dates/pub-dates/date")
  return {
    type,
    key: text("label") ?? "",
    source: innerText(element).trim().slice(0, 200),
    title: text("titles/title"),
    authors: textsOf(element, "contributors/authors/author").map(nameOf),
    issued: firstDate([day !== undefined && year !== undefined && !day.includes(year) ? `${day} ${year}` : day, year]),
    container: text("periodical/full-title", "titles/secondary-title", "alt-periodical/full-title"),
    publisher: text("publisher"),
    volume: text("volume"),
    issue: text("number"),
    pages: text("pages"),
    url: textsOf(element, "urls/web-urls/url", "urls/related-urls/url").find((url) => /^https?:/i.test(url)),
    dois: textsOf(element, "electronic-resource-num"),
    // The member also holds the ISSN of a journal.
    isbns: type === "book" || type === "chapter" ? textsOf(element, "isbn") : [],
    arxivIds: [],
    places: [
      ...textsOf(element, "urls/related-urls/url"),
      ...textsOf(element, "urls/web-urls/url"),
      ...textsOf(element, "notes"),
    ],
  }
}

const readers = [
  { name: "PubmedArticle", format: "pubmed", read: fromArticle },
  { name: "PubmedBookArticle", format: "pubmed", read: fromBook },
  { name: "record", format: "endnote", read: fromEndnote },
] as const

/** Reads a whole document of markup. */
export function readXml(text: string, collector: PaperCollector): void {
  const document = parseDocument(text, { xmlMode: true, decodeEntities: true })
  const found = readers.flatMap(({ name, format, read }) =>
    namedIn(name, document)
      // Other programs have records too. EndNote's say of which type they are.
      .filter((element) => name !== "record" || along(element, "ref-type").length > 0)
      .map((element) => ({ format, entry: read(element) })),
  )
  for (const { format, entry } of found) takeEntry(entry, format, collector)
  if (found.length === 0)
    collector.addUnreadable(
      text,
      "is a document of markup that is not known: only PubMed's and EndNote's XML are read. " +
        "Export BibTeX, RIS or CSL-JSON",
    )
}
