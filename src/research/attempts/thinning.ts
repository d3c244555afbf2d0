/**
 * Curves thinned to what can be seen. A curve is its points one after the other, step and value, in the order of steps. Of each
 * stretch of steps it keeps the first and the last point, the least and the greatest value, and the first NaN, Infinity and
 * -Infinity: so a line through them looks as one through all points does, and nothing that went wrong is lost. What is thinned
 * in parts, in any order, is the same as what is thinned at once.
 */

/** Pairs of step and value. */
export type Curve = Float64Array<ArrayBuffer>

/** Points that are kept of one stretch, at most. */
export const KEPT_OF_STRETCH = 7

export const pointsOf = (curve: Curve): number => curve.length / 2
const at = (curve: Curve, index: number): number => curve[index] ?? Number.NaN

/** A curve of points in the order they were reported; those of one step stay in it. */
export function curveOf(points: readonly (readonly [step: number, value: number])[]): Curve {
  const inOrder = points.every(([step], index) => index === 0 || (points[index - 1]?.[0] ?? 0) <= step)
  return Float64Array.from((inOrder ? points : points.toSorted(([one], [other]) => one - other)).flat())
}

/** Two curves as one; of points of one step, those of the first come first. */
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

/** The places of the points that are kept of one stretch, from `start` up to `end`. */
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

/** What is kept of a curve, stretch by stretch. @param width steps of a stretch, a power of two */
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
    // The first and the last are always kept: of two there is nothing to choose.
    if (end - start <= 4) for (let index = start; index < end; index += 2) keep(index)
    else for (const index of [...keptOf(curve, start, end)].sort((one, other) => one - other)) keep(index)
  }
  return kept.slice(0, length)
}

/** The narrowest stretch with which the steps from `first` to `last` fall into at most so many. */
export function widthFor(first: number, last: number, stretches: number): number {
  let width = 1
  while (Math.floor(last / width) - Math.floor(first / width) >= stretches) width *= 2
  return width
}

/**
 * A curve thinned as little as it takes to have at most `most` points.
 * @param most at least what is kept of two stretches
 * @param width steps of the stretches that it is thinned by already
 */
export function fitted(curve: Curve, most: number, width = 1): { readonly curve: Curve; readonly width: number } {
  let [fits, stretch] = [curve, width]
  while (pointsOf(fits) > most) {
    stretch *= 2
    fits = thinned(fits, stretch)
  }
  return { curve: fits, width: stretch }
}

/** The part of a curve from one step to another, and of either side the point next to it, to which the line goes on. */
export function partOf(curve: Curve, from: number, to: number): Curve {
  let [start, end] = [0, curve.length]
  while (start + 2 < curve.length && at(curve, start + 2) < from) start += 2
  while (end - 4 >= 0 && at(curve, end - 4) > to) end -= 2
  return curve.slice(start, Math.max(start, end))
}
