/** Where a measured value stands: its dimensions, compared and put in order, and the attempt that it comes from. */

/** What a dimension may hold. */
export type Scalar = string | number | boolean
export type Dimensions = Readonly<Record<string, Scalar>>

/** The attempt that a value comes from. */
export interface Source {
  readonly attemptId: string
  readonly experimentId: string
  readonly label: string
  /** The commit it ran at. */
  readonly commit: string
  /** The materials that went in, as one text. */
  readonly inputs: string
}

/** What stands at a dimension; undefined where nothing does. A dimension may be called `constructor`. */
export const dimensionAt = (dimensions: Dimensions, name: string): Scalar | undefined =>
  Object.hasOwn(dimensions, name) ? dimensions[name] : undefined
/** Whether some dimensions have the values of a place. */
export const standsAt = (dimensions: Dimensions, place: Dimensions): boolean =>
  Object.entries(place).every(([name, value]) => textOf(dimensionAt(dimensions, name) ?? "") === textOf(value))

/** Values that print alike are one value: a seed told as 3 and as "3" is one seed. */
export const textOf = (value: Scalar): string => String(value)

const numeric = /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/

/** What a value is sorted by: its number, or its text. A number of more digits is a text. */
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

/** Numbers by size, before texts; texts by their letters. What is the same number, such as 1 and "1.0", by its letters too. */
export const compareScalars = (one: Scalar, other: Scalar): number =>
  compareKeys(sortKey(one), sortKey(other)) || compareKeys(textOf(one), textOf(other))

/** Items in the order of a value that each has. */
export function sortedBy<T>(items: readonly T[], of: (item: T) => Scalar): T[] {
  // A key is made once for each item, not once for each comparison.
  const keyed = items.map((item) => ({ item, key: sortKey(of(item)) }))
  return keyed
    .sort((one, other) => compareKeys(one.key, other.key) || compareKeys(textOf(of(one.item)), textOf(of(other.item))))
    .map(({ item }) => item)
}
