/**
 * Thins curves without a visible change. A curve is a list of points in the order of steps, each a step and a value.
 * For each stretch of steps, thinning keeps the first and last point, the least and greatest value, and the first NaN,
 * Infinity and
 * -Infinity, so that the line looks the same and no fault is lost. Thinning parts, in any order, gives the same result
 * as thinning the whole curve.
 */

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
