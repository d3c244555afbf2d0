/** The measurement table as CSV, for programs, and as Markdown, for agents to paste. */
import type { MeasurementTable } from "../../contract/answers/measurements.ts"
import type { Download } from "../../ledger/reads/reading.ts"
import { csvFile, markdownTable } from "../attempts/table.ts"
import { figure, interval } from "./figures.ts"
import { acrossInWords, mergedInWords, noiseInWords, placeInWords } from "./in-words.ts"

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

/** What a table says of a setting that no attempt of a group states. */
export const UNSTATED = "not stated"

/** The settings of a group as cells: empty where they do not part it, and told where its attempts state none. */
export const settingCells = (settings: Group["settings"], partedBy: readonly string[]): string[] =>
  partedBy.map((name) => {
    const value = settings[name]
    return value === undefined ? "" : value === null ? UNSTATED : String(value)
  })

/** The settings of a group, to be told after its key. */
export const statedOf = (settings: Group["settings"]) =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? UNSTATED]))

const acrossCell = (across: NonNullable<Group["contrast"]>["pairedAcross"] | undefined): string =>
  across == null ? "" : acrossInWords(across)

/** Writes one row for each group, with every digit. */
export function csvOf(name: string, { by, partedBy, groups, against, noise }: MeasurementTable): Download {
  const compared =
    against === null
      ? []
      : [
          ...differences.map((column) => `difference_${column}`),
          "corrected_low",
          "corrected_high",
          "distinct",
          "comparisons",
          "paired_across",
          "below_noise",
        ]
  const row = ({ key, settings, attempts, nonFinite, differs, merged, contrast, ...group }: Group): Line => [
    ...by.map((dimension) => String(key[dimension] ?? "")),
    ...settingCells(settings, partedBy),
    ...numbers.map((column) => group[column]),
    nonFinite,
    attempts.map(({ label }) => label).join(" "),
    differs.join(" "),
    mergedInWords(merged),
    noise?.sd ?? null,
    ...(against === null
      ? []
      : [
          ...differences.map((column) => contrast?.[column] ?? null),
          ...[contrast?.corrected?.low ?? null, contrast?.corrected?.high ?? null],
          contrast?.corrected == null ? null : String(contrast.corrected.isDistinct),
          contrast?.corrected?.comparisons ?? null,
          acrossCell(contrast?.pairedAcross),
          contrast === null ? null : String(contrast.belowNoise),
        ]),
  ]
  const parted = partedBy.map((setting) => `setting_${setting}`)
  const described = ["non_finite", "attempts", "differs", "merged", "noise_sd"]
  const columns = [...by, ...parted, ...numbers, ...described, ...compared]
  return csvFile(name, columns, groups.map(row))
}

/** Whether a difference is distinct from zero, in words. */
const distinctness = (contrast: Group["contrast"]): string =>
  contrast?.corrected == null
    ? "–"
    : contrast.corrected.isDistinct
      ? "yes"
      : contrast.pairedAcross === null
        ? "no"
        : acrossInWords(contrast.pairedAcross)

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
  const { by, partedBy, pooled, groups, against, comparisons, family, leftOut, noise } = table
  const compared = against === null ? [] : ["difference", "95 % interval", "pairs", "told apart (Holm)"]
  const head = [...by, ...partedBy, "n", "mean", "95 % interval", "sd", ...compared]
  const rows = groups.map(({ key, settings, n, mean, sd, se, low, high, contrast }) => [
    ...by.map((dimension) => String(key[dimension] ?? "")),
    ...settingCells(settings, partedBy),
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
    group.notes.map((note) => `- ${placeInWords({ ...group.key, ...statedOf(group.settings) }) || "all"}: ${note}.`),
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
    ...(comparisons > 1 ? [`"Told apart" allows for the number ${family}.`, ""] : []),
    ...(noise === null ? [] : [`Noise from run to run: ${noiseInWords(noise, table.unit)}.`, ""]),
    ...(pooled.length === 0 ? [] : [`Merged: ${pooled.join(", ")}.`, ""]),
    ...notes,
    ...(left.length > 0 ? [`Left out: ${left.join("; ")}.`] : []),
    ...(leftOut.removed === undefined ? [] : ["", leftOut.removed.sentence]),
    "",
  ].join("\n")
}
