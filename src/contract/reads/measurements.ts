/** The reads that compute means, intervals and differences from what attempts reported. */
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import { oneOf, plain } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { recordEffects } from "../answers/gathered.ts"
import { measurementTable } from "../answers/measurements.ts"
import { DIMENSION } from "../schema/patterns.ts"
import { read } from "../definitions/read.ts"
import { files, markdown } from "./shared.ts"
import { commaList, ids, words } from "../definitions/parameters.ts"

/** A dimension with one of its values, such as `arm:baseline`. */
const PLACE = /^[a-z][a-z0-9_]{0,31}:[^,]{1,64}$/u

const parameters = {
  metric: v.exactOptional(plain(limits.name)),
  split: v.exactOptional(plain(limits.name)),
  by: v.exactOptional(commaList(DIMENSION, limits.dimensions, "dimensions")),
  over: v.exactOptional(v.pipe(v.string(), v.regex(DIMENSION, "must be a dimension"))),
  against: v.exactOptional(v.pipe(v.string(), v.regex(PLACE, "must be a dimension and a value, such as arm:baseline"))),
  where: v.exactOptional(commaList(PLACE, limits.dimensions, "dimensions with a value, such as labels:400")),
  intents: v.exactOptional(words(enumerations.attemptIntent)),
  attempts: v.exactOptional(ids(limits.comparedAttempts)),
  points: v.exactOptional(oneOf(["1"])),
}

const formats = { csv: files.csv, ...markdown }

const summary =
  "What the succeeded attempts measured: a metric grouped by dimensions, each group with n, mean, sd, standard error and 95 % interval. over names the dimension of repetitions, such as seed; against=arm:baseline adds the difference to that group: paired over that dimension if both sides have it, else Welch's, and corrected for the number of comparisons (Holm). where=labels:400 keeps only values with that dimension. Without metric, the answer lists the metrics and their dimensions."

export const measurementReads = [
  read({
    name: "record_effects",
    at: true,
    path: "/api/research/records/{versionId}/effects",
    summary:
      "The effects of the findings that count for or against a record, such as a hypothesis, grouped by what they compare: each estimate with its interval, n, author and code, and a pooled estimate (random effects) if there are at least three that share no attempt.",
    answer: recordEffects,
  }),
  read({
    name: "experiment_measurements",
    costly: true,
    at: true,
    path: "/api/research/experiments/{experimentId}/measurements",
    summary,
    parameters,
    answer: measurementTable,
    formats,
  }),
  read({
    name: "room_measurements",
    costly: true,
    at: true,
    path: "/api/research/rooms/{roomId}/measurements",
    summary: `${summary} For a Room, or for some of its experiments.`,
    parameters: { ...parameters, experiments: v.exactOptional(ids(limits.references)) },
    answer: measurementTable,
    formats,
  }),
] as const
