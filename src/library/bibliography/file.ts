/** Writes papers as a BibTeX, RIS or CSL-JSON file, streamed in batches so that other requests run in between. */
import { setImmediate as turn } from "node:timers/promises"
import { risText, isBalanced } from "../../contract/text.ts"
import type { Download } from "../../ledger/reads/reading.ts"
import { type CslDate, type CslName, SEASONS, dateOfParts, nameOf } from "../papers/csl.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { isArxivId, isDoi } from "../../contract/schema/fields.ts"
import { nameOfPaper } from "../../contract/schema/paper-mention.ts"
import type { Description, ShownPaper } from "../papers/papers.ts"

// The fields of a paper in a bibliography file, from a source's record or from the description sent with the paper.

export interface Cited extends ShownPaper {
  /** The key it was imported under; null for a key derived from its id. */
  readonly citationKey: string | null
  readonly tags?: Stored<string[]>
}

const keyOf = ({ paperId, citationKey }: Cited): string =>
  citationKey ?? (isArxivId(paperId) ? `arXiv:${paperId}` : paperId.replace(/[^A-Za-z0-9.:/_+-]/g, "-"))

function yearOfArxivId(arxivId: string): number {
  const year = Number(/([0-9]{2})[0-9]{2}(?:\.|[0-9]{3})/.exec(arxivId)?.[1])
  return year > 90 ? 1900 + year : 2000 + year
}

/** The members that records and descriptions may have. */
type Source = { readonly [M in keyof Description]?: Description[M] | null } & {
  readonly doi?: string
  readonly url?: string | null
  readonly abstract?: string | null
  readonly categories?: readonly string[]
  readonly source?: string
}

/** The kind of publication; `other` if only a description is known. */
type Form = "book" | "article" | "chapter" | "paper" | "thesis" | "report" | "preprint" | "other"

/** The forms that CSL has a type for, and those whose venue is the book that holds them. */
const forms: Readonly<Record<string, Form>> = {
  book: "book",
  chapter: "chapter",
  "paper-conference": "paper",
  thesis: "thesis",
  report: "report",
}

/** The date of a description from before its parts were kept. */
function issuedOf({ publishedAt, year }: Source, arxivId: string | undefined): CslDate | undefined {
  if (publishedAt != null) return dateOfParts([publishedAt.slice(0, 10).split("-")])
  const known = year ?? (arxivId && yearOfArxivId(arxivId))
  return known ? { "date-parts": [[known]] } : undefined
}

/** Returns the fields of a paper; those that are not known are undefined. */
function citationFields(cited: Cited) {
  const { paperId, record, sameAs, given, tags } = cited
  const { doi: givenDoi, ...source }: Source = record !== null ? parse(record) : given !== null ? parse(given) : {}
  const other = sameAs ?? givenDoi ?? ""
  const arxivId = [paperId, other].find(isArxivId)
  const doi = [paperId, other].find(isDoi)
  const isBook = paperId.startsWith("isbn:")
  const stated = forms[source.type ?? ""]
  const form: Form = isBook
    ? "book"
    : stated !== undefined && (source.venue != null || stated === "book")
      ? stated
      : source.venue != null
        ? "article"
        : arxivId !== undefined
          ? "preprint"
          : "other"
  const url =
    arxivId !== undefined
      ? `https://arxiv.org/abs/${arxivId}`
      : doi !== undefined
        ? `https://doi.org/${encodeURI(doi)}`
        : (source.url ?? undefined)
  return {
    key: keyOf(cited),
    form,
    arxivId,
    doi,
    url,
    isbn: isBook ? paperId.slice(5) : (source.isbn ?? undefined),
    /** The id of a paper known only by its description. */
    reference: paperId.startsWith("ref:") ? paperId : undefined,
    /** The id serves as the title if no title is known. */
    title: source.title ?? nameOfPaper(paperId) ?? paperId,
    isTitled: source.title != null,
    names: source.names ?? (source.authors ?? []).map(nameOf),
    /** Whether texts are TeX already. */
    isTex: source.source === "arxiv",
    moreAuthors: source.moreAuthors === true,
    /** The date in its parts. A paper of arXiv shows its year in its id. */
    issued: source.issued ?? issuedOf(source, arxivId),
    publisher: source.publisher ?? undefined,
    date: source.publishedAt?.slice(0, 10),
    year:
      source.year ??
      (source.publishedAt == null ? undefined : Number(source.publishedAt.slice(0, 4))) ??
      (arxivId === undefined ? undefined : yearOfArxivId(arxivId)),
    venue: source.venue ?? undefined,
    volume: source.volume ?? undefined,
    issue: source.issue ?? undefined,
    pages: source.pages ?? undefined,
    abstract: source.abstract ?? undefined,
    categories: source.categories ?? [],
    tags: tags === undefined ? [] : parse(tags),
  }
}

// Writes papers as BibTeX. arXiv's metadata is TeX already, so there only characters that would break the file are
// escaped.

/** Escapes special characters of TeX outside formulas. */
const escaped = (text: string, isTex: boolean): string =>
  (isTex ? text : text.replace(/[\\~]/g, (sign) => (sign === "~" ? "\\textasciitilde{}" : "\\textbackslash{}")))
    .replace(/(?<!\\)[&%#_]/g, "\\$&")
    .replace(/(?<!\\)\^(?!\{)/g, "\\^{}")

/** Whether the braces of a text match, apart from escaped ones. */
const isPaired = (text: string): boolean => isBalanced(text.replace(/\\[{}]/g, ""))

/** Makes a text a field value: formulas stay as they are, and all braces are removed unless they are balanced. */
export function texValue(text: string, isTex = false): string {
  const paired = isPaired(text) ? text : text.replace(/[{}]/g, "").replace(/ {2,}/g, " ")
  const parts = paired.split(/(?<!\\)\$/)
  if (parts.length % 2 === 0) return escaped(paired, isTex).replace(/(?<!\\)\$/g, "\\$")
  return parts.map((part, index) => (index % 2 === 0 ? escaped(part, isTex) : part)).join("$")
}

/** A name as BibTeX has it: `{van der} Berg, Jr., Jan`. The name of a group is in braces, so that it is not split. */
function author({ literal, family, given, "non-dropping-particle": particle, suffix }: CslName): string {
  if (literal !== undefined) return `{${texValue(literal)}}`
  const last = [particle, family].flatMap((part) => (part === undefined ? [] : [part])).join(" ")
  const parts = [last, suffix, given].flatMap((part) => (part === undefined ? [] : [partOf(part)]))
  // A suffix without a given name would be read as the given name.
  return parts.length === 2 && suffix !== undefined ? `${parts.join(", ")}, ` : parts.join(", ")
}
const partOf = (part: string): string => (/,|\band\b/i.test(part) ? `{${texValue(part)}}` : texValue(part))

/** A date for BibLaTeX, if it tells more than a year: a range, a month, an uncertain year. */
function dateFields({ issued, year }: ReturnType<typeof citationFields>): Record<string, string | undefined> {
  const { "date-parts": parts = [], season, circa, literal } = issued ?? {}
  const texts = parts.map((part) =>
    part.map((each, index) => String(each).padStart(index === 0 ? 4 : 2, "0")).join("-"),
  )
  const [only] = texts
  if (only === undefined) return { year: literal === undefined ? year?.toString() : texValue(literal) }
  const date = season === undefined ? texts.join("/") : `${only}-${20 + season}`
  return { year: only.slice(0, 4), ...((circa || date !== only.slice(0, 4)) && { date: circa ? `${date}~` : date }) }
}

/** The entry type of each form, and the field for its venue. */
const types: Readonly<Record<Form, { readonly type: string; readonly venue: string }>> = {
  book: { type: "book", venue: "publisher" },
  article: { type: "article", venue: "journal" },
  chapter: { type: "incollection", venue: "booktitle" },
  paper: { type: "inproceedings", venue: "booktitle" },
  thesis: { type: "phdthesis", venue: "school" },
  report: { type: "techreport", venue: "institution" },
  preprint: { type: "misc", venue: "howpublished" },
  other: { type: "misc", venue: "howpublished" },
}

/** A value without TeX markup. Unbalanced braces, which would end the field, are removed. */
const verbatim = (text: string | undefined): string | undefined =>
  text === undefined || isPaired(text) ? text : text.replace(/[{}]/g, "")
export function bibtexEntry(cited: Cited): string {
  const paper = citationFields(cited)
  const { type, venue } = types[paper.form]
  const tex = (text: string | undefined) => (text === undefined ? undefined : texValue(text, paper.isTex))
  const fields = {
    title: paper.isTitled ? `{${texValue(paper.title, paper.isTex)}}` : undefined,
    author: [...paper.names.map(author), ...(paper.moreAuthors ? ["others"] : [])].join(" and "),
    ...dateFields(paper),
    [venue]: tex(paper.venue),
    ...(venue !== "publisher" && { publisher: tex(paper.publisher) }),
    volume: tex(paper.volume),
    number: tex(paper.issue),
    pages: tex(paper.pages?.replace(/[–—]/g, "--")),
    doi: verbatim(paper.doi),
    isbn: paper.isbn,
    eprint: paper.arxivId,
    archivePrefix: paper.arxivId && "arXiv",
    primaryClass: paper.arxivId && paper.categories[0],
    url: verbatim(paper.url),
    keywords: paper.tags.map((tag) => texValue(tag)).join(", "),
    paperid: paper.reference,
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`  ${name} = {${value}}`] : []))
  return `@${type}{${paper.key},\n${lines.join(",\n")}\n}\n`
}

export const writeBibtex = (papers: readonly Cited[]): string => papers.map(bibtexEntry).join("\n")

export type BibliographyFormat = "bibtex" | "ris" | "csl"

const BATCH = 200

/** The DOI of a paper. arXiv assigns one to each of its papers. */
const doiOf = ({ doi, arxivId }: ReturnType<typeof citationFields>): string | undefined =>
  doi ?? (arxivId && `10.48550/arXiv.${arxivId}`)

const cslTypes: Readonly<Record<Form, string>> = {
  book: "book",
  article: "article-journal",
  chapter: "chapter",
  paper: "paper-conference",
  thesis: "thesis",
  report: "report",
  preprint: "article",
  other: "document",
}

/** What the venue of a form is: the work that holds it, or its publisher. */
const isPublisher = (form: Form): boolean => form === "book" || form === "thesis" || form === "report"

function cslItem(cited: Cited): object {
  const paper = citationFields(cited)
  const { key, form, venue, arxivId, tags } = paper
  return {
    id: key,
    "citation-key": key,
    type: cslTypes[form],
    title: paper.title,
    author: paper.names,
    issued: paper.issued,
    publisher: form === "preprint" ? "arXiv" : isPublisher(form) ? venue : paper.publisher,
    "container-title": form === "preprint" || isPublisher(form) ? undefined : venue,
    volume: paper.volume,
    issue: paper.issue,
    page: paper.pages,
    number: arxivId && `arXiv:${arxivId}`,
    DOI: doiOf(paper),
    ISBN: paper.isbn,
    URL: paper.url,
    abstract: paper.abstract,
    keyword: tags.length === 0 ? undefined : tags.join(", "),
    custom: paper.reference && { paperId: paper.reference },
  }
}

const risTypes: Readonly<Record<Form, string>> = {
  book: "BOOK",
  article: "JOUR",
  chapter: "CHAP",
  paper: "CPAPER",
  thesis: "THES",
  report: "RPRT",
  preprint: "UNPB",
  other: "GEN",
}

/** A name as RIS has it: `van der Berg, Jan, Jr.` */
const risName = ({ literal, family, given, "non-dropping-particle": particle, suffix }: CslName): string =>
  literal ??
  [[particle, family].filter((part) => part !== undefined).join(" "), given ?? (suffix && ""), suffix]
    .filter((part) => part !== undefined)
    .join(", ")

/** A date as RIS has it: `2015/04/01`, and the words that stand in the place of one. */
const risDate = ({ "date-parts": parts, season, literal }: CslDate): string | undefined => {
  const day = parts?.[0]?.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, "0"))
  return day === undefined ? literal : season === undefined ? day.join("/") : `${day[0]}///${SEASONS[season - 1]}`
}

function risEntry(cited: Cited): string {
  const paper = citationFields(cited)
  const { form, pages, arxivId } = paper
  const [first, last] = pages?.split(/[–—-]+/) ?? []
  return risText([
    ["TY", risTypes[form]],
    ["ID", paper.key],
    ["TI", paper.title],
    ...paper.names.map((name) => ["AU", risName(name)] as const),
    ["PY", paper.year?.toString()],
    ["DA", paper.issued && risDate(paper.issued)],
    [isPublisher(form) ? "PB" : form === "chapter" || form === "paper" ? "T2" : "JO", paper.venue],
    ["PB", form === "preprint" ? "arXiv" : paper.publisher],
    ["VL", paper.volume],
    ["IS", paper.issue],
    ["SP", first],
    ["EP", last],
    ["SN", paper.isbn],
    ["AN", arxivId && `arXiv:${arxivId}`],
    ["DO", doiOf(paper)],
    ["UR", paper.url],
    ["AB", paper.abstract],
    ...paper.tags.map((tag) => ["KW", tag] as const),
    ["C8", paper.reference],
  ])
}

const formats = {
  bibtex: { extension: "bib", before: "", entry: bibtexEntry, between: "\n", after: "" },
  ris: { extension: "ris", before: "", entry: risEntry, between: "\r\n", after: "" },
  csl: {
    extension: "json",
    before: "[",
    entry: (cited: Cited) => JSON.stringify(cslItem(cited)),
    between: ",\n",
    after: "]\n",
  },
} as const

/** The `read` of a bibliography whose papers were all read beforehand. */
export const unchanged = (batch: readonly Cited[]): readonly Cited[] => batch

/** Makes a bibliography. @param all the papers, or ids of them @param read returns the papers of one batch of `all` */
export function bibliographyOf<Of>(
  name: string,
  format: BibliographyFormat,
  all: readonly Of[],
  read: (batch: readonly Of[]) => readonly Cited[],
): Download {
  const { extension, before, entry, between, after } = formats[format]
  const encoder = new TextEncoder()
  let at = 0
  let written = 0
  const bytes = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await turn()
        const start = at === 0 ? before : ""
        const papers = read(all.slice(at, at + BATCH))
        at += BATCH
        const text = papers.map((paper) => `${written++ === 0 ? "" : between}${entry(paper)}`).join("")
        const isEnd = at >= all.length
        controller.enqueue(encoder.encode(`${start}${text}${isEnd ? after : ""}`))
        if (isEnd) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { name: `${name}.${extension}`, bytes }
}
