/** Builds a frame, as the service builds it from stored values, from values that a test lists one by one. */
import type { Dimensions, Source } from "../../../src/research/measurements/cells.ts"
import { type Frame, FrameBuilder } from "../../../src/research/measurements/frame.ts"

/** The last value that an attempt reported for a metric at one place of its dimensions. */
export interface Cell {
  readonly attempt: Source
  readonly dimensions: Dimensions
  /** NaN or an infinity if the run diverged. */
  readonly value: number
}

/** Builds a frame of single values. */
export function frameOf(cells: readonly Cell[]): Frame {
  const builder = new FrameBuilder()
  for (const [attempt, own] of Map.groupBy(cells, (cell) => cell.attempt))
    builder.addCells(
      attempt,
      own.map(({ dimensions, value }) => [dimensions, value]),
    )
  return builder.build()
}
