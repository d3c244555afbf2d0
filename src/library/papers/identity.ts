/** Chooses the id that a paper is filed under. */
import { createHash } from "node:crypto"
import { isDoi } from "../../contract/schema/fields.ts"
import type { FiledPaper, Given } from "./papers.ts"

/** Reduces a title to lower-case letters and digits without accents, so that its spellings compare equal. */
const normalize = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

/** The last word of the first author's family name; of a name without parts, its last word. */
const familyOf = ({ authors = [], names = [] }: Given): string =>
  normalize((names[0]?.family ?? authors[0] ?? "").trim().split(/\s+/).at(-1) ?? "")

/** Returns the `ref:` id of a paper with no other id: a digest of its title, first author and year, or of its URL. */
export function referenceOf(given: Given): string {
  const { title = "", year = null, url } = given
  const parts =
    url !== undefined && (title === "" || title === url)
      ? [url]
      : [normalize(title) || title, familyOf(given), year ?? ""]
  return `ref:${createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 24)}`
}

export interface Identifiers {
  readonly arxivId?: string | undefined
  readonly doi?: string | undefined
  /** The 13 digits, for a whole book. */
  readonly isbn?: string | undefined
  /** The `ref:` id from a file that this service wrote. */
  readonly reference?: string | undefined
}

/** Files a paper under its first id, with the others as aliases; undefined if it has no id, title or URL. */
export function identify(
  { arxivId, doi, isbn, reference }: Identifiers,
  given: Given | undefined,
): Omit<FiledPaper, "citationKey"> | undefined {
  const own = reference ?? (given?.title === undefined && given?.url === undefined ? undefined : referenceOf(given))
  const [paperId, ...names] = [arxivId, doi, isbn && `isbn:${isbn}`, own].flatMap((name) => name || [])
  if (paperId === undefined) return undefined
  // An ISBN is not an alias, since chapters share it. A `ref:` id is: the paper may have been filed under it before.
  const others = [...new Set(names)].filter((name) => name !== paperId && !name.startsWith("isbn:"))
  const description = given && (arxivId !== undefined && doi !== undefined && isDoi(doi) ? { ...given, doi } : given)
  return {
    paperId,
    ...(others.length > 0 && { names: others }),
    ...(description && Object.keys(description).length > 0 && { given: description }),
  }
}
