/** A table of values in CSV that a report brings instead of metrics. */
import * as v from "valibot"
import { described } from "../schema/validation.ts"
import { distinct, plain, shape, list, text } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { PLACE } from "../schema/patterns.ts"
import { ref } from "../schema/ref.ts"
import { dimensionName, dimensions, pool } from "./work.ts"

// The table of measurements that a checkpoint rests its answer on.

const some = v.exactOptional

export const tableQuestion = shape({
  metric: plain(limits.name),
  split: some(plain(limits.name)),
  by: distinct(dimensionName, limits.dimensions, 1),
  over: some(dimensionName),
  against: some(
    described(
      v.pipe(v.string("must be a string"), v.regex(PLACE, "must be a dimension and a value, such as arm:baseline")),
      "The group that the others are compared with.",
    ),
  ),
  where: some(dimensions),
  pool: some(pool),
  experimentIds: some(distinct(ref("experiment"), limits.references, 1)),
})
export type TableQuestion = v.InferOutput<typeof tableQuestion>

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
