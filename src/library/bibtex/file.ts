/** Writes papers as a BibTeX, RIS or CSL-JSON file, streamed in batches so that other requests run in between. */
import { setImmediate as turn } from "node:timers/promises"
import { risText } from "../../contract/ris.ts"
import type { Download } from "../../ledger/reads/reading.ts"
import { type Cited, citationFields } from "./cited.ts"
import { bibtexEntry } from "./write.ts"

export type BibliographyFormat = "bibtex" | "ris" | "csl"

const BATCH = 200

/** Splits a name before its last word, the family name. The name of a collaboration is not split. */
function splitName(name: string): { family: string; given?: string } | { literal: string } {
  const [, given, family] = /^(.*\S)\s+(\S+)$/.exec(name) ?? []
  if (given === undefined || family === undefined || /,|\band\b|Collaboration|Consortium|\bTeam\b/i.test(name))
    return { literal: name }
  return { family, given }
}

/** The DOI of a paper. arXiv assigns one to each of its papers. */
const doiOf = ({ doi, arxivId }: ReturnType<typeof citationFields>): string | undefined =>
  doi ?? (arxivId && `10.48550/arXiv.${arxivId}`)

const cslTypes = { book: "book", article: "article-journal", preprint: "article", other: "document" } as const

function cslItem(cited: Cited): object {
  const paper = citationFields(cited)
  const { key, form, date, year, venue, arxivId, tags } = paper
  const day = date?.split("-").map(Number) ?? (year === undefined ? undefined : [year])
  return {
    id: key,
    "citation-key": key,
    type: cslTypes[form],
    title: paper.title,
    author: paper.authors.map(splitName),
    issued: day && { "date-parts": [day] },
    publisher: form === "preprint" ? "arXiv" : form === "book" ? venue : undefined,
    "container-title": form === "article" ? venue : undefined,
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

const risTypes = { book: "BOOK", article: "JOUR", preprint: "UNPB", other: "GEN" } as const

function risEntry(cited: Cited): string {
  const paper = citationFields(cited)
  const { form, pages, arxivId } = paper
  const names = paper.authors
    .map(splitName)
    .map((name) => ("literal" in name ? name.literal : `${name.family}, ${name.given ?? ""}`))
  const [first, last] = pages?.split(/[–—-]+/) ?? []
  return risText([
    ["TY", risTypes[form]],
    ["ID", paper.key],
    ["TI", paper.title],
    ...names.map((name) => ["AU", name] as const),
    ["PY", paper.year?.toString()],
    ["DA", paper.date?.replaceAll("-", "/")],
    [form === "book" ? "PB" : "JO", paper.venue],
    ["PB", form === "preprint" ? "arXiv" : undefined],
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
