/** The papers found in a text, in order and without duplicates, and the parts that could not be read. */
import { oneLine, shortened } from "../../contract/text.ts"
import type { enumerations } from "../../contract/schema/enumerations.ts"
import type { FiledPaper } from "./papers.ts"

/** The formats in which papers are read, as answers name them. */
export type Format = (typeof enumerations.paperFormat)[number]

export interface Unreadable {
  readonly input: string
  readonly why: string
}

/** What a piece of the input was read as. */
export interface ReadAs {
  /** The first characters of the piece. */
  readonly input: string
  readonly format: Format
  readonly paperId: string
  readonly title: string | null
}

export interface Found {
  readonly papers: readonly FiledPaper[]
  /** Journals from before it was told lack it. */
  readonly readAs?: readonly ReadAs[]
  readonly unreadable: readonly Unreadable[]
  /** The ids of the papers known by their wording alone. They may not exist. */
  readonly byWords: readonly string[]
}

/** The most characters quoted of an unreadable part, and of a part that was read. */
const QUOTE_LENGTH = 200
const INPUT_LENGTH = 80
/** The most unreadable parts that are listed. The others are only counted. */
const MAX_LISTED = 500

export class PaperCollector {
  readonly #papers = new Map<string, FiledPaper>()
  readonly #readAs = new Map<string, ReadAs>()
  readonly #unreadable = new Map<string, Unreadable>()
  readonly #byWords = new Set<string>()
  readonly #keys = new Set<string>()
  #unlisted = 0

  /** Adds the paper that a piece of the input was read as. Undefined is ignored. */
  add(paper: FiledPaper | undefined, input: string, format: Format): void {
    if (paper === undefined) return
    const { citationKey, ...filed } = paper
    const earlier = this.#papers.get(paper.paperId)
    const key =
      citationKey !== undefined && earlier === undefined && !this.#keys.has(citationKey) ? citationKey : undefined
    if (key !== undefined) this.#keys.add(key)
    // The first description is kept.
    this.#papers.set(paper.paperId, { ...filed, ...earlier, ...(key !== undefined && { citationKey: key }) })
    const { title = null } = this.#papers.get(paper.paperId)?.given ?? {}
    const { paperId } = paper
    if (!this.#readAs.has(paperId))
      this.#readAs.set(paperId, { input: quoted(input, INPUT_LENGTH), format, paperId, title })
    if (format === "reference" && earlier === undefined && paperId.startsWith("ref:")) this.#byWords.add(paperId)
  }

  addUnreadable(text: string, why: string): void {
    const input = quoted(text, QUOTE_LENGTH)
    if (this.#unreadable.size >= MAX_LISTED) this.#unlisted += 1
    else this.#unreadable.set(`${input}\0${why}`, { input, why })
  }

  result(): Found {
    const rest =
      this.#unlisted === 0
        ? []
        : [{ input: "…", why: `and ${this.#unlisted.toLocaleString("en")} more parts could not be read` }]
    return {
      papers: [...this.#papers.values()],
      readAs: [...this.#readAs.values()].slice(0, MAX_LISTED),
      unreadable: [...this.#unreadable.values(), ...rest],
      byWords: [...this.#byWords],
    }
  }
}

/** The start of a text on one line. */
const quoted = (text: string, most: number): string =>
  shortened(oneLine(text.slice(0, 2_000).toWellFormed().replaceAll("\0", "")), most)
