/**
 * The parameters of a comparison: the dimensions that group values, the dimension of repeats, and the baseline group.
 */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { folded } from "../../research/measurements/stated.ts"
import { idsIn } from "../addresses.ts"
import { orNull, type Visit } from "../visit.ts"
import { nameOfDimension } from "../words.ts"
import type { Drawn } from "./curves.ts"

/** Reads the attempts that the address names, with their Room and columns. @throws Refusal if it names none */
export function comparedIn(visit: Visit) {
  const named = idsIn(visit.url)
  const ids = named.slice(0, limits.comparedAttempts)
  if (ids.length === 0) throw new Refusal("unknown_attempt", "Choose the attempts to compare in a table of attempts.")
  const table = visit.ask("attempt_table", {}, { attemptIds: ids.join(",") })
  const baselineId = visit.parameter("baseline")?.toLowerCase()
  const baseline = ids.find((id) => id === baselineId)
  const room = visit.room(table.items[0]?.roomId ?? "")
  return { named, ids, table, room, drawn: { attempts: table.items, baseline } satisfies Drawn }
}
export type Compared = ReturnType<typeof comparedIn>

export interface Question {
  readonly metrics: ReturnType<Visit["tables"]["measured"]>["metrics"]
  /** Dimensions and settings that can group values. */
  readonly candidates: readonly string[]
  readonly by: readonly string[]
  /** Dimensions and settings that values are averaged over beside `over`. */
  readonly pool: readonly string[]
  /** Those whose every value was measured with one seed only, so that grouping by one makes groups of one run. */
  readonly withSeed: readonly string[]
  /** A grouping with repeats, if the one shown has none. */
  readonly instead: Grouping | null
  /** The dimension or setting whose values repeat a measurement, such as a seed. Values are averaged over it. */
  readonly over: string | null
  /** The baseline group, such as `arm:baseline`. */
  readonly against: string | undefined
  /** Whether averaging makes fewer groups than attempts, or the values have dimensions. */
  readonly isFolded: boolean
}

export interface Grouping {
  readonly by: readonly string[]
  readonly pool: readonly string[]
}

/** The value of a setting that an attempt does not have. */
export const ABSENT = "–"

/** Returns the name of a group for people: "shift, labels 50". */
export const labelOf = (key: Readonly<Record<string, unknown>>): string =>
  Object.entries(key)
    .map(([name, value]) => {
      if (value === ABSENT) return `no ${nameOfDimension(name)}`
      return name === "arm" || Number.isNaN(Number(value)) ? String(value) : `${nameOfDimension(name)} ${value}`
    })
    .join(", ") || "all"

/** Returns the chosen dimensions that a metric has, and the chosen settings. */
export const byOf = ({ by, metrics }: Question, metric: Question["metrics"][number]): string[] => {
  const own = new Set(metric.dimensions.map(({ dimension }) => dimension))
  const others = new Set(metrics.flatMap((each) => each.dimensions.map(({ dimension }) => dimension)))
  return by.filter((name) => own.has(name) || !others.has(name))
}
const isSeed = (name: string): boolean => /^-*(?:random_?)?seed$/i.test(name)
/** Whether a setting describes the environment, inputs or code, which are seldom compared. */
const isCircumstance = (name: string): boolean => /^(?:environment |input |commit$|command$)/.test(name)

/** Returns the fewest settings that distinguish the groups of attempts. @param rows the values of each attempt */
function distinguishing(names: readonly string[], rows: readonly (readonly (string | null)[])[]): string[] {
  const all = names.map((_, at) => at)
  const groups = (some: readonly number[]): number =>
    new Set(rows.map((row) => JSON.stringify(some.map((at) => row[at] ?? null)))).size
  // A setting with a value of its own for each attempt distinguishes attempts, not groups.
  const useful = all.filter((at) => rows.length < 3 || all.length === 1 || groups([at]) < rows.length)
  const whole = groups(useful)
  const kept: number[] = []
  for (const at of useful) if (groups([...kept, at]) > groups(kept)) kept.push(at)
  // Drop each setting that is redundant beside the others.
  return kept
    .filter((at) => kept.length === 1 || groups(kept.filter((other) => other !== at)) < whole)
    .map((at) => names[at] ?? "")
}

/** A run of a metric: its values of some dimensions and settings, and the value of the dimension that repeats it. */
interface Run {
  readonly values: readonly string[]
  readonly seed: string
}

const distinct = (runs: readonly Run[], some: readonly number[]): number =>
  new Set(runs.map(({ values }) => JSON.stringify(some.map((at) => values[at])))).size

/**
 * Groups runs so that they repeat each other: without what each of them has another value of, and without what varies
 * with the seed, such as an arm's name that has the seed in it. Null if nothing repeats even then.
 */
function repeating(names: readonly string[], runs: readonly Run[]): { withSeed: string[]; grouping: Grouping | null } {
  const seeds = new Set(runs.map(({ seed }) => seed))
  const varies = names.map((_, at) => {
    const byValue = [...Map.groupBy(runs, ({ values }) => values[at]).values()]
    return byValue.length > 1 && byValue.every((same) => new Set(same.map(({ seed }) => seed)).size === 1)
  })
  const withSeed = seeds.size < 2 ? [] : names.filter((_, at) => varies[at])
  const kept = [...names.keys()].filter((at) => !withSeed.includes(names[at] ?? ""))
  const by = distinguishing(
    kept.map((at) => names[at] ?? ""),
    runs.map(({ values }) => kept.map((at) => values[at] ?? null)),
  )
  const places = by.map((name) => names.indexOf(name))
  const isRepeated = withSeed.length > 0 && distinct(runs, places) < runs.length
  return { withSeed, grouping: isRepeated ? { by, pool: withSeed } : null }
}

/** Returns the parameters of the comparison in the address; null if the attempts measured nothing. */
export function questionOf(visit: Visit, { ids, table }: Compared): Question | null {
  const known = orNull(() => visit.tables.measured({ attemptIds: ids }, { attempts: ids }))
  if (known === null || known.metrics.length === 0) return null
  const { searchParams } = visit.url
  const dimensions = [
    ...new Set(known.metrics.flatMap((metric) => metric.dimensions.map(({ dimension }) => dimension))),
  ]
  const several = dimensions.filter((name) =>
    known.metrics.some((metric) =>
      metric.dimensions.some(({ dimension, values }) => dimension === name && values.length > 1),
    ),
  )
  const settings = table.columns.settings.map(({ key }) => key)
  const over = searchParams.get("over") ?? [...dimensions, ...settings].find(isSeed) ?? null
  // `--seed` is the dimension `seed`.
  const told = new Set([...dimensions, ...(over === null ? [] : [over])].map(folded))
  const own = settings.filter((key) => !isCircumstance(key) && !told.has(folded(key)))
  const succeeded = table.items.filter(({ outcome }) => outcome === "succeeded")
  const settingOf = new Map(
    succeeded.map((row) => [row.attemptId, new Map(settings.map((key, at) => [key, row.settings[at] ?? ABSENT]))]),
  )
  // Dimensions of the values come first. The person can add settings that differ between attempts.
  const varying = several.filter((name) => name !== over)
  const candidates = [...varying, ...settings.filter((key) => !told.has(folded(key)))]
  const chosen = searchParams.getAll("by").filter((name) => candidates.includes(name))
  const names = [...new Set([...varying, ...own, ...chosen])]

  /** The runs of the first metric with the dimensions that vary, or of the attempts. */
  function runsOf(): Run[] {
    const of = (attemptId: string, key: Readonly<Record<string, unknown>>, fallback: string): Run => {
      const value = (name: string) => String(key[name] ?? settingOf.get(attemptId)?.get(name) ?? ABSENT)
      return { values: names.map(value), seed: over === null ? fallback : value(over) }
    }
    if (varying.length === 0) return succeeded.map(({ attemptId }) => of(attemptId, {}, attemptId))
    const metric = known?.metrics.find((each) => each.dimensions.some(({ dimension }) => varying.includes(dimension)))
    if (metric === undefined) return []
    const ownDimensions = varying.filter((name) => metric.dimensions.some(({ dimension }) => dimension === name))
    const by = [...ownDimensions, ...(over === null ? [] : [over])]
    const split = metric.split === null ? {} : { split: metric.split }
    const query = { attempts: ids, metric: metric.metric, by, ...split }
    const groups = orNull(() => visit.tables.measured({ attemptIds: ids }, query, ABSENT))?.groups ?? []
    return groups.flatMap(({ key, attempts }) =>
      attempts.map(({ attemptId }) => of(attemptId, key, JSON.stringify([attemptId, key]))),
    )
  }
  const runs = runsOf()
  const succeededRows = succeeded.map(({ attemptId }) => own.map((key) => settingOf.get(attemptId)?.get(key) ?? null))
  const byDefault = varying.length > 0 ? varying : distinguishing(own, succeededRows)
  const isChosen = searchParams.has("by")
  const asked = isChosen ? chosen : byDefault
  const groupsBy = (some: readonly string[]): number =>
    distinct(
      runs,
      some.map((name) => names.indexOf(name)),
    )
  const isAlone = runs.length > 1 && groupsBy(asked) === runs.length
  const { withSeed, grouping } = isAlone || isChosen ? repeating(names, runs) : { withSeed: [], grouping: null }
  const isReplaced = !isChosen && grouping !== null && grouping.by.length > 0
  const by = (isReplaced ? grouping.by : asked).slice(0, limits.dimensions)
  const pool = isReplaced ? grouping.pool : searchParams.getAll("pool").filter((name) => candidates.includes(name))
  return {
    metrics: known.metrics,
    candidates,
    by,
    pool: pool.filter((name) => !by.includes(name)),
    withSeed,
    instead: isAlone && !isReplaced ? grouping : null,
    over,
    against: visit.parameter("against"),
    isFolded: varying.length > 0 || (over !== null && groupsBy(by) < runs.length),
  }
}
