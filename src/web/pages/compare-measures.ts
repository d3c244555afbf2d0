/** The measurement tables of a comparison, one for each metric, with the groups that can be told apart as the best. */
import { type Corrected, holm } from "../../research/measurements/statistics.ts"
import { compareScalars, Points } from "../../research/measurements/cells.ts"
import { differenceOf } from "../../research/measurements/table.ts"
import { settingCells } from "../../research/measurements/written.ts"
import { orNull, type Visit } from "../visit.ts"
import { directionByName } from "../words.ts"
import { ABSENT, byOf, type Compared, labelOf, type Question } from "./compare-question.ts"

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
