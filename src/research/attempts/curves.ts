/**
 * The curve of each metric and split of an attempt, kept beside its points as they land, thinned: a reader reads
 * as little of a long run as of a short one.
 */
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { type Curve, curveOf, merged, thinned, widthFor } from "./thinning.ts"

/** Stretches of a curve, at most: more than a screen has columns, so that a part of it can be looked at closer. */
const STRETCHES = 2_048
/** Stretches that are kept in one row: what one more point moves. */
const OF_PART = 32

/** What is known of a series of points without looking at them. */
export interface SeriesState {
  readonly points: number
  /** The least and the greatest step. */
  readonly fromStep: number
  readonly toStep: number
  /** Steps of one stretch of its curve. */
  readonly stretch: number
}

/** A point of the curve. If no step was reported, its index among all points of the attempt is used. */
export type NewPoint = readonly [step: number, value: number]

/** What a series is of; the split is empty and the dimensions are 0 where there are none. */
export type Series = readonly [attemptId: string, name: string, split: string, dimensionsId: number]

interface Part {
  readonly part: number
  readonly points: Buffer
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Curve): Buffer => Buffer.from(buffer, byteOffset, byteLength)
/** Copied, since a view of numbers must begin at a multiple of their size. */
const curveIn = ({ points }: Part): Curve => new Float64Array(new Uint8Array(points).buffer)

export type Curves = ReturnType<typeof curves>

export function curves(db: Db) {
  const state = db.prepare<SeriesState>(
    "SELECT points, from_step AS fromStep, to_step AS toStep, stretch FROM attempt_last_metrics WHERE attempt_id = +? AND name = +? AND split = +? AND dimensions_id = +?",
  )
  const some = db.prepare<Part>(
    "SELECT part, points FROM attempt_curves WHERE attempt_id = +? AND name = +? AND split = +? AND dimensions_id = +? AND part BETWEEN +? AND +? ORDER BY part",
  )
  const put = inserting(db, "attempt_curves", { onConflict: "DO UPDATE SET points = excluded.points" })
  const clear = db.prepare("DELETE FROM attempt_curves WHERE attempt_id = +? AND name = +? AND split = +? AND dimensions_id = +?")

  const read = (series: Series, from: number, to: number): Curve =>
    some.all(...series, from, to).reduce<Curve>((curve, part) => merged(curve, curveIn(part)), new Float64Array())

  return {
    /** What is known of a series; undefined where it has no point. */
    state: (...series: Series) => state.get(...series),

    /** Adds points that landed together to the curve of their series. @returns what is to be kept of the series with them */
    add(series: Series, landed: readonly NewPoint[]): SeriesState {
      const before = state.get(...series)
      const added = curveOf(landed)
      const fromStep = Math.min(before?.fromStep ?? Number.POSITIVE_INFINITY, added[0] ?? 0)
      const toStep = Math.max(before?.toStep ?? 0, added.at(-2) ?? 0)
      const stretch = widthFor(fromStep, toStep, STRETCHES)
      const partAt = (step: number) => Math.floor(step / stretch / OF_PART)
      const isWider = before !== undefined && before.stretch !== stretch
      const known = isWider ? read(series, 0, Number.MAX_SAFE_INTEGER) : read(series, partAt(added[0] ?? 0), partAt(added.at(-2) ?? 0))
      if (isWider) clear.run(...series)
      const curve = thinned(merged(known, added), stretch)
      const [attemptId, name, split, dimensionsId] = series
      for (let start = 0, end: number; start < curve.length; start = end) {
        const part = partAt(curve[start] ?? Number.NaN)
        end = start
        while (end < curve.length && partAt(curve[end] ?? Number.NaN) === part) end += 2
        put({ attemptId, name, split, dimensionsId, part, points: bytesOf(curve.subarray(start, end)) })
      }
      return { points: (before?.points ?? 0) + landed.length, fromStep, toStep, stretch }
    },

    /** The kept curve of a series from one step to another, and a little beyond. */
    between(series: Series, { stretch }: SeriesState, from: number, to: number): Curve {
      const partAt = (step: number) => Math.floor(step / stretch / OF_PART)
      return read(series, Math.max(0, partAt(from) - 1), partAt(to) + 1)
    },
  }
}
