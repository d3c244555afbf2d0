/**
 * The measurement table: cells grouped by dimensions, each group with its mean and interval, and with its difference to a
 * baseline where one is asked for. Deterministic: the same cells give the same digits in any order.
 */
import { compareScalars, type Scalar, type Source, sortedBy, textOf } from "./cells.ts"
import { type Frame, ranksOf, sourcesIn, valuesAt } from "./frame.ts"
import { Points } from "./points.ts"
import { type Corrected, type Difference, holm, paired, type Summary, summaryOf, sumOf, welch } from "./statistics.ts"

export interface Question {
  readonly by: readonly string[]
  /** The dimension that groups are paired over, and whose values count once each: mostly the seed. */
  readonly over?: string
  /** What stands for a dimension of `by` that a cell does not have; left out, such cells take no part. */
  readonly absent?: string
  /** The value of one of `by` that the other groups are compared with. */
  readonly against?: { readonly dimension: string; readonly value: string }
}

export interface Contrast extends Difference {
  /** Values of `over` that both sides have; null where values are not paired. */
  readonly pairs: number | null
  /** Values of `over` that only one side has. */
  readonly unpaired: number
  /** Of the pairs, in how many the group is lower and higher than the baseline. */
  readonly lower: number
  readonly higher: number
  readonly corrected: Corrected | null
}

export interface Group {
  readonly key: Readonly<Record<string, Scalar>>
  /** Null where no value is finite. */
  readonly summary: Summary | null
  readonly points: Points
  /** Cells that are no finite number: diverged runs. */
  readonly nonFinite: number
  /** Cells without the dimension that is asked `over`; they take no part. */
  readonly withoutOver: number
  readonly attempts: readonly Source[]
  /** What the attempts of the group do not have in common. */
  readonly differs: readonly ("code" | "inputs")[]
  readonly isBaseline: boolean
  readonly contrast: Contrast | null
}

export interface Table {
  readonly groups: readonly Group[]
  /** Differences with an interval: what Holm's correction allows for. */
  readonly comparisons: number
  /** Cells without one of the dimensions of `by`. */
  readonly withoutBy: number
}

interface Gathered {
  readonly key: Record<string, Scalar>
  /** The places of its values in the frame, in the order of what they have `over`; those that lack it first. */
  readonly indices: Int32Array
}

const keyText = (key: Readonly<Record<string, Scalar>>, by: readonly string[]): string =>
  JSON.stringify(by.map((dimension) => textOf(key[dimension] ?? "")))

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
  for (const number of numbers) starts[number + 2] = (starts[number + 2] ?? 0) + 1
  for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0)
  const next = starts.slice()
  const sorted = new Int32Array(indices.length)
  for (const index of indices) {
    const place = (numbers[index] ?? -1) + 1
    const at = next[place] ?? 0
    sorted[at] = index
    next[place] = at + 1
  }
  return { sorted, of: (number: number) => sorted.subarray(starts[number + 1], starts[number + 2]) }
}

/** All places of a frame, in the order of what they have at a dimension. */
function orderedOver({ values, columns }: Frame, over: string | undefined): Int32Array {
  const all = new Int32Array(values.length)
  for (let at = 0; at < all.length; at += 1) all[at] = at
  const column = over === undefined ? undefined : columns.get(over)
  if (column === undefined) return all
  const ranks = ranksOf(column)
  return inOrder(
    all,
    column.codes.map((code) => ranks[code] ?? -1),
    ranks.length,
  ).sorted
}

function gathered(frame: Frame, { by, over, absent }: Question): { groups: Gathered[]; withoutBy: number } {
  let groupOf = new Int32Array(frame.values.length)
  let keys: Record<string, Scalar>[] = [{}]
  for (const dimension of by) {
    const { codes, scalars } = frame.columns.get(dimension) ?? { codes: undefined, scalars: [] }
    const known = new Map<number, number>()
    const next: Record<string, Scalar>[] = []
    const absentCode = scalars.findIndex((scalar) => textOf(scalar) === absent)
    groupOf = groupOf.map((group, index) => {
      const own = codes?.[index] ?? -1
      const code = own === -1 ? absentCode : own
      const value = scalars[code] ?? absent
      if (group === -1 || value === undefined) return -1
      const pair = group * (scalars.length + 1) + code + 1
      const found = known.get(pair) ?? next.push({ ...keys[group], [dimension]: value }) - 1
      known.set(pair, found)
      return found
    })
    keys = next
  }
  const { of } = inOrder(orderedOver(frame, over), groupOf, keys.length)
  const groups = keys.map((key, group) => ({ key, indices: of(group) })).filter(({ indices }) => indices.length > 0)
  return { groups: groups.sort(compareKeys(by)), withoutBy: of(-1).length }
}

/** The finite values of some places that are in the order of what they have `over`, one for each value of it; without `over` each place is one. */
function pointsAmong(frame: Frame, finite: Int32Array, over: string | undefined): Points {
  if (over === undefined) return new Points(valuesAt(frame, finite).sort(), null)
  const { codes, scalars } = frame.columns.get(over) ?? { codes: new Int32Array(), scalars: [] }
  const values = new Float64Array(finite.length)
  const overs: Scalar[] = []
  for (let from = 0, to: number; from < finite.length; from = to) {
    const code = codes[finite[from] ?? -1] ?? -1
    for (to = from + 1; to < finite.length && codes[finite[to] ?? -1] === code; ) to += 1
    const scalar = scalars[code]
    if (scalar === undefined) continue
    values[overs.length] = meanOf(frame, finite, from, to)
    overs.push(scalar)
  }
  return new Points(values.subarray(0, overs.length), overs)
}

function meanOf(frame: Frame, indices: Int32Array, from: number, to: number): number {
  if (to === from + 1) return frame.values[indices[from] ?? -1] ?? Number.NaN
  return sumOf(valuesAt(frame, indices.subarray(from, to))) / (to - from)
}

/** Those of some places whose value is a number. */
function finiteAmong({ values }: Frame, indices: Int32Array): Int32Array {
  const finite = new Int32Array(indices.length)
  let size = 0
  for (const index of indices) if (Number.isFinite(values[index])) finite[size++] = index
  return finite.subarray(0, size)
}

/** The finite values of a frame, one for each value of `over`; without `over` each value is one. */
export const pointsOf = (frame: Frame, over: string | undefined): Points =>
  pointsAmong(frame, finiteAmong(frame, orderedOver(frame, over)), over)

const isOneOf = (values: readonly string[]): boolean => new Set(values).size < 2

function described(frame: Frame, { key, indices }: Gathered, { over, against }: Question): Omit<Group, "contrast"> {
  const finite = finiteAmong(frame, indices)
  const points = pointsAmong(frame, finite, over)
  const sources = sortedBy(sourcesIn(frame, indices), ({ label }) => label.slice(1))
  const overCodes = over === undefined ? undefined : frame.columns.get(over)?.codes
  return {
    key,
    summary: points.values.length === 0 ? null : summaryOf(points.values),
    points,
    nonFinite: indices.length - finite.length,
    withoutOver: over === undefined ? 0 : indices.filter((index) => (overCodes?.[index] ?? -1) === -1).length,
    attempts: sources,
    differs: [
      ...(isOneOf(sources.map(({ commit }) => commit)) ? [] : (["code"] as const)),
      ...(isOneOf(sources.map(({ inputs }) => inputs)) ? [] : (["inputs"] as const)),
    ],
    isBaseline: against !== undefined && textOf(key[against.dimension] ?? "") === against.value,
  }
}

/**
 * The difference of two groups of one table: paired where both have at least two values of `over` in common, else Welch's.
 * @returns null where either side has no finite value
 */
export function differenceOf(of: Points, against: Points): Omit<Contrast, "corrected"> | null {
  const [ofCount, againstCount] = [of.values.length, against.values.length]
  if (ofCount === 0 || againstCount === 0) return null
  const differences: number[] = []
  of.overs?.forEach((over, at) => {
    const other = against.byOver.get(over)
    if (other !== undefined) differences.push((of.values[at] ?? Number.NaN) - other)
  })
  const sides = { lower: differences.filter((each) => each < 0).length, higher: differences.filter((each) => each > 0).length }
  if (differences.length < 2) return { ...welch(of.values, against.values), pairs: null, unpaired: 0, lower: 0, higher: 0 }
  const unpaired = ofCount + againstCount - 2 * differences.length
  return { ...paired(differences), pairs: differences.length, unpaired, ...sides }
}

/** Works the table out. */
export function tableOf(frame: Frame, question: Question): Table {
  const { groups, withoutBy } = gathered(frame, question)
  const { against, by } = question
  const plain = groups.map((group) => described(frame, group, question))
  if (against === undefined) return { groups: plain.map((group) => ({ ...group, contrast: null })), comparisons: 0, withoutBy }
  const rest = by.filter((dimension) => dimension !== against.dimension)
  const baselines = new Map(plain.filter(({ isBaseline }) => isBaseline).map((group) => [keyText(group.key, rest), group.points]))
  const differences = plain.map((group) => {
    const baseline = group.isBaseline ? undefined : baselines.get(keyText(group.key, rest))
    return baseline === undefined ? null : differenceOf(group.points, baseline)
  })
  const compared = differences.filter((difference) => difference !== null)
  const corrected = holm(compared)
  const correctedOf = new Map(compared.map((difference, index) => [difference, corrected[index] ?? null]))
  return {
    groups: plain.map((group, index) => {
      const difference = differences[index] ?? null
      return { ...group, contrast: difference && { ...difference, corrected: correctedOf.get(difference) ?? null } }
    }),
    comparisons: corrected.filter((each) => each !== null).length,
    withoutBy,
  }
}
