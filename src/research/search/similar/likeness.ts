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
  /** `until`: the terms of it and of all before it. */
  #texts: { readonly id: string; readonly place: string | number; readonly terms: number; readonly until: number }[] = []
  #places = new Map<string, Place[]>()

  /** The place of the newest text; undefined where there is none. */
  get newest(): string | number | undefined {
    return this.#texts.at(-1)?.place
  }

  /** Terms of all its texts together: what it takes of memory. */
  get occurrences(): number {
    return this.#texts.at(-1)?.until ?? 0
  }

  /** Whether it holds so many that are no longer looked at that it had better be made anew. */
  get isOverfull(): boolean {
    return this.#texts.length > 2 * limits.similarSight
  }

  add({ id, place, text }: Text): void {
    const terms = termsOf(text)
    const at = this.#texts.push({ id, place, terms: terms.size, until: this.occurrences + terms.size }) - 1
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
    const usual = (this.occurrences - (this.#texts[first - 1]?.until ?? 0)) / Math.max(1, held)
    const near = new Map<number, number>()
    let left: number = limits.similarWeighed
    for (const { places, from } of this.#rarest(terms, first)) {
      if (left <= 0) break
      const holding = places.length - from
      left -= holding
      const weight = Math.log(1 + (held - holding + 0.5) / (holding + 0.5))
      // The newest first: of texts as near as each other those are shown, and the others need not be put in order.
      for (let at = places.length - 1; at >= from; at -= 1) {
        const { text, times } = present(places[at])
        const length = 1 - LENGTH + (LENGTH * present(this.#texts[text]).terms) / usual
        near.set(text, (near.get(text) ?? 0) + (weight * times * (REPEATED + 1)) / (times + REPEATED * length))
      }
    }
    const best: Near[] = []
    for (const [text, score] of near) {
      const found = { id: present(this.#texts[text]).id, score }
      if (best.length === MOST && nearestFirst(found, present(best.at(-1))) > 0) continue
      best.push(found)
      best.sort(nearestFirst)
      if (best.length > MOST) best.pop()
    }
    return best
  }

  /** Where terms stand in the texts from one on, what stands in the fewest first. */
  #rarest(terms: Iterable<string>, first: number): { readonly places: Place[]; readonly from: number }[] {
    const found: { readonly places: Place[]; readonly from: number }[] = []
    for (const term of terms) {
      const places = this.#places.get(term)
      if (places === undefined) continue
      const from = present(places[0]).text >= first ? 0 : places.findLastIndex(({ text }) => text < first) + 1
      if (from < places.length) found.push({ places, from })
    }
    return found.sort((one, other) => one.places.length - one.from - (other.places.length - other.from))
  }
}
