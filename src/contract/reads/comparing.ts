/** The reads that compare attempts: as a table, and as curves. */
import * as v from "valibot"
import { attemptCurves, attemptTable } from "../answers/comparing.ts"
import { enumerations } from "../schema/enumerations.ts"
import { oneOf, plain } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { read } from "../definitions/read.ts"
import { between, ids, wholeNumber } from "../definitions/parameters.ts"
import { subject } from "../schema/ref.ts"
import { files } from "./shared.ts"

const attemptIds = ids(limits.comparedAttempts)
/** As large as a cursor may be. */
const step = wholeNumber(999_999_999_999_999)

export const comparingReads = [
  read({
    name: "attempt_table",
    costly: true,
    at: true,
    path: "/api/research/attempt-table",
    summary:
      "A comparison of attempts of a Room, of an experiment, or with given ids: the last value of each metric, and the settings (arm, command, configuration, environment, inputs, commit) in which they differ. sort is label, experiment, outcome, registered, metric:KEY or setting:KEY, with a key of the answer's columns; values that are not finite come after finite ones, and missing values last. With setting and metric (keys of two columns), rows contain only that pair.",
    parameters: {
      roomId: v.exactOptional(subject("room")),
      experimentId: v.exactOptional(subject("experiment")),
      attemptIds: v.exactOptional(attemptIds),
      status: v.exactOptional(oneOf(enumerations.attemptStatus)),
      intent: v.exactOptional(oneOf(enumerations.attemptIntent)),
      sort: v.exactOptional(plain(limits.explanation)),
      order: v.exactOptional(oneOf(["ascending", "descending"])),
      setting: v.exactOptional(plain(limits.explanation)),
      metric: v.exactOptional(plain(limits.explanation)),
      limit: v.exactOptional(
        between(
          1,
          limits.tableAttempts,
          limits.pageItems,
          `The maximum number of items on a page; more than ${limits.pageItems} only with setting and metric.`,
        ),
      ),
    },
    cursor: "offset",
    refusals: ["unknown_attempt"],
    answer: attemptTable,
    formats: { csv: files.csv },
  }),
  read({
    name: "attempt_curves",
    costly: true,
    at: true,
    path: "/api/research/attempt-curves",
    summary:
      "One metric of several attempts as curves, each thinned to the given number of points: in every interval of steps, the ends, the extremes and values that are not finite are kept.",
    parameters: {
      attemptIds,
      metric: plain(limits.name),
      split: v.exactOptional(plain(limits.name)),
      from: v.exactOptional(step),
      to: v.exactOptional(step),
      points: v.exactOptional(
        between(limits.curvePointsMin, limits.curvePointsMax, limits.curvePoints, "The maximum number of points in each curve."),
      ),
    },
    refusals: ["unknown_attempt"],
    answer: attemptCurves,
    formats: { csv: files.csv },
  }),
] as const
