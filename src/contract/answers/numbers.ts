/** The answer of `check_text`: what the numbers, labels and papers of a text are in a Room's record. */
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import { shape } from "../schema/fields.ts"
import { count, freeText, id } from "./fields.ts"
import { schemaVersion } from "./parts.ts"

/** Places in the text, in UTF-16 code units. */
const span = { text: v.string(), start: count, end: count }

const scalar = v.nullable(v.union([freeText, v.number(), v.boolean()]))

/** What a number stands for, with its exact value. */
const is = shape({
  kind: v.picklist(["mean", "effect", "metric", "count", "setting", "dimension"]),
  of: v.nullable(
    shape({
      kind: v.picklist(["room", "experiment", "attempt", "record", "plan", "checkpoint"]),
      id,
      label: v.nullable(v.string()),
    }),
  ),
  metric: v.exactOptional(freeText),
  split: v.exactOptional(freeText),
  /** The dimensions and settings of its group. */
  group: v.exactOptional(v.record(v.string(), scalar)),
  /** Which number of it: mean, sd, low and so on. */
  role: v.exactOptional(v.string()),
  value: v.number(),
  /** What it is now, if its values have changed since; null if it can no longer be worked out. */
  now: v.exactOptional(v.nullable(v.number())),
  n: v.exactOptional(count),
  /** The labels of the first of its attempts. */
  attempts: v.exactOptional(v.array(v.string())),
})

export const checkedNumber = shape({
  ...span,
  state: v.picklist(["resolves", "may_be", "moved", "unknown", "setting"]),
  is: v.exactOptional(is),
  /** How many values of the record equal it. */
  candidates: count,
})
export type CheckedNumber = v.InferOutput<typeof checkedNumber>

/** How many numbers of a text stand in the record. `unread`: further numbers that were not looked up. */
export const numbersCheck = shape({
  numbers: count,
  resolve: count,
  mayBe: count,
  moved: count,
  unknown: count,
  settings: count,
  unread: count,
})
export type NumbersSummary = v.InferOutput<typeof numbersCheck>

/** The numbers of a record, and the first of those that are not in the Room's measurements, as they are printed. */
export const recordNumbers = shape({ ...numbersCheck.entries, unresolved: v.array(v.string()) })
export type RecordNumbers = v.InferOutput<typeof recordNumbers>

/** "2 of its 3 numbers are in the record; not found: 0.83", "its number is in the record"; null without numbers. */
export function numbersInWords(found: RecordNumbers): string | null {
  const all = found.numbers + found.unread
  if (all === 0) return null
  const known = found.resolve + found.moved + found.settings
  const moved =
    found.moved === 0 ? "" : all === 1 ? ", as it was before" : `, ${found.moved} of them as they were before`
  const rest = found.unresolved.length === 0 ? "" : `; not found: ${found.unresolved.join(", ")}`
  const count = all > 1 ? `${known} of its ${all} numbers are` : known === 1 ? "its number is" : "its number is not"
  return `${count} in the record${moved}${rest}`
}

const named = shape({ ...span, state: v.picklist([...enumerations.recordStatus, "unknown"]) })

const parts = {
  numbers: v.array(checkedNumber),
  labels: v.array(named),
  papers: v.array(named),
  summary: numbersCheck,
}
export const checkedText = shape({ schemaVersion, ...parts })
export type CheckedText = Omit<v.InferOutput<typeof checkedText>, "schemaVersion">
