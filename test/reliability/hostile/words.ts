/**
 * Words that are more expensive than they look: for a search, as single endless tokens, in letters that few programs
 * expect.
 */
import { texts as settings, type Costly } from "./texts.ts"

const full = (unit: string, length = 20_000): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const words: readonly Costly[] = [
  { name: "one word, over and over", text: full("zz ") },
  { name: "two words, over and over", text: full("zz yy ") },
  {
    name: "words that begin alike",
    text: Array.from({ length: 3_300 }, (_, index) => `z${index.toString(36)}`)
      .join(" ")
      .slice(0, 20_000),
  },
  { name: "one long token", text: full("x") },
  { name: "marks on one letter", text: `e${full("\u0301", 19_000)}` },
  { name: "letters beyond the plane", text: "𝔞".repeat(9_900) },
  { name: "right to left and back", text: full("\u202e\u202da") },
  { name: "families of signs", text: full("👩‍🔬", 19_998) },
  { name: "white space", text: `a${full(" \n", 19_000)}b` },
]

/** Everything for text fields: these, and texts that are expensive to render. */
export const texts: readonly Costly[] = [...words, ...settings()]
