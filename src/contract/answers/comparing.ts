/** The answers of the reads that compare attempts. */
import * as v from "valibot"
import { count, id, optionalFreeText, freeText } from "./fields.ts"
import { page, schemaVersion } from "./parts.ts"
import { shape } from "../schema/fields.ts"
import { scalar } from "./measurements.ts"
import { attemptIdentity, measured } from "./work.ts"

const series = { name: freeText, split: optionalFreeText, unit: optionalFreeText }

const last = shape({ step: v.nullable(count), value: measured })
/** The means of an attempt's last values of one metric, such as those of all seeds; arm is null if they name none. */
const means = shape({
  key: v.string(),
  unit: optionalFreeText,
  arms: v.array(shape({ arm: v.nullable(scalar), mean: measured, values: count })),
  moreArms: count,
})
export type Means = v.InferOutput<typeof means>

const row = shape({
  ...attemptIdentity,
  /** With setting and metric: the attempt's values of these two. */
  pair: v.exactOptional(shape({ setting: optionalFreeText, metric: v.nullable(last) })),
  /** Its last value of each metric among the columns, in their order; null if it reported none. */
  metrics: v.array(v.nullable(last)),
  /** The means of what it reported with dimensions; null if that, with the rows before it, is too many values. */
  means: v.exactOptional(v.nullable(v.array(means))),
  /** Its value of each setting among the columns, in their order; null if it has no such setting. */
  settings: v.array(optionalFreeText),
})

export const attemptTable = shape({
  ...page(row).entries,
  columns: shape({
    /** Metrics that the compared attempts report, the most frequent first; sort takes key after metric:. */
    metrics: v.array(shape({ key: v.string(), ...series, attempts: count })),
    metricsTruncated: v.boolean(),
    /** Settings in which the compared attempts differ, the most frequent first; sort takes key after setting:. */
    settings: v.array(shape({ key: freeText, attempts: count, values: count })),
    settingsTruncated: v.boolean(),
    sameSettings: count,
  }),
  /** Attempts that were sorted and searched for columns, the newest. */
  compared: count,
  comparedAll: v.boolean(),
  settingsCompared: count,
})
export type AttemptTable = v.InferOutput<typeof attemptTable>

export const attemptCurves = shape({
  schemaVersion,
  metric: freeText,
  split: optionalFreeText,
  curves: v.array(
    shape({
      attemptId: id,
      label: v.string(),
      unit: optionalFreeText,
      /** Points that were reported. The columns hold those needed to draw the curve. */
      points: count,
      /** The lowest and the highest step reported; null without points. */
      fromStep: v.nullable(count),
      toStep: v.nullable(count),
      /**
       * Steps in one interval. Of each interval, the ends, the extremes and the first value that is not finite are
       * kept.
       */
      stretch: count,
      columns: shape({ step: v.array(count), value: v.array(measured) }),
    }),
  ),
})
