/** The measurement table as CSV, for programs, and as Markdown, for agents to paste. */
import type { MeasurementTable } from "../../contract/answers/measurements.ts"
import type { Download } from "../../ledger/reads/reading.ts"
import { csvFile, markdownTable } from "../attempts/rows.ts"
import { figure, interval } from "./figures.ts"

type Group = MeasurementTable["groups"][number]
type Line = (string | number | null)[]

/** The columns of a group, in the order of both formats. */
const numbers = ["n", "mean", "sd", "se", "low", "high", "min", "max"] as const
const differences = [
  "method",
  "estimate",
  "sd",
  "se",
  "df",
  "low",
  "high",
  "p",
  "pairs",
  "unpaired",
  "lower",
  "higher",
] as const

/** Writes one row for each group, with every digit. */
export function csvOf(name: string, { by, groups, against }: MeasurementTable): Download {
  const compared =
    against === null
      ? []
      : [...differences.map((column) => `difference_${column}`), "corrected_low", "corrected_high", "distinct"]
  const row = ({ key, attempts, nonFinite, differs, contrast, ...group }: Group): Line => [
    ...by.map((dimension) => String(key[dimension] ?? "")),
    ...numbers.map((column) => group[column]),
    nonFinite,
    attempts.map(({ label }) => label).join(" "),
    differs.join(" "),
    ...(against === null
      ? []
      : [
          ...differences.map((column) => contrast?.[column] ?? null),
          ...[contrast?.corrected?.low ?? null, contrast?.corrected?.high ?? null],
          contrast?.corrected == null ? null : String(contrast.corrected.isDistinct),
        ]),
  ]
  const columns = [...by, ...numbers, "non_finite", "attempts", "differs", ...compared]
  return csvFile(name, columns, groups.map(row))
}

/** Whether a difference is distinct from zero, in words. */
const distinctness = (contrast: Group["contrast"]): string =>
  contrast?.corrected == null ? "–" : contrast.corrected.isDistinct ? "yes" : "not told apart"

/** The title of the table: its metric, `over`, `where` and `against`. */
function titleOf({ metric, split, unit, over, where, against }: MeasurementTable): string {
  const places = Object.entries(where).map(([dimension, value]) => `${dimension} ${String(value)}`)
  return [
    `${metric}${split === null ? "" : ` (${split})`}${unit === null ? "" : ` in ${unit}`}`,
    ...(over === null ? [] : [`over ${over}`]),
    ...(places.length === 0 ? [] : [`at ${places.join(", ")}`]),
    ...(against === null ? [] : [`against ${against.dimension} ${String(against.value)}`]),
  ].join(", ")
}

/** Writes the table as Markdown: means with 95 % intervals, differences, and the notes on each group. */
export function markdownOf(table: MeasurementTable): string {
  if (table.metric === null) {
    const known = table.metrics.map(({ metric, split, attempts, values, dimensions }) => [
      split === null ? metric : `${metric} (${split})`,
      attempts,
      values,
      dimensions.map((each) => `${each.dimension} (${each.values.length})`).join(", "),
    ])
    return [...markdownTable(["metric", "attempts", "values", "dimensions"], known), ""].join("\n")
  }
  const { by, groups, against, comparisons, leftOut } = table
  const compared = against === null ? [] : ["difference", "95 % interval", "pairs", "told apart (Holm)"]
  const head = [...by, "n", "mean", "95 % interval", "sd", ...compared]
  const rows = groups.map(({ key, n, mean, sd, se, low, high, contrast }) => [
    ...by.map((dimension) => String(key[dimension] ?? "")),
    ...[n, figure(mean, se), interval(low, high, se), figure(sd, se)],
    ...(against === null
      ? []
      : [
          figure(contrast?.estimate ?? null, contrast?.se),
          interval(contrast?.low ?? null, contrast?.high ?? null, contrast?.se ?? null),
          contrast === null ? "–" : (contrast.pairs ?? "unpaired"),
          distinctness(contrast),
        ]),
  ])
  const notes = groups.flatMap((group) =>
    group.notes.map(
      (note) => `- ${by.map((dimension) => String(group.key[dimension] ?? "")).join(", ") || "all"}: ${note}.`,
    ),
  )
  const left = [
    ...(leftOut.unfinishedAttempts > 0 ? [`${leftOut.unfinishedAttempts} attempts that failed or have not ended`] : []),
    ...(leftOut.otherIntents > 0
      ? [leftOut.otherIntents === 1 ? "1 rerun or reproduction" : `${leftOut.otherIntents} reruns and reproductions`]
      : []),
    ...(leftOut.withoutBy > 0 ? [`${leftOut.withoutBy} values without one of the dimensions`] : []),
  ]
  return [
    `**${titleOf(table)}**`,
    "",
    ...markdownTable(head, rows),
    "",
    ...(comparisons > 1 ? [`${comparisons} comparisons; "told apart" allows for their number.`, ""] : []),
    ...notes,
    ...(left.length > 0 ? [`Left out: ${left.join("; ")}.`] : []),
    "",
  ].join("\n")
}
