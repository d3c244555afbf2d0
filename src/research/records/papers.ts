/** Reads arXiv ids as people write them. */
import * as v from "valibot"
import { arxivId } from "../../contract/schema/fields.ts"

/** Prefixes that people write before an arXiv id. */
const PREFIX = /^(?:arxiv:\s*|https?:\/\/(?:www\.)?arxiv\.org\/(?:abs|pdf)\/)/i

/** Returns the arXiv id in a text, without version and subject class; undefined if the text is not an arXiv id. */
export function arxivIdOf(text: string): string | undefined {
  const checked = v.safeParse(
    arxivId,
    text
      .trim()
      .replace(PREFIX, "")
      .replace(/\.pdf$/, ""),
  )
  return checked.success ? checked.output : undefined
}
