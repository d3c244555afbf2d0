/** What the reads answer that lay attempts beside each other. */
import * as v from "valibot"
import { count, dated, id, optionalSaid, said } from "./fields.ts"
import { page, schemaVersion } from "./parts.ts"
import { shape } from "../schema/fields.ts"
import { attemptIs, measured } from "./work.ts"

const series = { name: said, split: optionalSaid, unit: optionalSaid }

const last = shape({ step: v.nullable(count), value: measured })
const row = shape({
  ...attemptIs,
  /** With setting and metric: what of these it has. */
  pair: v.exactOptional(shape({ setting: optionalSaid, metric: v.nullable(last) })),
  /** Its last value of each metric among the columns, in their order; null where it reported none. */
  metrics: v.array(v.nullable(last)),
  /** What it ran with, of each setting among the columns, in their order; null where it has no such setting. */
  settings: v.array(optionalSaid),
})

export const attemptTable = shape({
  ...dated,
  ...page(row).entries,
  columns: shape({
    /** Metrics that the attempts compared report, those that most report first; key is what sort takes behind metric:. */
    metrics: v.array(shape({ key: v.string(), ...series, attempts: count })),
    metricsTruncated: v.boolean(),
    /** Settings in which the attempts compared differ, those that most have first; key is what sort takes behind setting:. */
    settings: v.array(shape({ key: said, attempts: count, values: count })),
    settingsTruncated: v.boolean(),
    /** Settings that all of them have alike. */
    sameSettings: count,
  }),
  /** Attempts that were sorted and in which columns were found: of more, the newest. */
  compared: count,
  comparedAll: v.boolean(),
  /** Attempts among them whose settings were compared. */
  settingsCompared: count,
})
export type AttemptTable = v.InferOutput<typeof attemptTable>

export const attemptCurves = shape({
  schemaVersion,
  metric: said,
  split: optionalSaid,
  curves: v.array(
    shape({
      attemptId: id,
      label: v.string(),
      unit: optionalSaid,
      /** Points that were reported; of those, what is to be seen is in the columns. */
      points: count,
      /** The least and the greatest step reported; null without points. */
      fromStep: v.nullable(count),
      toStep: v.nullable(count),
      /** Steps of one stretch: of each, the ends, the extremes, and the first of what is no finite number are there. */
      stretch: count,
      columns: shape({ step: v.array(count), value: v.array(measured) }),
    }),
  ),
  ...dated,
})
