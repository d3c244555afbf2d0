/**
 * A comparison: its measurement tables, and its parameters (the dimensions that group values, the dimension of repeats,
 * and the baseline group).
 */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import { folded } from "../../research/measurements/stated.ts"
import { idsIn } from "../html.ts"
import { orNull, type Visit } from "../visit.ts"
import { nameOfDimension, directionByName } from "../words.ts"
import type { Drawn } from "./curves.ts"
import { type Corrected, holm } from "../../research/measurements/statistics.ts"
import { compareScalars, Points } from "../../research/measurements/cells.ts"
import { differenceOf, settingCells } from "../../research/measurements/table.ts"

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
const byOf = ({ by, metrics }: Question, metric: Question["metrics"][number]): string[] => {
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
  const named = new Set([...dimensions, ...(over === null ? [] : [over])].map(folded))
  const own = settings.filter((key) => !isCircumstance(key) && !named.has(folded(key)))
  const succeeded = table.items.filter(({ outcome }) => outcome === "succeeded")
  const settingOf = new Map(
    succeeded.map((row) => [row.attemptId, new Map(settings.map((key, at) => [key, row.settings[at] ?? ABSENT]))]),
  )
  // Dimensions of the values come first. The person can add settings that differ between attempts.
  const varying = several.filter((name) => name !== over)
  const candidates = [...varying, ...settings.filter((key) => !named.has(folded(key)))]
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

// The measurement tables of a comparison, one for each metric, with the groups that can be told apart as the best.

/** Metrics compared by default. */
const COMPARED = 6

type Table = ReturnType<Visit["tables"]["measured"]>
export type Group = Table["groups"][number]
export type Measure = ReturnType<typeof measured>[number]

/** Whether higher (1) or lower (-1) values of a metric are better, as the address says or the name suggests. */
function directionOf(visit: Visit, name: string): -1 | 0 | 1 {
  const [isLess, isMore] = ["lower", "higher"].map((way) => visit.url.searchParams.getAll(way).includes(name))
  return isLess ? -1 : isMore ? 1 : directionByName(name)
}

export const nameOf = (metric: string, split: string | null): string =>
  split === null ? metric : `${metric} (${split})`
/** Returns a group's key as a text, with the settings that part it. */
export const keyText = ({ key, settings }: Pick<Group, "key" | "settings">): string =>
  JSON.stringify([Object.values(key).map(String), settings])

/** Returns the place of a group for people, one text for each dimension and each setting that parts the table. */
export const placeOf = ({ key, settings }: Group, { by, partedBy }: Pick<Table, "by" | "partedBy">): string[] => [
  ...by.map((name) => String(key[name] ?? ABSENT)),
  ...settingCells(settings, partedBy),
]

/** Returns a group's key as a text, without the compared dimension. */
const stratum = ({ key, settings }: Pick<Group, "key" | "settings">, compares: string | undefined): string =>
  JSON.stringify([Object.entries(key).flatMap(([name, value]) => (name === compares ? [] : [String(value)])), settings])

/** Sorts groups so that those which differ only in the compared dimension are neighbours. */
function ordered({ groups, by }: Table, compares: string | undefined): Group[] {
  const names = [...by.filter((name) => name !== compares), ...(compares === undefined ? [] : [compares])]
  return groups.toSorted((one, other) => {
    const orders = names.map((name) => compareScalars(one.key[name] ?? "", other.key[name] ?? ""))
    return orders.find((order) => order !== 0) ?? 0
  })
}

/** Returns the best group's key if the corrected intervals of its differences to all others exclude zero. */
function bestOf(groups: readonly Group[], direction: -1 | 0 | 1): string | undefined {
  const known = groups.filter(({ mean, n }) => mean !== null && n > 1)
  const [first, ...others] = known.toSorted((one, other) => direction * ((other.mean ?? 0) - (one.mean ?? 0)))
  if (direction === 0 || first === undefined || others.length === 0 || known.length < groups.length) return undefined
  const [best, ...rest] = Points.ofAll([first, ...others].map(({ points }) => points ?? []))
  const corrected: (Corrected | null)[] = holm(rest.flatMap((other) => (best && differenceOf(best, other)) ?? []))
  return corrected.length === others.length && corrected.every((each) => each?.isDistinct === true)
    ? keyText(first)
    : undefined
}

type Contrast = NonNullable<Group["contrast"]>

/** Which of the groups that differ only in the compared dimension leads, and whether it is told apart from the rest. */
export interface Standing {
  /** What the groups have in common, in words; empty if nothing else parts the table. */
  readonly where: string
  /** Those with a value, the best first. */
  readonly groups: readonly Group[]
  /** The difference of the second from the first; null if one of them is a single run. */
  readonly lead: Contrast | null
  readonly isBest: boolean
}

function standingOf(
  same: readonly Group[],
  direction: -1 | 0 | 1,
  { compares, partedBy }: { readonly compares: string; readonly partedBy: readonly string[] },
  contrastsTo: (value: string) => ReadonlyMap<string, Contrast | null>,
): Standing[] {
  const groups = same
    .filter(({ mean }) => mean !== null)
    .toSorted((one, other) => direction * ((other.mean ?? 0) - (one.mean ?? 0)))
  const [first, ...others] = groups
  if (first === undefined || others.length === 0 || direction === 0) return []
  const to = first.n < 2 ? undefined : contrastsTo(String(first.key[compares] ?? ABSENT))
  const contrasts = others.map((group) => to?.get(keyText(group)) ?? null)
  const key = Object.entries(first.key).filter(([name]) => name !== compares)
  const settings = partedBy.flatMap((name) => (first.settings[name] == null ? [] : [[name, first.settings[name]]]))
  return [
    {
      where: [...key, ...settings].length === 0 ? "" : labelOf(Object.fromEntries([...key, ...settings])),
      groups,
      lead: contrasts[0]?.corrected == null ? null : contrasts[0],
      isBest: contrasts.every(
        (contrast) => contrast?.corrected?.isDistinct === true && Math.sign(contrast.estimate) === -direction,
      ),
    },
  ]
}

/** Reads the measurement table of each compared metric, with the keys of its best groups. */
export function measured(visit: Visit, { ids }: Compared, question: Question) {
  const { metrics, over, pool, against } = question
  const chosen = visit.url.searchParams.getAll("metric")
  const shown =
    chosen.length === 0
      ? metrics.slice(0, COMPARED)
      : metrics.filter(({ metric, split }) => chosen.includes(nameOf(metric, split)))
  return shown.flatMap((each) => {
    const { metric, split } = each
    const query = {
      attempts: ids,
      metric,
      by: byOf(question, each),
      points: "1" as const,
      ...(split !== null && { split }),
      ...(over !== null && { over }),
      ...(pool.length > 0 && { pool: [...pool] }),
    }
    const ask = (more: { against?: string }) =>
      orNull(() => visit.tables.measured({ attemptIds: ids }, { ...query, ...more }, ABSENT))
    const table = ask(against === undefined ? {} : { against }) ?? ask({})
    if (table === null) return []
    const name = nameOf(metric, split)
    const direction = directionOf(visit, name)
    // The compared dimension is that of the baseline, or the first.
    const compares = table.against?.dimension ?? table.by[0]
    const groups = ordered(table, compares)
    const contrastsTo = (value: string) =>
      new Map(ask({ against: `${compares}:${value}` })?.groups.map((group) => [keyText(group), group.contrast]))
    const parts = { compares: compares ?? "", partedBy: table.partedBy }
    const standings = [...Map.groupBy(groups, (group) => stratum(group, compares)).values()].flatMap((same) =>
      standingOf(same, direction, parts, contrastsTo),
    )
    const leaders = new Set(
      standings.flatMap(({ groups: [first], isBest }) => (isBest && first ? [keyText(first)] : [])),
    )
    // Groups with other settings stand beside these, so the best must be told apart from them too.
    const beside = Map.groupBy(groups, ({ key }) => stratum({ key, settings: {} }, compares))
    const best = new Set(
      [...beside.values()].flatMap((all) => bestOf(all, direction) ?? []).filter((key) => leaders.has(key)),
    )
    return [{ name, metric, split, table, groups, direction, compares, best, standings }]
  })
}
