/**
 * The measurement table: cells grouped by dimensions, each group with its mean and interval, and with its difference
 * from the baseline if there is one. Deterministic: the same cells give the same digits in any order.
 */
import { type Scalar, type Source, sortedBy, textOf } from "./cells.ts"
import { type Column, type Frame, valuesAt } from "./frame.ts"
import { type Grouped, grouped, orderedOver, overOf, type Question } from "./grouping.ts"
import { Points } from "./points.ts"
import { type Contrast, holm, paired, type Summary, summaryOf, sumOf, welch } from "./statistics.ts"

export interface Group {
  readonly key: Readonly<Record<string, Scalar>>
  /** Null if no value is finite. */
  readonly summary: Summary | null
  readonly points: Points
  /** Cells without a finite number: diverged runs. */
  readonly nonFinite: number
  /** Cells that lack the dimension `over`; they are left out. */
  readonly withoutOver: number
  readonly attempts: readonly Source[]
  /** What differs between the attempts of the group. */
  readonly differs: readonly ("code" | "inputs")[]
  readonly isBaseline: boolean
  readonly contrast: Contrast | null
}

const keyText = (key: Readonly<Record<string, Scalar>>, by: readonly string[]): string =>
  JSON.stringify(by.map((dimension) => textOf(key[dimension] ?? "")))

/**
 * Returns one point for each value of `over`, or each value if there is no `over`. @param finite indices of finite
 * values, ordered by `over`
 */
function pointsAmong(frame: Frame, finite: Int32Array, over: Column | undefined): Points {
  if (over === undefined) return new Points(valuesAt(frame, finite), null, [])
  const [values, ranks] = [new Float64Array(finite.length), new Int32Array(finite.length)]
  let size = 0
  for (let from = 0, to: number; from < finite.length; from = to) {
    const rank = over.codes[finite[from] ?? -1] ?? -1
    for (to = from + 1; to < finite.length && (over.codes[finite[to] ?? -1] ?? -1) === rank; ) to += 1
    if (rank === -1) continue
    values[size] = meanOf(frame, finite, from, to)
    ranks[size++] = rank
  }
  return new Points(values.subarray(0, size), ranks.subarray(0, size), over.scalars)
}

function meanOf(frame: Frame, indices: Int32Array, from: number, to: number): number {
  if (to === from + 1) return frame.values[indices[from] ?? -1] ?? Number.NaN
  return sumOf(valuesAt(frame, indices.subarray(from, to))) / (to - from)
}

function finiteAmong({ values }: Frame, indices: Int32Array): Int32Array {
  const finite = new Int32Array(indices.length)
  let size = 0
  for (let at = 0; at < indices.length; at += 1) {
    const index = indices[at] ?? -1
    if (Number.isFinite(values[index])) finite[size++] = index
  }
  return finite.subarray(0, size)
}

/**
 * Returns the points of a frame: one for each value of `over`, or each finite value without it. Points from parts of
 * one frame can be compared.
 */
export function pointsOf(frame: Frame, name: string | undefined): Points {
  const over = overOf(frame, name)
  return pointsAmong(frame, finiteAmong(frame, orderedOver(frame, over)), over)
}

/** @param labelled indices of sources, ordered by label */
function described(
  frame: Frame,
  { key, indices }: Grouped,
  { against }: Question,
  over: Column | undefined,
  labelled: readonly number[],
): Omit<Group, "contrast"> {
  const finite = finiteAmong(frame, indices)
  const points = pointsAmong(frame, finite, over)
  const isIn = new Uint8Array(frame.sources.length)
  for (const index of indices) isIn[frame.sourceOf[index] ?? -1] = 1
  const attempts = labelled.flatMap((place) => (isIn[place] === 1 ? (frame.sources[place] ?? []) : []))
  const [first] = attempts
  let withoutOver = 0
  while (over !== undefined && withoutOver < indices.length && (over.codes[indices[withoutOver] ?? -1] ?? -1) < 0)
    withoutOver += 1
  return {
    key,
    summary: points.values.length === 0 ? null : summaryOf(points.values),
    points,
    nonFinite: indices.length - finite.length,
    withoutOver,
    attempts,
    differs: [
      ...(attempts.some(({ commit }) => commit !== first?.commit) ? (["code"] as const) : []),
      ...(attempts.some(({ inputs }) => inputs !== first?.inputs) ? (["inputs"] as const) : []),
    ],
    isBaseline: against !== undefined && textOf(key[against.dimension] ?? "") === against.value,
  }
}

/**
 * Returns the difference of two groups of one table: paired if they have at least two values of `over` in common,
 * otherwise Welch's.
 * @returns null if either side has no finite value
 */
export function differenceOf(of: Points, against: Points): Omit<Contrast, "corrected"> | null {
  const [ofCount, againstCount] = [of.values.length, against.values.length]
  if (ofCount === 0 || againstCount === 0) return null
  const differences = of.less(against)
  if (differences.length < 2)
    return { ...welch(of.values, against.values), pairs: null, unpaired: 0, lower: 0, higher: 0 }
  let [lower, higher] = [0, 0]
  for (let at = 0; at < differences.length; at += 1) {
    const difference = differences[at] ?? 0
    if (difference < 0) lower += 1
    else if (difference > 0) higher += 1
  }
  const unpaired = ofCount + againstCount - 2 * differences.length
  return { ...paired(differences), pairs: differences.length, unpaired, lower, higher }
}

/** Adds to each group its difference from its baseline, corrected for the number of differences. */
export function contrasted<G extends Omit<Group, "contrast">>(
  groups: readonly G[],
  baselineOf: (group: G) => Points | undefined,
): Group[] {
  const differences = groups.map((group) => {
    const baseline = baselineOf(group)
    return baseline === undefined ? null : differenceOf(group.points, baseline)
  })
  const compared = differences.filter((difference) => difference !== null)
  const corrected = new Map(holm(compared).map((each, index) => [compared[index], each]))
  return groups.map((group, index) => {
    const difference = differences[index] ?? null
    return { ...group, contrast: difference && { ...difference, corrected: corrected.get(difference) ?? null } }
  })
}

/**
 * Computes the table. `comparisons` counts the differences with an interval, for which Holm's correction allows, and
 * `withoutBy` the cells without one of the dimensions of `by`.
 */
export function tableOf(frame: Frame, question: Question) {
  const { against, by } = question
  const over = overOf(frame, question.over)
  const { groups, withoutBy } = grouped(frame, question, over)
  const labelled = sortedBy([...frame.sources.keys()], (place) => frame.sources[place]?.label.slice(1) ?? "")
  const plain = groups.map((group) => described(frame, group, question, over, labelled))
  const rest = by.filter((dimension) => dimension !== against?.dimension)
  const baselines = new Map(
    plain.filter(({ isBaseline }) => isBaseline).map((group) => [keyText(group.key, rest), group.points]),
  )
  const all = contrasted(plain, (group) =>
    baselines.size === 0 || group.isBaseline ? undefined : baselines.get(keyText(group.key, rest)),
  )
  return { groups: all, comparisons: all.filter(({ contrast }) => contrast?.corrected != null).length, withoutBy }
}
