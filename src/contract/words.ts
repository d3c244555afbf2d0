/**
 * Cuts texts into words for search, in the same way for the index and for a query.
 *
 * Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces. Where a word ends depends on its context,
 * so the index has every sign of such a text, and every pair of neighbouring signs. A query is cut into words by
 * `Intl.Segmenter`, and a word is looked up as the pairs in it: it is found however the text around it was cut.
 *
 * Long words are mostly digests, keys and encoded bytes, which occur in one text only and would take as much space in
 * the index as in the text. The index has only their beginning, and they are distinguished by reading the text.
 */
import { folded } from "./folding.ts"

/** Letters of scripts without spaces. */
const UNSPACED =
  "[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}" +
  "\\p{scx=Tai_Le}\\p{scx=New_Tai_Lue}\\p{scx=Tai_Tham}\\p{scx=Tai_Viet}\\p{scx=Balinese}\\p{scx=Javanese}]" +
  "&&[\\p{L}\\p{N}]]"
/** All other letters and digits, and squared units such as ㎏. */
const SPACED = `[[\\p{L}\\p{N}\\p{Co}\\u3371-\\u337a\\u3380-\\u33dd]--${UNSPACED}]`
/** What may follow a letter within a word: marks, and characters without a look of their own. */
const WITHIN = "\\p{M}\\u00ad\\u061c\\u200c-\\u200f\\u2060\\ufeff"
/** Longer words are cut, because a query cannot be longer, and to bound the time that folding takes. */
const LONGEST = 200
const RUNS = new RegExp(`(${UNSPACED}[${UNSPACED}${WITHIN}]*)|${SPACED}[${SPACED}${WITHIN}]{0,${LONGEST - 1}}`, "gv")
/** A letter with its marks. The sound marks of half-width kana are letters by themselves. */
const LETTERS = /[^\p{M}\uff9e\uff9f][\p{M}\uff9e\uff9f]{0,30}|\p{M}{1,31}/gu
const SIGNS = /\P{M}\p{M}*|\p{M}+/gu
const OF_SIGNS = new RegExp(`^[${UNSPACED}\\p{M}]`, "v")
const [ALL_ASCII, ASCII_WORD] = [/^[\u0000-\u007f]*$/, /^[0-9A-Za-z]*$/]
const ASCII_WORDS = /[0-9A-Za-z]+/g

/** A word of a text, or a sign of a script without spaces. */
export interface Word {
  readonly from: number
  readonly to: number
  readonly folded: string
  /** Whether it is a sign that directly follows another. */
  readonly isJoined: boolean
}

/** Whether a folded word is a sign of a script without spaces. */
export const isSign = (word: string | undefined): boolean => word !== undefined && OF_SIGNS.test(word)

/**
 * Cuts a run of signs. A sign may be part of another form, as the parts of ำ are; it then has the place of that form.
 */
function* signsIn(run: string, at: number): Generator<Word> {
  if (folded(run) === run) {
    for (const { 0: sign, index } of run.matchAll(SIGNS))
      yield { from: at + index, to: at + index + sign.length, folded: sign, isJoined: index > 0 }
    return
  }
  let plain = ""
  const ends: { readonly folded: number; readonly from: number; readonly to: number }[] = []
  for (const { 0: letter, index } of run.matchAll(LETTERS)) {
    plain += folded(letter)
    ends.push({ folded: plain.length, from: at + index, to: at + index + letter.length })
  }
  let [first, last] = [0, 0]
  for (const { 0: sign, index } of plain.matchAll(SIGNS)) {
    while ((ends[first]?.folded ?? plain.length) <= index) first += 1
    while ((ends[last]?.folded ?? plain.length) < index + sign.length) last += 1
    yield { from: ends[first]?.from ?? at, to: ends[last]?.to ?? at + run.length, folded: sign, isJoined: index > 0 }
  }
}

/** Yields the words of a text in order. */
export function* wordsIn(text: string): Generator<Word> {
  if (ALL_ASCII.test(text)) {
    for (const { 0: word, index } of text.matchAll(ASCII_WORDS))
      yield { from: index, to: index + word.length, folded: word.toLowerCase(), isJoined: false }
    return
  }
  const runs = [...text.matchAll(RUNS)]
  const plains = folded(text).match(RUNS) ?? []
  // Folded at once, a text takes a third of the time. A form such as ½ has signs that separate words.
  const isAligned = runs.length === plains.length
  for (const [place, { 0: run, 1: signs, index }] of runs.entries()) {
    const plain = isAligned ? (plains[place] ?? "") : folded(run)
    const at = { from: index, to: index + run.length }
    if (signs !== undefined) yield* signsIn(run, index)
    else
      for (const part of isAligned ? [plain] : (plain.match(RUNS) ?? [])) yield { ...at, folded: part, isJoined: false }
  }
}

/** The number of characters of an ASCII word that the index keeps. Other words are kept whole. */
const KEPT = 16
/** Returns a folded word as the index stores it. */
export const keptOf = (word: string): string => (ASCII_WORD.test(word) ? word.slice(0, KEPT) : word)
/** Shortens the long words of a folded ASCII text: each posted message runs it, and a pattern takes twice as long. */
function withShortWords(text: string): string {
  let [kept, from, letters] = ["", 0, 0]
  for (let at = 0; at <= text.length; at += 1) {
    const code = text.charCodeAt(at)
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)) letters += 1
    else {
      if (letters > KEPT) {
        kept += text.slice(from, at - letters + KEPT)
        from = at
      }
      letters = 0
    }
  }
  return kept + text.slice(from)
}
/** Whether the index may confuse a folded word with others. */
export const isLongWord = (word: string): boolean => word.length >= KEPT && ASCII_WORD.test(word)

/**
 * Returns a text as it is written to an index, whose tokenizer `ascii` takes letters and digits, and all characters
 * beyond ASCII, as parts of words, and changes nothing but the case of ASCII letters.
 * @param isWhole whether long words are kept whole
 */
export function indexed(text: string, isWhole = false): string {
  const plain = folded(text)
  if (ALL_ASCII.test(plain)) return isWhole ? plain : withShortWords(plain)
  const terms: string[] = []
  const signs = new Set<string>()
  for (const [run, ofSigns] of plain.matchAll(RUNS)) {
    if (ofSigns === undefined) {
      terms.push(isWhole ? run : keptOf(run))
      continue
    }
    let before: string | undefined
    for (const [sign] of run.matchAll(SIGNS)) {
      signs.add(sign)
      if (before !== undefined) terms.push(before + sign)
      before = sign
    }
  }
  return [...terms, ...signs].join(" ")
}

/** The terms of the index for neighbouring words, all of which are signs or none is. */
export const termsOf = (words: readonly string[]): string[] =>
  words.length > 1 && isSign(words[0]) ? words.slice(1).map((sign, at) => `${words[at]}${sign}`) : [...words]

let segmenter: Intl.Segmenter | undefined

/**
 * Cuts a part of a query into phrases of neighbouring words. A word of a script without spaces is a phrase of its
 * signs, and so are signs in a row that are no words.
 * @param isQuoted whether words without spaces stay together
 */
export function phrasesIn(text: string, isQuoted: boolean): string[][] {
  const phrases: string[][] = []
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" })
  /** Where a word begins, and whether it has several signs. */
  const cuts = new Map<number, boolean>()
  if (!isQuoted && !ALL_ASCII.test(text))
    for (const { segment, index } of segmenter.segment(text)) cuts.set(index, (segment.match(LETTERS)?.length ?? 0) > 1)
  let [wasSign, wasWord] = [false, false]
  for (const { from, folded, isJoined } of wordsIn(text)) {
    const sign = isSign(folded)
    const cut = cuts.get(from)
    const parts = sign && (!isJoined || (cut !== undefined && (cut || wasWord)))
    if (cut !== undefined) wasWord = cut
    const last = phrases.at(-1)
    if (last === undefined || parts || sign !== wasSign) phrases.push([folded])
    else last.push(folded)
    wasSign = sign
  }
  return phrases
}
