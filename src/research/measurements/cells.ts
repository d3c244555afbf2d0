/** The dimensions of a measured value, their order, and the attempt that reported it. */
/** A value of a dimension. */
export type Scalar = string | number | boolean
export type Dimensions = Readonly<Record<string, Scalar>>

/** A setting as its attempt spelled it. */
export interface Setting {
  readonly name: string
  readonly value: Scalar
}
/** What an attempt was started with. */
export interface Launch {
  /** By folded name. */
  readonly settings: ReadonlyMap<string, Setting>
  /** The words of its command line that are no flags. */
  readonly command: string
  readonly environment: string
}

/** The attempt that reported a value. */
export interface Source {
  readonly attemptId: string
  readonly experimentId: string
  readonly label: string
  readonly commit: string
  /** The ids of its input materials, as one text. */
  readonly inputs: string
  readonly experimentLabel?: string
  /** What it was started with. */
  readonly launch?: Launch
}

/** The value of a dimension; undefined without one. A dimension may be called `constructor`. */
export const dimensionAt = (dimensions: Dimensions, name: string): Scalar | undefined =>
  Object.hasOwn(dimensions, name) ? dimensions[name] : undefined
/** Whether some dimensions have every value of `place`. A missing dimension is the empty text. */
export const matchesPlace = (dimensions: Dimensions, place: Dimensions): boolean =>
  Object.entries(place).every(([name, value]) => textOf(dimensionAt(dimensions, name) ?? "") === textOf(value))

/** Values that print alike are equal: a seed reported as 3 and as "3" is one seed. */
export const textOf = (value: Scalar): string => String(value)

const numeric = /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/

/** The sort key of a value: its number, or its text if it is not a number or has too many digits. */
function sortKey(value: Scalar): number | string {
  if (Number.isSafeInteger(value) && Math.abs(Number(value)) < 1e15) return Number(value)
  const text = textOf(value)
  return numeric.test(text) ? Number(text) : text
}

function compareKeys(one: number | string, other: number | string): number {
  if (typeof one === "number" && typeof other === "number") return one - other
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1
  return one < other ? -1 : one > other ? 1 : 0
}

/**
 * Orders numbers by size, before texts. Texts, and equal numbers such as 1 and "1.0", are ordered by their characters.
 */
export const compareScalars = (one: Scalar, other: Scalar): number =>
  compareKeys(sortKey(one), sortKey(other)) || compareKeys(textOf(one), textOf(other))

export function sortedBy<T>(items: readonly T[], of: (item: T) => Scalar): T[] {
  // Each key is computed once, not at every comparison.
  const keyed = items.map((item) => ({ item, key: sortKey(of(item)) }))
  return keyed
    .sort((one, other) => compareKeys(one.key, other.key) || compareKeys(textOf(of(one.item)), textOf(of(other.item))))
    .map(({ item }) => item)
}

/** The first `count` distinct texts in the order of a value of each, as `sortedBy` has it; the others aren't sorted. */
export function firstBy(texts: Iterable<string>, count: number, of: (text: string) => Scalar): string[] {
  const first: { readonly text: string; readonly key: number | string }[] = []
  for (const text of texts) {
    const key = sortKey(of(text))
    const isBefore = (other: (typeof first)[number] | undefined): boolean =>
      other === undefined || (compareKeys(key, other.key) || compareKeys(textOf(of(text)), textOf(of(other.text)))) < 0
    if (first.length === count && !isBefore(first.at(-1))) continue
    if (first.some((other) => other.text === text)) continue
    const at = first.findIndex((other) => isBefore(other))
    first.splice(at === -1 ? first.length : at, 0, { text, key })
    if (first.length > count) first.pop()
  }
  return first.map(({ text }) => text)
}

// The values from which the mean, the interval and the differences of a group are computed.

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
