/** The values from which the mean, the interval and the differences of a group are computed. */
import { type Scalar, sortedBy } from "./cells.ts"

interface AnsweredPoint {
  readonly over: Scalar | null
  readonly value: number
}

/**
 * The values of a group: the mean of its cells for each value of `over`, sorted by it. Without `over`, each cell,
 * unsorted.
 */
export class Points {
  readonly values: Float64Array
  /** For each value, the index of its `over` in `overs`, unique and ascending; null without `over`. */
  readonly ranks: Int32Array | null
  readonly #overs: readonly Scalar[]

  /** @param overs sorted, and the same for all points that are compared */
  constructor(values: Float64Array, ranks: Int32Array | null, overs: readonly Scalar[]) {
    this.values = values
    this.ranks = ranks
    this.#overs = overs
  }

  /** Returns the first values in the form of an answer. */
  first(count: number): AnsweredPoint[] {
    const inOrder = this.ranks === null ? this.values.toSorted() : this.values
    return Array.from(inOrder.subarray(0, count), (value, at) => ({
      over: this.#overs[this.ranks?.[at] ?? -1] ?? null,
      value,
    }))
  }

  /** Subtracts other points from these at each value of `over` that both have. */
  less({ values, ranks }: Points): Float64Array {
    const differences = new Float64Array(this.values.length)
    let [size, at] = [0, 0]
    for (const [own, rank] of this.ranks?.entries() ?? []) {
      while (at < (ranks?.length ?? 0) && (ranks?.[at] ?? 0) < rank) at += 1
      if (ranks?.[at] === rank) differences[size++] = (this.values[own] ?? Number.NaN) - (values[at] ?? Number.NaN)
    }
    return differences.subarray(0, size)
  }

  /** Restores the points of the groups in an answer. */
  static ofAll(groups: readonly (readonly AnsweredPoint[])[]): Points[] {
    const overs = sortedBy(
      [...new Set(groups.flatMap((points) => points.flatMap(({ over }) => over ?? [])))],
      (over) => over,
    )
    const rankOf = new Map(overs.map((over, rank) => [over, rank]))
    return groups.map((points) => {
      const ranks = points.some(({ over }) => over === null)
        ? null
        : Int32Array.from(points, ({ over }) => rankOf.get(over ?? "") ?? -1)
      const values = Float64Array.from(points, ({ value }) => value)
      return new Points(values, ranks, overs)
    })
  }
}
