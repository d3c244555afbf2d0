/** The values of a group that its mean, its interval and its differences are worked out from. */
import { type Scalar, sortedBy } from "./cells.ts"

interface Answered {
  readonly over: Scalar | null
  readonly value: number
}

/** The values of a group: the mean of its cells at each value of `over`, in the order of these; without `over` each cell, in no order. */
export class Points {
  readonly values: Float64Array
  /** For each value the place in `overs` of what it has `over`, each once and ascending; null where nothing is asked over. */
  readonly ranks: Int32Array | null
  readonly #overs: readonly Scalar[]

  /** @param overs in order; the same for all points that are compared */
  constructor(values: Float64Array, ranks: Int32Array | null, overs: readonly Scalar[]) {
    this.values = values
    this.ranks = ranks
    this.#overs = overs
  }

  /** The first ones, as they are answered. */
  first(count: number): Answered[] {
    const inOrder = this.ranks === null ? this.values.toSorted() : this.values
    return Array.from(inOrder.subarray(0, count), (value, at) => ({ over: this.#overs[this.ranks?.[at] ?? -1] ?? null, value }))
  }

  /** This less another at each value of `over` that both have. */
  less({ values, ranks }: Points): Float64Array {
    const differences = new Float64Array(this.values.length)
    let [size, at] = [0, 0]
    for (const [own, rank] of this.ranks?.entries() ?? []) {
      while (at < (ranks?.length ?? 0) && (ranks?.[at] ?? 0) < rank) at += 1
      if (ranks?.[at] === rank) differences[size++] = (this.values[own] ?? Number.NaN) - (values[at] ?? Number.NaN)
    }
    return differences.subarray(0, size)
  }

  /** The same of groups of one answer. */
  static ofAll(groups: readonly (readonly Answered[])[]): Points[] {
    const overs = sortedBy([...new Set(groups.flatMap((points) => points.flatMap(({ over }) => over ?? [])))], (over) => over)
    const rankOf = new Map(overs.map((over, rank) => [over, rank]))
    return groups.map((points) => {
      const ranks = points.some(({ over }) => over === null) ? null : Int32Array.from(points, ({ over }) => rankOf.get(over ?? "") ?? -1)
      const values = Float64Array.from(points, ({ value }) => value)
      return new Points(values, ranks, overs)
    })
  }
}
