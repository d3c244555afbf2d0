/**
 * Folds text for search. The index and the query are folded by this one function, so a word is found however it was
 * typed: composed or not, in any letter case and width, and without the marks that people leave out.
 *
 * - Latin and Greek letters lose all marks.
 * - Cyrillic letters lose accents, except where they make another letter (ѓ, ќ). Russians write е for ё almost always,
 *   so ё is folded to е. Every other mark stays: й is not и, ї is not і, ў is not у.
 * - Hebrew, Arabic and Syriac lose vowel points and signs of cantillation, and Arabic its stretching (ـ). A hamza
 *   stays.
 * - All other marks stay, as が is not か, and the vowels of Indic scripts are letters of their words.
 */

const ASCII = /^[\u0000-\u007f]*$/
/**
 * Characters without a look of their own, except the space without width; stretching; and points that people rarely
 * type.
 */
const LEFT_OUT = new RegExp(
  `[${[
    "[\\p{Default_Ignorable_Code_Point}--\\u200b]\\u0640",
    "\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7",
    "\\u0610-\\u061a\\u064b-\\u0652\\u0656-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed",
    "\\u0730-\\u074a\\u08d3-\\u08e1\\u08e3-\\u08ff",
  ].join("")}]`,
  "gv",
)
const HAS_MARKS = /[\p{M}\p{Default_Ignorable_Code_Point}\u0640]/u
/** Sorting the marks of one letter takes quadratic time; no letter of a language has so many. */
const TOO_MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu
const LATIN_OR_GREEK = /([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu
const CYRILLIC = /(\p{Script=Cyrillic})(\p{M}+)/gu

/** Accents of Cyrillic letters, which tell the stress; and the dots of ё. */
const [ACCENTS, DOTS] = [/[\u0300\u0301]/g, /\u0308/g]
const plainCyrillic = (_: string, letter: string, marks: string): string => {
  const dotless = /[еЕ]/.test(letter) ? marks.replace(DOTS, "") : marks
  return letter + (/[гкГК]/.test(letter) ? dotless : dotless.replace(ACCENTS, ""))
}

/** Folds a text: compatible forms, letter case, and marks that are left out. */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const apart = (text.length > 30 ? text.replace(TOO_MANY_MARKS, "$1") : text).normalize("NFKD")
  const plain = HAS_MARKS.test(apart)
    ? apart.replace(LEFT_OUT, "").replace(LATIN_OR_GREEK, "$1").replace(CYRILLIC, plainCyrillic)
    : apart
  // Upper case first, because ß is the same word as SS, and ς as Σ.
  return plain.toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC")
}
