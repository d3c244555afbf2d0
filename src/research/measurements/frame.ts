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
export type Layout = readonly { readonly name: string; readonly ofBlock: Int32Array }[]

/** How many values some bytes hold. */
const countOf = (told: Uint8Array): number => told.length / Float64Array.BYTES_PER_ELEMENT

interface Block {
  readonly source: number
  readonly told: Uint8Array
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
    return Object.entries(scalars).map(([name, known]) => {
      const codes = this.#codes.get(name) ?? new Codes()
      this.#codes.set(name, codes)
      const ofBlock = new Int32Array(known.length + 1).fill(-1, 0, 1)
      known.forEach((scalar, at) => {
        ofBlock[at + 1] = codes.of(scalar)
      })
      return { name, ofBlock }
    })
  }

  /** @param told, codes as a block has them */
  add(source: Source, told: Uint8Array, layout: Layout, codes: Uint8Array): void {
    const place = this.#sources.get(source) ?? this.#sources.size
    this.#sources.set(source, place)
    this.#blocks.push({ source: place, told, layout, codes })
  }

  /** Adds values that are not in blocks. */
  addCells(source: Source, cells: readonly Cell[]): void {
    for (let from = 0; from < cells.length; from += OF_BLOCK) {
      const some = cells.slice(from, from + OF_BLOCK)
      const { scalars, codes } = blockOf(some.map(([dimensions]) => dimensions))
      const values = Float64Array.from(some, ([, value]) => value)
      this.add(source, new Uint8Array(values.buffer), this.layoutOf(scalars), codes)
    }
  }

  made(): Frame {
    const size = this.#blocks.reduce((sum, { told }) => sum + countOf(told), 0)
    const [sourceOf, values] = [new Int32Array(size), new Float64Array(size)]
    const bytes = new Uint8Array(values.buffer)
    const columns = new Map([...this.#codes].map(([name, { scalars }]) => [name, { codes: new Int32Array(size).fill(-1), scalars }]))
    let from = 0
    for (const block of this.#blocks) {
      const count = countOf(block.told)
      sourceOf.fill(block.source, from, from + count)
      bytes.set(block.told, from * Float64Array.BYTES_PER_ELEMENT)
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

/** The values of a frame that `keeps` says true of. */
export function kept(frame: Frame, keeps: (index: number) => boolean): Frame {
  const all = new Int32Array(frame.values.length)
  let size = 0
  for (let index = 0; index < frame.values.length; index += 1) if (keeps(index)) all[size++] = index
  if (size === all.length) return frame
  const some = all.subarray(0, size)
  return {
    sources: frame.sources,
    sourceOf: picked(frame.sourceOf, some, new Int32Array(size)),
    values: valuesAt(frame, some),
    columns: new Map(
      [...frame.columns].map(([name, { codes, scalars }]) => [name, { codes: picked(codes, some, new Int32Array(size)), scalars }]),
    ),
  }
}

/** The numbers at some places of a list. */
function picked<List extends Float64Array | Int32Array>(numbers: List, places: Int32Array, some: List): List {
  // A loop: `Float64Array.from` with a function takes ten times as long.
  for (let at = 0; at < some.length; at += 1) some[at] = numbers[places[at] ?? -1] ?? Number.NaN
  return some
}

/** The values at some places of a frame. */
export const valuesAt = ({ values }: Frame, places: Int32Array): Float64Array => picked(values, places, new Float64Array(places.length))

/** The values of a frame at a place; a dimension that a value lacks is the empty text. */
export function at(frame: Frame, place: Dimensions): Frame {
  const asked = Object.entries(place)
  if (asked.length === 0) return frame
  const wanted = asked.map(([name, value]) => {
    const { codes, scalars } = frame.columns.get(name) ?? { codes: undefined, scalars: [] }
    const code = scalars.findIndex((scalar) => textOf(scalar) === textOf(value))
    return { codes, code, isEmpty: textOf(value) === "" }
  })
  return kept(frame, (index) =>
    wanted.every(({ codes, code, isEmpty }) => {
      const own = codes?.[index] ?? -1
      return own === -1 ? isEmpty : own === code
    }),
  )
}

/** The attempts that the values of a frame come from. */
export function sourcesIn({ sources, sourceOf }: Frame): Source[] {
  const isIn = new Set(sourceOf)
  return sources.filter((_, place) => isIn.has(place))
}

/** How many values of a frame lack a dimension. */
export const without = ({ columns, values }: Frame, name: string): number =>
  columns.get(name)?.codes.filter((code) => code === -1).length ?? values.length

/**
 * A frame whose values have a dimension that some lacked, from the attempt of each.
 * @param own undefined where an attempt has nothing for it; asked once, of attempts with a value that lacks it
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

/** A dimension of all values of a frame with its scalars in order: `codes` are their ranks. */
export function ranked({ codes, scalars }: Column): Column {
  const inOrder = sortedBy([...scalars.keys()], (code) => scalars[code] ?? "")
  const rankOf = new Int32Array(scalars.length)
  inOrder.forEach((code, rank) => (rankOf[code] = rank))
  const ranks = new Int32Array(codes.length)
  for (let at = 0; at < ranks.length; at += 1) ranks[at] = rankOf[codes[at] ?? -1] ?? -1
  return { codes: ranks, scalars: inOrder.flatMap((code) => scalars[code] ?? []) }
}
