/** Puts the values of a frame in groups, by what they have at some dimensions. */
import { compareScalars, type Scalar, textOf } from "./cells.ts"
import { type Column, type Frame, ranked } from "./frame.ts"

export interface Question {
  readonly by: readonly string[]
  /** The dimension that groups are paired over, and whose values count once each: mostly the seed. */
  readonly over?: string
  /** What stands for a dimension of `by` that a cell does not have; left out, such cells take no part. */
  readonly absent?: string
  /** The value of one of `by` that the other groups are compared with. */
  readonly against?: { readonly dimension: string; readonly value: string }
}

export interface Gathered {
  readonly key: Record<string, Scalar>
  /** The places of its values in the frame, in the order of what they have `over`; those that lack it first. */
  readonly indices: Int32Array
}

const compareKeys = (by: readonly string[]) => (one: Gathered, other: Gathered) => {
  for (const dimension of by) {
    const order = compareScalars(one.key[dimension] ?? "", other.key[dimension] ?? "")
    if (order !== 0) return order
  }
  return 0
}

/** Sorts places by the number that each has, −1 or more and less than `most`; those with the same number keep their order. */
function inOrder(indices: Int32Array, numbers: Int32Array, most: number) {
  const starts = new Int32Array(most + 2)
  for (let at = 0; at < numbers.length; at += 1) starts[(numbers[at] ?? -1) + 2] = (starts[(numbers[at] ?? -1) + 2] ?? 0) + 1
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

/** What the values of a frame have `over`, in order; undefined where nothing is asked over. */
export const overOf = ({ columns }: Frame, over: string | undefined): Column | undefined =>
  over === undefined ? undefined : ranked(columns.get(over) ?? { codes: new Int32Array(), scalars: [] })

/** All places of a frame, in the order of what they have over. */
export function orderedOver({ values }: Frame, over: Column | undefined): Int32Array {
  const all = new Int32Array(values.length)
  for (let at = 0; at < all.length; at += 1) all[at] = at
  return over === undefined || over.scalars.length === 0 ? all : inOrder(all, over.codes, over.scalars.length).sorted
}

/** The groups of a table, and how many values have no place in one. */
export function gathered(frame: Frame, { by, absent }: Question, over: Column | undefined): { groups: Gathered[]; withoutBy: number } {
  const groupOf = new Int32Array(frame.values.length)
  let keys: Record<string, Scalar>[] = [{}]
  for (const dimension of by) {
    const { codes, scalars } = frame.columns.get(dimension) ?? { codes: undefined, scalars: [] }
    const next: Record<string, Scalar>[] = []
    const absentCode = scalars.findIndex((scalar) => textOf(scalar) === absent)
    // A list: the engine finds its items several times as fast as those of a map, and keeps one with many holes as a map.
    const known: number[] = []
    for (let index = 0; index < groupOf.length; index += 1) {
      const group = groupOf[index] ?? -1
      const own = codes?.[index] ?? -1
      const code = own === -1 ? absentCode : own
      const value = scalars[code] ?? absent
      const pair = group * (scalars.length + 1) + code + 1
      groupOf[index] = group === -1 || value === undefined ? -1 : (known[pair] ??= next.push({ ...keys[group], [dimension]: value }) - 1)
    }
    keys = next
  }
  const { of } = inOrder(orderedOver(frame, over), groupOf, keys.length)
  const groups = keys.map((key, group) => ({ key, indices: of(group) })).filter(({ indices }) => indices.length > 0)
  return { groups: groups.sort(compareKeys(by)), withoutBy: of(-1).length }
}
