/** What a paper is filed under, of all that is said of it. */
import { createHash } from "node:crypto"
import { isDoi } from "../../contract/schema/fields.ts"
import type { FiledPaper, Given } from "./papers.ts"

/** Letters and digits alone, in lower case and without accents: what two ways to write a title have in common. */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

/** The family name of an author, as the last word of a name has it. */
const familyOf = (name: string): string => plain(name.trim().split(/\s+/).at(-1) ?? "")

/** What stands for a paper without a name of its own: a digest of its title, its first author and its year, or of its address. */
export function referenceOf({ title = "", authors = [], year = null, url }: Given): string {
  const said =
    url !== undefined && (title === "" || title === url) ? [url] : [plain(title) || title, familyOf(authors[0] ?? ""), year ?? ""]
  return `ref:${createHash("sha256").update(said.join("\n")).digest("hex").slice(0, 24)}`
}

export interface Identifiers {
  readonly arxivId?: string | undefined
  readonly doi?: string | undefined
  /** 13 digits, of a book as a whole. */
  readonly isbn?: string | undefined
  /** What stood for it in a file that this service wrote. */
  readonly reference?: string | undefined
}

/** A paper under the first name that it has, with the others beside it; undefined for what has neither a name nor a title. */
export function identify(
  { arxivId, doi, isbn, reference }: Identifiers,
  given: Given | undefined,
): Omit<FiledPaper, "citationKey"> | undefined {
  const own = reference ?? (given?.title === undefined && given?.url === undefined ? undefined : referenceOf(given))
  const [paperId, ...names] = [arxivId, doi, isbn && `isbn:${isbn}`, own].flatMap((name) => name || [])
  if (paperId === undefined) return undefined
  // Of a book's ISBN its parts have no claim; a DOI and an arXiv id are one paper's, and so is what was filed before without either.
  const others = [...new Set(names)].filter((name) => name !== paperId && !name.startsWith("isbn:"))
  const said = given && (arxivId !== undefined && doi !== undefined && isDoi(doi) ? { ...given, doi } : given)
  return { paperId, ...(others.length > 0 && { names: others }), ...(said && Object.keys(said).length > 0 && { given: said }) }
}
