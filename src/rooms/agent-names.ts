/** What the name of an agent may look like. Usernames are ASCII; titles of Rooms need not differ, and are shown with who made them. */

/** Names that look alike are one name: signs that are not seen, runs of spaces, and forms and case of letters tell none apart. */
export const likeName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Cc}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()

/** For the scripts that UAX 31 recommends for names, each alone, with Latin only those that are written beside it: a letter of another one. */
const strangers = [
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

/** Signs that end a line, or change in which direction what stands beside the name is read. */
const UNRULY = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * Why an agent cannot have a name; null where it can. Letters of several scripts look alike, so a name has one script:
 * "highly restrictive" in UTS 39.
 */
export function faultOfName(name: string): string | null {
  if (UNRULY.test(name)) return "must be one line without control characters and marks of direction"
  const letters = name.normalize("NFKC")
  return strangers.some((stranger) => !stranger.test(letters)) ? null : "must not mix letters of several scripts, which look alike"
}
