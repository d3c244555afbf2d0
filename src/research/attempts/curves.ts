/**
 * Keeps a thinned curve of each metric and split of an attempt, and updates it with every report. Reading it costs as
 * little for a long run as for a short one.
 */
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"

// Thins curves without a visible change. A curve is a list of points in the order of steps, each a step and a value.
// For each stretch of steps, thinning keeps the first and last point, the least and greatest value, and the first
// NaN, Infinity and -Infinity, so that the line looks the same and no fault is lost. Thinning parts, in any order,
// gives the same result as thinning the whole curve.

/** Pairs of step and value. */
export type Curve = Float64Array<ArrayBuffer>

/** The most points that are kept of one stretch. */
export const KEPT_OF_STRETCH = 7

export const pointsOf = (curve: Curve): number => curve.length / 2
const at = (curve: Curve, index: number): number => curve[index] ?? Number.NaN

/** Makes a curve of points. Points with the same step keep the order in which they were reported. */
export function curveOf(points: readonly (readonly [step: number, value: number])[]): Curve {
  const inOrder = points.every(([step], index) => index === 0 || (points[index - 1]?.[0] ?? 0) <= step)
  return Float64Array.from((inOrder ? points : points.toSorted(([one], [other]) => one - other)).flat())
}

/** Merges two curves. Of points with the same step, those of `one` come first. */
export function merged(one: Curve, other: Curve): Curve {
  if (one.length === 0) return other
  if (other.length === 0) return one
  const both = new Float64Array(one.length + other.length)
  if (at(one, one.length - 2) <= at(other, 0)) {
    both.set(one)
    both.set(other, one.length)
    return both
  }
  for (let to = 0, i = 0, j = 0; to < both.length; to += 2) {
    const takesOne = j >= other.length || (i < one.length && at(one, i) <= at(other, j))
    const [from, index] = takesOne ? [one, i] : [other, j]
    both[to] = at(from, index)
    both[to + 1] = at(from, index + 1)
    if (takesOne) i += 2
    else j += 2
  }
  return both
}

/** Returns the indexes of the points to keep of the stretch from `start` to `end`. */
function keptOf(curve: Curve, start: number, end: number): Set<number> {
  const found = { least: -1, greatest: -1, nan: -1, up: -1, down: -1 }
  for (let index = start; index < end; index += 2) {
    const value = at(curve, index + 1)
    if (Number.isFinite(value)) {
      if (found.least < 0 || value < at(curve, found.least + 1)) found.least = index
      if (found.greatest < 0 || value > at(curve, found.greatest + 1)) found.greatest = index
    } else {
      const kind = Number.isNaN(value) ? "nan" : value > 0 ? "up" : "down"
      if (found[kind] < 0) found[kind] = index
    }
  }
  return new Set([start, ...Object.values(found).filter((index) => index >= 0), end - 2])
}

/** Thins a curve stretch by stretch. @param width the steps in a stretch, a power of two */
export function thinned(curve: Curve, width: number): Curve {
  const kept = new Float64Array(curve.length)
  let length = 0
  const keep = (index: number) => {
    kept[length] = at(curve, index)
    kept[length + 1] = at(curve, index + 1)
    length += 2
  }
  for (let start = 0, end: number; start < curve.length; start = end) {
    const beyond = (Math.floor(at(curve, start) / width) + 1) * width
    end = start
    while (end < curve.length && at(curve, end) < beyond) end += 2
    // A stretch of one or two points is kept whole.
    if (end - start <= 4) for (let index = start; index < end; index += 2) keep(index)
    else for (const index of [...keptOf(curve, start, end)].sort((one, other) => one - other)) keep(index)
  }
  return kept.slice(0, length)
}

/** Returns the narrowest width that divides the steps from `first` to `last` into at most `stretches`. */
export function widthFor(first: number, last: number, stretches: number): number {
  let width = 1
  while (Math.floor(last / width) - Math.floor(first / width) >= stretches) width *= 2
  return width
}

/**
 * Thins a curve just enough to have at most `most` points.
 * @param most at least twice KEPT_OF_STRETCH
 * @param width the steps in a stretch that the curve is already thinned by
 */
export function fitted(curve: Curve, most: number, width = 1): { readonly curve: Curve; readonly width: number } {
  let [fits, stretch] = [curve, width]
  while (pointsOf(fits) > most) {
    stretch *= 2
    fits = thinned(fits, stretch)
  }
  return { curve: fits, width: stretch }
}

/** Returns the part of a curve between two steps, with one point more on each side so that the line continues. */
export function partOf(curve: Curve, from: number, to: number): Curve {
  let [start, end] = [0, curve.length]
  while (start + 2 < curve.length && at(curve, start + 2) < from) start += 2
  while (end - 4 >= 0 && at(curve, end - 4) > to) end -= 2
  return curve.slice(start, Math.max(start, end))
}

/** The most stretches of a curve. A screen has fewer columns, so a reader can still zoom in. */
const STRETCHES = 2_048
/** The number of stretches in one row. A new point rewrites its row. */
const OF_PART = 32

/**
 * The state of a series, known without reading its points: their number, the least and the greatest step, and the steps
 * of one stretch.
 */
export type SeriesState = Pick<NewRow<"attempt_last_metrics">, "points" | "fromStep" | "toStep" | "stretch">

/** A point of the curve. If no step was reported, its index among all points of the attempt is used. */
export type NewPoint = readonly [step: number, value: number]

/** The key of a series. Without a split it is empty; without dimensions their id is 0. */
export type Series = readonly [attemptId: string, name: string, split: string, dimensionsId: number]

const bytesOf = ({ buffer, byteOffset, byteLength }: Curve): Buffer => Buffer.from(buffer, byteOffset, byteLength)
/** The part that holds a step. @param stretch steps of one stretch */
const storedPartOf = (step: number, stretch: number): number => Math.floor(step / stretch / OF_PART)
/** Copies the bytes, because a Float64Array must be aligned. */
const curveIn = (points: Buffer): Curve => new Float64Array(new Uint8Array(points).buffer)

export type Curves = ReturnType<typeof curves>

export function curves(db: Db) {
  const state = db.prepare<SeriesState>(
    `SELECT points, from_step AS fromStep, to_step AS toStep, stretch
      FROM attempt_last_metrics
      WHERE attempt_id = +? AND name = +? AND split = +? AND dimensions_id = +?`,
  )
  const some = db.prepare<{ points: Buffer }>(
    `SELECT points FROM attempt_curves WHERE attempt_id = +? AND name = +? AND split = +? AND dimensions_id = +?
        AND part BETWEEN +? AND +? ORDER BY part`,
  )
  const put = inserting(db, "attempt_curves", { onConflict: "DO UPDATE SET points = excluded.points" })
  const clear = db.prepare(
    "DELETE FROM attempt_curves WHERE attempt_id = +? AND name = +? AND split = +? AND dimensions_id = +?",
  )

  const read = (series: Series, from: number, to: number): Curve =>
    some
      .all(...series, from, to)
      .reduce<Curve>((curve, { points }) => merged(curve, curveIn(points)), new Float64Array())

  return {
    /** Returns the state of a series; undefined if it has no points. */
    state: (...series: Series) => state.get(...series),

    /** Adds points to the curve of their series. @returns the new state, which the caller stores */
    add(series: Series, points: readonly NewPoint[]): SeriesState {
      const before = state.get(...series)
      const added = curveOf(points)
      const fromStep = Math.min(before?.fromStep ?? Number.POSITIVE_INFINITY, added[0] ?? 0)
      const toStep = Math.max(before?.toStep ?? 0, added.at(-2) ?? 0)
      const stretch = widthFor(fromStep, toStep, STRETCHES)
      const isWider = before !== undefined && before.stretch !== stretch
      const known = isWider
        ? read(series, 0, Number.MAX_SAFE_INTEGER)
        : read(series, storedPartOf(added[0] ?? 0, stretch), storedPartOf(added.at(-2) ?? 0, stretch))
      if (isWider) clear.run(...series)
      const curve = thinned(merged(known, added), stretch)
      const [attemptId, name, split, dimensionsId] = series
      for (let start = 0, end: number; start < curve.length; start = end) {
        const part = storedPartOf(curve[start] ?? Number.NaN, stretch)
        end = start
        while (end < curve.length && storedPartOf(curve[end] ?? Number.NaN, stretch) === part) end += 2
        put({ attemptId, name, split, dimensionsId, part, points: bytesOf(curve.subarray(start, end)) })
      }
      return { points: (before?.points ?? 0) + points.length, fromStep, toStep, stretch }
    },

    /** Returns the stored curve of a series between two steps, and a little on both sides. */
    between: (series: Series, { stretch }: SeriesState, from: number, to: number): Curve =>
      read(series, Math.max(0, storedPartOf(from, stretch) - 1), storedPartOf(to, stretch) + 1),
  }
}
