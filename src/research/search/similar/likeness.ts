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

/** Where a term stands, in ascending order, and how often there. */
interface Places {
  readonly texts: number[]
  readonly times: number[]
  /** The first of them that is still looked at. */
  from: number
}

export interface Near {
  readonly id: string
  readonly score: number
}
/** The nearest first; of two that are as near, the one whose id is greater. */
export const nearestFirst = (one: Near, other: Near): number => other.score - one.score || (one.id < other.id ? 1 : -1)
/** One more than are shown: one of them may be what is asked about. */
const MOST = limits.similarItems + 1

/** How near each text is that is looked at, while it is worked out; 0 where it shares no term. */
const scores = new Float64Array(limits.similarSight)

export class Likeness {
  readonly #ids: string[] = []
  /** How many terms each text has. */
  readonly #lengths: number[] = []
  readonly #places = new Map<string, Places>()
  #newest: string | number | undefined
  /** Whether each id is greater than those before it. */
  #isInOrder = true
  #occurrences = 0
  /** Terms of those texts that are looked at. */
  #seen = 0
  /** The ordinal of the label given last when it was read: what is labelled later is not in it yet. */
  label = 0

  /** The place of the newest text; undefined where there is none. */
  get newest(): string | number | undefined {
    return this.#newest
  }

  /** Terms of all its texts together: what it takes of memory. */
  get occurrences(): number {
    return this.#occurrences
  }

  /** The first text that is looked at. */
  get #first(): number {
    return Math.max(0, this.#ids.length - limits.similarSight)
  }

  add({ id, place, text }: Text): void {
    const terms = termsOf(text)
    if (this.#ids.length >= 2 * limits.similarSight) this.#forget()
    this.#isInOrder &&= id > (this.#ids.at(-1) ?? "")
    const at = this.#ids.push(id) - 1
    this.#lengths.push(terms.size)
    this.#newest = place
    this.#occurrences += terms.size
    this.#seen += terms.size
    if (this.#first > 0) this.#seen -= present(this.#lengths[this.#first - 1])
    for (const [term, times] of terms) {
      const places = this.#places.get(term)
      if (places === undefined) this.#places.set(term, { texts: [at], times: [times], from: 0 })
      else {
        places.texts.push(at)
        places.times.push(times)
      }
    }
  }

  /** Lets go of the texts that are no longer looked at. */
  #forget(): void {
    const first = this.#first
    this.#ids.splice(0, first)
    for (const terms of this.#lengths.splice(0, first)) this.#occurrences -= terms
    for (const [term, { texts, times, from }] of this.#places) {
      let next = from
      while (next < texts.length && present(texts[next]) < first) next += 1
      if (next === texts.length) this.#places.delete(term)
      else this.#places.set(term, { texts: texts.slice(next).map((at) => at - first), times: times.slice(next), from: 0 })
    }
  }

  /**
   * The nearest of the texts that share a term with one, each with how near it is. The rarest terms are weighed, as many as
   * there are occurrences to look at: where all texts say nearly the same, a few terms tell as much as all of them.
   */
  nearest(terms: Iterable<string>): Near[] {
    if (this.#ids.length === 0) return []
    const first = this.#first
    const held = this.#ids.length - first
    // Of texts alike in what is looked at, the length of each to the usual one.
    const share = (LENGTH * held) / this.#seen
    scores.fill(0, 0, held)
    let left: number = limits.similarWeighed
    for (const { texts, times, from } of this.#rarest(terms, first)) {
      if (left <= 0) break
      const holding = texts.length - from
      left -= holding
      const weight = Math.log(1 + (held - holding + 0.5) / (holding + 0.5)) * (REPEATED + 1)
      for (let at = from; at < texts.length; at += 1) {
        const [text, often] = [present(texts[at]), present(times[at])]
        const length = 1 - LENGTH + share * present(this.#lengths[text])
        scores[text - first] = present(scores[text - first]) + (weight * often) / (often + REPEATED * length)
      }
    }
    const best: Near[] = []
    let worst: Near = { id: "", score: 0 }
    // The newest first: of texts as near as each other those are shown, and the others need not be put in order.
    for (let at = held - 1; at >= 0; at -= 1) {
      const score = present(scores[at])
      if (score === 0 || score < worst.score) continue
      const id = present(this.#ids[first + at])
      if (score === worst.score && (this.#isInOrder || id < worst.id)) continue
      best.push({ id, score })
      best.sort(nearestFirst)
      if (best.length > MOST) best.pop()
      if (best.length === MOST) worst = present(best.at(-1))
    }
    return best
  }

  /** Where terms stand in the texts from one on, what stands in the fewest first. */
  #rarest(terms: Iterable<string>, first: number): Places[] {
    const found: Places[] = []
    for (const term of terms) {
      const places = this.#places.get(term)
      if (places === undefined) continue
      while (places.from < places.texts.length && present(places.texts[places.from]) < first) places.from += 1
      if (places.from < places.texts.length) found.push(places)
    }
    return found.sort((one, other) => one.texts.length - one.from - (other.texts.length - other.from))
  }
}
