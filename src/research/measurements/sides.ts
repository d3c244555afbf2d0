/**
 * The sides of a comparison. Values are compared from as near as possible: within one attempt, then within one
 * experiment at the same commit, and from further apart only where nothing nearer exists.
 */
import { limits } from "../../contract/limits.ts"
import { firstBy, type Scalar, type Source, Points } from "./cells.ts"
import { type Column, type Frame, placesIn, valuesAt, orderedOver, overOf } from "./frame.ts"
import { type Contrast, type Noise, paired, spreadOf, summaryOf, sumOf, welch } from "./statistics.ts"

/** A difference before it is corrected for the number of comparisons. */
export type Gap = Omit<Contrast, "corrected">

/** The settings of a side, by folded name; null if they are not stated. */
export type SideSettings = ReadonlyMap<string, Scalar | null>

const NONE: SideSettings = new Map()

/** The experiment and the commit of an attempt. */
export const runOf = ({ experimentId, commit }: Source): string => `${experimentId} ${commit}`

/** A frame with its values in the order of `over`, and with its attempts numbered by what they have in common. */
export interface Compared {
  readonly frame: Frame
  /** The dimension of repetitions, and its column with sorted scalars. */
  readonly overName: string | undefined
  readonly over: Column | undefined
  /** For each attempt, a number that attempts of the same experiment, commit and merged settings share. */
  readonly clusterOf: Int32Array
}

/** @param common what attempts have in common that are near each other */
export function compared(
  frame: Frame,
  overName: string | undefined,
  common: (source: Source, place: number) => string = runOf,
): Compared {
  const known = new Map<string, number>()
  const clusterOf = Int32Array.from(frame.sources, (source, place) =>
    known.getOrInsert(common(source, place), known.size),
  )
  return { frame, overName, over: overOf(frame, overName), clusterOf }
}

/** Returns the side of the values that a test accepts. */
export const sideAt = (within: Compared, accepts: (index: number) => boolean): Side =>
  new Side(within, finiteAmong(within.frame, orderedOver(within.frame, within.over).filter(accepts)))

/** Returns the finite values among some indices, in their order. */
export function finiteAmong({ values }: Frame, indices: Int32Array): Int32Array {
  const finite = new Int32Array(indices.length)
  let size = 0
  for (let at = 0; at < indices.length; at += 1) {
    const index = indices[at] ?? -1
    if (Number.isFinite(values[index])) finite[size++] = index
  }
  return finite.subarray(0, size)
}

const meanOf = (values: ArrayLike<number>): number =>
  values.length === 1 ? (values[0] ?? Number.NaN) : sumOf(values) / values.length
/** The mean of the values at some indices. Most places have one value, for which no list is made. */
const meanAt = (frame: Frame, indices: ArrayLike<number>): number =>
  indices.length === 1 ? (frame.values[indices[0] ?? -1] ?? Number.NaN) : meanOf(valuesAt(frame, indices))

/**
 * Returns one point for each value of `over`, or each value if there is no `over`. @param finite indices of finite
 * values, ordered by `over`
 */
export function pointsAmong(frame: Frame, finite: Int32Array, over: Column | undefined): Points {
  if (over === undefined) return new Points(valuesAt(frame, finite), null, [])
  const [values, ranks] = [new Float64Array(finite.length), new Int32Array(finite.length)]
  let size = 0
  for (const [rank, some] of byRank(finite, over)) {
    values[size] = meanAt(frame, some)
    ranks[size++] = rank
  }
  return new Points(values.subarray(0, size), ranks.subarray(0, size), over.scalars)
}

/** Yields the indices of each value of `over`, without those that lack it. @param indices ordered by `over` */
function* byRank(indices: Int32Array, { codes }: Column): Generator<readonly [number, Int32Array]> {
  for (let from = 0, to: number; from < indices.length; from = to) {
    const rank = codes[indices[from] ?? -1] ?? -1
    for (to = from + 1; to < indices.length && (codes[indices[to] ?? -1] ?? -1) === rank; ) to += 1
    if (rank !== -1) yield [rank, indices.subarray(from, to)]
  }
}

interface Spread {
  readonly squares: number
  readonly df: number
  readonly n: number
  readonly sources: readonly Source[]
}

/** The finite values of a group, and where they come from. */
export class Side {
  readonly #in: Compared
  readonly #indices: Int32Array
  readonly points: Points
  readonly settings: SideSettings

  /** @param finite indices of finite values, ordered by `over` */
  constructor(within: Compared, finite: Int32Array, settings: SideSettings = NONE) {
    this.#in = within
    const { over } = within
    const first = over === undefined ? 0 : finite.findIndex((index) => (over.codes[index] ?? -1) !== -1)
    this.#indices = finite.subarray(first === -1 ? finite.length : first)
    this.points = pointsAmong(within.frame, finite, within.over)
    this.settings = settings
  }

  #placeOf(index: number): number {
    return this.#in.frame.sourceOf[index] ?? -1
  }
  #clusterAt(index: number): number {
    return this.#in.clusterOf[this.#placeOf(index)] ?? -1
  }
  #knownPlaces: readonly number[] | undefined
  #places(): readonly number[] {
    return (this.#knownPlaces ??= placesIn(this.#in.frame, this.#indices))
  }
  #knownClusters: ReadonlySet<number> | undefined
  #clusters(): ReadonlySet<number> {
    return (this.#knownClusters ??= new Set(this.#places().map((place) => this.#in.clusterOf[place] ?? -1)))
  }
  #among(clusters: ReadonlySet<number>): Side {
    if (this.#clusters().isSubsetOf(clusters)) return this
    const some = this.#indices.filter((index) => clusters.has(this.#clusterAt(index)))
    return new Side(this.#in, some, this.settings)
  }

  /** The attempts that reported its values. */
  sources(): Source[] {
    return this.#places().flatMap((place) => this.#in.frame.sources[place] ?? [])
  }

  /** Whether no setting is stated with two values. One that a side does not state contradicts nothing. */
  agreesWith({ settings }: Side): boolean {
    return this.differingFrom(settings).length === 0
  }
  /** The folded names of the settings that both state, with different values. */
  differingFrom(settings: SideSettings): string[] {
    return [...this.settings].flatMap(([name, value]) => {
      const other = settings.get(name)
      return value === null || other == null || String(other) === String(value) ? [] : [name]
    })
  }

  /** The spread from run to run: over the values of `over`, or over repeats, of attempts that have all in common. */
  get spread(): Spread {
    this.#spread ??= this.#spreadOf()
    return this.#spread
  }
  #spread: Spread | undefined
  #spreadOf(): Spread {
    const own = [...this.#clusters()].map((cluster) => this.#among(new Set([cluster])))
    const known = own.filter(({ points }) => points.values.length > 1)
    const spreads = known.map(({ points: { values } }) => ({ n: values.length, sd: summaryOf(values).sd ?? 0 }))
    return {
      squares: sumOf(spreads.map(({ n, sd }) => sd ** 2 * (n - 1))),
      df: spreads.reduce((sum, { n }) => sum + n - 1, 0),
      n: spreads.reduce((sum, { n }) => sum + n, 0),
      sources: known.flatMap((side) => side.sources()),
    }
  }

  /** Subtracts another side of the same frame from this one. @returns null if either has no finite value */
  less(other: Side): Gap | null {
    if (this.points.values.length === 0 || other.points.values.length === 0) return null
    const theirs = other.#clusters()
    const shared = new Set([...this.#clusters()].filter((cluster) => theirs.has(cluster)))
    const near = [this.#among(shared), other.#among(shared)] as const
    const hasNear = near.every(({ points }) => points.values.length > 0)
    const isNear = hasNear && this.agreesWith(other)
    const [of, against] = hasNear ? near : ([this, other] as const)
    const difference = differenceFrom(of.points, against.points, of.#differences(against, hasNear))
    return {
      ...difference,
      pairedAcross: isNear
        ? null
        : acrossOf([...of.sources(), ...against.sources()], this.differingFrom(other.settings)),
      ...noiseBeside(difference.estimate, noiseOf([of, against], this.#in.overName)),
    }
  }

  /** The difference at each value of `over` that both sides have. @param isNear whether they share clusters */
  #differences(other: Side, isNear: boolean): Float64Array {
    const { over, frame, clusterOf } = this.#in
    if (over === undefined) return new Float64Array()
    const own = this.#places()
    const places = other.#places()
    const shares = own.some((place) => places.includes(place))
    const clusters = new Set([...own, ...places].map((place) => clusterOf[place]))
    const isAlone = own.length === 1 && places.length === 1
    if (!isNear || isAlone || (!shares && clusters.size === 1)) return this.points.less(other.points)
    const theirs = new Map(byRank(other.#indices, over))
    const found: number[] = []
    for (const [rank, mine] of byRank(this.#indices, over)) {
      const partners = theirs.get(rank)
      if (partners === undefined) continue
      const difference =
        (shares ? nearest(frame, mine, partners, (index) => this.#placeOf(index)) : undefined) ??
        nearest(frame, mine, partners, (index) => this.#clusterAt(index))
      if (difference !== undefined) found.push(difference)
    }
    return Float64Array.from(found)
  }
}

/**
 * The mean over what both lists have in common of the difference of their means there; undefined if they have nothing
 * in common.
 */
function nearest(frame: Frame, mine: Int32Array, theirs: Int32Array, of: (index: number) => number) {
  const partners = Map.groupBy(theirs, of)
  const differences: number[] = []
  for (const [key, some] of Map.groupBy(mine, of)) {
    const others = partners.get(key)
    if (others !== undefined) differences.push(meanAt(frame, some) - meanAt(frame, others))
  }
  return differences.length === 0 ? undefined : meanOf(differences)
}

/** What the values of a difference come from. */
function acrossOf(sources: readonly Source[], settings: readonly string[]): NonNullable<Gap["pairedAcross"]> {
  const list = (texts: readonly string[]) => [...new Set(texts)].sort()
  return {
    experiments: list(sources.map(({ experimentId, experimentLabel }) => experimentLabel ?? experimentId)),
    commits: list(sources.map(({ commit }) => commit)),
    settings: [...settings],
  }
}

/** The numbers of a difference: paired if there are at least two pairs, otherwise Welch's. */
function differenceFrom(of: Points, against: Points, differences: Float64Array) {
  if (differences.length < 2)
    return { ...welch(of.values, against.values), pairs: null, unpaired: 0, lower: 0, higher: 0 }
  let [lower, higher] = [0, 0]
  for (let at = 0; at < differences.length; at += 1) {
    const difference = differences[at] ?? 0
    if (difference < 0) lower += 1
    else if (difference > 0) higher += 1
  }
  const unpaired = of.values.length + against.values.length - 2 * differences.length
  return { ...paired(differences), pairs: differences.length, unpaired, lower, higher }
}

/**
 * Returns the difference of two lists of points of one table: paired if they have at least two values of `over` in
 * common, otherwise Welch's.
 * @returns null if either side has no finite value
 */
export const differenceOf = (of: Points, against: Points) =>
  of.values.length === 0 || against.values.length === 0 ? null : differenceFrom(of, against, of.less(against))

/** Whether a difference is smaller than what the same code with the same settings differs by from run to run. */
const noiseBeside = (estimate: number, noise: Noise | null) => ({
  noise,
  belowNoise: noise !== null && Math.abs(estimate) < noise.sd,
})

/** Says what the same code with the same settings differs by from run to run, from the spread within sides. */
export function noiseOf(sides: readonly Side[], over: string | undefined): Noise | null {
  const spreads = sides.map(({ spread }) => spread)
  const labels = spreads.flatMap(({ sources }) => sources.map(({ label }) => label))
  const first = firstBy(labels, limits.noiseAttempts, (label) => label.slice(1))
  return spreadOf(spreads, over === undefined ? "repeats" : over === "seed" ? "seeds" : over, first)
}
