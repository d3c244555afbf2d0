/**
 * The parameters of a comparison: the dimensions that group values, the dimension of repeats, and the baseline group.
 */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
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
  const room = visit.ask("room", { roomId: table.items[0]?.roomId })
  return { named, ids, table, room, drawn: { attempts: table.items, baseline } satisfies Drawn }
}
export type Compared = ReturnType<typeof comparedIn>

export interface Question {
  readonly metrics: ReturnType<Visit["tables"]["measured"]>["metrics"]
  /** Dimensions and settings that can group values. */
  readonly candidates: readonly string[]
  readonly by: readonly string[]
  /** The dimension or setting whose values repeat a measurement, such as a seed. Values are averaged over it. */
  readonly over: string | null
  /** The baseline group, such as `arm:baseline`. */
  readonly against: string | undefined
  /** Whether averaging makes fewer groups than attempts, or the values have dimensions. */
  readonly isFolded: boolean
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
  const own = settings
    .map((key, at) => ({ key, at }))
    .filter(({ key }) => key !== over && !isCircumstance(key) && !dimensions.includes(key))
  const rows = table.items
    .filter(({ outcome }) => outcome === "succeeded")
    .map((row) => own.map(({ at }) => row.settings[at] ?? null))
  // Dimensions of the values come first. The person can add settings that differ between attempts.
  const varying = several.filter((name) => name !== over)
  const keys = own.map(({ key }) => key)
  const byDefault = varying.length > 0 ? varying : distinguishing(keys, rows)
  const candidates = [...new Set([...several, ...settings])].filter((name) => name !== over)
  const chosen = searchParams.getAll("by").filter((name) => candidates.includes(name))
  const by = (searchParams.has("by") ? chosen : byDefault).slice(0, limits.dimensions)
  return {
    metrics: known.metrics,
    candidates,
    by,
    over,
    against: visit.parameter("against"),
    isFolded:
      varying.length > 0 ||
      (over !== null &&
        new Set(rows.map((row) => JSON.stringify(row.filter((_, at) => by.includes(own[at]?.key ?? ""))))).size <
          rows.length),
  }
}
