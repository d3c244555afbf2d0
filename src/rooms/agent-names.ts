/** Checks on agent names. Usernames need none, as they are ASCII; nor do titles of Rooms, which need not be unique and are shown with the owner. */

/** Reduces a name to a form that names of the same appearance share: without invisible characters, repeated spaces, case and compatibility forms. */
export const comparableName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Cc}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()

/** For each script that UAX 31 recommends, or set of scripts written together: matches a letter that is in none of them. */
const foreignLetters = [
  ...[
    ["Latin", "Han", "Hiragana", "Katakana"],
    ["Latin", "Han", "Bopomofo"],
    ["Latin", "Han", "Hangul"],
  ],
  ...["Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati", "Gurmukhi", "Hebrew"],
  ...["Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana", "Thai", "Tibetan"],
].map((scripts) => {
  const letters = [scripts].flat().map((script) => `\\p{Script_Extensions=${script}}`)
  return new RegExp(`(?=[\\p{L}\\p{M}])[^${letters.join("")}\\p{Script=Common}\\p{Script=Inherited}]`, "u")
})

/** Control characters, line breaks, and characters that change the direction of the text around the name. */
const UNRULY = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * Returns why a name is not acceptable for an agent; null if it is. Letters of different scripts can look alike, so a name
 * must not mix scripts ("highly restrictive" in UTS 39).
 */
export function faultOfName(name: string): string | null {
  if (UNRULY.test(name)) return "must be one line without control characters and direction marks"
  const letters = name.normalize("NFKC")
  return foreignLetters.some((pattern) => !pattern.test(letters)) ? null : "must not mix letters of several scripts, which look alike"
}
