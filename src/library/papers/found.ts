/** The papers found in a text, in order and without duplicates, and the parts that could not be read. */
import { oneLine, shortened } from "../../contract/text.ts"
import type { FiledPaper } from "./papers.ts"

interface Unreadable {
  readonly text: string
  readonly reason: string
}

export interface Found {
  readonly papers: readonly FiledPaper[]
  readonly unreadable: readonly Unreadable[]
  /** The ids of the papers known by their wording alone. They may not exist. */
  readonly byWords: readonly string[]
}

/** The most characters quoted of an unreadable part. */
const QUOTE_LENGTH = 200
/** The most unreadable parts that are listed. The others are only counted. */
const MAX_LISTED = 500

export class PaperCollector {
  readonly #papers = new Map<string, FiledPaper>()
  readonly #unreadable = new Map<string, Unreadable>()
  readonly #byWords = new Set<string>()
  readonly #keys = new Set<string>()
  #unlisted = 0

  /** Adds a paper. Undefined is ignored. @param by `words` for a paper known by its wording alone */
  add(paper: FiledPaper | undefined, by?: "words"): void {
    if (paper === undefined) return
    const { citationKey, ...filed } = paper
    const earlier = this.#papers.get(paper.paperId)
    const key =
      citationKey !== undefined && earlier === undefined && !this.#keys.has(citationKey) ? citationKey : undefined
    if (key !== undefined) this.#keys.add(key)
    // The first description is kept.
    this.#papers.set(paper.paperId, { ...filed, ...earlier, ...(key !== undefined && { citationKey: key }) })
    if (by === "words" && earlier === undefined) this.#byWords.add(paper.paperId)
  }

  addUnreadable(text: string, reason: string): void {
    const quote = shortened(oneLine(text.toWellFormed().replaceAll("\0", "")), QUOTE_LENGTH)
    if (this.#unreadable.size >= MAX_LISTED) this.#unlisted += 1
    else this.#unreadable.set(`${quote}\0${reason}`, { text: quote, reason })
  }

  result(): Found {
    const rest =
      this.#unlisted === 0
        ? []
        : [{ text: "…", reason: `and ${this.#unlisted.toLocaleString("en")} more parts could not be read` }]
    return {
      papers: [...this.#papers.values()],
      unreadable: [...this.#unreadable.values(), ...rest],
      byWords: [...this.#byWords],
    }
  }
}
