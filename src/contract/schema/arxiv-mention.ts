/** The id of a paper in what people paste: an address of arXiv or of a place that shows its papers, a DOI, `arXiv:…`, or the id. */
import { arxivId } from "./fields.ts"
import { check } from "./validation.ts"

const ID = "([0-9]{4}\\.[0-9]{4,5}|[a-z-]+(?:\\.[A-Za-z]{2})?/[0-9]{7})"
/** Hosts below which a path names a paper by its id: arXiv, its mirrors, and readers of its papers. */
const PLACES = [
  "arxiv\\.org/(?:abs|pdf|html|format|e-print|src|ps|list/[a-z-]+)/",
  "ar5iv(?:\\.labs\\.arxiv)?\\.org/(?:abs|html|pdf)/",
  "alphaxiv\\.org/(?:abs|pdf|overview)/",
  "huggingface\\.co/papers/",
  "hf\\.co/papers/",
  "scholar\\.archive\\.org/arxiv/",
  "semanticscholar\\.org/arxiv/",
]
const MENTION = new RegExp(`(?:${PLACES.join("|")}|10\\.48550/arxiv\\.|arxiv:\\s{0,9})${ID}`, "i")
const ALONE = new RegExp(`^(?:arxiv[:.\\s]\\s*)?${ID}(?:v[0-9]{1,3})?(?:\\.pdf)?(?:\\s*\\[[A-Za-z.-]+\\])?$`, "i")

/** An id as the service knows it: without version and subject class; undefined for what is none. */
export function asArxivId(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined
  // Archives are in lower case, their subject classes in upper case: `Math.gt/0309136` is one that somebody typed.
  const [, archive, subject = "", number] = /^([A-Za-z-]+)(\.[A-Za-z]{2})?(\/[0-9]{7}.*)$/.exec(value) ?? []
  const checked = check(arxivId, archive === undefined ? value : `${archive.toLowerCase()}${subject.toUpperCase()}${number}`)
  return checked.ok ? checked.value : undefined
}

/** The id that a text mentions first; undefined where it mentions none. Of an id alone no mark is needed. */
export function mentionedArxivId(text: string): string | undefined {
  const found = (ALONE.exec(text.trim()) ?? MENTION.exec(text.replaceAll(/%2F/gi, "/")))?.[1]
  return found === undefined ? undefined : asArxivId(found)
}

/** Where references and files name a paper besides: as DBLP's `abs/…`, and as the `eprint` of BibTeX. */
const NAMED = ["\\babs/", '\\beprint\\s{0,9}=\\s{0,9}[{"]?']
const EVERY = new RegExp(`(?:${PLACES.join("|")}|10\\.48550/arxiv\\.|arxiv:\\s{0,9}|${NAMED.join("|")})${ID}(?!\\d)`, "gi")

/** Every id that a text mentions, in order, each once. */
export function mentionedArxivIds(text: string): string[] {
  const alone = ALONE.exec(text.trim())?.[1]
  const found = alone === undefined ? [...text.replaceAll(/%2F/gi, "/").matchAll(EVERY)].map(([, id]) => id) : [alone]
  return [...new Set(found.flatMap((id) => asArxivId(id) ?? []))]
}
