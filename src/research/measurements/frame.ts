/** Measured values in columns: what tables, effects and boards are worked out from. A quarter of a million values are looked through at once. */
import { type BlockScalars, blockOf, OF_BLOCK } from "../attempts/value-blocks.ts"
import { type Dimensions, type Scalar, type Source, sortedBy, textOf } from "./cells.ts"

/** A dimension of all values of a frame: for each the place of what it has in `scalars`, or −1. */
export interface Column {
  readonly codes: Int32Array
  /** Each once: values that print alike are one. */
  readonly scalars: readonly Scalar[]
}

export interface Frame {
  readonly sources: readonly Source[]
  /** For each value the place of its attempt in `sources`. */
  readonly sourceOf: Int32Array
  /** NaN and the infinities where a run diverged. */
  readonly values: Float64Array
  readonly columns: ReadonlyMap<string, Column>
}

/** The scalars of one dimension, each with a number. */
class Codes {
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

/** For each dimension of a block its codes in the frame, by those in the block. */
export type Layout = ReadonlyMap<string, Int32Array>

interface Block {
  readonly source: number
  readonly values: Float64Array
  readonly layout: Layout
  readonly codes: Uint8Array
}

/** A value with its dimensions. */
export type Cell = readonly [dimensions: Dimensions, value: number]

/** Puts a frame together, block by block. */
export class FrameBuilder {
  readonly #sources = new Map<Source, number>()
  readonly #codes = new Map<string, Codes>()
  readonly #blocks: Block[] = []

  /** The layout of a block; blocks with the same scalars can share it. */
  layoutOf(scalars: BlockScalars): Layout {
    return new Map(
      Object.entries(scalars).map(([name, known]) => {
        const codes = this.#codes.get(name) ?? new Codes()
        this.#codes.set(name, codes)
        return [name, Int32Array.from([-1, ...known.map((scalar) => codes.of(scalar))])]
      }),
    )
  }

  /** @param codes as a block has them */
  add(source: Source, values: Float64Array, layout: Layout, codes: Uint8Array): void {
    const place = this.#sources.get(source) ?? this.#sources.size
    this.#sources.set(source, place)
    this.#blocks.push({ source: place, values, layout, codes })
  }

  /** Adds values that are not in blocks. */
  addCells(source: Source, cells: readonly Cell[]): void {
    for (let from = 0; from < cells.length; from += OF_BLOCK) {
      const some = cells.slice(from, from + OF_BLOCK)
      const { scalars, codes } = blockOf(some.map(([dimensions]) => dimensions))
      const values = Float64Array.from(some, ([, value]) => value)
      this.add(source, values, this.layoutOf(scalars), codes)
    }
  }

  made(): Frame {
    const size = this.#blocks.reduce((sum, { values }) => sum + values.length, 0)
    const [sourceOf, values] = [new Int32Array(size), new Float64Array(size)]
    const columns = new Map([...this.#codes].map(([name, { scalars }]) => [name, { codes: new Int32Array(size).fill(-1), scalars }]))
    let from = 0
    for (const block of this.#blocks) {
      const count = block.values.length
      sourceOf.fill(block.source, from, from + count)
      values.set(block.values, from)
      let read = 0
      for (const [name, ofBlock] of block.layout) {
        const codes = columns.get(name)?.codes ?? new Int32Array()
        for (let at = from; at < from + count; at += 1, read += 1) codes[at] = ofBlock[block.codes[read] ?? 0] ?? -1
      }
      from += count
    }
    return { sources: [...this.#sources.keys()], sourceOf, values, columns }
  }
}

/** The values of a frame that `keeps` says true of. */
export function kept(frame: Frame, keeps: (index: number) => boolean): Frame {
  const all = new Int32Array(frame.values.length)
  let size = 0
  for (let index = 0; index < frame.values.length; index += 1) if (keeps(index)) all[size++] = index
  const some = all.subarray(0, size)
  return {
    sources: frame.sources,
    sourceOf: some.map((index) => frame.sourceOf[index] ?? 0),
    values: valuesAt(frame, some),
    columns: new Map(
      [...frame.columns].map(([name, { codes, scalars }]) => [name, { codes: some.map((index) => codes[index] ?? -1), scalars }]),
    ),
  }
}

/** The values at some places of a frame. */
export function valuesAt({ values }: Frame, indices: Int32Array): Float64Array {
  // A loop: `Float64Array.from` with a function takes ten times as long.
  const some = new Float64Array(indices.length)
  for (let at = 0; at < some.length; at += 1) some[at] = values[indices[at] ?? -1] ?? Number.NaN
  return some
}

/** The values of a frame at a place; a dimension that a value lacks is the empty text. */
export function at(frame: Frame, place: Dimensions): Frame {
  const asked = Object.entries(place).map(([name, value]) => {
    const { codes, scalars } = frame.columns.get(name) ?? { codes: undefined, scalars: [] }
    const code = scalars.findIndex((scalar) => textOf(scalar) === textOf(value))
    return { codes, code, isEmpty: textOf(value) === "" }
  })
  return kept(frame, (index) =>
    asked.every(({ codes, code, isEmpty }) => {
      const own = codes?.[index] ?? -1
      return own === -1 ? isEmpty : own === code
    }),
  )
}

/** The attempts that the values at some places of a frame come from. */
export function sourcesIn({ sources, sourceOf }: Frame, indices?: Int32Array): Source[] {
  const isIn = new Uint8Array(sources.length)
  for (const index of indices ?? sourceOf.keys()) isIn[sourceOf[index] ?? -1] = 1
  return sources.filter((_, place) => isIn[place] === 1)
}

/** How many values of a frame lack a dimension. */
export const without = ({ columns, values }: Frame, name: string): number =>
  columns.get(name)?.codes.filter((code) => code === -1).length ?? values.length

/**
 * A frame whose values have a dimension that some lacked, from the attempt of each.
 * @param own undefined where an attempt has nothing for it
 */
export function filled(frame: Frame, name: string, own: (source: Source) => Scalar | undefined): Frame {
  const column = frame.columns.get(name)
  if (column !== undefined && !column.codes.includes(-1)) return frame
  const codes = new Codes()
  for (const scalar of column?.scalars ?? []) codes.of(scalar)
  const ofSource = frame.sources.map((source) => {
    const scalar = own(source)
    return scalar === undefined ? -1 : codes.of(scalar)
  })
  const whole = frame.sourceOf.map((source, index) => {
    const code = column?.codes[index] ?? -1
    return code === -1 ? (ofSource[source] ?? -1) : code
  })
  return { ...frame, columns: new Map([...frame.columns, [name, { codes: whole, scalars: codes.scalars }]]) }
}

/** For each code of a column its place in the order of the scalars. */
export function ranksOf({ scalars }: Column): Int32Array {
  const ranks = new Int32Array(scalars.length)
  for (const [rank, code] of sortedBy([...scalars.keys()], (code) => scalars[code] ?? "").entries()) ranks[code] = rank
  return ranks
}
