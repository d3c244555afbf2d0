/**
 * Similarity of texts: BM25 over the stems of the newest texts of one kind in a Room, cached in memory and updated from
 * the data. The results depend on the data alone, not on earlier queries.
 */
import { limits } from "../../../contract/limits.ts"
import { present } from "../../../contract/present.ts"
import { termsOf } from "./terms.ts"

export interface Text {
  readonly id: string
  /** Its position among the texts of its kind in its Room. Later texts have greater positions. */
  readonly place: string | number
  readonly text: string
}

/** BM25's parameters k1 and b: the weight of repeated terms, and of the length of a text. */
const [REPEATED, LENGTH] = [1.2, 0.5]

/** The texts with a term, in ascending order, and the number of occurrences in each. */
interface Places {
  readonly texts: number[]
  readonly times: number[]
  /** The index of the first text that still counts. */
  from: number
}

export interface Scored {
  readonly id: string
  readonly score: number
}
/** Orders by score, highest first, then by id, greatest first. */
export const nearestFirst = (one: Scored, other: Scored): number =>
  other.score - one.score || (one.id < other.id ? 1 : -1)
/** One more than are shown, because the query object itself may be among them. */
const MOST = limits.similarItems + 1

/** The score of each text, reused by each query; 0 for a text that shares no term. */
const scores = new Float64Array(limits.similarSight)

export class Likeness {
  readonly #ids: string[] = []
  /** The number of terms of each text. */
  readonly #lengths: number[] = []
  readonly #places = new Map<string, Places>()
  /** The position of the newest text; undefined without texts. */
  newest: string | number | undefined
  /** Whether each id is greater than those before it. */
  #isInOrder = true
  /** The number of terms of all texts, a measure of memory use. */
  occurrences = 0
  /** The number of terms of the texts that still count. */
  #seen = 0
  /** The ordinal of the last label at the time of reading. Texts with later labels are not included yet. */
  label = 0

  /** The index of the first text that still counts. */
  get #first(): number {
    return Math.max(0, this.#ids.length - limits.similarSight)
  }

  add({ id, place, text }: Text): void {
    const terms = termsOf(text)
    if (this.#ids.length >= 2 * limits.similarSight) this.#forget()
    this.#isInOrder &&= id > (this.#ids.at(-1) ?? "")
    const at = this.#ids.push(id) - 1
    this.#lengths.push(terms.size)
    this.newest = place
    this.occurrences += terms.size
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

  /** Drops the texts that no longer count. */
  #forget(): void {
    const first = this.#first
    this.#ids.splice(0, first)
    for (const terms of this.#lengths.splice(0, first)) this.occurrences -= terms
    for (const [term, { texts, times, from }] of this.#places) {
      let next = from
      while (next < texts.length && present(texts[next]) < first) next += 1
      if (next === texts.length) this.#places.delete(term)
      else
        this.#places.set(term, { texts: texts.slice(next).map((at) => at - first), times: times.slice(next), from: 0 })
    }
  }

  /**
   * Returns the texts most similar to some terms, with their scores. The rarest terms are weighed first, up to a limit
   * on occurrences: if all texts are nearly the same, a few terms tell as much as all of them.
   */
  nearest(terms: Iterable<string>): Scored[] {
    if (this.#ids.length === 0) return []
    const first = this.#first
    const held = this.#ids.length - first
    // LENGTH divided by the average length of the texts that count.
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
    const best: Scored[] = []
    let worst: Scored = { id: "", score: 0 }
    // Newest first, because the newest of texts with equal scores are shown, and the others need not be sorted.
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

  /** The occurrences of terms in the texts from `first` on, rarest terms first. */
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
