/** A frame as the service makes one of stored values, of values that a test names one by one. */
import { blockOf } from "../../../src/research/attempts/value-blocks.ts"
import type { Cell } from "../../../src/research/measurements/cells.ts"
import { type Frame, FrameBuilder } from "../../../src/research/measurements/frame.ts"

/** A frame of single values. */
export function frameOf(cells: readonly Cell[]): Frame {
  const builder = new FrameBuilder()
  for (const [attempt, own] of Map.groupBy(cells, (cell) => cell.attempt))
    builder.add(
      attempt,
      own.map(({ value }) => value),
      builder.coded(blockOf(own.map(({ dimensions }) => dimensions))),
    )
  return builder.made()
}
