/** What people and agents send to have papers filed: ids, addresses, DOIs, ISBNs, references of any style, files, many at once. */
import { limits } from "../contract/limits.ts"
import { mentionsIn } from "../contract/schema/paper-mention.ts"
import { inDigits, oneLine, withoutTrailing } from "../contract/text.ts"
import { isCsl, readCsl } from "./bibtex/csl.ts"
import { readBibtex } from "./bibtex/read.ts"
import { isRis } from "./bibtex/ris.ts"
import { PaperCollector, type Found } from "./papers/found.ts"
import { identify } from "./papers/identity.ts"

/** How a reference begins in a list of them: `[12]`, `12.`, `(12)`, a dot, an entry of TeX. */
const BEGINS = /^(?:\[[^\]]{1,20}\]|\(?\d{1,3}[.)]\s|[•*–-]\s|\\bibitem(?:\[[^\]]{0,40}\])?(?:\{[^}]{0,60}\})?)\s*/
/** How a line ends after which another reference may begin. */
const ENDED = /[.;)\]}"”]$/
/** What is an address, a DOI or an id, and no word of a sentence. */
const THING =
  /^(?:https?:\/\/|www\.|doi:|doi\.org\/|10\.\d{4,9}\/|arxiv:|isbn|97[89][\d-]{10}|\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?\/\d{7})/i
/** What stands for a paper without a name of its own, as answers have it. */
const REFERENCE = /^ref:[0-9a-f]{24}$/
/** What stands around one. */
const OPENING = /^[([{<"'“]+/
const CLOSING = ")]}>\"'”.,;:"
/** Characters of an address that anybody pastes. */
const LONGEST = 500
const ADDRESS = /^(?:https?:\/\/|www\.)[^\s<>"]{4,500}$/i
/** Words that a text must have to say which paper it means; of scripts without spaces, letters. */
const WORDS = 3
const LETTERS = 8
/** What says which kind of name follows. */
const MARK = /\b(doi|arxiv|isbn(?:-1[03])?):?\s+/gi
const YEAR = /\b(?:1[6-9]|20)\d\d[a-z]?\b/

const isThing = (token: string): boolean => THING.test(token)

/** Whether a text has enough words to say which paper it means. */
const saysWhich = (text: string): boolean =>
  (text.match(/\p{L}{2,}/gu) ?? []).length >= WORDS ||
  (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu) ?? []).length >= LETTERS

/** A text without some parts of it. */
function without(text: string, parts: readonly { readonly at: number; readonly end: number }[]): string {
  let rest = ""
  let at = 0
  for (const part of [...parts].sort((one, other) => one.at - other.at)) {
    rest += `${text.slice(at, Math.max(at, part.at))} `
    at = Math.max(at, part.end)
  }
  return oneLine(rest + text.slice(at))
}

/** The words of a line of names. What says which kind of name follows goes with it. */
const wordsOf = (line: string): string[] =>
  line
    .replace(MARK, (_, mark: string) => (/^isbn/i.test(mark) ? `${mark}\u00a0` : `${mark}:`))
    .split(/[^\S\u00a0]+/)
    .map((word) => word.replaceAll("\u00a0", " "))

/** An address in one form. */
function addressOf(text: string): string | undefined {
  const address = withoutTrailing(text, ".,;")
  const written = /^www\./i.test(address) ? `https://${address}` : address
  return ADDRESS.test(address) && URL.canParse(written) ? new URL(written).href : undefined
}

/** A reference without the number before it, and without the name of the paper where it ends in that. */
function wordingOf(words: string): string {
  const { papers } = mentionsIn(words)
  const last = papers.at(-1)
  if (last === undefined || !/^[\s)\].,;>]*$/.test(words.slice(last.end))) return words
  return withoutTrailing(words.slice(0, last.at).replace(/(?:https?:\/\/\S{0,200}|(?:doi|arxiv|isbn(?:-1[03])?):?)$/i, ""), " ([<,;:")
}

/** Takes a part of a text that is one reference, one line or one word. @param isAside it stands between the entries of a file */
function take(part: string, collector: PaperCollector, isAside: boolean): void {
  if (part === "") return
  const { papers, mistakes } = mentionsIn(part)
  for (const { text, reason } of mistakes) collector.addUnreadable(text, reason)
  const words = oneLine(part.replace(BEGINS, ""))
  const rest = without(part, [...papers, ...mistakes])
  const isReference = (BEGINS.test(part) || YEAR.test(rest)) && saysWhich(rest)
  const isShort = words.length <= limits.explanation
  if (papers.length > 0) {
    // What a reference says is shown until a source says more; what stands around several names is a sentence about them.
    const isItsOwn = papers.length === 1 && isReference && isShort
    for (const { paperId } of papers) collector.add({ paperId, ...(isItsOwn && { given: { title: wordingOf(words) } }) })
    return
  }
  const address = mistakes.length === 0 ? addressOf(words) : undefined
  if (REFERENCE.test(words)) collector.add({ paperId: words })
  else if (address !== undefined) collector.add(identify({}, { title: address, url: address }))
  else if (!isShort) collector.addUnreadable(part, `is longer than ${inDigits(limits.explanation)} characters`)
  else if (isReference || (saysWhich(rest) && !isAside)) collector.add(identify({}, { title: words }), "words")
  else if (mistakes.length === 0)
    collector.addUnreadable(part, isAside ? "stands outside of the file's entries" : "does not say which paper it means")
}

/** Reads plain text; each of its lines once, so that its length is all that it costs. */
function readText(text: string, collector: PaperCollector, isAside = false): void {
  // A reference may go over several lines.
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
    // What is numbered goes on to the next number; other references end where a line does that looks like an end.
    const begins =
      last === undefined || BEGINS.test(line) || (!BEGINS.test(first ?? "") && (ENDED.test(last) || isThing(last.split(/\s/).at(-1) ?? "")))
    if (begins || line === "") end()
    // One id or address, perhaps with its subject class; or several with nothing between them.
    const isOne = tokens.length <= 3 && tokens.filter(isThing).length === 1
    if (begins && isOne) take(line, collector, isAside)
    else if (begins && tokens.length > 0 && tokens.every(isThing)) for (const token of wordsOf(line)) take(token, collector, isAside)
    else if (line !== "") reference.push(line)
  }
  end()
}

/** Whether a text is a file of references, or holds entries of one. */
export const isBibliography = (text: string): boolean => isRis(text) || isCsl(text) || /^[ \t]*@[A-Za-z]{1,30}[ \t]{0,9}[{(]/m.test(text)

/** Reads some texts, each of which may be a file. A file can be made so that this takes any time and memory (see `reading.ts`). */
export async function readTexts(texts: readonly string[]): Promise<Found> {
  const collector = new PaperCollector()
  for (const text of texts) {
    if (isCsl(text)) readCsl(text, collector)
    else if (isBibliography(text)) await readBibtex(text, collector, (rest) => readText(rest, collector, true))
    else readText(text, collector)
  }
  return collector.result()
}

/** Reads texts that are no files. */
export function readPlain(texts: readonly string[]): Found {
  const collector = new PaperCollector()
  for (const text of texts) readText(text, collector)
  return collector.result()
}
