/**
 * Finds the papers that a text mentions: arXiv ids, DOIs and ISBNs, alone or within the addresses of sites that show
 * papers.
 */
import { parse as parseIsbn } from "isbn3"
import { arxivId, isArxivId, paperOfDoi } from "./fields.ts"
import { check } from "./validation.ts"
import { limits } from "../limits.ts"

const ID = "([0-9]{4}\\.[0-9]{4,5}|[a-z-]+(?:\\.[A-Za-z]{2})?/[0-9]{7})"
/** Sites whose paths contain the id of a paper: arXiv, its mirrors, and readers of its papers. */
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

/** An arXiv id without version and subject class; undefined if the value is not one. */
export function asArxivId(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined
  // Archives are in lower case and their subject classes in upper case, but people also type `Math.gt/0309136`.
  const [, archive, subject = "", number] = /^([A-Za-z-]+)(\.[A-Za-z]{2})?(\/[0-9]{7}.*)$/.exec(value) ?? []
  const checked = check(
    arxivId,
    archive === undefined ? value : `${archive.toLowerCase()}${subject.toUpperCase()}${number}`,
  )
  return checked.ok ? checked.value : undefined
}

/** An id in an address, in which any sign may be percent-encoded. */
const ENCODED = /\b10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,4}(?:%2F|\/)[!-~]{1,400}/gi

/** Decodes the ids in a text: `10.1002%2F%28SICI%29…`. */
export const decoded = (text: string): string =>
  text
    .replaceAll(/%2F/gi, "/")
    .replace(ENCODED, (id) =>
      id.replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    )

/** The first arXiv id that a text mentions; undefined if there is none. An id alone needs no prefix. */
export function mentionedArxivId(text: string): string | undefined {
  const found = (ALONE.exec(text.trim()) ?? MENTION.exec(decoded(text)))?.[1]
  return found === undefined ? undefined : asArxivId(found)
}

/** A part of a text that names a paper, or seems to. */
interface Part {
  readonly at: number
  readonly end: number
}
/**
 * The papers that a text mentions, in order and each once; and what looks like the name of a paper but is not, with the
 * reason.
 */
interface Mentions {
  readonly papers: readonly (Part & { readonly paperId: string })[]
  readonly mistakes: readonly (Part & { readonly text: string; readonly reason: string })[]
}

/** Other forms in references and files: `abs/…` in DBLP, and the `eprint` field of BibTeX. */
const NAMED = ["\\babs/", '\\beprint\\s{0,9}=\\s{0,9}[{"]?']
const MARKED = new RegExp(
  `(?:${PLACES.join("|")}|10\\.48550/arxiv\\.|arxiv:\\s{0,9}|${NAMED.join("|")})${ID}(?!\\d)(?:v[0-9]{1,3})?`,
  "gi",
)
/** An arXiv id without a prefix, as in prose. Its number has four digits until 2014 and five since. */
const BARE_ID = [
  "(?:0[7-9]|1[0-4])[01][0-9]\\.[0-9]{4}",
  "(?:1[5-9]|[2-9][0-9])[01][0-9]\\.[0-9]{5}",
  "[a-z-]{2,9}(?:\\.[A-Z]{2})?\\/[0-9]{7}",
].join("|")
const BARE = new RegExp(`(?:^|[\\s([{"'“,;])(${BARE_ID})(?:v[0-9]{1,3})?(?=$|[\\s)\\]}"'”,;.:])`, "g")
/**
 * A DOI ends before another one that follows a comma, a semicolon or a bar; before a quote, a tag and an entity of one.
 * It may hold `<`, `>` and `;` otherwise.
 */
const DOIS = new RegExp(
  "\\b10\\.[0-9]{4,9}(?:\\.[0-9]{1,9}){0,4}/(?:(?!" +
    [
      "[,;|](?:doi:|https?://)?10\\.[0-9]{4}",
      "[,;|]https?://",
      "</?[a-z!]",
      "'(?:[,;:)\\]}>\\s]|$)",
      "&(?:quot|apos|lt|gt|#39|#34);",
    ].join("|") +
    ")[!#-~]){1,400}",
  "gi",
)
/** An ISBN ends with its last digit: a year or another one may follow. Too many digits in a row are a mistake. */
const [ISBN_13, ISBN_10] = [
  "97[89](?:[ -]{0,3}[0-9]){10}(?![0-9])",
  "[0-9](?:[ -]{0,3}[0-9]){8}[ -]{0,3}[0-9x](?![0-9])",
]
const ISBNS = new RegExp(
  `\\b(?:isbn(?:-?1[03])?:?[ ]{0,3}(${ISBN_13}|${ISBN_10}|[0-9][0-9x -]{8,20})|(${ISBN_13}|97[89][0-9 -]{10,16}))`,
  "gi",
)
/** A prefix that announces a name, with whatever follows it. */
const CLAIMED = /\b(?:doi:[ ]{0,3}|doi\.org\/|arxiv:[ ]{0,3}|arxiv\.org\/[a-z-]+\/)([^\s,;"'<>]{1,100})/gi
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{", ">": "<" }

/** Removes punctuation and unmatched closing brackets from the end of a name found in prose. */
function untrailed(text: string): string {
  let end = text.length
  for (; end > 0; end--) {
    const last = text[end - 1] ?? ""
    const opening = CLOSING[last]
    if (
      opening === undefined
        ? !/[.,;:'"”’*_`|\\]/.test(last)
        : text.slice(0, end).split(opening).length >= text.slice(0, end).split(last).length
    )
      break
  }
  return text.slice(0, end)
}

/** The part before a `>` that closes nothing in it: the end of a tag or of a bracketed address. */
function beforeClosing(text: string): string {
  let open = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "<") open += 1
    if (text[at] === ">" && --open < 0) return text.slice(0, at)
  }
  return text
}

/** The DOI in a match, without the rest of the address that holds it. @param before the text before the match */
function doiOf(raw: string, before: string): string {
  const word = before.slice(before.lastIndexOf(" ") + 1)
  const isAddress = /^[("'[{<]?(?:https?:\/\/|www\.)/i.test(word)
  const inPage = isAddress && !/\bdoi\.org\/$/i.test(word)
  const name = untrailed(beforeClosing(isAddress ? (raw.split(/[?#]/)[0] ?? "") : raw))
  return inPage
    ? name
        .replace(/(?:v[0-9]{1,2})?(?:\.full|\.abstract)?(?:\.pdf|\.html?)?$/, "")
        .replace(/\/(?:full|abstract|e?pdf|html|meta|summary)$/, "")
    : name
}

type Paper = Mentions["papers"][number]
type Mistake = Mentions["mistakes"][number]

/**
 * Sorts parts, and drops each that overlaps an earlier one. @param parts if two begin at the same place, the first is
 * kept
 */
function apart<P extends Part>(parts: readonly P[]): P[] {
  let end = 0
  return [...parts]
    .sort((one, other) => one.at - other.at)
    .filter((part) => {
      if (part.at < end) return false
      end = part.end
      return true
    })
}

/** The parts that overlap none of the others. Both lists are sorted. */
function outside<P extends Part>(parts: readonly P[], others: readonly Part[]): P[] {
  let next = 0
  return parts.filter(({ at, end }) => {
    while ((others[next]?.end ?? Number.POSITIVE_INFINITY) <= at) next += 1
    return (others[next]?.at ?? Number.POSITIVE_INFINITY) >= end
  })
}

/** The mentions of a text that is only an arXiv id or an ISBN of ten digits; undefined for any other text. */
function aloneIn(text: string): Mentions | undefined {
  const whole = { at: 0, end: text.length }
  const id = asArxivId(ALONE.exec(text.trim())?.[1])
  if (id !== undefined) return { papers: [{ ...whole, paperId: id }], mistakes: [] }
  const digits = text.trim().replace(/[ -]/g, "")
  if (!/^[0-9][0-9 -]{8,12}[0-9xX]$/.test(text.trim()) || digits.length !== 10) return undefined
  const isbn = isbnOf(digits)
  return isbn === undefined
    ? { papers: [], mistakes: [{ ...whole, text: text.trim(), reason: whyNoIsbn(digits) }] }
    : { papers: [{ ...whole, paperId: `isbn:${isbn}` }], mistakes: [] }
}

/** Everything that a text mentions. Takes linear time. */
export function mentionsIn(text: string): Mentions {
  const plain = decoded(text)
  const alone = aloneIn(plain)
  if (alone !== undefined) return alone
  const parts: (Paper | Mistake)[] = []
  for (const match of plain.matchAll(DOIS)) {
    const doi = doiOf(match[0], plain.slice(Math.max(0, match.index - 500), match.index))
    const part = { at: match.index, end: match.index + doi.length }
    if (doi.length > limits.paperId)
      parts.push({ ...part, text: doi, reason: `is longer than ${limits.paperId} characters` })
    else if (!doi.endsWith("/"))
      // TeX escapes some signs of a DOI.
      parts.push({ ...part, paperId: paperOfDoi(doi.replace(/\\([_&%#])/g, "$1")) })
  }
  for (const match of [...plain.matchAll(MARKED), ...plain.matchAll(BARE)]) {
    const [whole, written = ""] = match
    const id = asArxivId(written)
    if (id !== undefined)
      parts.push({ at: match.index + whole.indexOf(written), end: match.index + whole.length, paperId: id })
  }
  for (const match of plain.matchAll(ISBNS)) {
    const raw = (match[1] ?? match[2] ?? "").trimEnd()
    const part = { at: match.index, end: match.index + match[0].trimEnd().length }
    const isbn = isbnOf(raw)
    parts.push(
      isbn === undefined
        ? { ...part, text: match[0].trim(), reason: whyNoIsbn(raw) }
        : { ...part, paperId: `isbn:${isbn}` },
    )
  }
  const found = apart(parts)
  const claims = [...plain.matchAll(CLAIMED)].map((match) => ({
    at: match.index,
    end: match.index + match[0].length,
    text: untrailed(match[0]),
    reason: whyNoName(match[0], match[1] ?? ""),
  }))
  const papers = new Map<string, Paper>()
  for (const part of found) if ("paperId" in part && !papers.has(part.paperId)) papers.set(part.paperId, part)
  return {
    papers: [...papers.values()],
    mistakes: [...found.filter((part) => "reason" in part), ...outside(claims, found)],
  }
}

const digitsOf = (text: string): string => text.replace(/[^0-9xX]/g, "")

/** The 13 digits of an ISBN; undefined if it is not valid. */
const isbnOf = (text: string): string | undefined => parseIsbn(digitsOf(text))?.isbn13

function whyNoIsbn(text: string): string {
  const { length } = digitsOf(text)
  return length === 10 || length === 13
    ? "is not an ISBN: its check digit is wrong. Compare it with the book."
    : `is not an ISBN: it has ${length} digits; an ISBN has 10 or 13`
}

const whyNoName = (whole: string, name: string): string =>
  /doi/i.test(whole)
    ? /^10\/[a-z0-9]+$/i.test(untrailed(name))
      ? "is a short DOI: open it, and paste the DOI that it leads to"
      : "is not a DOI: a DOI has 10., four digits or more, a slash and a name, such as 10.1038/nature14539"
    : "is not an arXiv id: ids look like 2401.01234 or hep-th/9901001"

/** An ISBN of 13 digits with its hyphens. */
export const hyphenated = (isbn: string): string => parseIsbn(isbn)?.isbn13h ?? isbn

/**
 * A paper id as people write it: `arXiv:…`, a DOI, `ISBN …`; undefined for a paper that has only an id of this service.
 */
export function nameOfPaper(paperId: string): string | undefined {
  if (paperId.startsWith("isbn:")) return `ISBN ${hyphenated(paperId.slice(5))}`
  if (paperId.startsWith("ref:")) return undefined
  return isArxivId(paperId) ? `arXiv:${paperId}` : `doi:${paperId}`
}
