/**
 * Measured values in columns, from which tables, effects and boards are computed. A frame may hold a quarter of a
 * million values.
 */
import { type BlockScalars, blockOf, OF_BLOCK } from "../attempts/reported.ts"
import { type Dimensions, type Scalar, type Source, sortedBy, textOf, compareScalars } from "./cells.ts"

/**
 * A dimension of a frame. For each value, `codes` has an index into `scalars`, or −1 if the value lacks the dimension.
 */
export interface Column {
  readonly codes: Int32Array
  /** Without duplicates; values that print alike are equal. */
  readonly scalars: readonly Scalar[]
}

export interface Frame {
  readonly sources: readonly Source[]
  /** For each value, the index of its attempt in `sources`. */
  readonly sourceOf: Int32Array
  /** NaN or an infinity if a run diverged. */
  readonly values: Float64Array
  readonly columns: ReadonlyMap<string, Column>
}

/** Assigns a code to each scalar of one dimension; scalars that print alike have one. */
export class Codes {
  readonly scalars: Scalar[] = []
  readonly #byText = new Map<string, number>()
  readonly #byScalar = new Map<Scalar, number>()

  of(scalar: Scalar): number {
    const known = this.#byScalar.get(scalar)
    if (known !== undefined) return known
    const text = textOf(scalar)
    const code = this.#byText.get(text) ?? this.scalars.push(scalar) - 1
    this.#byText.set(text, code)
    this.#byScalar.set(scalar, code)
    return code
  }
}

/** For each dimension of a block, maps its codes in the block to its codes in the frame. */
export type Layout = readonly { readonly name: string; readonly ofBlock: Int32Array }[]

const countOf = (bytes: Uint8Array): number => bytes.length / Float64Array.BYTES_PER_ELEMENT

interface Block {
  readonly source: number
  readonly bytes: Uint8Array
  readonly layout: Layout
  readonly codes: Uint8Array
}

export type Cell = readonly [dimensions: Dimensions, value: number]

/** Builds a frame block by block. */
export class FrameBuilder {
  readonly #sources = new Map<Source, number>()
  readonly #codes = new Map<string, Codes>()
  readonly #blocks: Block[] = []

  /** The layout of a block; blocks with the same scalars can share it. */
  layoutOf(scalars: BlockScalars): Layout {
    return Object.entries(scalars).map(([name, known]) => {
      const codes = this.#codes.getOrInsertComputed(name, () => new Codes())
      const ofBlock = new Int32Array(known.length + 1).fill(-1, 0, 1)
      known.forEach((scalar, at) => {
        ofBlock[at + 1] = codes.of(scalar)
      })
      return { name, ofBlock }
    })
  }

  /** @param bytes, codes as stored in a block */
  add(source: Source, bytes: Uint8Array, layout: Layout, codes: Uint8Array): void {
    const place = this.#sources.getOrInsert(source, this.#sources.size)
    this.#blocks.push({ source: place, bytes, layout, codes })
  }

  /** Adds values that are not stored in blocks. */
  addCells(source: Source, cells: readonly Cell[]): void {
    for (let from = 0; from < cells.length; from += OF_BLOCK) {
      const some = cells.slice(from, from + OF_BLOCK)
      const { scalars, codes } = blockOf(some.map(([dimensions]) => dimensions))
      const values = Float64Array.from(some, ([, value]) => value)
      this.add(source, new Uint8Array(values.buffer), this.layoutOf(scalars), codes)
    }
  }

  build(): Frame {
    const size = this.#blocks.reduce((sum, { bytes }) => sum + countOf(bytes), 0)
    const [sourceOf, values] = [new Int32Array(size), new Float64Array(size)]
    const valueBytes = new Uint8Array(values.buffer)
    const columns = new Map(
      [...this.#codes].map(([name, { scalars }]) => [name, { codes: new Int32Array(size).fill(-1), scalars }]),
    )
    let from = 0
    for (const block of this.#blocks) {
      const count = countOf(block.bytes)
      sourceOf.fill(block.source, from, from + count)
      valueBytes.set(block.bytes, from * Float64Array.BYTES_PER_ELEMENT)
      let read = 0
      for (const { name, ofBlock } of block.layout) {
        const codes = columns.get(name)?.codes ?? new Int32Array()
        for (let at = from; at < from + count; at += 1, read += 1) codes[at] = ofBlock[block.codes[read] ?? 0] ?? -1
      }
      from += count
    }
    return { sources: [...this.#sources.keys()], sourceOf, values, columns }
  }
}

/** Returns the values of a frame whose index `accepts` returns true for. */
export function filtered(frame: Frame, accepts: (index: number) => boolean): Frame {
  const all = new Int32Array(frame.values.length)
  let size = 0
  for (let index = 0; index < frame.values.length; index += 1) if (accepts(index)) all[size++] = index
  if (size === all.length) return frame
  const some = all.subarray(0, size)
  return {
    sources: frame.sources,
    sourceOf: picked(frame.sourceOf, some, new Int32Array(size)),
    values: valuesAt(frame, some),
    columns: new Map(
      [...frame.columns].map(([name, { codes, scalars }]) => [
        name,
        { codes: picked(codes, some, new Int32Array(size)), scalars },
      ]),
    ),
  }
}

/** Copies the numbers at some indices into `target`. */
function picked<List extends Float64Array | Int32Array>(numbers: List, indices: ArrayLike<number>, target: List): List {
  // `Float64Array.from` with a function takes ten times as long as this loop.
  for (let at = 0; at < target.length; at += 1) target[at] = numbers[indices[at] ?? -1] ?? Number.NaN
  return target
}

export const valuesAt = ({ values }: Frame, indices: ArrayLike<number>): Float64Array =>
  picked(values, indices, new Float64Array(indices.length))

/** Whether a code matches a value of a place. A dimension that a value lacks is the empty text. */
function matching(frame: Frame, name: string, value: Scalar) {
  const { codes, scalars } = frame.columns.get(name) ?? { codes: undefined, scalars: [] }
  const code = scalars.findIndex((scalar) => textOf(scalar) === textOf(value))
  const isEmpty = textOf(value) === ""
  return (index: number): boolean => {
    const own = codes?.[index] ?? -1
    return own === -1 ? isEmpty : own === code
  }
}

/** Returns a test for the indices of values that match a place. */
export function isAt(frame: Frame, place: Dimensions): (index: number) => boolean {
  const wanted = Object.entries(place).map(([name, value]) => matching(frame, name, value))
  return (index) => wanted.every((matches) => matches(index))
}

/**
 * Returns the values of a frame that match conditions: a value, `none` for a dimension that is absent (or says so), and
 * either with `!` before it for the opposite.
 */
export function atConditions(frame: Frame, where: Dimensions): Frame {
  const tests = Object.entries(where).map(([name, value]) => {
    const isNot = typeof value === "string" && value.startsWith("!")
    const wanted = isNot ? value.slice(1) : value
    const [says, lacks] = [matching(frame, name, wanted), matching(frame, name, "")]
    return (index: number) => (says(index) || (wanted === "none" && lacks(index))) !== isNot
  })
  return tests.length === 0 ? frame : filtered(frame, (index) => tests.every((test) => test(index)))
}

/** Returns the places of the attempts that reported some values, or all values of a frame, in ascending order. */
export function placesIn({ sources, sourceOf }: Frame, indices?: Int32Array): number[] {
  const isIn = new Uint8Array(sources.length)
  const places: number[] = []
  const count = indices?.length ?? sourceOf.length
  for (let at = 0; at < count; at += 1) {
    const place = sourceOf[indices === undefined ? at : (indices[at] ?? -1)] ?? -1
    if (isIn[place] !== 0) continue
    isIn[place] = 1
    places.push(place)
  }
  return places.sort((one, other) => one - other)
}

/** Returns the attempts that reported the values of a frame. */
export const sourcesIn = (frame: Frame): Source[] => placesIn(frame).flatMap((place) => frame.sources[place] ?? [])

/** Counts the values of a frame that lack a dimension. */
export const countWithout = ({ columns, values }: Frame, name: string): number =>
  columns.get(name)?.codes.filter((code) => code === -1).length ?? values.length

/**
 * Fills in a dimension that some values of a frame lack, from the attempt of each.
 * @param own returns undefined if an attempt has no value for it; called once for each attempt that needs it
 */
export function filled(frame: Frame, name: string, own: (source: Source) => Scalar | undefined): Frame {
  const column = frame.columns.get(name)
  if (column !== undefined && !column.codes.includes(-1)) return frame
  const codes = new Codes()
  for (const scalar of column?.scalars ?? []) codes.of(scalar)
  const known: number[] = []
  const ofSource = (source: Source | undefined): number => {
    const scalar = source && own(source)
    return scalar === undefined ? -1 : codes.of(scalar)
  }
  const whole = frame.sourceOf.map((place, index) => {
    const code = column?.codes[index] ?? -1
    return code === -1 ? (known[place] ??= ofSource(frame.sources[place])) : code
  })
  return { ...frame, columns: new Map([...frame.columns, [name, { codes: whole, scalars: codes.scalars }]]) }
}

/** Sorts the scalars of a column, so that its codes are ranks. */
function ranked({ codes, scalars }: Column): Column {
  const inOrder = sortedBy([...scalars.keys()], (code) => scalars[code] ?? "")
  const rankOf = new Int32Array(scalars.length)
  inOrder.forEach((code, rank) => (rankOf[code] = rank))
  const ranks = new Int32Array(codes.length)
  for (let at = 0; at < ranks.length; at += 1) ranks[at] = rankOf[codes[at] ?? -1] ?? -1
  return { codes: ranks, scalars: inOrder.flatMap((code) => scalars[code] ?? []) }
}

// Groups the values of a frame by some of their dimensions.

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
  readonly named?: readonly string[] | undefined
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
