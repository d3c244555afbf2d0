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

export class Likeness {
  #texts: { readonly id: string; readonly place: string | number; readonly terms: number }[] = []
  #places = new Map<string, { readonly text: number; readonly times: number }[]>()

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

  /** The texts that share a term with one, as many as are looked at, each with how near it is. */
  near(terms: ReadonlyMap<string, number>): Map<string, number> {
    const first = Math.max(0, this.#texts.length - limits.similarSight)
    const held = this.#texts.length - first
    let words = 0
    for (let at = first; at < this.#texts.length; at += 1) words += present(this.#texts[at]).terms
    const usual = words / Math.max(1, held)
    const near = new Map<number, number>()
    for (const term of terms.keys()) {
      const places = this.#places.get(term) ?? []
      const from = places.findLastIndex(({ text }) => text < first) + 1
      const holding = places.length - from
      const weight = Math.log(1 + (held - holding + 0.5) / (holding + 0.5))
      for (let place = from; place < places.length; place += 1) {
        const { text, times } = present(places[place])
        const length = 1 - LENGTH + (LENGTH * present(this.#texts[text]).terms) / usual
        near.set(text, (near.get(text) ?? 0) + (weight * times * (REPEATED + 1)) / (times + REPEATED * length))
      }
    }
    return new Map([...near].map(([text, score]) => [present(this.#texts[text]).id, score]))
  }
}
