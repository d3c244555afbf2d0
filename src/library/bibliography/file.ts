/** Writes papers as a BibTeX, RIS or CSL-JSON file, streamed in batches so that other requests run in between. */
import { setImmediate as turn } from "node:timers/promises"
import { risText } from "../../contract/text.ts"
import type { Download } from "../../ledger/reads/reading.ts"
import { type Cited, citationFields, type Form } from "./cited.ts"
import { type CslDate, type CslName, SEASONS } from "../papers/csl.ts"
import { bibtexEntry } from "./bibtex-entry.ts"

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
