/** What the columns of a table of values were read as. */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"

export const readAs = shape({
  metrics: v.array(shape({ column: v.string(), values: v.number(), missing: v.number() })),
  dimensions: v.array(v.string()),
  /** The column of the steps. */
  step: v.nullable(v.string()),
  /** Columns of times, of numbered rows, of ranges that a chart adds, and without any cell. */
  ignored: v.array(v.string()),
})
/** What the columns of a table were read as: a metric's column, or in the long form its name, with its cells. */
export type ReadAs = v.InferOutput<typeof readAs>
