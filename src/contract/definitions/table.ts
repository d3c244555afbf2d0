/** A table of values in CSV that a report brings instead of metrics. */
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
