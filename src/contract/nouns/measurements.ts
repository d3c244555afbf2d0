/**
 * The reads of what attempts measured: means, intervals and differences, the effects behind a record, and the numbers
 * of a text. Their answers are in answers/measurements.ts and answers/numbers.ts.
 */
import * as v from "valibot"
import { plain, DIMENSION, PLACE, SETTING, oneOf } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { commaList, words, ids } from "../definitions/parameters.ts"
import { described } from "../schema/validation.ts"
import { enumerations } from "../schema/enumerations.ts"
import { files, markdown, read } from "../definitions/read.ts"
import { recordEffects, measurementTable, roomTable } from "../answers/measurements.ts"
import { subject } from "../schema/parts.ts"
import { checkedText } from "../answers/numbers.ts"

/** A dimension or setting with a value, `none` if it is absent, or `!` and what it is not. */
const CONDITION = /^[A-Za-z_][^,:]{0,63}:[^,]{1,64}$/u

const parameters = {
  metric: v.exactOptional(plain(limits.name)),
  split: v.exactOptional(plain(limits.name)),
  by: v.exactOptional(commaList(DIMENSION, limits.dimensions, "dimensions")),
  over: v.exactOptional(v.pipe(v.string(), v.regex(DIMENSION, "must be a dimension"))),
  against: v.exactOptional(v.pipe(v.string(), v.regex(PLACE, "must be a dimension and a value, such as arm:baseline"))),
  where: v.exactOptional(
    described(
      commaList(CONDITION, limits.dimensions, "dimensions with a value, such as labels:400"),
      "Keeps values with these dimensions or settings: labels:400; steps:none if it is absent; steps:!5000 for others.",
    ),
  ),
  pool: v.exactOptional(
    described(
      commaList(SETTING, limits.dimensions, "settings"),
      "Settings whose values are merged. Groups are parted by every other setting in which their attempts differ.",
    ),
  ),
  intents: v.exactOptional(words(enumerations.attemptIntent)),
  attempts: v.exactOptional(ids(limits.comparedAttempts)),
  points: v.exactOptional(oneOf(["1"])),
}

const formats = { csv: files.csv, ...markdown }

const summary =
  "What the succeeded attempts measured: a metric grouped by dimensions, each group with n, mean, sd, standard error " +
  "and 95 % interval. Settings (configuration, flags of argv) in which attempts differ part the groups; " +
  "pool=updates merges one. over names the dimension of repetitions, such as seed. against=arm:baseline adds the " +
  "difference to that group: paired over that dimension if both sides have it, within one attempt first, then within " +
  "one experiment at the same commit and settings; else Welch's; corrected for all comparisons (Holm). A pair of " +
  "further apart says so in pairedAcross and is never told apart. noise is what the same code and settings differ " +
  "by from run to run. Without metric, the answer lists the metrics and their dimensions."

export const measurementReads = [
  read({
    name: "record_effects",
    path: "/api/research/records/{versionId}/effects",
    summary:
      "The effects of the findings that count for or against a record, such as a hypothesis, grouped by what they " +
      "compare: each estimate with its interval, n, author and code, and a pooled estimate (random effects) if " +
      "there are at least three that share no attempt.",
    answer: recordEffects,
  }),
  read({
    name: "experiment_measurements",
    costly: true,
    path: "/api/research/experiments/{experimentId}/measurements",
    summary,
    parameters,
    answer: measurementTable,
    formats,
  }),
  read({
    name: "room_measurements",
    costly: true,
    path: "/api/research/rooms/{roomId}/measurements",
    summary: `${summary} For a Room, or for some of its experiments.`,
    parameters: { ...parameters, experiments: v.exactOptional(ids(limits.references)) },
    answer: measurementTable,
    formats,
  }),
  read({
    name: "room_table",
    costly: true,
    path: "/api/research/rooms/{roomId}/table",
    summary: "The table of differences that a Room's newest conclusion or synthesis rests on, or its newest finding.",
    answer: roomTable,
    formats: markdown,
  }),
  read({
    name: "check_text",
    method: "POST",
    costly: true,
    path: "/api/research/rooms/{roomId}/check_text",
    summary:
      "What the numbers of a text are in the record: a mean with its group, an effect, an attempt's last value, " +
      "a count, a setting, each with its exact value; which stand nowhere; and which labels and papers are unknown " +
      "or have fallen. A number resolves if a value, rounded as it is printed, equals it, and the words around it, " +
      "or the record it belongs to, name what it is of; else it may be one of so many values. Nothing is stored.",
    parameters: {
      text: described(plain(limits.checkedText), `The text: 1 to ${limits.checkedText} characters.`),
      versionId: v.exactOptional(described(subject("finding"), "The finding that the text belongs to.")),
      attemptIds: v.exactOptional(described(ids(limits.executionAttempts), "Attempts that the text is about.")),
    },
    refusals: ["unknown_attempt"],
    answer: checkedText,
  }),
] as const
