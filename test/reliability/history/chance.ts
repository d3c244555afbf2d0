/** Draws that a schedule needs beyond those of all harnesses: fractions, weighted choices and ids. */
import { chanceOf } from "../support/chance.ts"

const FINE = 2 ** 30

export class Chance {
  readonly #source

  constructor(seed: string) {
    this.#source = chanceOf(seed)
  }

  /** At least 0, less than 1. */
  next(): number {
    return this.#source.between(0, FINE - 1) / FINE
  }

  below(count: number): number {
    return this.#source.between(0, count - 1)
  }

  happens(probability: number): boolean {
    return this.next() < probability
  }

  /** One of a list; undefined if it is empty. */
  oneOf<T>(items: readonly T[]): T | undefined {
    return this.#source.of(items)
  }

  /** One of the names, with the given weights. */
  weighted<N extends string>(weights: Readonly<Record<N, number>>): N {
    const entries = Object.entries(weights) as [N, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    return (entries.at(-1) as [N, number])[0]
  }

  /** A UUID of version 4. */
  id(): string {
    const hex = Array.from({ length: 8 }, () =>
      this.below(2 ** 16)
        .toString(16)
        .padStart(4, "0"),
    ).join("")
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }
}
