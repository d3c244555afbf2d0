/** A measured value with its dimensions, as the measurement table takes it. */

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

/** The last value that an attempt reported of a metric at one place of its dimensions. */
export interface Cell {
  readonly attempt: Source
  /** Cells at one place may share one object: it is looked at once. */
  readonly dimensions: Dimensions
  /** NaN and the infinities where a run diverged. */
  readonly value: number
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

/** Numbers by size, before texts; texts by their letters. */
export function compareScalars(one: Scalar, other: Scalar): number {
  const [a, b] = [textOf(one), textOf(other)]
  const [isNumber, isOtherNumber] = [numeric.test(a), numeric.test(b)]
  if (isNumber && isOtherNumber) return Number(a) - Number(b)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
