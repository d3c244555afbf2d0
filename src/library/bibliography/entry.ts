/** An entry of a bibliography file as its reader hands it on: the item, and every text in which an id may stand. */
import type { CslDate, CslName } from "../papers/csl.ts"

export interface Entry {
  /** CSL's type, such as `article-journal`; empty if the file does not say. */
  readonly type: string
  /** The key that the file gives the entry; empty if it gives none. */
  readonly key: string
  /** The start of the source, so that a person can find it in their file. */
  readonly source: string
  readonly title?: string | undefined
  readonly authors: readonly CslName[]
  readonly issued?: CslDate | undefined
  /** The journal, proceedings or book that holds it. */
  readonly container?: string | undefined
  readonly publisher?: string | undefined
  readonly volume?: string | undefined
  readonly issue?: string | undefined
  readonly pages?: string | undefined
  readonly url?: string | undefined
  /** Texts that should be ids of each kind, the likeliest first. Markup and escapes are taken out of them. */
  readonly dois: readonly string[]
  readonly isbns: readonly string[]
  readonly arxivIds: readonly string[]
  /** Other texts in which people put a DOI or an arXiv id. */
  readonly places: readonly string[]
  /** The `ref:` id from a file that this service wrote. */
  readonly reference?: string | undefined
}
