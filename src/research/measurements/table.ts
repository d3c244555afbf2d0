/**
 * The measurement table: cells grouped by dimensions and parted by the settings in which their attempts differ, each
 * group with its mean and interval, and with its difference from the baseline if there is one. Deterministic: the same
 * cells give the same digits in any order. It is written as CSV and as Markdown here too.
 */
import { compareScalars, type Scalar, type Source, sortedBy, textOf, type Points } from "./cells.ts"
import { type Frame, placesIn, type Grouped, grouped, overOf, type Question } from "./frame.ts"
import { compared, finiteAmong, noiseOf, runOf, Side } from "./sides.ts"
import { folded, Stated } from "./stated.ts"
import { type Contrast, holm, type Summary, summaryOf, figure, interval } from "./statistics.ts"
import type { MeasurementTable } from "../../contract/answers/measurements.ts"
import type { Download } from "../../ledger/reads/reading.ts"
import { csvFile, markdownTable } from "../attempts/table.ts"
import { acrossInWords, mergedInWords, noiseInWords, placeInWords } from "./in-words.ts"

export { differenceOf } from "./sides.ts"

export interface Group {
  readonly key: Readonly<Record<string, Scalar>>
  /** The settings that part groups with one key, as all its attempts state them; null if they state none. */
  readonly settings: Readonly<Record<string, Scalar | null>>
  /** Null if no value is finite. */
  readonly summary: Summary | null
  readonly points: Points
  readonly side: Side
  /** Cells without a finite number: diverged runs. */
  readonly nonFinite: number
  /** Cells that lack the dimension `over`; they are left out. */
  readonly withoutOver: number
  readonly attempts: readonly Source[]
  /** What differs between the attempts of the group and does not part them. */
  readonly differs: readonly Differing[]
  /** The values of settings that are merged in it. */
  readonly merged: Readonly<Record<string, readonly (Scalar | null)[]>>
  readonly isBaseline: boolean
  readonly contrast: Contrast | null
}
type Plain = Omit<Group, "contrast">
type Differing = "commit" | "command" | "inputs" | "environment"

const keyText = (key: Readonly<Record<string, Scalar>>, by: readonly string[]): string =>
  JSON.stringify(by.map((dimension) => textOf(key[dimension] ?? "")))

/**
 * Returns the points of a frame: one for each value of `over`, or each finite value without it. Points from parts of
 * one frame can be compared.
 */
export const pointsOf = (frame: Frame, name: string | undefined): Points =>
  new Side(compared(frame, name), finiteAmong(frame, Int32Array.from(frame.values.keys()))).points

/** What differs between attempts, besides their settings. */
function differingIn(attempts: readonly Source[]): Differing[] {
  const [first] = attempts
  const differ = (of: (source: Source) => string | undefined) => {
    const value = first && of(first)
    return attempts.some((each) => of(each) !== value)
  }
  return [
    ...(differ(({ commit }) => commit) ? (["commit"] as const) : []),
    ...(differ(({ launch }) => launch?.command) ? (["command"] as const) : []),
    ...(differ(({ inputs }) => inputs) ? (["inputs"] as const) : []),
    ...(differ(({ launch }) => launch?.environment) ? (["environment"] as const) : []),
  ]
}

/** Returns the differences between the groups of a table and their baselines, each corrected for their number. */
export function contrasted(groups: readonly Plain[], baselineOf: (group: Plain) => Side | undefined): Group[] {
  const gaps = groups.map((group) => {
    const baseline = baselineOf(group)
    return baseline === undefined ? null : group.side.less(baseline)
  })
  const known = gaps.filter((gap) => gap !== null)
  const corrected = new Map(holm(known).map((each, index) => [known[index], each]))
  return groups.map((group, index) => {
    const gap = gaps[index] ?? null
    if (gap === null) return { ...group, contrast: null }
    const found = corrected.get(gap) ?? null
    // What comes from further apart is never told apart.
    const isDistinct = found?.isDistinct === true && gap.pairedAcross === null
    return { ...group, contrast: { ...gap, corrected: found && { ...found, isDistinct } } }
  })
}

/**
 * The baseline of a group: the one with the same settings, or one that states none with another value, or the only one.
 */
export function nearestOf(group: Plain, baselines: readonly Plain[]): Side | undefined {
  const own = JSON.stringify([...group.side.settings])
  const same = baselines.find(({ side }) => JSON.stringify([...side.settings]) === own)
  const fitting = baselines.filter(({ side }) => side.agreesWith(group.side))
  const only = fitting.length === 1 ? fitting[0] : baselines.length === 1 ? baselines[0] : undefined
  return (same ?? only)?.side
}

interface GroupPart extends Grouped {
  readonly places: readonly number[]
  readonly values: ReadonlyMap<string, Scalar | null>
}

/** Parts a group of values by the settings of their attempts. */
function partsOf(frame: Frame, { key, indices }: Grouped, keys: readonly string[], stated: Stated): GroupPart[] {
  const places = placesIn(frame, indices)
  const parts = keys.length === 0 ? [{ places, values: new Map() }] : stated.parted(places, keys)
  if (parts.length === 1) return [{ key, indices, places, values: parts[0]?.values ?? new Map() }]
  const partOf = new Int32Array(frame.sources.length).fill(-1)
  for (const [part, { places: own }] of parts.entries()) for (const place of own) partOf[place] = part
  return parts.map(({ places: own, values }, part) => ({
    key,
    indices: indices.filter((index) => partOf[frame.sourceOf[index] ?? -1] === part),
    places: own,
    values,
  }))
}

/**
 * Computes the table. `comparisons` counts the differences with an interval, for which Holm's correction allows, and
 * `withoutBy` the cells without one of the dimensions of `by`.
 */
export function tableOf(frame: Frame, question: Question) {
  const { against, by, pool = [], named = [] } = question
  const over = overOf(frame, question.over)
  const overs = question.over === undefined ? [] : [question.over]
  const { groups, withoutBy } = grouped(frame, question, over)
  const stated = new Stated(frame, [...by, ...overs, ...named])
  const { differing } = stated
  const pools = new Set(pool.map(folded))
  const [merging, parting] = [differing.filter((key) => pools.has(key)), differing.filter((key) => !pools.has(key))]
  const within = compared(frame, question.over, (source, place) => {
    const run = question.crossesExperiments === true ? source.commit : runOf(source)
    return `${run} ${stated.codesOf(place, merging)}`
  })
  const byLabel = sortedBy([...frame.sources.keys()], (place) => frame.sources[place]?.label.slice(1) ?? "")
  const rankOf = new Int32Array(byLabel.length)
  byLabel.forEach((place, rank) => (rankOf[place] = rank))
  const spellings = new Map(differing.map((key) => [key, stated.nameOf(key)]))
  const parts = groups.flatMap((group) => partsOf(frame, group, parting, stated))
  const partedBy = parting.filter((key) => parts.some(({ values }) => values.has(key)))
  // A group that a setting does not part says its value too, so that it stands beside the groups with the same one.
  const settingsOf = (places: readonly number[], parted: GroupPart["values"]) =>
    partedBy
      .filter((key) => parted.has(key) || stated.agree(places, key))
      .map((key) => [key, stated.commonTo(places, [key]).get(key) ?? null] as const)

  const plain = parts.map(({ key, indices, places, values }): Plain => {
    const finite = finiteAmong(frame, indices)
    const inOrder = places.toSorted((one, other) => (rankOf[one] ?? 0) - (rankOf[other] ?? 0))
    const attempts = inOrder.flatMap((place) => frame.sources[place] ?? [])
    const side = new Side(within, finite, stated.commonTo(places, partedBy))
    let withoutOver = 0
    while (over !== undefined && withoutOver < indices.length && (over.codes[indices[withoutOver] ?? -1] ?? -1) < 0)
      withoutOver += 1
    return {
      key,
      settings: Object.fromEntries(
        settingsOf(places, values).map(([name, value]) => [spellings.get(name) ?? name, value]),
      ),
      summary: side.points.values.length === 0 ? null : summaryOf(side.points.values),
      points: side.points,
      side,
      nonFinite: indices.length - finite.length,
      withoutOver,
      attempts,
      differs: differingIn(attempts),
      merged: stated.merged(places, differing),
      isBaseline: against !== undefined && textOf(key[against.dimension] ?? "") === against.value,
    }
  })
  const inOrder = inOrderOf(plain, by)
  const rest = by.filter((dimension) => dimension !== against?.dimension)
  const baselines = Map.groupBy(
    inOrder.filter(({ isBaseline }) => isBaseline),
    (group) => keyText(group.key, rest),
  )
  const all = contrasted(inOrder, (group) =>
    group.isBaseline ? undefined : nearestOf(group, baselines.get(keyText(group.key, rest)) ?? []),
  )
  return {
    groups: all,
    comparisons: all.filter(({ contrast }) => contrast?.corrected != null).length,
    withoutBy,
    noise: noiseOf(
      all.map(({ side }) => side),
      question.over,
    ),
    /** The settings that part the groups, and those that are merged on request, as they are spelled. */
    partedBy: partedBy.map((key) => spellings.get(key) ?? key),
    pooled: merging.map((key) => spellings.get(key) ?? key),
  }
}

/** Sorts groups by their key, then by their settings; a setting that is not stated comes first. */
function inOrderOf(groups: readonly Plain[], by: readonly string[]): Plain[] {
  return groups.toSorted(
    (one, other) =>
      by.reduce((order, name) => order || compareScalars(one.key[name] ?? "", other.key[name] ?? ""), 0) ||
      Object.keys(one.settings).reduce(
        (order, name) => order || compareScalars(one.settings[name] ?? "", other.settings[name] ?? ""),
        0,
      ),
  )
}

// The measurement table as CSV, for programs, and as Markdown, for agents to paste.

type ShownGroup = MeasurementTable["groups"][number]
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
export const settingCells = (settings: ShownGroup["settings"], partedBy: readonly string[]): string[] =>
  partedBy.map((name) => {
    const value = settings[name]
    return value === undefined ? "" : value === null ? UNSTATED : String(value)
  })

/** The settings of a group, to be told after its key. */
export const statedOf = (settings: ShownGroup["settings"]) =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? UNSTATED]))

const acrossCell = (across: NonNullable<ShownGroup["contrast"]>["pairedAcross"] | undefined): string =>
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
  const row = ({ key, settings, attempts, nonFinite, differs, merged, contrast, ...group }: ShownGroup): Line => [
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
const distinctness = (contrast: ShownGroup["contrast"]): string =>
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
