/** Parts of the sentences in a Room's feed. */
import { oneLine, shortened } from "../text.ts"

/** The most characters that a sentence quotes from a person's text. */
const QUOTED = 240

/** Quotes a person's text at the end of a sentence; empty if there is none. */
export const quoting = (text: string | undefined, most = QUOTED): string =>
  text === undefined ? "" : `: ${shortened(oneLine(text), most)}`

/** The name of a kind or state, as words. */
export const words = (name: string): string => name.replaceAll("_", " ")

/** The disputed part of a record: words of its wording, or the path of a member. */
export const partInWords = (part: string): string =>
  part.startsWith("/")
    ? part
        .slice(1)
        .split("/")
        .map((step) => (/^[0-9]{1,4}$/.test(step) ? String(Number(step) + 1) : step))
        .join(" › ")
    : `“${part}”`
