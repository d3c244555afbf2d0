/** Groups the values of a frame by some of their dimensions. */
import { compareScalars, type Dimensions, type Scalar, textOf } from "./cells.ts"
import { type Column, type Frame, ranked } from "./frame.ts"

export interface Question {
  readonly by: readonly string[]
  /** The dimension that pairs the groups, usually the seed. Each of its values counts once. */
  readonly over?: string | undefined
  /** The value for a dimension of `by` that a cell lacks. Without it, such cells are left out. */
  readonly absent?: string | undefined
  /** The baseline: a dimension of `by` and its value. */
  readonly against?: { readonly dimension: string; readonly value: string } | undefined
  /** Settings whose values are merged. */
  readonly pool?: readonly string[] | undefined
  /** Settings that the question tells in another way, such as in its place. */
  readonly told?: readonly string[] | undefined
  /** Whether attempts of several experiments are compared as those of one. */
  readonly crossesExperiments?: boolean | undefined
}

export interface Grouped {
  readonly key: Record<string, Scalar>
  /** The indices of its values in the frame, ordered by `over`. Values that lack it come first. */
  readonly indices: Int32Array
}

/** Compares groups by their values of some dimensions. */
export const compareKeys =
  (by: readonly string[]) =>
  ({ key: one }: { readonly key: Dimensions }, { key: other }: { readonly key: Dimensions }): number =>
    by.reduce((order, dimension) => order || compareScalars(one[dimension] ?? "", other[dimension] ?? ""), 0)

/** Sorts indices by the number of each, from −1 to below `most`, in a stable counting sort. */
function inOrder(indices: Int32Array, numbers: Int32Array, most: number) {
  const starts = new Int32Array(most + 2)
  for (let at = 0; at < numbers.length; at += 1)
    starts[(numbers[at] ?? -1) + 2] = (starts[(numbers[at] ?? -1) + 2] ?? 0) + 1
  for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0)
  const next = starts.slice()
  const sorted = new Int32Array(indices.length)
  for (let from = 0; from < indices.length; from += 1) {
    const index = indices[from] ?? 0
    const place = (numbers[index] ?? -1) + 1
    const to = next[place] ?? 0
    sorted[to] = index
    next[place] = to + 1
  }
  return { sorted, of: (number: number) => sorted.subarray(starts[number + 1], starts[number + 2]) }
}

/** Returns the column `over` of a frame with its scalars sorted; undefined without `over`. */
export const overOf = ({ columns }: Frame, over: string | undefined): Column | undefined =>
  over === undefined ? undefined : ranked(columns.get(over) ?? { codes: new Int32Array(), scalars: [] })

/** Returns all indices of a frame, ordered by the column `over`. */
export function orderedOver({ values }: Frame, over: Column | undefined): Int32Array {
  const all = new Int32Array(values.length)
  for (let at = 0; at < all.length; at += 1) all[at] = at
  return over === undefined || over.scalars.length === 0 ? all : inOrder(all, over.codes, over.scalars.length).sorted
}

/** Groups the values of a frame. `withoutBy` counts the values that belong to no group. */
export function grouped(
  frame: Frame,
  { by, absent }: Question,
  over: Column | undefined,
): { groups: Grouped[]; withoutBy: number } {
  const groupOf = new Int32Array(frame.values.length)
  let keys: Record<string, Scalar>[] = [{}]
  for (const dimension of by) {
    const { codes, scalars } = frame.columns.get(dimension) ?? { codes: undefined, scalars: [] }
    const next: Record<string, Scalar>[] = []
    const absentCode = scalars.findIndex((scalar) => textOf(scalar) === absent)
    // An array is several times as fast as a Map here, and V8 stores a sparse array in a hash table anyway.
    const known: number[] = []
    for (let index = 0; index < groupOf.length; index += 1) {
      const group = groupOf[index] ?? -1
      const own = codes?.[index] ?? -1
      const code = own === -1 ? absentCode : own
      const value = scalars[code] ?? absent
      const pair = group * (scalars.length + 1) + code + 1
      groupOf[index] =
        group === -1 || value === undefined
          ? -1
          : (known[pair] ??= next.push({ ...keys[group], [dimension]: value }) - 1)
    }
    keys = next
  }
  const { of } = inOrder(orderedOver(frame, over), groupOf, keys.length)
  const groups = keys.map((key, group) => ({ key, indices: of(group) })).filter(({ indices }) => indices.length > 0)
  return { groups: groups.sort(compareKeys(by)), withoutBy: of(-1).length }
}
