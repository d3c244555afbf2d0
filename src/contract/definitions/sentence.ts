/** Parts of the sentences in which the feed of a Room tells what an operation did. */
import { oneLine, shortened } from "../text.ts"

/** Characters that a sentence quotes of what a person wrote. */
const QUOTED = 240

/** What a person wrote, quoted at the end of a sentence; nothing where they wrote nothing. */
export const quoting = (text: string | undefined): string => (text === undefined ? "" : `: ${shortened(oneLine(text), QUOTED)}`)

/** The name of a kind or state, as words. */
export const words = (name: string): string => name.replaceAll("_", " ")

/** The part of a record that a dispute speaks of: words of the wording, or the way to a member. */
export const partInWords = (part: string): string =>
  part.startsWith("/")
    ? part
        .slice(1)
        .split("/")
        .map((step) => (/^[0-9]{1,4}$/.test(step) ? String(Number(step) + 1) : step))
        .join(" › ")
    : `“${part}”`
