/**
 * Parses the texts that people and agents send to file papers: ids, URLs, DOIs, ISBNs, references in any style,
 * bibliography files.
 */
import { limits } from "../contract/limits.ts"
import { isArxivId } from "../contract/schema/fields.ts"
import { decoded, mentionsIn } from "../contract/schema/paper-mention.ts"
import { inDigits, oneLine, withoutTrailing } from "../contract/text.ts"
import { isBibtex, readBibtex } from "./bibliography/bibtex.ts"
import { jsonIn, readJson } from "./bibliography/json.ts"
import { readXml } from "./bibliography/xml.ts"
import { LOST } from "./bibliography/taking.ts"
import { readTagged, taggedFormat } from "./bibliography/tagged.ts"
import { type Format, type Found, PaperCollector, identify } from "./papers/found.ts"

/** The start of a reference in a list: `[12]`, `12.`, `(12)`, a bullet, `\bibitem`. */
const BEGINS = /^(?:\[[^\]]{1,20}\]|\(?\d{1,3}[.)]\s|[•*–-]\s|\\bibitem(?:\[[^\]]{0,40}\])?(?:\{[^}]{0,60}\})?)\s*/
/** The end of a line after which another reference may begin. */
const ENDED = /[.;)\]}"”]$/
/** A URL, a DOI or an id, as opposed to a word of a sentence. */
const THING = new RegExp(
  "^(?:https?:\\/\\/|www\\.|doi:|doi\\.org\\/|10\\.\\d{4,9}\\/|arxiv:|isbn|97[89][\\d-]{10}" +
    "|\\d{4}\\.\\d{4,5}|[a-z-]+(?:\\.[a-z]{2})?\\/\\d{7})",
  "i",
)
/** The id of a paper known only by its description. */
const REFERENCE = /^ref:[0-9a-f]{24}$/
/** Brackets, quotes and punctuation around an id. */
const OPENING = /^[([{<"'“]+/
const CLOSING = ")]}>\"'”.,;:"
/** The most characters of a URL. */
const LONGEST = 500
const ADDRESS = /^(?:https?:\/\/|www\.)[^\s<>"]{4,500}$/i
/** The fewest words that can identify a paper, or letters in a script without spaces. */
const WORDS = 3
const LETTERS = 8
/** A label in front of an id. */
const MARK = /\b(doi|arxiv|isbn(?:-1[03])?):?\s+/gi
const YEAR = /\b(?:1[6-9]|20)\d\d[a-z]?\b/

const isThing = (token: string): boolean => THING.test(token)

const identifiesPaper = (text: string): boolean =>
  (text.match(/\p{L}{2,}/gu) ?? []).length >= WORDS ||
  (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu) ?? []).length >= LETTERS

function without(text: string, parts: readonly { readonly at: number; readonly end: number }[]): string {
  let rest = ""
  let at = 0
  for (const part of [...parts].sort((one, other) => one.at - other.at)) {
    rest += `${text.slice(at, Math.max(at, part.at))} `
    at = Math.max(at, part.end)
  }
  return oneLine(rest + text.slice(at))
}

/** Splits a line of ids at spaces, keeping each label together with its id. */
const wordsOf = (line: string): string[] =>
  line
    .replace(MARK, (_, mark: string) => (/^isbn/i.test(mark) ? `${mark}\u00a0` : `${mark}:`))
    .split(/[^\S\u00a0]+/)
    .map((word) => word.replaceAll("\u00a0", " "))

/** Normalizes a URL; undefined if the text is not one. */
function urlOf(text: string): string | undefined {
  const address = withoutTrailing(text, ".,;")
  const url = /^www\./i.test(address) ? `https://${address}` : address
  return ADDRESS.test(address) && URL.canParse(url) ? new URL(url).href : undefined
}

/** Returns the words of a reference without a DOI, ISBN or arXiv id at the end. */
function wordingOf(words: string): string {
  const { papers } = mentionsIn(words)
  const last = papers.at(-1)
  if (last === undefined || !/^[\s)\].,;>]*$/.test(words.slice(last.end))) return words
  return withoutTrailing(
    words.slice(0, last.at).replace(/(?:https?:\/\/\S{0,200}|(?:doi|arxiv|isbn(?:-1[03])?):?)$/i, ""),
    " ([<,;:",
  )
}

/** The kind of id by which a paper was named. */
const formatOf = (paperId: string): Format =>
  paperId.startsWith("isbn:")
    ? "isbn"
    : paperId.startsWith("ref:")
      ? "paper_id"
      : isArxivId(paperId)
        ? "arxiv_id"
        : "doi"

/**
 * Collects the papers of one reference, line or word. @param isAside whether the text is between the entries of a file
 */
function take(written: string, collector: PaperCollector, isAside: boolean): void {
  if (written === "") return
  const part = decoded(written)
  const { papers, mistakes } = mentionsIn(part)
  for (const { text, reason } of mistakes) collector.addUnreadable(text, reason)
  const words = oneLine(part.replace(BEGINS, ""))
  const rest = without(part, [...papers, ...mistakes])
  const isReference = (BEGINS.test(part) || YEAR.test(rest)) && identifiesPaper(rest)
  const isShort = words.length <= limits.explanation
  if (papers.length > 0) {
    // The words of a reference serve as a title until a source has a better one. Words around several ids are a
    // sentence about them.
    const hasWording = papers.length === 1 && isReference && isShort
    for (const { paperId } of papers)
      collector.add(
        { paperId, ...(hasWording && { given: { title: wordingOf(words) } }) },
        part,
        hasWording ? "reference" : formatOf(paperId),
      )
    return
  }
  const url = mistakes.length === 0 ? urlOf(words) : undefined
  if (REFERENCE.test(words)) collector.add({ paperId: words }, words, "paper_id")
  else if (url !== undefined) collector.add(identify({}, { title: url, url }), words, "address")
  else if (!isShort) collector.addUnreadable(part, `is longer than ${inDigits(limits.explanation)} characters`)
  else if (isReference || (identifiesPaper(rest) && !isAside))
    collector.add(identify({}, { title: words }), words, "reference")
  else if (mistakes.length === 0)
    collector.addUnreadable(part, isAside ? "is outside the file's entries" : "does not say which paper it means")
}

/** Reads plain text, in time linear in its length. */
function readText(text: string, collector: PaperCollector, isAside = false): void {
  // A reference may span several lines.
  let reference: string[] = []
  const end = (): void => {
    take(reference.join(" "), collector, isAside)
    reference = []
  }
  for (const line of text.split(/\r\n|\n|\r/).map((each) => each.trim())) {
    const tokens = line
      .split(/[\s,;]+/)
      .map((token) => (token.length > LONGEST ? token : withoutTrailing(token.replace(OPENING, ""), CLOSING)))
      .filter((token) => token !== "")
    const [first, last] = [reference[0], reference.at(-1)]
    // A numbered reference continues to the next number. Any other ends at a line that looks like an end.
    const begins =
      last === undefined ||
      BEGINS.test(line) ||
      (!BEGINS.test(first ?? "") && (ENDED.test(last) || isThing(last.split(/\s/).at(-1) ?? "")))
    if (begins || line === "") end()
    // One id or URL, perhaps with its subject class.
    const isOne = tokens.length <= 3 && tokens.filter(isThing).length === 1
    if (begins && isOne) take(line, collector, isAside)
    else if (begins && tokens.length > 0 && tokens.every(isThing))
      for (const token of wordsOf(line)) take(token, collector, isAside)
    else if (line !== "") reference.push(line)
  }
  end()
}

/** How a text that may be a file is read; undefined for plain text. */
interface FileReader {
  read(collector: PaperCollector): void | Promise<void>
}

const refusing = (text: string, why: string): FileReader => ({
  read: (collector) => collector.addUnreadable(text, why),
})

/** Elements that begin a document of markup, as opposed to a link that was pasted. */
const DOCUMENT = /^<(?:\?xml|!doctype|html|xml|records|rdf:rdf|modscollection|mods|feed)\b/i
/** Whether a text is a document of markup: one element from beginning to end, with others in lines of their own. */
function isDocument(text: string): boolean {
  const [, name] = /^<([A-Za-z][\w:.-]{0,60})[\s>]/.exec(text) ?? []
  return (
    DOCUMENT.test(text) ||
    (name !== undefined && text.trimEnd().endsWith(`</${name}>`) && /^[ \t]*<\w/m.test(text.slice(1)))
  )
}
/** Names of columns in the tables of papers that reference managers export. */
const COLUMN = /^(?:doi|title|item title|authors?|year|publication year|publication title|journal|isbn|key)$/i

/** Chooses the reader of a text by parsing it, never by its first characters alone. */
function fileIn(text: string): FileReader | undefined {
  const bare = text.replace(/^\uFEFF/, "").trimStart()
  if (/^%PDF-\d/.test(bare))
    return refusing(bare, "is a PDF, which is not read: paste its DOI, or export BibTeX, RIS or CSL-JSON")
  const json = jsonIn(bare)
  if (json !== undefined) return { read: (collector) => readJson(json.value, bare, collector) }
  if (text.includes("\uFFFD")) return refusing(text, `${LOST}: save the file as UTF-8`)
  // A text may quote an object of JSON. A file of it that ends too early has more that opens than closes.
  if (/^\[?\s*\{\s*"/.test(bare) && (bare.match(/[{[]/g)?.length ?? 0) > (bare.match(/[}\]]/g)?.length ?? 0))
    return refusing(bare, "is not whole JSON")
  const tagged = taggedFormat(bare)
  if (tagged !== undefined) return { read: (collector) => readTagged(bare, tagged, collector) }
  if (isDocument(bare)) return { read: (collector) => readXml(bare, collector) }
  const columns = (bare.split(/\r\n|\n|\r/, 1)[0] ?? "").slice(0, 5_000).split(/[,;\t]/)
  if (columns.length > 2 && columns.filter((name) => COLUMN.test(name.replaceAll('"', "").trim())).length > 1)
    return refusing(bare, "is a table, which is not read: export BibTeX, RIS or CSL-JSON")
  if (isBibtex(bare))
    return { read: (collector) => readBibtex(bare, collector, (rest) => readText(rest, collector, true)) }
  return undefined
}

/** Whether a text is a file of any kind, or contains BibTeX entries. */
export const isFile = (text: string): boolean => fileIn(text) !== undefined

/**
 * Reads texts that may be files. A hostile file can take unbounded time and memory, so `filed.ts` runs this in a
 * separate process.
 */
export async function readTexts(texts: readonly string[]): Promise<Found> {
  const collector = new PaperCollector()
  for (const text of texts) {
    const file = fileIn(text)
    if (file === undefined) readText(text, collector)
    else await file.read(collector)
  }
  return collector.result()
}

/** Reads texts that are not files. */
export function readPlain(texts: readonly string[]): Found {
  const collector = new PaperCollector()
  for (const text of texts) readText(text, collector)
  return collector.result()
}
