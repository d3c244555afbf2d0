/** A table of values in CSV that a report brings instead of metrics, and what its columns were read as. */
import * as v from "valibot"
import { limits } from "../limits.ts"
import { described } from "../schema/described.ts"
import { list, plain, shape, text } from "../schema/fields.ts"

/**
 * The columns `by` are dimensions though they hold numbers; the cells `missing` stand for a missing value; `metric`
 * names the metric of a table that does not name it, as of TensorBoard.
 */
export const table = described(
  shape({
    csv: text(limits.pastedTable),
    by: v.exactOptional(list(plain(limits.name), limits.dimensions)),
    missing: v.exactOptional(list(plain(limits.unit), limits.missingCells)),
    metric: v.exactOptional(plain(limits.name)),
  }),
  "Metrics as a CSV table, instead of metrics. The receipt says in readAs how it was read: rehearse it first.",
)

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
