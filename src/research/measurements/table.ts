/**
 * The measurement table: cells grouped by dimensions, each group with its mean and interval, and with its difference to a
 * baseline where one is asked for. Deterministic: the same cells give the same digits in any order.
 */
import { type Cell, compareScalars, type Dimensions, type Scalar, type Source, textOf, dimensionAt } from "./cells.ts"
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

/** One value of a group: the mean of its cells at one value of `over`. */
export interface Point {
  readonly over: Scalar | null
  readonly value: number
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
  readonly points: readonly Point[]
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
  readonly cells: Cell[]
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

/** The place of some dimensions among those of `by`; undefined where one is missing. */
function keyOf(dimensions: Dimensions, by: readonly string[], absent: string | undefined): Record<string, Scalar> | undefined {
  const key: Record<string, Scalar> = {}
  for (const dimension of by) {
    const value = dimensionAt(dimensions, dimension) ?? absent
    if (value === undefined) return undefined
    key[dimension] = value
  }
  return key
}

function gathered(cells: readonly Cell[], { by, absent }: Question): { groups: Gathered[]; withoutBy: number } {
  const groups = new Map<string, Gathered>()
  const known = new Map<Dimensions, Gathered | null>()
  function groupOf(dimensions: Dimensions): Gathered | null {
    const key = keyOf(dimensions, by, absent)
    if (key === undefined) return null
    const name = keyText(key, by)
    const group = groups.get(name) ?? { key, cells: [] }
    groups.set(name, group)
    return group
  }
  let withoutBy = 0
  for (const cell of cells) {
    let group = known.get(cell.dimensions)
    if (group === undefined) {
      group = groupOf(cell.dimensions)
      known.set(cell.dimensions, group)
    }
    if (group === null) withoutBy += 1
    else group.cells.push(cell)
  }
  return { groups: [...groups.values()].sort(compareKeys(by)), withoutBy }
}

const meanOf = (values: readonly number[]): number => (values.length === 1 ? (values[0] ?? Number.NaN) : sumOf(values) / values.length)

/** The finite values of a group, one for each value of `over`; without `over` each cell is one. */
export function pointsOf(cells: readonly Cell[], over: string | undefined): Point[] {
  const finite = cells.filter(({ value }) => Number.isFinite(value))
  // Numbers by themselves are sorted several times as fast as objects that hold them.
  if (over === undefined) return Array.from(Float64Array.from(finite, ({ value }) => value).sort(), (value) => ({ over: null, value }))
  const byOver = new Map<string, { over: Scalar; values: number[] }>()
  const known = new Map<Dimensions, number[] | null>()
  for (const { dimensions, value } of finite) {
    let values = known.get(dimensions)
    if (values === undefined) {
      const at = dimensionAt(dimensions, over)
      values = at === undefined ? null : (byOver.get(textOf(at))?.values ?? [])
      if (at !== undefined && values !== null && !byOver.has(textOf(at))) byOver.set(textOf(at), { over: at, values })
      known.set(dimensions, values)
    }
    values?.push(value)
  }
  return [...byOver.values()]
    .map(({ over: at, values }) => ({ over: at, value: meanOf(values) }))
    .sort((one, other) => compareScalars(one.over, other.over))
}

const sourcesOf = (cells: readonly Cell[]): Source[] =>
  [...new Set(cells.map(({ attempt }) => attempt))].sort((one, other) => compareScalars(one.label.slice(1), other.label.slice(1)))

const isOneOf = (values: readonly string[]): boolean => new Set(values).size < 2

function described({ key, cells }: Gathered, { over, against }: Question): Omit<Group, "contrast"> {
  const points = pointsOf(cells, over)
  const sources = sourcesOf(cells)
  return {
    key,
    summary: points.length === 0 ? null : summaryOf(points.map(({ value }) => value)),
    points,
    nonFinite: cells.filter(({ value }) => !Number.isFinite(value)).length,
    withoutOver: over === undefined ? 0 : cells.filter(({ dimensions }) => dimensionAt(dimensions, over) === undefined).length,
    attempts: sources,
    differs: [
      ...(isOneOf(sources.map(({ commit }) => commit)) ? [] : (["code"] as const)),
      ...(isOneOf(sources.map(({ inputs }) => inputs)) ? [] : (["inputs"] as const)),
    ],
    isBaseline: against !== undefined && textOf(key[against.dimension] ?? "") === against.value,
  }
}

/**
 * The difference of two groups: paired where both have at least two values of `over` in common, else Welch's.
 * @returns null where either side has no finite value
 */
export function differenceOf(of: readonly Point[], against: readonly Point[]): Omit<Contrast, "corrected"> | null {
  if (of.length === 0 || against.length === 0) return null
  const known = new Map(against.flatMap(({ over, value }) => (over === null ? [] : [[textOf(over), value] as const])))
  const differences = of.flatMap(({ over, value }) => {
    const other = over === null ? undefined : known.get(textOf(over))
    return other === undefined ? [] : [value - other]
  })
  const sides = { lower: differences.filter((each) => each < 0).length, higher: differences.filter((each) => each > 0).length }
  if (differences.length < 2) {
    const values = (points: readonly Point[]) => points.map(({ value }) => value)
    return { ...welch(values(of), values(against)), pairs: null, unpaired: 0, lower: 0, higher: 0 }
  }
  const unpaired = of.length + against.length - 2 * differences.length
  return { ...paired(differences), pairs: differences.length, unpaired, ...sides }
}

/** Works the table out. */
export function tableOf(cells: readonly Cell[], question: Question): Table {
  const { groups, withoutBy } = gathered(cells, question)
  const { against, by } = question
  const plain = groups.map((group) => described(group, question))
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
