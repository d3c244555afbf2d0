/** The terms by which texts are compared: the stems of their words. */
import { stemmer } from "stemmer"
import { limits } from "../../../contract/limits.ts"
import { folded, WORDS } from "../words.ts"

/** Common English words, which are ignored. Common words of other languages get little weight anyway. */
const COMMON = new Set(
  `a about after all also am an and any are as at be been before being below between both but by can could did do does doing down during each few for from
had has have having he her here how i if in into is it its just may me might more most must my no nor not of off on once only or other our out over own same
she should so some such than that the their them then there these they this those through to too under until up very was we were what when where which while
who whom why will with would you your`.split(/\s+/u),
)
/** Scripts without spaces between words. In these, each pair of adjacent letters is a term. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** The cached terms of words: the stem, the pairs of letters in a script without spaces, or none for a common word. */
const known = new Map<string, readonly string[]>()
/** The number of words in the cache. */
const KEPT = 20_000

function stemsOf(word: string): readonly string[] {
  const plain = folded(word)
  if (COMMON.has(plain)) return []
  const letters = UNSPACED.test(plain) ? [...plain] : undefined
  if (letters !== undefined && letters.length > 1)
    return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
  return [plain.length > limits.searchWord ? plain.slice(0, limits.searchWord) : stemmer(plain)]
}

function knownStemsOf(word: string): readonly string[] {
  const found = known.get(word)
  if (found !== undefined) return found
  if (known.size >= KEPT) known.clear()
  const stems = stemsOf(word)
  if (word.length <= limits.searchWord) known.set(word, stems)
  return stems
}

/** Plain ASCII texts and their words, which are found in a fraction of the time. */
const [PLAIN, PLAIN_WORDS] = [/^[ -~\s]*$/, /[0-9A-Za-z]+/g]

/** Counts the terms of a text, or of the beginning of a long text. */
export function termsOf(text: string): Map<string, number> {
  const terms = new Map<string, number>()
  const seen = text.slice(0, limits.similarText)
  for (const word of seen.match(PLAIN.test(seen) ? PLAIN_WORDS : WORDS) ?? [])
    for (const term of knownStemsOf(word)) terms.set(term, (terms.get(term) ?? 0) + 1)
  return terms
}
