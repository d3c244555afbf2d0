/** Papers as records and readers name them. */
import * as v from "valibot"
import { arxivId } from "../../contract/schema/fields.ts"

/** What people write in front of an arXiv id. */
const PREFIX = /^(?:arxiv:\s*|https?:\/\/(?:www\.)?arxiv\.org\/(?:abs|pdf)\/)/i

/** The arXiv id that a text consists of, without version and subject class; undefined where it says something else. */
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
