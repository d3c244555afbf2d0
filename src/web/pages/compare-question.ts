/** What a comparison of attempts asks of the measurement table: by which dimensions values are grouped, which repeats, and against which group. */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { idsIn } from "../addresses.ts"
import { orNull, type Visit } from "../visit.ts"
import { words } from "../words.ts"
import type { Drawn } from "./curves.ts"

/** The attempts that an address names, with what they have in common. */
export function comparedIn(visit: Visit) {
  const named = idsIn(visit.url)
  const ids = named.slice(0, limits.comparedAttempts)
  if (ids.length === 0) throw new Refusal("unknown_attempt", "Choose the attempts to compare in a table of attempts, and send that.")
  const table = visit.ask("attempt_table", {}, { attemptIds: ids.join(",") })
  const given = visit.url.searchParams.get("baseline")?.toLowerCase()
  const baseline = ids.find((id) => id === given)
  const room = visit.ask("room", { roomId: table.items[0]?.roomId })
  return { named, ids, table, room, drawn: { attempts: table.items, baseline } satisfies Drawn }
}
export type Compared = ReturnType<typeof comparedIn>

export interface Question {
  readonly metrics: ReturnType<Visit["tables"]["measured"]>["metrics"]
  /** Dimensions and settings that values can be grouped by, and those of them that they are. */
  readonly candidates: readonly string[]
  readonly by: readonly string[]
  /** The dimension or setting whose values repeat a measurement: folded into means. */
  readonly over: string | null
  /** `arm:baseline` */
  readonly against: string | undefined
  /** Whether folding makes fewer groups than there are attempts, or the values have dimensions of their own. */
  readonly isFolded: boolean
}

/** What stands for a setting that an attempt does not have. */
export const ABSENT = "–"

/** What people call a dimension or a setting: `--group` is "group". */
export const nameOfDimension = (name: string): string => words(name.replace(/^--?/, ""))
/** A group in words: "shift, labels 50". */
export const labelOf = (key: Readonly<Record<string, unknown>>): string =>
  Object.entries(key)
    .map(([name, value]) => {
      if (value === ABSENT) return `no ${nameOfDimension(name)}`
      return name === "arm" || Number.isNaN(Number(value)) ? String(value) : `${nameOfDimension(name)} ${value}`
    })
    .join(", ") || "all"

/** Of the dimensions that are asked for, those that a metric has, and settings of its attempts. */
export const byOf = ({ by, metrics }: Question, metric: Question["metrics"][number]): string[] => {
  const own = new Set(metric.dimensions.map(({ dimension }) => dimension))
  const others = new Set(metrics.flatMap((each) => each.dimensions.map(({ dimension }) => dimension)))
  return by.filter((name) => own.has(name) || !others.has(name))
}
const isSeed = (name: string): boolean => /^-*(?:random_?)?seed$/i.test(name)
/** Settings that say where something ran, or which code: they are seldom what is compared. */
const isCircumstance = (name: string): boolean => /^(?:environment |input |commit$|command$)/.test(name)

/** Settings by which the attempts fall into groups, the fewest of them. @param rows the values of each attempt */
function telling(names: readonly string[], rows: readonly (readonly (string | null)[])[]): string[] {
  const all = names.map((_, at) => at)
  const groups = (some: readonly number[]): number => new Set(rows.map((row) => JSON.stringify(some.map((at) => row[at] ?? null)))).size
  // What is another one for each attempt repeats what the others say together with the seed.
  const useful = all.filter((at) => rows.length < 3 || all.length === 1 || groups([at]) < rows.length)
  const whole = groups(useful)
  const kept: number[] = []
  for (const at of useful) if (groups([...kept, at]) > groups(kept)) kept.push(at)
  // Each of them that the rest can do without goes again.
  return kept.filter((at) => kept.length === 1 || groups(kept.filter((other) => other !== at)) < whole).map((at) => names[at] ?? "")
}

/** The question of an address; null where the attempts measured nothing. */
export function questionOf(visit: Visit, { ids, table }: Compared): Question | null {
  const known = orNull(() => visit.tables.measured({ attemptIds: ids }, { attempts: ids }))
  if (known === null || known.metrics.length === 0) return null
  const { searchParams } = visit.url
  const dimensions = [...new Set(known.metrics.flatMap((metric) => metric.dimensions.map(({ dimension }) => dimension)))]
  const several = dimensions.filter((name) =>
    known.metrics.some((metric) => metric.dimensions.some(({ dimension, values }) => dimension === name && values.length > 1)),
  )
  const settings = table.columns.settings.map(({ key }) => key)
  const over = searchParams.get("over") ?? [...dimensions, ...settings].find(isSeed) ?? null
  const own = settings
    .map((key, at) => ({ key, at }))
    .filter(({ key }) => key !== over && !isCircumstance(key) && !dimensions.includes(key))
  const rows = table.items.filter(({ outcome }) => outcome === "succeeded").map((row) => own.map(({ at }) => row.settings[at] ?? null))
  // Values with dimensions of their own say what they are of; what else differs between attempts can be added.
  const usual = several.filter((name) => name !== over)
  const told =
    usual.length > 0
      ? usual
      : telling(
          own.map(({ key }) => key),
          rows,
        )
  const candidates = [...new Set([...several, ...settings])].filter((name) => name !== over)
  const chosen = searchParams.getAll("by").filter((name) => candidates.includes(name))
  const by = (searchParams.has("by") ? chosen : told).slice(0, limits.dimensions)
  return {
    ...{ metrics: known.metrics, candidates, by, over },
    against: searchParams.get("against") || undefined,
    isFolded:
      usual.length > 0 ||
      (over !== null &&
        new Set(rows.map((row) => JSON.stringify(row.filter((_, at) => by.includes(own[at]?.key ?? ""))))).size < rows.length),
  }
}
