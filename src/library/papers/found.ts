/** What a text was found to hold: papers in order, each once, and what could not be read. */
import { oneLine, shortened } from "../../contract/text.ts"
import type { FiledPaper } from "./papers.ts"

/** What could not be read, with why. */
export interface Unreadable {
  readonly text: string
  readonly reason: string
}

export interface Found {
  readonly papers: readonly FiledPaper[]
  readonly unreadable: readonly Unreadable[]
  /** Those of the papers that are known by their words alone: nobody checked that there is such a paper. */
  readonly byWords: readonly string[]
}

/** Characters of what could not be read that are told. */
const TOLD = 200
/** How much of what could not be read is told one by one: a text of nothing else has no end. */
const MOST = 500

export class PaperCollector {
  readonly #papers = new Map<string, FiledPaper>()
  readonly #unreadable = new Map<string, Unreadable>()
  readonly #byWords = new Set<string>()
  readonly #keys = new Set<string>()
  #untold = 0

  /** A paper; what names none is left out. */
  add(paper: FiledPaper | undefined, by?: "words"): void {
    if (paper === undefined) return
    const { citationKey, ...filed } = paper
    const before = this.#papers.get(paper.paperId)
    const key = citationKey !== undefined && before === undefined && !this.#keys.has(citationKey) ? citationKey : undefined
    if (key !== undefined) this.#keys.add(key)
    // What is said of it first stands.
    this.#papers.set(paper.paperId, { ...filed, ...before, ...(key !== undefined && { citationKey: key }) })
    if (by === "words" && before === undefined) this.#byWords.add(paper.paperId)
  }

  addUnreadable(text: string, reason: string): void {
    const told = shortened(oneLine(text.toWellFormed().replaceAll("\0", "")), TOLD)
    if (this.#unreadable.size >= MOST) this.#untold += 1
    else this.#unreadable.set(`${told}\0${reason}`, { text: told, reason })
  }

  result(): Found {
    const rest = this.#untold === 0 ? [] : [{ text: "…", reason: `and ${this.#untold.toLocaleString("en")} more parts could not be read` }]
    return { papers: [...this.#papers.values()], unreadable: [...this.#unreadable.values(), ...rest], byWords: [...this.#byWords] }
  }
}
