/** The values of a group that its mean, its interval and its differences are worked out from. */
import type { Scalar } from "./cells.ts"

/** The values of a group: the mean of its cells at each value of `over`, in the order of these; without `over` each cell by its size. */
export class Points {
  readonly values: Float64Array
  /** Null where values are not of one. */
  readonly overs: readonly Scalar[] | null
  #byOver: Map<Scalar, number> | undefined

  constructor(values: Float64Array, overs: readonly Scalar[] | null) {
    this.values = values
    this.overs = overs
  }

  /** The value at each value of `over`. */
  get byOver(): ReadonlyMap<Scalar, number> {
    this.#byOver ??= new Map(this.overs?.map((over, at) => [over, this.values[at] ?? Number.NaN]))
    return this.#byOver
  }

  /** The first ones, as they are answered. */
  first(count: number): { over: Scalar | null; value: number }[] {
    return Array.from(this.values.subarray(0, count), (value, at) => ({ over: this.overs?.[at] ?? null, value }))
  }

  /** The same of an answer. */
  static of(answered: readonly { readonly over: Scalar | null; readonly value: number }[]): Points {
    const overs = answered.flatMap(({ over }) => (over === null ? [] : [over]))
    return new Points(
      Float64Array.from(answered, ({ value }) => value),
      overs.length < answered.length ? null : overs,
    )
  }
}
