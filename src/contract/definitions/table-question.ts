/** The table of measurements that a checkpoint rests its answer on. */
import * as v from "valibot"
import { described } from "../schema/described.ts"
import { distinct, plain, shape } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { PLACE } from "../schema/patterns.ts"
import { ref } from "../schema/ref.ts"
import { dimensionName, dimensions, pool } from "./work.ts"

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
