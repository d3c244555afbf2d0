/** The terms by which texts are compared: the stems of their words. */
import { stemmer } from "stemmer"
import { limits } from "../../../contract/limits.ts"
import { isSign, wordsIn } from "../../../contract/words.ts"

/** Common English words, which are ignored. Common words of other languages get little weight anyway. */
const COMMON = new Set(
  `a about after all also am an and any are as at be been before being below between both but by can could did do does doing down during each few for from
had has have having he her here how i if in into is it its just may me might more most must my no nor not of off on once only or other our out over own same
she should so some such than that the their them then there these they this those through to too under until up very was we were what when where which while
who whom why will with would you your`.split(/\s+/u),
)
/** The cached terms of words: the stem, or none for a common word. */
const known = new Map<string, readonly string[]>()
/** The number of words in the cache. */
const KEPT = 20_000

function stemsOf(plain: string): readonly string[] {
  if (COMMON.has(plain)) return []
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

/** Counts the terms of a text, or of the beginning of a long text. */
export function termsOf(text: string): Map<string, number> {
  const terms = new Map<string, number>()
  let before = ""
  for (const { folded, isJoined } of wordsIn(text.slice(0, limits.similarText))) {
    const own = isSign(folded) ? (isJoined ? [before + folded] : []) : knownStemsOf(folded)
    for (const term of own) terms.set(term, (terms.get(term) ?? 0) + 1)
    before = folded
  }
  return terms
}
