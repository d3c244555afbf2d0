/** Papers as a file for reference managers: BibTeX, RIS or CSL-JSON, written while it is sent, some of them in each turn of the thread. */
import { setImmediate as turn } from "node:timers/promises"
import { parse } from "../../contract/json.ts"
import { risText } from "../../contract/ris.ts"
import type { Download } from "../../ledger/reads/reading.ts"
import { bibtexEntry, type Cited, keyOf, yearOf } from "./write.ts"

export type BibliographyFormat = "bibtex" | "ris" | "csl"

/** Papers that are read and written in one turn. */
const STEP = 200

/** A name in its parts, as arXiv writes it: the family name last. A collaboration's is one. */
function partsOf(name: string): { family: string; given?: string } | { literal: string } {
  const [, given, family] = /^(.*\S)\s+(\S+)$/.exec(name) ?? []
  if (given === undefined || family === undefined || /,|\band\b|Collaboration|Consortium|\bTeam\b/i.test(name)) return { literal: name }
  return { family, given }
}

const told = ({ record, tags }: Cited) => ({ ...(record === null ? {} : parse(record)), tags: tags === undefined ? [] : parse(tags) })
const addressOf = (arxivId: string): string => `https://arxiv.org/abs/${arxivId}`
const titleOf = ({ arxivId }: Cited, title?: string): string => title ?? `arXiv:${arxivId}`
/** Every paper of arXiv has one. */
const doiOf = (arxivId: string): string => `10.48550/arXiv.${arxivId}`

function cslItem(cited: Cited): object {
  const { title, authors = [], publishedAt, abstract, tags } = told(cited)
  const { arxivId } = cited
  const date = publishedAt == null ? [Number(yearOf(arxivId))] : publishedAt.slice(0, 10).split("-").map(Number)
  return {
    id: keyOf(cited),
    "citation-key": keyOf(cited),
    type: "article",
    title: titleOf(cited, title),
    author: authors.map(partsOf),
    issued: { "date-parts": [date] },
    publisher: "arXiv",
    number: `arXiv:${arxivId}`,
    DOI: doiOf(arxivId),
    URL: addressOf(arxivId),
    ...(abstract == null ? {} : { abstract }),
    ...(tags.length === 0 ? {} : { keyword: tags.join(", ") }),
  }
}

function risEntry(cited: Cited): string {
  const { title, authors = [], publishedAt, abstract, tags } = told(cited)
  const { arxivId } = cited
  const names = authors.map(partsOf).map((name) => ("literal" in name ? name.literal : `${name.family}, ${name.given ?? ""}`))
  return risText([
    ["TY", "UNPB"],
    ["ID", keyOf(cited)],
    ["TI", titleOf(cited, title)],
    ...names.map((name) => ["AU", name] as const),
    ["PY", publishedAt?.slice(0, 4) ?? yearOf(arxivId)],
    ["DA", publishedAt?.slice(0, 10).replaceAll("-", "/")],
    ["PB", "arXiv"],
    ["AN", `arXiv:${arxivId}`],
    ["DO", doiOf(arxivId)],
    ["UR", addressOf(arxivId)],
    ["AB", abstract],
    ...tags.map((tag) => ["KW", tag] as const),
  ])
}

/** How each format begins, joins its entries and ends. */
const formats = {
  bibtex: { extension: "bib", before: "", entry: bibtexEntry, between: "\n", after: "" },
  ris: { extension: "ris", before: "", entry: risEntry, between: "\r\n", after: "" },
  csl: { extension: "json", before: "[", entry: (cited: Cited) => JSON.stringify(cslItem(cited)), between: ",\n", after: "]\n" },
} as const

export const unchanged = (some: readonly Cited[]): readonly Cited[] => some

/** A bibliography of `all`, of which `cited` tells some at a time. */
export function bibliographyOf<Of>(
  name: string,
  format: BibliographyFormat,
  all: readonly Of[],
  cited: (some: readonly Of[]) => readonly Cited[],
): Download {
  const { extension, before, entry, between, after } = formats[format]
  const encoder = new TextEncoder()
  let at = 0
  let written = 0
  const bytes = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await turn()
        const begin = at === 0 ? before : ""
        const some = cited(all.slice(at, at + STEP))
        at += STEP
        const text = some.map((one) => `${written++ === 0 ? "" : between}${entry(one)}`).join("")
        const isEnd = at >= all.length
        controller.enqueue(encoder.encode(`${begin}${text}${isEnd ? after : ""}`))
        if (isEnd) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { name: `${name}.${extension}`, bytes }
}
