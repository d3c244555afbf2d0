/**
 * How near texts are: BM25 over the stems of the newest texts of one kind in a Room, kept in memory and read on from the data.
 * What it answers depends on the data alone, and not on when it was asked before.
 */
import { limits } from "../../../contract/limits.ts"
import { present } from "../../../contract/present.ts"
import { termsOf } from "./terms.ts"

export interface Text {
  readonly id: string
  /** Its place among those of its kind in its Room: what comes later is greater. */
  readonly place: string | number
  readonly text: string
}

/** How much a further occurrence counts, and the length of a text. */
const [REPEATED, LENGTH] = [1.2, 0.5]

interface Place {
  readonly text: number
  readonly times: number
}

export interface Near {
  readonly id: string
  readonly score: number
}
/** The nearest first; of two that are as near, the one whose id is greater. */
export const nearestFirst = (one: Near, other: Near): number => other.score - one.score || (one.id < other.id ? 1 : -1)
/** One more than are shown: one of them may be what is asked about. */
const MOST = limits.similarItems + 1

export class Likeness {
  #texts: { readonly id: string; readonly place: string | number; readonly terms: number }[] = []
  #places = new Map<string, Place[]>()

  /** The place of the newest text; undefined where there is none. */
  get newest(): string | number | undefined {
    return this.#texts.at(-1)?.place
  }

  /** Whether it holds so many that are no longer looked at that it had better be made anew. */
  get isOverfull(): boolean {
    return this.#texts.length > 2 * limits.similarSight
  }

  add({ id, place, text }: Text): void {
    const terms = termsOf(text)
    const at = this.#texts.push({ id, place, terms: terms.size }) - 1
    for (const [term, times] of terms) {
      const places = this.#places.get(term)
      if (places === undefined) this.#places.set(term, [{ text: at, times }])
      else places.push({ text: at, times })
    }
  }

  /**
   * The nearest of the texts that share a term with one, each with how near it is. The rarest terms are weighed, as many as
   * there are occurrences to look at: where all texts say nearly the same, a few terms tell as much as all of them.
   */
  near(terms: Iterable<string>): Near[] {
    const first = Math.max(0, this.#texts.length - limits.similarSight)
    const held = this.#texts.length - first
    let words = 0
    for (let at = first; at < this.#texts.length; at += 1) words += present(this.#texts[at]).terms
    const usual = words / Math.max(1, held)
    const near = new Map<number, number>()
    let left: number = limits.similarWeighed
    for (const places of this.#rarest(terms, first)) {
      if (left <= 0) break
      left -= places.length
      const weight = Math.log(1 + (held - places.length + 0.5) / (places.length + 0.5))
      for (const { text, times } of places) {
        const length = 1 - LENGTH + (LENGTH * present(this.#texts[text]).terms) / usual
        near.set(text, (near.get(text) ?? 0) + (weight * times * (REPEATED + 1)) / (times + REPEATED * length))
      }
    }
    const best: Near[] = []
    for (const [text, score] of near) {
      if (best.length === MOST && score < present(best.at(-1)).score) continue
      best.push({ id: present(this.#texts[text]).id, score })
      best.sort(nearestFirst)
      if (best.length > MOST) best.pop()
    }
    return best
  }

  /** Where terms stand in the texts from one on, what stands in the fewest first. */
  #rarest(terms: Iterable<string>, first: number): Place[][] {
    const found: Place[][] = []
    for (const term of terms) {
      const places = this.#places.get(term)
      if (places === undefined) continue
      const from = present(places[0]).text >= first ? 0 : places.findLastIndex(({ text }) => text < first) + 1
      if (from < places.length) found.push(from === 0 ? places : places.slice(from))
    }
    return found.sort((one, other) => one.length - other.length)
  }
}
