/**
 * Keeps a thinned curve of each metric and split of an attempt, and updates it with every report. Reading it costs as
 * little for a long run as for a short one.
 */
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import { type Curve, curveOf, merged, thinned, widthFor } from "./thinning.ts"

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
const partOf = (step: number, stretch: number): number => Math.floor(step / stretch / OF_PART)
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
        : read(series, partOf(added[0] ?? 0, stretch), partOf(added.at(-2) ?? 0, stretch))
      if (isWider) clear.run(...series)
      const curve = thinned(merged(known, added), stretch)
      const [attemptId, name, split, dimensionsId] = series
      for (let start = 0, end: number; start < curve.length; start = end) {
        const part = partOf(curve[start] ?? Number.NaN, stretch)
        end = start
        while (end < curve.length && partOf(curve[end] ?? Number.NaN, stretch) === part) end += 2
        put({ attemptId, name, split, dimensionsId, part, points: bytesOf(curve.subarray(start, end)) })
      }
      return { points: (before?.points ?? 0) + points.length, fromStep, toStep, stretch }
    },

    /** Returns the stored curve of a series between two steps, and a little on both sides. */
    between: (series: Series, { stretch }: SeriesState, from: number, to: number): Curve =>
      read(series, Math.max(0, partOf(from, stretch) - 1), partOf(to, stretch) + 1),
  }
}
