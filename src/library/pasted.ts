/** What a person pastes to have papers saved: ids, addresses, DOIs, references of any style, many at once. */
import { mentionedArxivId, mentionedArxivIds } from "../contract/schema/arxiv-mention.ts"
import { withoutTrailing } from "../contract/text.ts"

/** What a text was found to hold, in its order: papers of arXiv, each once, and whatever names none. */
export interface Pasted {
  readonly arxivIds: readonly string[]
  readonly others: readonly string[]
}

/** How a reference begins in a list of them: `[12]`, `12.`, `(12)`, a dot, an entry of TeX. */
const BEGINS = /^(?:\[[^\]]{1,20}\]|\(?\d{1,3}[.)]\s|[•*–-]\s|\\bibitem|@\w+\s?[{(])/
/** How a line ends after which another reference may begin. */
const ENDED = /[.;)\]}"”]$/
/** What is an address, a DOI or an id, and no word of a sentence. */
const THING = /^(?:https?:\/\/|www\.|doi:|10\.\d{4,9}\/|arxiv:|\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?\/\d{7})/i
/** What stands around one. */
const OPENING = /^[([{<"'“]+/
const CLOSING = ")]}>\"'”.,;:"

/** Characters of an address that anybody pastes. */
const LONGEST = 500

const isThing = (token: string): boolean => THING.test(token) || mentionedArxivId(token) !== undefined

/** Reads a text; each of its lines once, so that its length is all that it costs. */
export function readPasted(text: string): Pasted {
  const arxivIds = new Set<string>()
  const others = new Set<string>()
  const take = (part: string): void => {
    const found = mentionedArxivIds(part)
    for (const id of found) arxivIds.add(id)
    if (found.length === 0 && part !== "") others.add(part)
  }
  // A reference may go over several lines.
  let reference: string[] = []
  const end = (): void => {
    take(reference.join(" "))
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
    // One id or address, perhaps with its subject class.
    const isOne = mentionedArxivId(line) !== undefined && tokens.length <= 3 && tokens.filter(isThing).length === 1
    if (begins && isOne) take(line)
    else if (begins && tokens.every(isThing)) for (const token of tokens) take(token)
    else if (line !== "") reference.push(line)
  }
  end()
  return { arxivIds: [...arxivIds], others: [...others] }
}
